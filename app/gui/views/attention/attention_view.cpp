#include "app/gui/views/attention/attention_view.h"

#include "app/gui/views/common/view_kind.h"

#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <functional>

#include "app/gui/session/gold_syntax.h"
#include "app/gui/views/attention/attention_choices.h"
#include "app/gui/views/attention/attention_thumbnails.h"
#include "app/gui/views/attention/attention_tools.h"
#include "app/gui/views/attention/head_tiles.h"
#include "app/gui/views/attention/special_scale_button.h"
#include "app/gui/views/attention/stretch_picker.h"
#include "app/gui/views/common/gold_line.h"
#include "app/gui/views/common/threshold_box.h"
#include "app/gui/widgets/figure_canvas.h"

namespace mog::gui {
namespace {
// What is drawn of the arcs: of a whole sentence the strong ones, of one token nearly all.
constexpr double kTokenThreshold = 0.02;
constexpr double kSmallestArc = 0.01;
constexpr std::int64_t kMostArcs = 80;
constexpr std::int64_t kHangingArcs = 2;  // of a word, below the matrix
constexpr double kLeastCell = 12;         // pixels; with less, words could not be told apart
const QString kTiles = QStringLiteral("attention.tiles");
}  // namespace

AttentionView::AttentionView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      choices_(new AttentionChoices(context.state, context.selection, this)),
      tools_(new AttentionTools(context, *choices_, *this)),
      stretch_(new StretchPicker(context, *choices_, this)),
      splitter_(new QSplitter(Qt::Horizontal, this)),
      heads_(new HeadTiles(*choices_, *splitter_)),
      matrix_(new FigureCanvas(this)),
      arcs_(new FigureCanvas(this)),
      gold_line_(new GoldLine(context.workspace, this)),
      thumbnails_(new AttentionThumbnails(context, *choices_, heads_->grid(), this)) {
  asksIn({QStringLiteral("attention-map")});
  build();
  connect(&selection(), &SelectionModel::sentenceChanged, this, [this] {
    matrix_hit_.reset();
    invalidate();
  });
  connect(&selection(), &SelectionModel::mapChanged, this, &AttentionView::invalidate);
  connect(&selection(), &SelectionModel::tokenChanged, this, [this] {
    if (!selection().hovered()) {
      matrix_hit_.reset();  // a key chose it, not the pointer
    }
    choices_->followSelection();
    drawArcs();
    updateHighlights();
    followToken();
  });
  connect(&selection(), &SelectionModel::keyChanged, choices_, &AttentionChoices::followSelection);
  connect(choices_, &AttentionChoices::stretchChanged, this, [this] {
    matrix_hit_.reset();
    invalidate();
  });
  connect(&selection(), &SelectionModel::hoveredChanged, this, &AttentionView::updateHighlights);
  connect(&state(), &ViewState::changed, this, &AttentionView::follow);
  connect(choices_, &AttentionChoices::said, this, &AttentionView::said);
  connect(thumbnails_, &AttentionThumbnails::readout, this, &AttentionView::readout);
  connect(thumbnails_, &AttentionThumbnails::reshaped, heads_, &HeadTiles::takeWidth);
  connect(heads_, &HeadTiles::divided, this,
          [this](int share) { state().set(kTiles, static_cast<double>(share)); });
  connectPictures();
}

void AttentionView::connectPictures() {
  connect(matrix_, &FigureCanvas::hovered, this, &AttentionView::hoverMatrix);
  connect(matrix_, &FigureCanvas::clicked, this, [this](const figures::Hit& hit) {
    choosePair(tokenOf(hit), hit.kind == figures::Hit::Kind::cell ? keyOf(hit) : std::nullopt);
  });
  connect(arcs_, &FigureCanvas::hovered, this, &AttentionView::hoverArcs);
  connect(arcs_, &FigureCanvas::clicked, this, [this](const figures::Hit& hit) {
    if (hit.kind == figures::Hit::Kind::word) {
      const auto token = arcToken(hit.word);
      selection().setToken(selection().token() == token ? std::nullopt : token);
    } else if (hit.kind == figures::Hit::Kind::arc && arcs_->figure()) {
      const auto& arcs = std::get<analysis::ArcFigure>(arcs_->figure()->body).arcs;
      if (hit.arc < static_cast<std::int64_t>(arcs.size())) {
        const analysis::Arc& arc = arcs[static_cast<std::size_t>(hit.arc)];
        choosePair(arcToken(arc.source), arcToken(arc.target));
      }
    }
  });
  connect(arcs_, &FigureCanvas::clickedNothing, this, [this] { selection().setToken(std::nullopt); });
}

void AttentionView::build() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(tools_);
  column->addWidget(stretch_);
  splitter_->addWidget(matrix_);
  splitter_->addWidget(arcs_);
  splitter_->setStretchFactor(0, 0);
  splitter_->setStretchFactor(1, 1);
  splitter_->setStretchFactor(2, 1);
  splitter_->setChildrenCollapsible(false);
  column->addWidget(splitter_, 1);
  column->addWidget(gold_line_);
  connect(&selection(), &SelectionModel::mapChanged, heads_,
          [this] { heads_->see(selection().layer(), selection().head()); });
  connect(&workspace().gold(), &GoldSyntax::changed, this, &AttentionView::invalidate);
  matrix_->setLeastCell(kLeastCell);
  matrix_->setAccessibleName(tr("Attention matrix"));
  arcs_->setAccessibleName(tr("Attention arcs"));
  showNoSentence();
}

