// An edge of the information flow and the heads behind it.
#include <QSplitter>
#include <algorithm>

#include "analysis/attribution/word_units.h"
#include "app/gui/views/flow_view.h"
#include "app/gui/widgets/figure_canvas.h"

namespace mog::gui {

void FlowView::openPair(const Pair& pair) {
  pair_ = pair;
  selection().setLayer(pair.layer);
  const auto& parts = selection().extent().parts;
  if (!pair.carried && std::find(parts.begin(), parts.end(), pair.part) != parts.end()) {
    selection().setPart(pair.part);
  }
  selection().setToken(tokenOf(pair.query));
  selection().setKey(tokenOf(pair.key));
  if (heads_->isHidden()) {
    heads_->show();
    splitter_->setSizes({splitter_->width() * 68 / 100, splitter_->width() * 32 / 100});
  }
  loadHeads();
}

void FlowView::closePair() {
  pair_.reset();
  heads_made_ = {};
  heads_->hide();
}

void FlowView::loadHeads() {
  heads_made_ = {};
  if (pair_->carried) {
    heads_->setEmpty(tr("Carried"), tr("The state itself goes on: no head has a share in it."));
    return;
  }
  if (selection().extent().heads == 0) {
    heads_->setEmpty(tr("No heads"), tr("The weights are those of gates, or the recording holds means over "
                                        "heads only: record with --capture attention."));
    return;
  }
  app::FigureRequest request{.kind = "head-bars"};
  request.set("layer", pair_->layer).set("part", pair_->part).flag("by-word");
  heads_->setBusy(true);
  jobs().start(
      {.title = [] { return tr("Reading the heads of an edge"); },
       .slot = QStringLiteral("flow-heads"),
       .quiet = true},
      this,
      [recording = source(), request, index = selection().sentence().index, query = tokenOf(pair_->query),
       key = tokenOf(pair_->key)](const JobContext&) mutable {
        const Sentence sentence = recording->sentence(index);
        const auto units = analysis::word_units(sentence);
        const auto unit = [&](const std::optional<std::int64_t>& token) {
          return units.of_token.at(static_cast<std::size_t>(token.value_or(0))) + 1;
        };
        request.set("sentence", sentence.number).set("token", unit(query)).set("key", unit(key));
        return MadeFigure{std::make_shared<const analysis::FigureData>(app::make_figure(request, *recording)),
                          request};
      },
      [this](MadeFigure made) {
        if (pair_) {
          heads_made_ = made;
          heads_->setFigure(std::move(made.figure));
        }
      },
      [this](const QString& message) { heads_->setEmpty(tr("No heads"), message); });
}

std::vector<ExportItem> FlowView::exports() const {
  std::vector<ExportItem> items;
  if (figure() == nullptr) {
    return items;
  }
  figures::Highlight highlight;
  highlight.word = wordOf(selection().token());
  items.push_back({tr("Information flow"), QStringLiteral("flow-") + selectionName(), picture_->figure(),
                   highlight, commandOf(made_by_, highlight)});
  if (heads_made_.figure && !heads_->isHidden()) {
    items.push_back({tr("Heads of an edge"),
                     QStringLiteral("heads-") + selectionName(),
                     heads_made_.figure,
                     {},
                     commandOf(heads_made_.made_by)});
  }
  return items;
}

}  // namespace mog::gui
