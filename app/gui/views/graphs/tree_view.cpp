#include "app/gui/views/graphs/tree_view.h"

#include "app/gui/views/common/view_kind.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <set>

#include "app/gui/session/gold_syntax.h"
#include "app/gui/views/common/gold_line.h"
#include "app/gui/views/graphs/arc_words.h"
#include "app/gui/views/graphs/graph_strip.h"
#include "app/gui/views/graphs/join_choice.h"
#include "app/gui/views/item_models/k_best_model.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/film_strip.h"

namespace mog::gui {
namespace {
constexpr std::int64_t kListed = 20;
constexpr std::int64_t kMostLeaves = 16;
constexpr double kStrongestFlow = 0.4;
constexpr int kLowCanvas = 320;  // below it the strip is one line
}  // namespace

TreeView::TreeView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      show_choice_(new Choice(tr("Shown as"), this)),
      words_choice_(new Choice(tr("Columns"), this)),
      flow_(new QWidget(this)),
      flow_slider_(new QSlider(Qt::Horizontal, flow_)),
      strip_(new GraphStrip(this)),
      picture_(new FigureCanvas(this)),
      joins_(new JoinChoice(context.selection, *picture_, this)),
      gold_line_(new GoldLine(context.workspace, this)),
      model_(new KBestModel(this)) {
  asksIn({QStringLiteral("trees")});
  build();
  follow();
}

void TreeView::follow() {
  connect(&selection(), &SelectionModel::sentenceChanged, this, [this] {
    hit_.reset();
    invalidate();
  });
  connect(&state(), &ViewState::changed, this, &TreeView::showState);
  connect(&selection(), &SelectionModel::mapChanged, this, &TreeView::invalidate);
  connect(&selection(), &SelectionModel::tokenChanged, this, &TreeView::invalidate);
  connect(&selection(), &SelectionModel::hoveredChanged, this, &TreeView::updateHighlight);
  connect(&selection(), &SelectionModel::joinChanged, this, &TreeView::updateHighlight);
  connect(picture_, &FigureCanvas::hovered, this, [this](const std::optional<figures::Hit>& hit) {
    hit_ = hit;
    const std::int64_t token = hit && search_ && found_by_ == search_ ? tokenOf(*hit) : -1;
    selection().setHovered(token >= 0 ? std::optional(token) : std::nullopt);
    updateHighlight();
    Q_EMIT readout(hit ? hit->readout : QString());
  });
  connect(picture_, &FigureCanvas::clicked, this, &TreeView::onClicked);
  connect(picture_, &FigureCanvas::clickedNothing, this, [this] { joins_->clear(); });
  connect(&filmstrip(), &FilmStrip::chosen, this, &TreeView::draw);
}

// A join of a tree is selected; everything else that has a word pins it, or lets it go again.
void TreeView::onClicked(const figures::Hit& hit) {
  if (search_ == nullptr || found_by_ != search_) {
    return;
  }
  if (hit.kind == figures::Hit::Kind::node && show() == Show::tree) {
    joins_->choose(hit.node);
  } else if (const std::int64_t token = tokenOf(hit); token >= 0) {
    selection().setToken(selection().token() == token ? std::nullopt : std::optional(token));
  } else {
    joins_->clear();
  }
}

// -1: the hit is of no word.
std::int64_t TreeView::tokenOf(const figures::Hit& hit) const {
  const std::int64_t word =
      hit.word < 0 || picture_->figure() == nullptr ? -1 : word_at(*picture_->figure(), hit.word);
  return word < 0 ? -1 : search_->token_of(word);
}

void TreeView::build() {
  const auto [column, tools] = make_tool_column(this);
  show_choice_->add(tr("Tree"), static_cast<int>(Show::tree),
                    tr("Words by layers, joins at the height of their layer"));
  show_choice_->add(tr("Arcs"), static_cast<int>(Show::arcs), tr("The joins as arcs above the sentence"));
  show_choice_->setCurrent(static_cast<int>(show()));
  words_choice_->add(tr("Its words"), static_cast<int>(Words::its),
                     tr("A column for each word of the graph"));
  words_choice_->add(tr("All words"), static_cast<int>(Words::all),
                     tr("A column for each word of the sentence"));
  words_choice_->setCurrent(static_cast<int>(words()));
  auto* flow = new QHBoxLayout(flow_);
  flow->setContentsMargins(0, 0, 0, 0);
  flow->setSpacing(6);
  auto* flow_name = new QLabel(tr("Flow"), flow_);
  flow_name->setToolTip(tr("Behind the graph: the two words that each word reads most, by layer"));
  flow_slider_->setRange(0, static_cast<int>(std::lround(100 * kStrongestFlow)));
  flow_slider_->setValue(static_cast<int>(std::lround(100 * state().number(setting::kGraphsFlow))));
  flow_slider_->setFixedWidth(80);
  flow_slider_->setAccessibleName(tr("Flow behind the graph, in percent"));
  flow_slider_->setToolTip(flow_name->toolTip());
  flow->addWidget(flow_name);
  flow->addWidget(flow_slider_);
  tools->addStretch(1);
  tools->addWidget(flow_);
  tools->addWidget(words_choice_);
  tools->addWidget(show_choice_);
  column->addLayout(tools);
  column->addWidget(picture_, 1);
  column->addWidget(gold_line_);
  column->addWidget(strip_);
  connect(&workspace().gold(), &GoldSyntax::changed, this, &TreeView::draw);
  picture_->setAccessibleName(tr("Multi-order graph"));
  connect(show_choice_, &Choice::chosen, this, [this](int chosen) { setShow(static_cast<Show>(chosen)); });
  connect(words_choice_, &Choice::chosen, this, [this](int chosen) { setWords(static_cast<Words>(chosen)); });
  connect(flow_slider_, &QSlider::valueChanged, this,
          [this](int percent) { state().set(setting::kGraphsFlow, percent / 100.0); });
  strip_->addList(static_cast<int>(Listed::by_leaves), tr("The best for each number of leaves"));
  strip_->addList(static_cast<int>(Listed::by_weight), tr("The best %1 of any size").arg(kListed));
  strip_->setList(static_cast<int>(listed()));
  connect(strip_, &GraphStrip::listChosen, this,
          [this](int chosen) { setListed(static_cast<Listed>(chosen)); });
  connect(strip_, &GraphStrip::copyWanted, this, &TreeView::copyExpression);
  const auto step = [this](const QString& text, Qt::Key key, int by) {
    auto* action = new QAction(text, this);
    action->setShortcut(QKeySequence(Qt::CTRL | key));
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(action, &QAction::triggered, this, [this, by] { filmstrip().step(by); });
    addAction(action);
  };
  step(tr("Graph before"), Qt::Key_Left, -1);
  step(tr("Next graph"), Qt::Key_Right, 1);
}

FilmStrip& TreeView::filmstrip() {
  return strip_->film();
}

void TreeView::copyExpression() {
  const int row = currentRow();
  if (row >= 0 && row < model_->rowCount()) {
    QGuiApplication::clipboard()->setText(QString::fromStdString(model_->derivation(row).text));
    Q_EMIT said(tr("The expression is in the clipboard."));
  }
}

void TreeView::setWords(Words words) {
  state().set(setting::kGraphsWords, words == Words::its ? QStringLiteral("its") : QStringLiteral("all"));
}

TreeView::Words TreeView::words() const {
  return state().choice(setting::kGraphsWords) == QLatin1String("all") ? Words::all : Words::its;
}

SentenceGraphs::Look TreeView::look() const {
  return {.as_tree = show() == Show::tree,
          .all_words = words() == Words::all,
          .flow = state().number(setting::kGraphsFlow)};
}

void TreeView::setShow(Show show) {
  state().set(setting::kGraphsShow, show == Show::tree ? QStringLiteral("tree") : QStringLiteral("arcs"));
}

void TreeView::setListed(Listed listed) {
  state().set(setting::kGraphsList,
              listed == Listed::by_leaves ? QStringLiteral("by-leaves") : QStringLiteral("best"));
}

TreeView::Show TreeView::show() const {
  return state().choice(setting::kGraphsShow) == QLatin1String("tree") ? Show::tree : Show::arcs;
}

TreeView::Listed TreeView::listed() const {
  return state().choice(setting::kGraphsList) == QLatin1String("best") ? Listed::by_weight
                                                                       : Listed::by_leaves;
}

void TreeView::showState(const QString& name) {
  if (name == setting::kGraphsShow || name == setting::kGraphsWords || name == setting::kGraphsFlow) {
    show_choice_->setCurrent(static_cast<int>(show()));
    words_choice_->setCurrent(static_cast<int>(words()));
    const QSignalBlocker quiet(flow_slider_);
    flow_slider_->setValue(static_cast<int>(std::lround(100 * state().number(setting::kGraphsFlow))));
    fitTools();
    draw();
  } else if (name == setting::kGraphsList) {
    strip_->setList(static_cast<int>(listed()));
    invalidate();
  }
}

// Flow is of trees; gold arcs are of all words.
void TreeView::fitTools() {
  const bool any = model_->rowCount() > 0;
  const bool tree = any && show() == Show::tree;
  show_choice_->setVisible(any);
  words_choice_->setVisible(any && (tree || !has_gold(picture_->figure())));
  flow_->setVisible(tree && width() >= 360);
  strip_->setVisible(any);
  filmstrip().setFlat(height() < kLowCanvas + 180);
}

void TreeView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  fitTools();
}