void AttentionView::showNoSentence() {
  showEmpty(noSentence(tr("Here you see the attention maps of a sentence.")));
}

void AttentionView::showEmpty(const Empty& empty) {
  map_ = {};
  gold_line_->tell({}, {});
  thumbnails_->clear();
  heads_->hide();
  arcs_->hide();
  tools_->setTexts(map_.texts);
  tools_->setMapsShown(false);
  matrix_->show();
  matrix_->setEmpty(empty.title, empty.hint, empty.offer);
}

void AttentionView::refresh() {
  const auto recording = source();
  if (recording == nullptr) {
    showNoSentence();
    return;
  }
  if (selection().extent().parts.empty()) {
    showEmpty(
        notRecorded(tr("No attention maps in this recording"),
                    tr("Its model computes them for one sentence. For all of them, record the corpus again "
                       "with --capture attention.") +
                        cutRowsHint()));
    return;
  }
  if (heads_->isHidden()) {
    heads_->show();
    tools_->setMapsShown(true);
    showChosen();
  }
  loadMap();
  // The longest job of a sentence, behind those that other views ask for now.
  QTimer::singleShot(0, this, [this] {
    if (source() != nullptr && !heads_->isHidden() && !selection().extent().parts.empty()) {
      thumbnails_->load(source());
    }
  });
}

void AttentionView::showChosen() {
  const auto show = choices_->show();
  matrix_->setVisible(show != AttentionChoices::Show::arcs);
  arcs_->setVisible(show == AttentionChoices::Show::arcs);
}

// After a hand, undo or a session changed a setting.
void AttentionView::follow(const QString& name) {
  if (name == kTiles) {
    heads_->setShare(static_cast<int>(state().number(kTiles)));
  } else if (name == setting::kAttentionShow) {
    if (!heads_->isHidden()) {
      showChosen();
      invalidate();  // the arcs below the matrix come or go
    }
  } else if (name == setting::kAttentionThreshold) {
    if (map_.arcs.figure && smallestArc() < map_.arcs.made_by.real_of("threshold")) {
      invalidate();  // weaker ones than were read
    } else {
      drawArcs();
      updateHighlights();
    }
  } else if (name == setting::kHeadsOff || name == setting::kAttentionPieces ||
             name == setting::kAttentionSpecial || name == setting::kAttentionSpecialScale ||
             name == setting::kAttentionBlock || name == setting::kAttentionColours) {
    matrix_hit_.reset();
    invalidate();
  }
}

LayerHeadGrid& AttentionView::grid() {
  return heads_->grid();
}

void AttentionView::focusThreshold() {
  tools_->focusThreshold();
}

void AttentionView::loadMap() {
  const MapQuestion question{selection().sentence().index,
                             selection().layer(),
                             selection().part(),
                             selection().head(),
                             choices_->tokenOptions(),
                             choices_->special() == QLatin1String("both"),
                             smallestArc(),
                             choices_->show() == AttentionChoices::Show::both ? kHangingArcs : 0,
                             choices_->colours(),
                             gold()};
  matrix_->setBusy(true);
  arcs_->setBusy(true);
  jobs().start(
      {.title = [] { return tr("Reading an attention map"); },
       .slot = QStringLiteral("attention-map"),
       .quiet = true},
      this, [recording = source(), question](const JobContext&) { return load_map(*recording, question); },
      [this, of = selection().sentence()](MapFigures figures) {
        map_ = std::move(figures);
        map_of_ = of;
        tools_->setTexts(map_.texts);
        showGold();
        matrix_->setFigure(map_.matrix.figure);
        heads_->specialScale().tell(&std::get<analysis::HeatMap>(map_.matrix.figure->body));
        drawArcs();
        updateHighlights();
        followToken();
      },
      [this](const QString& message) {
        map_ = {};
        tools_->setTexts(map_.texts);
        matrix_->setEmpty(tr("No such map"), message);
        arcs_->setEmpty(tr("No such map"), message);
      });
}

