#include "app/gui/views/tree_view.h"

#include "app/gui/views/view_kind.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollBar>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/session/gold_syntax.h"
#include "app/gui/views/gold_line.h"
#include "app/gui/views/item_models/k_best_model.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/table_view.h"

namespace mog::gui {
namespace {
constexpr std::int64_t kListed = 20;
constexpr std::int64_t kMostLeaves = 16;
}  // namespace

TreeView::TreeView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      list_choice_(new Choice(tr("Listed"), this)),
      show_choice_(new Choice(tr("Shown as"), this)),
      owner_(new LineLabel(this)),
      splitter_(new QSplitter(Qt::Horizontal, this)),
      table_(new TableView(this)),
      names_(new ColumnNames(table_)),
      picture_(new FigureCanvas(this)),
      gold_line_(new GoldLine(context.workspace, this)),
      model_(new KBestModel(this)) {
  asksIn({QStringLiteral("trees")});
  build();
  connect(&selection(), &SelectionModel::sentenceChanged, this, [this] {
    hit_.reset();
    invalidate();
  });
  connect(&state(), &ViewState::changed, this, &TreeView::showState);
  connect(&selection(), &SelectionModel::mapChanged, this, &TreeView::invalidate);
  connect(&selection(), &SelectionModel::tokenChanged, this, &TreeView::invalidate);
  connect(&selection(), &SelectionModel::hoveredChanged, this, &TreeView::updateHighlight);
  connect(picture_, &FigureCanvas::hovered, this, [this](const std::optional<figures::Hit>& hit) {
    hit_ = hit;
    const bool word = hit && hit->word >= 0 && search_ && found_by_ == search_;
    const std::int64_t token = word ? search_->token_of(hit->word) : -1;
    selection().setHovered(token >= 0 ? std::optional(token) : std::nullopt);
    updateHighlight();
    Q_EMIT readout(hit ? hit->readout : QString());
  });
  connect(picture_, &FigureCanvas::clicked, this, [this](const figures::Hit& hit) {
    if (hit.word >= 0 && search_ && found_by_ == search_) {
      const std::int64_t token = search_->token_of(hit.word);
      selection().setToken(selection().token() == token ? std::nullopt : std::optional(token));
    }
  });
}

void TreeView::build() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* tools = make_tool_row();
  list_choice_->add(tr("Best"), static_cast<int>(Listed::by_weight), tr("The best graphs of any size"));
  list_choice_->add(tr("By leaves"), static_cast<int>(Listed::by_leaves),
                    tr("The best graph for each number of leaves"));
  list_choice_->setCurrent(static_cast<int>(listed()));
  show_choice_->add(tr("Tree"), static_cast<int>(Show::tree),
                    tr("Binary tree, joins at the height of their layer"));
  show_choice_->add(tr("Arcs"), static_cast<int>(Show::arcs), tr("The joins as arcs above the sentence"));
  show_choice_->setCurrent(static_cast<int>(Show::tree));
  tools->addWidget(list_choice_);
  tools->addWidget(owner_, 1);
  tools->addWidget(show_choice_);
  column->addLayout(tools);
  table_->setHorizontalHeader(names_);
  names_->setSectionsClickable(true);
  table_->setModel(model_);
  table_->setItemDelegateForColumn(KBestModel::kExpression, new LongTextDelegate(table_));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setShowGrid(false);
  table_->setTabKeyNavigation(false);  // Tab goes on to the next control
  table_->setAlternatingRowColors(true);
  table_->setWordWrap(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->horizontalHeader()->setSectionResizeMode(KBestModel::kExpression, QHeaderView::Stretch);
  table_->horizontalHeader()->setMinimumSectionSize(fontMetrics().averageCharWidth() * 5);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->setAccessibleName(tr("Best multi-order graphs"));
  table_->installEventFilter(this);
  splitter_->addWidget(table_);
  splitter_->addWidget(picture_);
  splitter_->setStretchFactor(0, 0);
  splitter_->setStretchFactor(1, 1);
  splitter_->setChildrenCollapsible(false);
  column->addWidget(splitter_, 1);
  column->addWidget(gold_line_);
  connect(&workspace().gold(), &GoldSyntax::changed, this, &TreeView::draw);
  picture_->setAccessibleName(tr("Multi-order graph"));
  connect(list_choice_, &Choice::chosen, this,
          [this](int chosen) { setListed(static_cast<Listed>(chosen)); });
  connect(show_choice_, &Choice::chosen, this, [this](int chosen) { setShow(static_cast<Show>(chosen)); });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &TreeView::draw);
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
  if (name == setting::kGraphsShow) {
    show_choice_->setCurrent(static_cast<int>(show()));
    draw();
  } else if (name == setting::kGraphsList) {
    list_choice_->setCurrent(static_cast<int>(listed()));
    invalidate();
  }
}