void TreeView::showEmpty(const Empty& empty) {
  search_.reset();
  search_of_.reset();
  found_by_.reset();
  model_->clear();
  filmstrip().clear();
  joins_->setTree(nullptr, {});
  fitTools();
  gold_line_->tell({}, {});
  picture_->setEmpty(empty.title, empty.hint, empty.offer);
}

void TreeView::refresh() {
  const auto recording = source();
  if (recording == nullptr) {
    showEmpty(noSentence(tr("Here you see the graphs that the model built of a sentence.")));
    return;
  }
  if (selection().extent().parts.empty()) {
    showEmpty(notRecorded(tr("No attention maps in this recording"),
                          tr("Graphs are read from attention maps and gates, which the model computes for "
                             "one sentence. For all of them, "
                             "record the corpus again with --capture attention,gates.") +
                              cutRowsHint()));
    return;
  }
  const std::pair wanted{static_cast<const RecordingSource*>(recording.get()), selection().sentence().index};
  if (search_ == nullptr || search_of_ != wanted) {
    search_ = std::make_shared<SentenceGraphs>(recording, wanted.second);
    search_of_ = wanted;
  }
  picture_->setBusy(true, tr("Searching…"));
  jobs().start(
      {.title = [] { return tr("Searching the best graphs"); },
       .slot = QStringLiteral("trees"),
       .quiet = true},
      this,
      [search = search_, token = selection().token(), layer = selection().layer(),
       listed = listed()](const JobContext& context) {
        const analysis::Goal goal = search->goal_of(token, layer);
        context.check();
        return listed == Listed::by_weight ? search->best(goal, kListed)
                                           : search->best_by_leaves(goal, kMostLeaves);
      },
      [this, from = search_](SentenceGraphs::Answer answer) { take(from, std::move(answer)); },
      [this](const QString& message) {
        showEmpty({tr("No graphs for this sentence"), message});
      });
}