// How the map fits the gold tree; `mog syntax` has a row for every part and head, and for the mean of heads.
void AttentionView::showGold() {
  const app::FigureRequest& shown = map_.arcs.made_by;
  const Part part = Part::find(shown.text_of("part")).value_or(Part::none);
  std::vector<app::SyntaxRow> rows;
  QString why;
  if (part == Part::none) {
    why = tr("Choose a part (keys 1 to 4) to score it over the whole recording.");
  } else if (shown.has("heads")) {
    why = tr("Over a whole recording the mean of all heads is scored, or one head.");
  } else {
    for (const bool key_is_head : {false, true}) {
      rows.push_back({.layer = shown.number_of("layer"),
                      .part = part,
                      .head = shown.number_of("head"),
                      .key_is_head = key_is_head});
    }
  }
  gold_line_->tell(map_.gold, std::move(rows), why);
}

std::optional<std::int64_t> AttentionView::tokenOf(const figures::Hit& hit) const {
  const TokenGroups& groups = hit.row >= 0 ? map_.rows : map_.columns;
  const std::int64_t place = hit.row >= 0 ? hit.row : hit.column;
  return place >= 0 && place < static_cast<std::int64_t>(groups.size())
             ? std::optional(groups[static_cast<std::size_t>(place)].front())
             : std::nullopt;
}

std::optional<std::int64_t> AttentionView::keyOf(const figures::Hit& hit) const {
  const bool there = hit.column >= 0 && hit.column < static_cast<std::int64_t>(map_.columns.size());
  return there ? std::optional(map_.columns[static_cast<std::size_t>(hit.column)].front()) : std::nullopt;
}

// A query, and perhaps its key; the same once more lets go.
void AttentionView::choosePair(std::optional<std::int64_t> query, std::optional<std::int64_t> key) {
  if (!query) {
    return;
  }
  const bool again = selection().token() == query && selection().key() == key;
  selection().setToken(again ? std::nullopt : query);
  selection().setKey(again ? std::nullopt : key);
}

std::optional<std::int64_t> AttentionView::arcToken(std::int64_t word) const {
  return word >= 0 && word < static_cast<std::int64_t>(map_.words.size())
             ? std::optional(map_.words[static_cast<std::size_t>(word)].front())
             : std::nullopt;
}

// The weight above which arcs are read at all.
double AttentionView::smallestArc() const {
  return std::min(chosen_threshold(state()).value_or(kSmallestArc), kSmallestArc);
}

