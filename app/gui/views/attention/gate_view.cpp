#include "app/gui/views/attention/gate_view.h"

#include "app/gui/views/common/view_kind.h"

#include <QHBoxLayout>
#include <QLocale>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdlib>

#include "app/gui/widgets/figure_canvas.h"

namespace mog::gui {
namespace {

bool has_gate(const RecordingHeader& header, bool dimensions) {
  for (const QuantitySchema& schema : header.quantities) {
    if (schema.name.stack() == header.stack().stack && schema.name.quantity() == Quantity::gate &&
        (schema.name.reduction() == Reduction::full ||
         (!dimensions && schema.name.reduction() == Reduction::mean))) {
      return true;
    }
  }
  return false;
}

}  // namespace

GateView::GateView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      show_choice_(new Choice(tr("Gate by"), this)),
      what_(new LineLabel(this)),
      picture_(new FigureCanvas(this)) {
  asksIn({QStringLiteral("gates")});
  const auto [column, tools] = make_tool_column(this);
  show_choice_->add(tr("Layers"), static_cast<int>(Show::layers), tr("Token × layer, mean over dimensions"));
  show_choice_->add(tr("Dimensions"), static_cast<int>(Show::dimensions),
                    tr("Token × dimension of the selected layer"));
  show_choice_->setCurrent(static_cast<int>(Show::layers));
  tools->addWidget(show_choice_);
  tools->addWidget(what_, 1);
  column->addLayout(tools);
  column->addWidget(picture_, 1);
  picture_->setAccessibleName(tr("Gate heat map"));
  connect(show_choice_, &Choice::chosen, this, [this](int chosen) { setShow(static_cast<Show>(chosen)); });
  connect(&state(), &ViewState::changed, this, [this](const QString& name) {
    if (name == setting::kGatesShow || name == setting::kAttentionPieces) {
      show_choice_->setCurrent(static_cast<int>(show()));
      hit_.reset();
      invalidate();
    }
  });
  connect(&selection(), &SelectionModel::sentenceChanged, this, [this] {
    hit_.reset();
    invalidate();
  });
  connect(&selection(), &SelectionModel::mapChanged, this, [this] {
    if (show() == Show::dimensions) {
      invalidate();
    }
    updateHighlight();
  });
  connect(&selection(), &SelectionModel::tokenChanged, this, &GateView::updateHighlight);
  connect(&selection(), &SelectionModel::hoveredChanged, this, &GateView::updateHighlight);
  connect(picture_, &FigureCanvas::hovered, this, [this](const std::optional<figures::Hit>& hit) {
    hit_ = hit;
    selection().setHovered(hit ? tokenOf(*hit) : std::nullopt);
    updateHighlight();
    Q_EMIT readout(hit ? hit->readout : QString());
  });
  connect(picture_, &FigureCanvas::clicked, this, [this](const figures::Hit& hit) {
    const auto token = tokenOf(hit);
    const bool layer = !tokens_are_rows_ && hit.row >= 0;
    if (layer) {
      selection().setLayer(layers_.at(static_cast<std::size_t>(hit.row)));
    }
    if (token) {
      selection().setToken(selection().token() == token && !layer ? std::nullopt : token);
    }
  });
}

void GateView::setShow(Show show) {
  state().set(setting::kGatesShow,
              show == Show::layers ? QStringLiteral("layers") : QStringLiteral("dimensions"));
}

GateView::Show GateView::show() const {
  return state().choice(setting::kGatesShow) == QLatin1String("layers") ? Show::layers : Show::dimensions;
}

void GateView::refresh() {
  const auto recording = source();
  show_choice_->setVisible(recording && has_gate(recording->header(), true));
  const bool plain = recording != nullptr && recording->header().stack().gate == GateKind::none &&
                     !recording->header().stack().has_groups();
  constexpr int kLines = 6;  // for a title, its reason and air
  what_->setVisible(!plain);
  setMaximumHeight(plain ? kLines * fontMetrics().height() : QWIDGETSIZE_MAX);
  what_->clear();
  if (recording == nullptr) {
    const Empty empty = noSentence(tr("Here you see the gates of a sentence."));
    picture_->setEmpty(empty.title, empty.hint, empty.offer);
    return;
  }
  const bool dimensions = show() == Show::dimensions && has_gate(recording->header(), true);
  if (!has_gate(recording->header(), dimensions)) {
    const Empty empty =
        plain ? Empty{tr("This model has no gates"),
                      tr("A plain Transformer adds what its attention gives; there is no gate to show.")}
              : notRecorded(tr("No gates in this recording"),
                            tr("Its model computes them for one sentence. For all of them, record the corpus "
                               "again with --capture summary or gates."));
    picture_->setEmpty(empty.title, empty.hint, empty.offer);
    return;
  }
  const QString full = recording->header().stack().recurrent() ? tr("1: the new value only")
                                                               : tr("1: high and middle order only");
  const QString said = dimensions ? tr("layer %1; %2").arg(selection().layer()).arg(full)
                                  : tr("mean over dimensions; %1").arg(full);
  what_->setText(said);
  picture_->setBusy(true);
  jobs().start(
      {.title = [] { return tr("Reading gates"); }, .slot = QStringLiteral("gates"), .quiet = true}, this,
      [recording, dimensions, index = selection().sentence().index, layer = selection().layer(),
       by_word = !state().flag(setting::kAttentionPieces)](const JobContext& context) {
        return load_gates(*recording, index, dimensions ? layer : 0, by_word, context.stop());
      },
      [this, said](GateFigure gates) {
        made_by_ = gates.made.made_by;
        tokens_ = std::move(gates.tokens);
        const FigurePointer& figure = gates.made.figure;
        const auto& map = std::get<analysis::HeatMap>(figure->body);
        tokens_are_rows_ = map.row_title != "layer";
        layers_.clear();
        for (const analysis::WordLabel& row : map.rows) {
          if (!tokens_are_rows_) {
            layers_.push_back(std::strtoll(row.text.c_str(), nullptr, 10));
          }
        }
        what_->setText(tr("green carries more, purple takes in more than the median, %1; %2")
                           .arg(QLocale().toString(map.scale.middle, 'f', 2))
                           .arg(said));
        picture_->setFigure(figure);
        updateHighlight();
      },
      [this](const QString& message) { picture_->setEmpty(tr("The gates cannot be shown"), message); });
}

std::optional<std::int64_t> GateView::tokenOf(const figures::Hit& hit) const {
  const std::int64_t place = tokens_are_rows_ ? hit.row : hit.column;
  return place >= 0 && place < static_cast<std::int64_t>(tokens_.size())
             ? std::optional(tokens_[static_cast<std::size_t>(place)].front())
             : std::nullopt;
}

void GateView::updateHighlight() {
  if (picture_->figure() == nullptr) {
    return;
  }
  figures::Highlight highlight;
  const auto lit = place_of(tokens_, selection().lit());
  const auto at = std::find(layers_.begin(), layers_.end(), selection().layer());
  const auto layer = at == layers_.end() ? std::nullopt : std::optional(at - layers_.begin());
  if (hit_) {
    highlight = hit_->highlight();
  } else {
    (tokens_are_rows_ ? highlight.row : highlight.column) = lit;
    if (!tokens_are_rows_) {
      highlight.row = layer;
    }
  }
  picture_->setHighlight(highlight);
}

std::vector<ExportItem> GateView::exports() const {
  if (picture_->figure() == nullptr) {
    return {};
  }
  figures::Highlight highlight;
  (tokens_are_rows_ ? highlight.row : highlight.column) = place_of(tokens_, selection().token());
  const QString kind = show() == Show::layers ? QStringLiteral("gate-") : QStringLiteral("gate-dimensions-");
  return {{tr("Gate heat map"), kind + selectionName(), picture_->figure(), highlight,
           commandOf(made_by_, highlight)}};
}

const ViewKind& GateView::kind() {
  static const ViewKind kind{
      .name = "gates",
      .rank = 5,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new GateView(context, parent);
      },
      .places = {{"attention", 1, 0}},
      .settings = {{.name = setting::kGatesShow,
                    .initial = std::string("layers"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "gates"),
                    .choices = {QStringLiteral("layers"), QStringLiteral("dimensions")}}},
      .guide = [](const ViewContext& context) -> QStringList {
        return {of_stack(context, "gate"), of_stack(context, "gate.mean")};
      },
  };
  return kind;
}

std::span<const ViewKind> gate_view_kinds() {
  return {&GateView::kind(), 1};
}

}  // namespace mog::gui