void TreeView::take(std::shared_ptr<SentenceGraphs> from, SentenceGraphs::Answer answer) {
  found_by_ = std::move(from);
  answer_ = std::move(answer);
  model_->setDerivations(answer_.derivations,
                         answer_.by_leaves ? KBestModel::Mode::by_leaves : KBestModel::Mode::by_weight);
  strip_->setGraphs(*model_, *found_by_, answer_);
  fitTools();
  draw();
}

int TreeView::currentRow() const {
  return strip_->film().current();
}

void TreeView::draw() {
  const int row = currentRow();
  if (found_by_ == nullptr || row < 0 || row >= model_->rowCount()) {
    if (found_by_ != nullptr) {
      joins_->setTree(nullptr, {});
      gold_line_->tell({}, {});
      picture_->setEmpty(tr("Nothing found"), tr("No graph of this word has a weight above 0."));
    }
    return;
  }
  GoldNote fit;
  MadeFigure made = found_by_->figure(answer_, static_cast<std::size_t>(row), look(), gold(), fit);
  made_by_ = made.made_by;
  // Over a recording the graphs of every word are scored together, as a tree of their joins.
  gold_line_->tell(fit, {{.source = listed() == Listed::by_leaves ? app::SyntaxSource::by_leaves
                                                                  : app::SyntaxSource::k_best}});
  hit_.reset();
  if (words() == Words::its) {
    made.figure = with_words_of(std::move(made.figure), model_->derivation(row));
  }
  picture_->setFigure(made.figure);
  fitTools();
  const bool tree = std::holds_alternative<analysis::TreeFigure>(made.figure->body);
  joins_->setTree(tree ? made.figure : nullptr,
                  [this, graphs = found_by_, row, figure = made.figure](std::int64_t node) {
                    return graphs->join(answer_, static_cast<std::size_t>(row),
                                        std::get<analysis::TreeFigure>(figure->body), node);
                  });
  tellWords();
  updateHighlight();
}