// Of a whole sentence about two arcs a word: the weight that so many reach, in steps of 0.001.
double AttentionView::sentenceThreshold() const {
  const auto& figure = std::get<analysis::ArcFigure>(map_.arcs.figure->body);
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

analysis::ArcOptions AttentionView::arcOptions() const {
  analysis::ArcOptions options;
  options.from = place_of(map_.words, selection().token());
  const auto chosen = chosen_threshold(state());
  options.threshold = chosen ? *chosen : options.from ? kTokenThreshold : sentenceThreshold();
  options.at_most = kMostArcs;
  return options;
}

void AttentionView::drawArcs() {
  if (map_.arcs.figure == nullptr || map_of_ != selection().sentence()) {
    return;  // the sentence's own are on their way
  }
  figures::Highlight lit = arcs_->highlight();
  lit.arc.reset();  // a place among the arcs before
  arcs_->setHighlight(lit);
  arcs_->setFigure(
      std::make_shared<const analysis::FigureData>(analysis::narrowed_arcs(*map_.arcs.figure, arcOptions())));
}

void AttentionView::updateHighlights() {
  figures::Highlight matrix;
  const auto lit = selection().lit();
  if (matrix_hit_) {
    matrix = matrix_hit_->highlight();
  } else {
    const auto pinned = selection().key() ? selection().key() : selection().token();
    matrix.row = place_of(map_.rows, lit);
    matrix.column = place_of(map_.columns, selection().hovered() ? selection().hovered() : pinned);
  }
  matrix.all_keys = matrix_hit_ || selection().hovered();
  matrix_->setHighlight(map_.matrix.figure ? matrix : figures::Highlight{});
  figures::Highlight arcs = arcs_->highlight();
  arcs.word = arcs.arc ? std::nullopt : place_of(map_.words, lit);  // one arc, not all of its word
  arcs_->setHighlight(map_.arcs.figure ? arcs : figures::Highlight{});
}

// A map that is larger than the view shows the pinned word, wherever it was pinned.
void AttentionView::followToken() {
  if (!matrix_hit_ && selection().token() && map_.matrix.figure && map_of_ == selection().sentence()) {
    matrix_->see(place_of(map_.rows, selection().token()),
                 place_of(map_.columns, selection().key() ? selection().key() : selection().token()));
  }
}

void AttentionView::hoverMatrix(const std::optional<figures::Hit>& hit) {
  matrix_hit_ = hit;
  selection().setHovered(hit ? tokenOf(*hit) : std::nullopt);
  updateHighlights();
  Q_EMIT readout(hit ? hit->readout : QString());
}

void AttentionView::hoverArcs(const std::optional<figures::Hit>& hit) {
  figures::Highlight highlight;
  std::optional<std::int64_t> token;
  if (hit && hit->kind == figures::Hit::Kind::arc) {
    highlight.arc = hit->arc;
    const auto& arcs = std::get<analysis::ArcFigure>(arcs_->figure()->body).arcs;
    if (hit->arc < static_cast<std::int64_t>(arcs.size())) {  // behind them: gold arcs
      token = arcToken(arcs[static_cast<std::size_t>(hit->arc)].source);
    }
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
  if (map_.matrix.figure) {
    figures::Highlight matrix;
    matrix.row = place_of(map_.rows, selection().token());
    items.push_back({tr("Attention matrix"), QStringLiteral("attention-") + place, map_.matrix.figure, matrix,
                     commandOf(map_.matrix.made_by, matrix)});
  }
  if (arcs_->figure() && map_.arcs.figure) {
    figures::Highlight arcs;
    arcs.word = place_of(map_.words, selection().token());
    const analysis::ArcOptions narrow = arcOptions();
    app::FigureRequest made_by = map_.arcs.made_by;
    made_by.set("threshold", std::optional(narrow.threshold))
        .set("at-most", narrow.at_most)
        .set("from", narrow.from ? *narrow.from + 1 : 0);
    items.push_back({tr("Attention arcs"), QStringLiteral("arcs-") + place, arcs_->figure(), arcs,
                     commandOf(made_by, arcs)});
  }
  if (const auto grid = thumbnails_->figure()) {
    items.push_back({tr("Layers and heads"),
                     QStringLiteral("grid-") + selectionName(),
                     grid->figure,
                     {},
                     commandOf(grid->made_by)});
  }
  return items;
}

const ViewKind& AttentionView::kind() {
  static const ViewKind kind{
      .name = "attention",
      .rank = 0,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new AttentionView(context, parent);
      },
      .places = {{"attention", 0, 0}},
      .settings = {{.name = setting::kAttentionShow,
                    .initial = std::string("both"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "matrix and arcs"),
                    .choices = {QStringLiteral("both"), QStringLiteral("matrix"), QStringLiteral("arcs")}},
                   {.name = kTiles,
                    .initial = 0.0,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "room of the heads"),
                    .low = 0,
                    .high = 1000},
                   {.name = setting::kAttentionPieces,
                    .initial = false,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "words or pieces")},
                   {.name = setting::kAttentionSpecial,
                    .initial = std::string("matrix"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "special tokens"),
                    .choices = {QStringLiteral("matrix"), QStringLiteral("both"), QStringLiteral("none")}},
                   {.name = setting::kAttentionThreshold,
                    .initial = -1.0,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "threshold"),
                    .low = -1,
                    .high = setting::kGreatestThreshold},
                   {.name = setting::kAttentionBlock,
                    .initial = std::vector<double>{0, 0},
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "block of a pair"),
                    .low = 0,
                    .high = 1000},
                   {.name = setting::kHeadsOff,
                    .initial = std::vector<double>{},
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "heads"),
                    .low = 1,
                    .high = 100000},
                   {.name = setting::kAttentionColours,
                    .initial = std::string("power"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "colours of the maps"),
                    .choices = {QStringLiteral("power"), QStringLiteral("root"), QStringLiteral("even"),
                                QStringLiteral("cividis")}},
                   {.name = setting::kAttentionSpecialScale,
                    .initial = false,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "special tokens in the scale")}},
      .guide = [](const ViewContext& context) -> QStringList {
        const SelectionModel& selection = context.selection;
        const Part part = selection.part() == Part::none && !selection.extent().parts.empty()
                              ? selection.extent().parts.front()
                              : selection.part();
        const QString stack = of_stack(context, "").section(QLatin1Char('.'), 0, 0);
        const QString map = QStringLiteral("%1.1.%2.%3")
                                .arg(stack, QString::fromUtf8(mog::name(part).data()),
                                     has_carry(part) ? QStringLiteral("carry") : QStringLiteral("attention"));
        return {map, of_stack(context, "PART.attention.mean_heads"),
                of_stack(context, "PART.attention.row_entropy")};
      },
  };
  return kind;
}

std::span<const ViewKind> attention_view_kinds() {
  return {&AttentionView::kind(), 1};
}

}  // namespace mog::gui
