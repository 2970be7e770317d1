#include "app/gui/attention_view.h"

#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <functional>

#include "app/gui/figure_view.h"
#include "app/gui/layer_head_grid.h"
#include "app/gui/map_picker.h"

namespace mog::gui {
namespace {
// What is drawn of the arcs: of a whole sentence the strong ones, of one token nearly all.
constexpr double kTokenThreshold = 0.02;
constexpr std::int64_t kMostArcs = 80;
constexpr std::int64_t kThumbnailCells = 64;
}  // namespace

AttentionView::AttentionView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      picker_(new MapPicker(context.selection, this)),
      show_choice_(new Choice(tr("Shown as"), this)),
      splitter_(new QSplitter(Qt::Horizontal, this)),
      grid_(new LayerHeadGrid(this)),
      matrix_(new FigureView(this)),
      arcs_(new FigureView(this)) {
  build();
  connect(&selection(), &SelectionModel::sentenceChanged, this, [this] {
    matrix_hit_.reset();
    invalidate();
  });
  connect(&selection(), &SelectionModel::mapChanged, this, [this] {
    grid_->setCurrent(selection().layer(), selection().head());
    invalidate();
  });
  connect(&selection(), &SelectionModel::tokenChanged, this, [this] {
    drawArcs();
    updateHighlights();
  });
  connect(&selection(), &SelectionModel::hoveredChanged, this, &AttentionView::updateHighlights);
  connect(grid_, &LayerHeadGrid::chosen, this, [this](std::int64_t layer, std::int64_t head) {
    selection().setMap(layer, selection().part(), head);
  });
  connect(grid_, &LayerHeadGrid::hoveredMap, this, [this](std::int64_t layer, std::int64_t head) {
    Q_EMIT readout(layer == 0  ? QString()
                   : head == 0 ? tr("layer %1, mean over heads").arg(layer)
                               : tr("layer %1, head %2").arg(layer).arg(head));
  });
  connect(matrix_, &FigureView::hovered, this, &AttentionView::hoverMatrix);
  connect(matrix_, &FigureView::clicked, this, [this](const figures::Hit& hit) {
    const std::int64_t token = hit.row >= 0 ? hit.row : hit.column;
    selection().setToken(selection().token() == token ? std::nullopt : std::optional(token));
  });
  connect(arcs_, &FigureView::hovered, this, &AttentionView::hoverArcs);
  connect(arcs_, &FigureView::clicked, this, [this](const figures::Hit& hit) {
    if (hit.kind == figures::Hit::Kind::word) {
      const auto token = arcToken(hit.word);
      selection().setToken(selection().token() == token ? std::nullopt : token);
    }
  });
  connect(arcs_, &FigureView::clickedNothing, this, [this] { selection().setToken(std::nullopt); });
}

void AttentionView::build() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* tools = new QHBoxLayout;
  tools->setContentsMargins(0, 0, 8, 0);
  tools->addWidget(picker_, 1);
  show_choice_->add(tr("Matrix"), static_cast<int>(Show::matrix), tr("Only the matrix"));
  show_choice_->add(tr("Arcs"), static_cast<int>(Show::arcs), tr("Only the arcs"));
  show_choice_->add(tr("Both"), static_cast<int>(Show::both), tr("Matrix and arcs side by side"));
  show_choice_->setCurrent(static_cast<int>(Show::both));
  tools->addWidget(show_choice_);
  column->addLayout(tools);
  splitter_->addWidget(grid_);
  splitter_->addWidget(matrix_);
  splitter_->addWidget(arcs_);
  splitter_->setStretchFactor(0, 0);
  splitter_->setStretchFactor(1, 1);
  splitter_->setStretchFactor(2, 1);
  splitter_->setChildrenCollapsible(false);
  column->addWidget(splitter_, 1);
  matrix_->setAccessibleName(tr("Attention matrix"));
  arcs_->setAccessibleName(tr("Attention arcs"));
  connect(show_choice_, &Choice::chosen, this, [this](int show) { setShow(static_cast<Show>(show)); });
  showEmpty(tr("No sentence yet"),
            tr("Open a recording or a model (Ctrl+O, or drop it here), then choose a sentence or type one."));
}