void TreeView::tellWords() {
  std::set<std::int64_t> tokens;
  for (const analysis::DerivationNode& node : model_->derivation(currentRow()).nodes) {
    if (const std::int64_t token = node.is_leaf() ? found_by_->token_of(node.word) : -1; token >= 0) {
      tokens.insert(token);
    }
  }
  Q_EMIT graphShown({tokens.begin(), tokens.end()});
}

void TreeView::setFeet(WordFeet feet) {
  feet_ = std::move(feet);
  picture_->setLeaders([this] { return leaders(); });
}

void TreeView::feetMoved() {
  picture_->leadersMoved();
}

// While another sentence is searched the words above are not those of the graph.
std::vector<figures::Leader> TreeView::leaders() const {
  const bool shown = search_ != nullptr && found_by_ == search_ && currentRow() >= 0 && show() == Show::tree;
  return shown ? leaders_to(*picture_, *found_by_, model_->derivation(currentRow()).nodes, feet_)
               : std::vector<figures::Leader>();
}

void TreeView::updateHighlight() {
  if (search_ == nullptr || found_by_ != search_ || picture_->figure() == nullptr) {
    return;
  }
  figures::Highlight highlight;
  highlight.chosen = joins_->node();
  const auto lit = selection().lit();
  const std::int64_t word = lit ? search_->word_of(*lit) : -1;
  if (hit_ && (hit_->node >= 0 || hit_->arc >= 0)) {
    highlight = hit_->highlight();
    highlight.chosen = joins_->node();
  } else if (word >= 0) {
    highlight.word = place_of_word(*picture_->figure(), word);
  }
  picture_->setHighlight(highlight);
}

std::vector<ExportItem> TreeView::exports() const {
  if (picture_->figure() == nullptr || currentRow() < 0) {
    return {};
  }
  const QString kind = show() == Show::tree ? QStringLiteral("tree-") : QStringLiteral("tree-arcs-");
  // What stands behind it, and words that are left out below arcs, are of the screen: as the command draws
  // it.
  GoldNote fit;
  const MadeFigure made =
      found_by_->figure(answer_, static_cast<std::size_t>(currentRow()), look(), gold(), fit);
  auto figure = std::make_shared<analysis::FigureData>(*made.figure);
  if (auto* tree = std::get_if<analysis::TreeFigure>(&figure->body)) {
    tree->flow.clear();
  }
  return {{show() == Show::tree ? tr("Multi-order graph as a tree") : tr("Multi-order graph as arcs"),
           kind + selectionName() + QStringLiteral("-k%1").arg(currentRow() + 1),
           std::move(figure),
           {},
           commandOf(made_by_)}};
}

const ViewKind& TreeView::kind() {
  static const ViewKind kind{
      .name = "trees",
      .rank = 4,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new TreeView(context, parent);
      },
      .places = {{"graphs", 0, 0}},
      .settings = {{.name = setting::kGraphsShow,
                    .initial = std::string("tree"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "tree or arcs"),
                    .choices = {QStringLiteral("tree"), QStringLiteral("arcs")}},
                   {.name = setting::kGraphsWords,
                    .initial = std::string("its"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "columns of graphs"),
                    .choices = {QStringLiteral("its"), QStringLiteral("all")}},
                   {.name = setting::kGraphsFlow,
                    .initial = 0.15,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "flow behind graphs"),
                    .high = kStrongestFlow},
                   {.name = setting::kGraphsList,
                    .initial = std::string("by-leaves"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "list of graphs"),
                    .choices = {QStringLiteral("by-leaves"), QStringLiteral("best")},
                    .names = app::NameOf::mode}},
      .guide = [](const ViewContext& context) -> QStringList {
        Q_UNUSED(context)
        return {QStringLiteral("weight"), QStringLiteral("mass"), QStringLiteral("leaves-of-a-graph"),
                QStringLiteral("words-of-a-graph"), QStringLiteral("kind")};
      },
  };
  return kind;
}

std::span<const ViewKind> tree_view_kinds() {
  return {&TreeView::kind(), 1};
}

}  // namespace mog::gui
