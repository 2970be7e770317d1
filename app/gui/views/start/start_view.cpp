#include "app/gui/views/start/start_view.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QScrollArea>
#include <algorithm>
#include <exception>

#include "app/gui/session/part_text.h"
#include "app/gui/views/common/view_kind.h"
#include "app/gui/views/start/question_card.h"
#include "app/gui/views/start/start_notes.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/number_box.h"
#include "app/gui/widgets/theme.h"
#include "app/workflow/common/resources.h"
#include "io/recording/translated.h"

namespace mog::gui {
namespace {
const QString kGraphSlot = QStringLiteral("start.graph");
const QString kLookSlot = QStringLiteral("start.look");

// The question that a key chooses, from 1; 0: none.
int question_of(const QKeyEvent& event) {
  if ((event.modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier) {
    return 0;
  }
  return event.key() >= Qt::Key_1 && event.key() <= Qt::Key_3 ? event.key() - Qt::Key_0 : 0;
}

bool is_enter(const QKeyEvent& event) {
  return event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter;
}

}  // namespace

StartView::StartView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      collected_(new QuestionCard(Icon::graphs, tr("Enter"), this)),
      looks_(new QuestionCard(Icon::attention, QStringLiteral("2"), this)),
      lengths_(new QuestionCard(Icon::corpus, QStringLiteral("3"), this)),
      line_(new QLineEdit(this)),
      open_(new QPushButton(tr("Open a model or recording"), this)),
      record_(new QPushButton(tr("Record a text"), this)),
      tour_(new QPushButton(tr("Tour"), this)),
      picture_(new FigureCanvas(this)),
      notes_(new StartNotes(this)),
      caption_(new QLabel(this)) {
  asksIn({kGraphSlot, kLookSlot});
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  auto* scroll = questions_ = new QScrollArea(this);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->viewport()->setAutoFillBackground(false);
  scroll->setWidget(buildQuestions());
  scroll->widget()->setAutoFillBackground(false);
  row->addWidget(scroll, 40);
  row->addWidget(right_ = buildPicture(), 60);
  setFocusPolicy(Qt::ClickFocus);
  setFocusProxy(collected_);
  paintQuiet();
  connectAll();
  showExample();
  updateLengths();
}

QString StartView::example() {
  return QStringLiteral(
      "The old astronomer who discovered the comet watched it through her telescope until the morning sun "
      "rose .");
}

void StartView::connectAll() {
  connect(collected_, &QAbstractButton::clicked, this, &StartView::openGraph);
  connect(looks_, &QAbstractButton::clicked, this, &StartView::openLook);
  connect(lengths_, &QAbstractButton::clicked, this, &StartView::openLengths);
  connect(picture_, &FigureCanvas::clicked, this, &StartView::openGraph);
  connect(picture_, &FigureCanvas::clickedNothing, this, &StartView::openGraph);
  connect(open_, &QPushButton::clicked, this, &StartView::openAsked);
  connect(record_, &QPushButton::clicked, this, &StartView::recordAsked);
  connect(tour_, &QPushButton::clicked, this, &StartView::tourAsked);
  connect(line_, &QLineEdit::returnPressed, this, [this] {
    if (const QString text = line_->text().trimmed(); !text.isEmpty()) {
      Q_EMIT typed(text);
    }
  });
  connect(&selection(), &SelectionModel::sentenceChanged, this, [this] { invalidate(); });
  connect(&selection(), &SelectionModel::tokenChanged, this, [this] { invalidate(); });
  for (const auto signal : {&Workspace::itemAdded, &Workspace::itemRemoved, &Workspace::itemChanged}) {
    connect(&workspace(), signal, this, [this] { updateLengths(); });
  }
  connect(&workspace(), &Workspace::allRemoved, this, [this] { updateLengths(); });
  connect(&workspace(), &Workspace::modelChanged, this, [this] {
    if ((example_ || first_) && workspace().currentModel() != nullptr && source() == nullptr &&
        !workspace().isRunning()) {
      workspace().runSentence(example());
    }
    first_ = first_ && workspace().currentModel() == nullptr;
  });
  // Nothing came of it: what is opened next is the reader's own. What follows from an end has begun by then.
  connect(
      &workspace(), &Workspace::runningChanged, this,
      [this] {
        const bool comes = workspace().isRunning() || workspace().isOpening();
        example_ = example_ && (comes || source() != nullptr);
        first_ = first_ && comes;
      },
      Qt::QueuedConnection);
}

void StartView::refresh() {
  graph_.reset();
  look_.reset();
  updateLengths();
  const auto recording = source();
  if (recording == nullptr) {
    showExample();
    return;
  }
  if (selection().extent().parts.empty()) {
    showNoMaps();
    return;
  }
  const std::int64_t index = selection().sentence().index;
  const auto token = selection().token();
  picture_->setBusy(true, tr("Searching…"));
  jobs().start(
      {.title = [] { return tr("Searching the largest graph"); }, .slot = kGraphSlot, .quiet = true}, this,
      [recording, index, token, tokens = selection().extent().tokens](const JobContext& job) {
        SentenceGraphs graphs(recording, index);
        return find_start_graph(graphs, tokens, token, job.stop());
      },
      [this](const std::optional<StartGraph>& graph) { showGraph(graph); },
      [this](const QString& message) {
        example_ = false;
        collected_->setEnabled(false);
        collected_->setQuestion(tr("What did a word collect?"), message);
        picture_->setEmpty(tr("No graphs for this sentence"), message);
        caption_->clear();
        updateNotes();
      });
  jobs().start(
      {.title = [] { return tr("Searching the largest attention"); }, .slot = kLookSlot, .quiet = true}, this,
      [recording, index, token](const JobContext& job) {
        return find_start_look(*recording, index, token, job.stop());
      },
      [this](const std::optional<StartLook>& look) { showLook(look); },
      [this](const QString& message) {
        looks_->setEnabled(false);
        looks_->setQuestion(tr("Where does a word look?"), message);
        updateNumbers();
      });
}

// Nothing is open, or no sentence of what is.
void StartView::showExample() {
  const WorkspaceModel* model = workspace().currentModel();
  const QString start = example().section(QLatin1Char(' '), 0, 3) + QStringLiteral(" …");
  const QString how = model != nullptr ? tr("%1 runs “%2”").arg(model->name, start)
                                       : tr("Opens the bundled model and runs “%1”").arg(start);
  collected_->setQuestion(tr("What did a word collect?"), tr("Graphs: %1").arg(how));
  looks_->setQuestion(tr("Where does a word look?"), tr("Attention: %1").arg(how));
  collected_->setEnabled(true);
  looks_->setEnabled(false);
  const Empty empty = noSentence(tr("Here you see the graph of a word."));
  picture_->setEmpty(empty.title, empty.hint);
  caption_->clear();
  updateNotes();
}

void StartView::showGraph(const std::optional<StartGraph>& graph) {
  graph_ = graph;
  if (!graph) {
    example_ = false;
    collected_->setEnabled(false);
    collected_->setQuestion(tr("What did a word collect?"),
                            tr("Graphs: no graph of this sentence has a weight of 10⁻⁶ or more"));
    picture_->setEmpty(tr("No graphs for this sentence"), collected_->detail());
    caption_->clear();
    updateNotes();
    return;
  }
  collected_->setQuestion(tr("What did “%1” collect?").arg(graph->word),
                          graph->layer == 0
                              ? tr("Graphs: nothing by a graph of weight 10⁻⁶ or more: it stands alone")
                              : tr("Graphs: its best graph has %1 leaves and reaches “%2” in layer %3")
                                    .arg(graph->leaves)
                                    .arg(graph->reached)
                                    .arg(graph->layer));
  collected_->setToolTip(tr("The largest graph of at most eight leaves whose weight is still 10⁻⁶"));
  collected_->setEnabled(true);
  picture_->setFigure(graph->made.figure);
  caption_->setText(tr("The graph of “%1” at layer %2: %3 leaves, weight %4. A click opens it.")
                        .arg(graph->word)
                        .arg(graph->goal_layer)
                        .arg(graph->leaves)
                        .arg(short_number(graph->weight)));
  updateNotes();
  if (example_) {
    example_ = false;
    openGraph();
  }
}

void StartView::updateText() {
  const bool picture = width() >= kPictureFrom;
  text_->setText(picture ? tr("A Graph-Transformer joins words layer by layer. The picture shows the joins "
                              "behind one word of the "
                              "sentence above: every dot is a join, owned by the word it stands over.")
                         : tr("A Graph-Transformer joins words layer by layer. Its graphs show the joins "
                              "behind a word: every dot is a join, owned by the word it stands over."));
}

// The questions have the numbers of the notes that are about them, where these are seen.
void StartView::updateNotes() {
  if (graph_ && picture_->figure() != nullptr) {
    notes_->tell(*graph_);
  } else {
    notes_->clear();
  }
  picture_->setMarks(notes_->marks());
  updateNumbers();
}

void StartView::updateNumbers() {
  const bool told = !notes_->marks().empty() && width() >= kPictureFrom;
  collected_->setNumber(told ? 1 : 0);
  looks_->setNumber(told ? 2 : 0);
  lengths_->setNumber(told ? 3 : 0);
  for (QuestionCard* card : {collected_, looks_, lengths_}) {
    card->setFirst(card == &firstQuestion());
  }
}

// What Enter asks: the last always can be.
QuestionCard& StartView::firstQuestion() {
  return collected_->isEnabled() ? *collected_ : looks_->isEnabled() ? *looks_ : *lengths_;
}

// What graphs and looks are read from is not there.
void StartView::showNoMaps() {
  example_ = false;
  for (QuestionCard* card : {collected_, looks_}) {
    card->setEnabled(false);
  }
  collected_->setQuestion(tr("What did a word collect?"), tr("Graphs: no attention maps in this recording"));
  looks_->setQuestion(tr("Where does a word look?"),
                      tr("Attention: no maps of single heads in this recording"));
  const Empty empty =
      notRecorded(tr("No attention maps in this recording"),
                  tr("Graphs are read from attention maps and gates, which the model computes "
                     "for one sentence.") +
                      cutRowsHint());
  picture_->setEmpty(empty.title, empty.hint, empty.offer);
  caption_->clear();
  updateNotes();
}

void StartView::showLook(const std::optional<StartLook>& look) {
  look_ = look;
  looks_->setEnabled(look.has_value());
  updateNumbers();
  if (!look) {
    looks_->setQuestion(tr("Where does a word look?"),
                        tr("Attention: no maps of single heads in this recording"));
    return;
  }
  const QString weight = QLocale().toString(look->weight, 'f', 2);
  const QString head =
      selection().extent().parts.size() > 1
          ? tr("head %1 of layer %2, %3").arg(look->head).arg(look->layer).arg(part_text(look->part))
          : tr("head %1 of layer %2").arg(look->head).arg(look->layer);
  looks_->setQuestion(tr("Where does “%1” look?").arg(look->word),
                      tr("Attention: %1, reads “%2” with weight %3").arg(head, look->looks_at, weight));
  looks_->setToolTip(tr("The largest attention to another word, special tokens and punctuation aside"));
}

const WorkspaceItem* StartView::corpus() const {
  const auto counted = [](const WorkspaceItem& item) {
    return item.kind == WorkspaceItem::Kind::recording && item.tokens.size() > 1;
  };
  if (const WorkspaceItem* item = workspace().selectedItem(); item != nullptr && counted(*item)) {
    return item;
  }
  const auto& items = workspace().items();
  const auto at = std::find_if(items.begin(), items.end(), counted);
  return at == items.end() ? nullptr : &*at;
}

void StartView::updateLengths() {
  const WorkspaceItem* item = corpus();
  lengths_->setQuestion(tr("Do long sentences carry more?"),
                        item == nullptr
                            ? tr("Corpus: record a text first; it is counted by layer and length")
                            : tr("Corpus: weight by layer and length over %1 recorded sentences of %2")
                                  .arg(QLocale().toString(qlonglong(item->tokens.size())), item->name));
}

// With nothing open, the example runs first; what it gives is opened then.
void StartView::askExample() {
  if (workspace().isRunning() || workspace().isOpening()) {
    return;
  }
  example_ = true;
  if (workspace().currentModel() != nullptr) {
    workspace().runSentence(example());
    return;
  }
  try {
    workspace().open(QString::fromStdString(app::model_path().string()));
  } catch (const std::exception& error) {
    example_ = false;
    Q_EMIT said(QString::fromStdString(error.what()));
  }
}

void StartView::showAtFirst() {
  first_ = workspace().currentModel() == nullptr;
  if (!first_ && workspace().items().empty() && !workspace().isRunning()) {
    workspace().runSentence(example());
  }
}

void StartView::openGraph() {
  if (!graph_) {
    if (source() == nullptr) {
      askExample();
    }
    return;
  }
  const StartGraph graph = *graph_;  // what follows asks anew
  selection().setLayer(graph.goal_layer);
  selection().setToken(graph.token);
  Q_EMIT viewAsked(QStringLiteral("trees"));
}

void StartView::openLook() {
  if (!look_) {
    return;
  }
  const StartLook look = *look_;
  selection().setMap(look.layer, look.part, look.head);
  selection().setToken(look.token);
  selection().setKey(look.key);
  Q_EMIT viewAsked(QStringLiteral("attention"));
}

void StartView::openLengths() {
  const WorkspaceItem* item = corpus();
  if (item == nullptr) {
    Q_EMIT recordAsked();
    return;
  }
  if (item != workspace().selectedItem()) {
    workspace().select({item->id, 0});
  }
  Q_EMIT viewAsked(QStringLiteral("weights"));
}

// While a question has the focus, the window's keys for parts wait.
bool StartView::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && question_of(*static_cast<QKeyEvent*>(event)) > 0 &&
      !line_->hasFocus()) {
    event->accept();
    return true;
  }
  return View::event(event);
}