void AttentionView::setShow(Show show) {
  show_choice_->setCurrent(static_cast<int>(show));
  matrix_->setVisible(show != Show::arcs);
  arcs_->setVisible(show != Show::matrix);
}

void AttentionView::showEmpty(const QString& title, const QString& hint) {
  map_ = {};
  grid_of_.reset();
  grid_->clear();
  grid_->hide();
  arcs_->hide();
  show_choice_->hide();
  matrix_->show();
  matrix_->setEmpty(title, hint);
}

void AttentionView::refresh() {
  const auto recording = source();
  if (recording == nullptr) {
    showEmpty(
        tr("No sentence yet"),
        tr("Open a recording or a model (Ctrl+O, or drop it here), then choose a sentence or type one."));
    return;
  }
  if (selection().extent().parts.empty()) {
    showEmpty(tr("No attention maps in this recording"),
              tr("Record the corpus again with --capture attention, or type a sentence and run it."));
    return;
  }
  if (grid_->isHidden()) {
    grid_->show();
    show_choice_->show();
    setShow(static_cast<Show>(show_choice_->current()));
  }
  loadMap();
  loadGrid();
}

void AttentionView::loadMap() {
  const MapQuestion question{selection().sentence().index, selection().layer(), selection().part(),
                             selection().head()};
  matrix_->setBusy(true);
  arcs_->setBusy(true);
  jobs().start(
      {.title = tr("Reading an attention map"), .slot = QStringLiteral("attention-map"), .quiet = true}, this,
      [recording = source(), question](const JobContext&) { return load_map(*recording, question); },
      [this](MapFigures figures) {
        map_ = std::move(figures);
        matrix_->setFigure(map_.matrix);
        drawArcs();
        updateHighlights();
      },
      [this](const QString& message) {
        map_ = {};
        matrix_->setEmpty(tr("No such map"), message);
        arcs_->setEmpty(tr("No such map"), message);
      });
}

void AttentionView::loadGrid() {
  const auto recording = source();
  const std::tuple wanted{static_cast<const RecordingSource*>(recording.get()), selection().sentence().index,
                          selection().part()};
  grid_->setCurrent(selection().layer(), selection().head());
  if (grid_of_ == wanted) {
    return;
  }
  grid_of_ = wanted;
  jobs().start(
      {.title = tr("Reading thumbnails"), .slot = QStringLiteral("attention-grid"), .quiet = true}, this,
      [recording, index = std::get<1>(wanted), part = std::get<2>(wanted)](const JobContext& context) {
        return load_grid(*recording, index, part, kThumbnailCells, context.stop());
      },
      [this](MapGrid grid) {
        const bool other = grid.layers != grid_->grid().layers || grid.heads != grid_->grid().heads;
        grid_->setGrid(std::move(grid));
        if (other) {
          giveGridItsWidth();
        }
        grid_->setCurrent(selection().layer(), selection().head());
        grid_->setToolTip(tr("One scale for all maps, 0 to %1").arg(grid_->grid().greatest, 0, 'g', 2));
      },
      [this](const QString& message) {
        grid_->clear();
        workspace().report(message);
      });
}

// As wide as its thumbnails ask for, at most a third; the rest is shared by matrix and arcs.
void AttentionView::giveGridItsWidth() {
  const int whole = splitter_->width();
  const int wide = std::clamp(grid_->widthForHeight(splitter_->height()), 96, std::max(96, whole / 4));
  splitter_->setSizes({wide, (whole - wide) / 2, (whole - wide) / 2});
}

std::optional<std::int64_t> AttentionView::arcWord(std::optional<std::int64_t> token) const {
  const auto at =
      token ? std::find(map_.arc_tokens.begin(), map_.arc_tokens.end(), *token) : map_.arc_tokens.end();
  return at == map_.arc_tokens.end() ? std::nullopt : std::optional(at - map_.arc_tokens.begin());
}

