#include "app/gui/views/common/decomposition_run.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/workflow/record/named_quantities.h"
#include "io/recording/errors.h"
#include "model/model.h"

namespace mog::gui {

QString of_layer(const char* quantity, std::int64_t layer) {
  QString pattern = QString::fromLatin1(quantity);
  return pattern.contains(QStringLiteral("%1")) ? pattern.arg(layer) : pattern;
}

QString recorded_quantity(const RecordingHeader& header, std::span<const char* const> quantities,
                          std::int64_t layer) {
  for (const char* quantity : quantities) {
    QString pattern = of_layer(quantity, layer);
    if (std::any_of(header.quantities.begin(), header.quantities.end(),
                    [text = pattern.toStdString()](const QuantitySchema& schema) {
                      return !text.empty() && app::matches_name(text, schema.name.text());
                    })) {
      return pattern;
    }
  }
  return {};
}

std::optional<DecompositionRun> decomposition_run(const Workspace& workspace, const WorkspaceItem& item,
                                                  std::int64_t index, const QString& quantity) {
  const WorkspaceModel* by = workspace.modelOf(item);
  if (by == nullptr || !model::why_no_decompositions(by->loaded.model->config()).empty()) {
    return std::nullopt;
  }
  if (item.kind == WorkspaceItem::Kind::typed) {
    return DecompositionRun{.loaded = by->loaded,
                            .sentence = item.typed.at(static_cast<std::size_t>(index)),
                            .quantity = quantity};
  }
  return DecompositionRun{
      .loaded = by->loaded, .sentence = {item.source->sentence(index).text, {}, -1}, .quantity = quantity};
}

std::shared_ptr<const RecordingSource> values_of(const DecompositionRun& run, const RecordingSource& of,
                                                 std::int64_t index, const std::stop_token& stop) {
  auto values = run.as_text ? run_as_text(run.loaded, run.sentence, run.quantity, stop)
                            : run_for(run.loaded, run.sentence, run.quantity, stop);
  const auto same = [](const Token& a, const Token& b) { return a.id == b.id; };
  const std::vector<Token> now = values->sentence(0).tokens;
  const std::vector<Token> then = of.sentence(index).tokens;
  if (!std::equal(now.begin(), now.end(), then.begin(), then.end(), same)) {
    throw UsageError("The model cuts this sentence into other tokens than the recording has (" +
                     std::to_string(now.size()) + ", not " + std::to_string(then.size()) +
                     "): type the sentence, and it is decomposed as it is run.");
  }
  return values;
}

}  // namespace mog::gui
