#include "app/gui/views/inspector/change_rows.h"

#include <QCoreApplication>
#include <utility>

#include "app/gui/views/inspector/inspector_text.h"

namespace mog::gui {
namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(Inspector)
};

}  // namespace

std::vector<ValueRow> change_rows(const std::vector<analysis::RunChange>& changes, const Sentence& sentence,
                                  const RecordingHeader& header, const QString& before,
                                  const QString& after) {
  std::vector<ValueRow> rows;
  for (const analysis::RunChange& change : changes) {
    const ChangeText text = text_of(change, sentence, header);
    ValueRow row;
    row.label = text.what;
    row.note = text_of(change, sentence, header, true).of;
    row.value = change.difference();
    row.before = number_text(change.before);
    row.after = number_text(change.after);
    row.text = difference_text(change.difference());
    row.spoken = QStringLiteral("%1, %2: %3 %4, %5 %6")
                     .arg(text.what, text.of, before.isEmpty() ? Text::tr("before") : before, row.before,
                          after.isEmpty() ? Text::tr("after") : after, row.after);
    rows.push_back(std::move(row));
  }
  return rows;
}

ValueRow output_row(const app::NextToken& token, std::size_t place, const Sentence& source) {
  ValueRow row;
  row.label = token.end ? Text::tr("end of the output")
                        : Text::tr("output “%1”").arg(QString::fromStdString(token.text));
  row.note = Text::tr("token %1, given those before").arg(place + 1);
  if (token.source >= 0 && token.source < std::ssize(source.tokens)) {
    const std::int64_t word = source.tokens[static_cast<std::size_t>(token.source)].word;
    row.note += QStringLiteral("; ") +
                Text::tr("reads “%1” most")
                    .arg(QString::fromStdString(source.words.at(static_cast<std::size_t>(word)).text));
  }
  row.value = token.after - token.before;
  row.before = number_text(token.before);
  row.after = number_text(token.after);
  row.text = difference_text(row.value);
  row.spoken = QStringLiteral("%1, %2: %3 %4, %5 %6")
                   .arg(row.label, row.note, Text::tr("before"), row.before, Text::tr("after"), row.after);
  return row;
}

void select_change(SelectionModel& selection, const analysis::RunChange& change, std::int64_t token,
                   std::int64_t key) {
  const Part part = change.name.part();
  if (change.name.layer() > 0) {
    selection.setMap(change.name.layer(), part, change.head);
  }
  if (token >= 0) {
    selection.setToken(token);
    selection.setKey(change.key >= 0 && key >= 0 ? std::optional(key) : std::nullopt);
  }
}

}  // namespace mog::gui