std::optional<std::int64_t> AttentionView::arcToken(std::int64_t word) const {
  return word >= 0 && word < static_cast<std::int64_t>(map_.arc_tokens.size())
             ? std::optional(map_.arc_tokens[static_cast<std::size_t>(word)])
             : std::nullopt;
}

// Of a whole sentence about two arcs a word: the weight that so many reach, in steps of 0.001.
double AttentionView::sentenceThreshold() const {
  const auto& figure = std::get<analysis::ArcFigure>(map_.arcs->body);
  const std::size_t wanted = 2 * figure.words.size();
  if (figure.arcs.size() <= wanted) {
    return kTokenThreshold;
  }
  std::vector<double> weights;
  for (const analysis::Arc& arc : figure.arcs) {
    weights.push_back(arc.weight);
  }
  const auto at = weights.begin() + static_cast<std::ptrdiff_t>(wanted);
  std::nth_element(weights.begin(), at, weights.end(), std::greater<>());
  return std::max(kTokenThreshold, std::ceil(*at * 1000) / 1000);
}

void AttentionView::drawArcs() {
  if (map_.arcs == nullptr) {
    return;
  }
  const auto word = arcWord(selection().token());
  arcs_->setFigure(narrow_arcs(*map_.arcs, word, word ? kTokenThreshold : sentenceThreshold(), kMostArcs));
}

void AttentionView::updateHighlights() {
  figures::Highlight matrix;
  const auto lit = selection().lit();
  matrix.row = lit;
  if (matrix_hit_) {
    matrix = matrix_hit_->highlight();
  } else if (selection().hovered()) {
    matrix.column = selection().hovered();
  }
  matrix_->setHighlight(map_.matrix ? matrix : figures::Highlight{});
  figures::Highlight arcs = arcs_->highlight();
  arcs.word = arcWord(lit);
  arcs_->setHighlight(map_.arcs ? arcs : figures::Highlight{});
}

void AttentionView::hoverMatrix(const std::optional<figures::Hit>& hit) {
  matrix_hit_ = hit;
  selection().setHovered(hit ? std::optional(hit->row >= 0 ? hit->row : hit->column) : std::nullopt);
  updateHighlights();
  Q_EMIT readout(hit ? hit->readout : QString());
}

void AttentionView::hoverArcs(const std::optional<figures::Hit>& hit) {
  figures::Highlight highlight;
  std::optional<std::int64_t> token;
  if (hit && hit->kind == figures::Hit::Kind::arc) {
    highlight.arc = hit->arc;
  } else if (hit && hit->kind == figures::Hit::Kind::word) {
    token = arcToken(hit->word);
  }
  arcs_->setHighlight(highlight);
  selection().setHovered(token);
  updateHighlights();
  Q_EMIT readout(hit ? hit->readout : QString());
}

std::vector<ExportItem> AttentionView::exports() const {
  std::vector<ExportItem> items;
  const QString part = QString::fromUtf8(name(selection().part()).data());
  const QString place =
      QStringLiteral("%1-%2-h%3")
          .arg(selectionName(), selection().part() == Part::none ? QStringLiteral("all") : part)
          .arg(selection().head());
  figures::Highlight matrix;
  matrix.row = selection().token();
  if (map_.matrix) {
    items.push_back({tr("Attention matrix"), QStringLiteral("attention-") + place, map_.matrix, matrix});
  }
  if (arcs_->figure()) {
    figures::Highlight arcs;
    arcs.word = arcWord(selection().token());
    items.push_back({tr("Attention arcs"), QStringLiteral("arcs-") + place, arcs_->figure(), arcs});
  }
  if (FigurePointer grid = grid_->figure(tr("Attention by layer and head"))) {
    items.push_back({tr("Layers and heads"), QStringLiteral("grid-") + selectionName(), grid, {}});
  }
  return items;
}

}  // namespace mog::gui