void TreeView::showEmpty(const QString& title, const QString& hint) {
  search_.reset();
  search_of_.reset();
  found_by_.reset();
  model_->clear();
  table_->hide();
  list_choice_->hide();
  show_choice_->hide();
  gold_line_->tell({}, {});
  owner_->clear();
  picture_->setEmpty(title, hint);
}

void TreeView::refresh() {
  const auto recording = source();
  if (recording == nullptr) {
    const Empty empty = noSentence(tr("Here you see the graphs that the model built of a sentence."));
    showEmpty(empty.title, empty.hint);
    return;
  }
  if (selection().extent().parts.empty()) {
    showEmpty(tr("No attention maps in this recording"),
              tr("Graphs are read from attention maps and gates: record with --capture attention,gates."));
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
      [this](const QString& message) { showEmpty(tr("No graphs for this sentence"), message); });
}

void TreeView::take(std::shared_ptr<SentenceGraphs> from, SentenceGraphs::Answer answer) {
  found_by_ = std::move(from);
  const analysis::Goal goal = answer.goal;
  const auto word = static_cast<std::size_t>(goal.word);
  QString text = goal.is_top() ? tr("whole sentence, all layers (select a word for its own graphs)")
                               : tr("owner: %1 (word %2), layer %3")
                                     .arg(QString::fromStdString(found_by_->words()[word]))
                                     .arg(goal.word + 1)
                                     .arg(goal.layer);
  if (answer.ended_by_limit) {
    text += tr("; the search reached its limit, ties may be missing");
  }
  QStringList notes;
  for (const std::string& note : found_by_->notes()) {
    notes.push_back(QString::fromStdString(note));
  }
  owner_->setText(text, notes.join(QLatin1Char('\n')));
  const bool first = table_->isHidden() || model_->rowCount() == 0;
  const bool by_leaves = answer.by_leaves;
  answer_ = std::move(answer);
  model_->setDerivations(answer_.derivations,
                         by_leaves ? KBestModel::Mode::by_leaves : KBestModel::Mode::by_weight);
  fitColumns();
  table_->show();
  list_choice_->show();
  show_choice_->show();
  if (first) {
    const int whole = splitter_->width();
    splitter_->setSizes({whole / 2, whole - whole / 2});
  }
  if (model_->rowCount() > 0) {
    table_->scrollToTop();
    table_->selectRow(rowToShow());  // draws it
    table_->scrollTo(table_->currentIndex());
  } else {
    draw();
  }
}