void StartView::keyPressEvent(QKeyEvent* event) {
  const int question = line_->hasFocus() ? 0 : question_of(*event);
  QAbstractButton* const cards[] = {collected_, looks_, lengths_};
  if (question > 0) {
    cards[question - 1]->click();
  } else if (is_enter(*event) && !line_->hasFocus()) {
    auto* focused = qobject_cast<QAbstractButton*>(focusWidget());
    (focused == nullptr || !focused->isEnabled() ? &firstQuestion() : focused)->click();
  } else {
    View::keyPressEvent(event);
  }
}

void StartView::changeEvent(QEvent* event) {
  View::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) {
    paintQuiet();
  }
}

QString StartView::caption() const {
  return caption_->text();
}

void StartView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  right_->setVisible(width() >= kPictureFrom);
  updateText();
  fitQuestions();
  updateNumbers();
}

std::vector<ExportItem> StartView::exports() const {
  if (!graph_ || picture_->figure() == nullptr) {
    return {};
  }
  return {{tr("Graph of a word"),
           QStringLiteral("start-") + selectionName(),
           picture_->figure(),
           {},
           commandOf(graph_->made.made_by)}};
}

const ViewKind& StartView::kind() {
  static constexpr app::GuideEntry kEntry{
      .name = "view.start",
      .title = MOG_TEXT("Guide", "Start"),
      .formula = "",
      .range = "",
      .level = app::ClaimLevel::none,
      .meaning = MOG_TEXT(
          "Guide",
          "Three questions about the sentence that is open, answered by what the model computed: the word "
          "with the largest graph (at most eight leaves, weight 10⁻⁶ or more), the largest attention from "
          "one word to another, the weight by length of a recording. Each leads to its view.")};
  static const ViewKind kind{
      .name = "start",
      .rank = 13,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new StartView(context, parent);
      },
      .places = {{"read", 0, 0}},
      .entry = &kEntry,
  };
  return kind;
}

std::span<const ViewKind> start_view_kinds() {
  return {&StartView::kind(), 1};
}

}  // namespace mog::gui
