#include "app/gui/views/graphs/edge_heads.h"

#include <QSplitter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/attribution/word_units.h"
#include "app/gui/widgets/figure_canvas.h"

namespace mog::gui {

EdgeHeads::EdgeHeads(const ViewContext& context, QSplitter& splitter)
    : QObject(&splitter), context_(context), splitter_(splitter), picture_(new FigureCanvas(&splitter)) {
  splitter_.addWidget(picture_);
  picture_->hide();
  picture_->setAccessibleName(tr("Heads of the chosen edge"));
  connect(&splitter_, &QSplitter::splitterMoved, this, [this] {
    if (picture_->isVisible() && splitter_.width() > 0) {
      context_.state.set(kHeadsShare, 1000.0 * picture_->width() / splitter_.width());
    }
  });
  connect(&context_.state, &ViewState::changed, this, [this](const QString& name) {
    const double shown = 1000.0 * picture_->width() / std::max(1, splitter_.width());
    if (name == kHeadsShare && picture_->isVisible() &&
        std::abs(shown - context_.state.number(kHeadsShare)) > 2) {
      divide();  // by undo, or with a session
    }
  });
  connect(picture_, &FigureCanvas::hovered, this, [this](const std::optional<figures::Hit>& hit) {
    figures::Highlight highlight;
    if (hit && hit->row >= 0) {
      highlight = hit->highlight();
    }
    picture_->setHighlight(highlight);
    Q_EMIT readout(hit ? hit->readout : QString());
  });
  connect(picture_, &FigureCanvas::clicked, this, [this](const figures::Hit& hit) {
    if (edge_ && hit.row >= 0) {
      context_.selection.setMap(edge_->layer, edge_->part, hit.row + 1);
    }
  });
}

void EdgeHeads::divide() {
  const int heads = static_cast<int>(splitter_.width() * context_.state.number(kHeadsShare) / 1000);
  splitter_.setSizes({splitter_.width() - heads, heads});
}

void EdgeHeads::open(const Edge& edge, std::shared_ptr<const RecordingSource> recording) {
  edge_ = edge;
  SelectionModel& selection = context_.selection;
  selection.setLayer(edge.layer);
  const auto& parts = selection.extent().parts;
  if (!edge.carried && std::find(parts.begin(), parts.end(), edge.part) != parts.end()) {
    selection.setPart(edge.part);
  }
  selection.setToken(edge.query);
  selection.setKey(edge.key);
  if (picture_->isHidden()) {
    picture_->show();
    divide();
  }
  load(std::move(recording));
}

void EdgeHeads::close() {
  edge_.reset();
  made_ = {};
  picture_->hide();
}

void EdgeHeads::load(std::shared_ptr<const RecordingSource> recording) {
  made_ = {};
  if (edge_->carried) {
    picture_->setEmpty(tr("Carried"), tr("The state itself goes on: no head has a share in it."));
    return;
  }
  if (context_.selection.extent().heads == 0) {
    picture_->setEmpty(tr("No heads"), tr("The weights are those of gates, or the recording holds means over "
                                          "heads only: record with --capture attention."));
    return;
  }
  app::FigureRequest request{.kind = "head-bars"};
  request.set("layer", edge_->layer).set("part", edge_->part).flag("by-word");
  picture_->setBusy(true);
  context_.jobs.start(
      {.title = [] { return tr("Reading the heads of an edge"); },
       .slot = QStringLiteral("flow-heads"),
       .quiet = true},
      this,
      [recording = std::move(recording), request, index = context_.selection.sentence().index,
       edge = *edge_](const JobContext&) mutable {
        const Sentence sentence = recording->sentence(index);
        const auto units = analysis::word_units(sentence);
        const auto unit = [&](const std::optional<std::int64_t>& token) {
          return units.of_token.at(static_cast<std::size_t>(token.value_or(0))) + 1;
        };
        request.set("sentence", sentence.number).set("token", unit(edge.query)).set("key", unit(edge.key));
        return MadeFigure{std::make_shared<const analysis::FigureData>(app::make_figure(request, *recording)),
                          request};
      },
      [this](MadeFigure made) {
        if (edge_) {
          made_ = made;
          picture_->setFigure(std::move(made.figure));
        }
      },
      [this](const QString& message) { picture_->setEmpty(tr("No heads"), message); });
}

std::optional<MadeFigure> EdgeHeads::figure() const {
  return made_.figure && !picture_->isHidden() ? std::optional(made_) : std::nullopt;
}

}  // namespace mog::gui