// The expression says which graph a row is: it always has a place. Columns without room go, not half of one:
// the mass first, then kind and order, which the picture shows too; the list is never narrower than the rest.
void TreeView::fitColumns() {
  // Measured here: the table would lay every cell out as a document of its own, several times.
  const QFontMetrics letters(table_->font());
  const auto wide = [&](int column) {
    int widest = 0;
    for (int row = 0; row < model_->rowCount(); ++row) {
      widest = std::max(widest, letters.horizontalAdvance(model_->index(row, column).data().toString()));
    }
    const int around = style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, table_) + 2;
    return std::max(widest + 2 * around, names_->widthOf(column));
  };
  const bool by_leaves = model_->mode() == KBestModel::Mode::by_leaves;
  const auto give = [this](int column, int width) {  // to a column as it is: nothing is laid out again
    table_->setColumnHidden(column, width == 0);
    if (width > 0) {
      table_->setColumnWidth(column, width);
    }
    return width;
  };
  int needed = 2 * table_->frameWidth() + table_->verticalScrollBar()->sizeHint().width() +
               give(KBestModel::kRank, wide(KBestModel::kRank)) +
               give(KBestModel::kWeight, wide(KBestModel::kWeight)) +
               std::max(10 * fontMetrics().averageCharWidth(), names_->widthOf(KBestModel::kExpression));
  table_->setMinimumWidth(std::min(needed, std::max(120, splitter_->width() / 2)));
  bool room = true;
  for (const int column : {KBestModel::kOrder, KBestModel::kKind, KBestModel::kMass}) {
    const bool told = column != KBestModel::kMass || !by_leaves;
    const int width = told ? wide(column) : 0;
    needed += width;
    room = room && needed <= table_->width();
    give(column, told && room ? width : 0);
  }
}

bool TreeView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_ && event->type() == QEvent::Resize && model_->rowCount() > 0) {
    fitColumns();
  }
  return View::eventFilter(watched, event);
}

// A word alone is no picture: by weight the best that joins something, by order the largest of at most as
// many leaves as fit well.
int TreeView::rowToShow() const {
  constexpr std::size_t kWellDrawn = 6;
  int chosen = 0;
  for (int row = 0; row < model_->rowCount(); ++row) {
    const std::size_t nodes = model_->derivation(row).nodes.size();
    if (listed() == Listed::by_weight && nodes > 1) {
      return row;
    }
    if (listed() == Listed::by_leaves && nodes <= 2 * kWellDrawn - 1) {
      chosen = row;
    }
  }
  return chosen;
}

int TreeView::currentRow() const {
  const QModelIndex index = table_->currentIndex();
  return index.isValid() ? index.row() : -1;
}

void TreeView::draw() {
  const int row = currentRow();
  if (found_by_ == nullptr || row < 0 || row >= model_->rowCount()) {
    if (found_by_ != nullptr) {
      gold_line_->tell({}, {});
      picture_->setEmpty(tr("Nothing found"), tr("No graph of this word has a weight above 0."));
    }
    return;
  }
  GoldNote fit;
  MadeFigure made =
      found_by_->figure(answer_, static_cast<std::size_t>(row), show() == Show::tree, gold(), fit);
  made_by_ = made.made_by;
  // Over a recording the graphs of every word are scored together, as a tree of their joins.
  gold_line_->tell(fit, {{.source = listed() == Listed::by_leaves ? app::SyntaxSource::by_leaves
                                                                  : app::SyntaxSource::k_best}});
  hit_.reset();
  picture_->setFigure(std::move(made.figure));
  updateHighlight();
}

void TreeView::updateHighlight() {
  if (search_ == nullptr || found_by_ != search_ || picture_->figure() == nullptr) {
    return;
  }
  figures::Highlight highlight;
  const auto lit = selection().lit();
  const std::int64_t word = lit ? search_->word_of(*lit) : -1;
  if (hit_ && (hit_->node >= 0 || hit_->arc >= 0)) {
    highlight = hit_->highlight();
  } else if (word >= 0) {
    highlight.word = word;
  }
  picture_->setHighlight(highlight);
}

std::vector<ExportItem> TreeView::exports() const {
  if (picture_->figure() == nullptr || currentRow() < 0) {
    return {};
  }
  const QString kind = show() == Show::tree ? QStringLiteral("tree-") : QStringLiteral("tree-arcs-");
  return {{show() == Show::tree ? tr("Multi-order graph as a tree") : tr("Multi-order graph as arcs"),
           kind + selectionName() + QStringLiteral("-k%1").arg(currentRow() + 1),
           picture_->figure(),
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
