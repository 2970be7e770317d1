#include "app/gui/views/parse/parse_view.h"

#include <QAction>
#include <QLocale>
#include <QSplitter>
#include <QToolButton>
#include <QUndoStack>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/gui/views/common/view_kind.h"
#include "app/gui/views/parse/arc_chips.h"
#include "app/gui/views/parse/step_bar.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/workflow/common/resources.h"

namespace mog::gui {
namespace {

const QString kSlot = QStringLiteral("parse");
const QString kProjective = QStringLiteral("parse.projective");
constexpr const char* kBundled = "parser-en";
constexpr double kLeastCell = 18;

}  // namespace

ParseView::ParseView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      steps_(new StepBar(this)),
      projective_(new QToolButton(this)),
      by_(new LineLabel(this)),
      chips_(new ArcChips(this)),
      state_(new LineLabel(this)),
      splitter_(new QSplitter(Qt::Horizontal, this)),
      arcs_(new FigureCanvas(this)),
      matrix_(new FigureCanvas(this)) {
  asksIn({kSlot});
  build();
  connectParts();
  connect(&selection(), &SelectionModel::sentenceChanged, this, &ParseView::invalidate);
  connect(&workspace(), &Workspace::modelChanged, this, &ParseView::invalidate);
  connect(&selection(), &SelectionModel::tokenChanged, this, &ParseView::light);
  connect(&state(), &ViewState::changed, this, [this](const QString& name) {
    if (name == kSetArcs || name == kProjective) {
      projective_->setChecked(state().flag(kProjective));
      invalidate();
    }
  });
}

void ParseView::build() {
  const auto [column, tools] = make_tool_column(this);
  projective_->setText(tr("No crossing arcs"));
  projective_->setCheckable(true);
  projective_->setAutoRaise(true);
  projective_->setFocusPolicy(Qt::TabFocus);
  projective_->setToolTip(
      tr("The best tree without crossing arcs in the place of the best of all; a transition parser has no "
         "SWAP then"));
  projective_->setAccessibleDescription(projective_->toolTip());
  tools->addWidget(steps_, 3);
  tools->addWidget(by_, 2);
  tools->addWidget(projective_);
  column->addLayout(tools);
  column->addWidget(chips_);
  auto* state = new QVBoxLayout;
  state->setContentsMargins(12, 0, 12, 4);
  state->addWidget(state_);
  column->addLayout(state);
  splitter_->addWidget(arcs_);
  splitter_->addWidget(matrix_);
  splitter_->setStretchFactor(0, 3);
  splitter_->setStretchFactor(1, 2);
  splitter_->setSizes({600, 400});
  splitter_->setChildrenCollapsible(false);
  column->addWidget(splitter_, 1);
  matrix_->setLeastCell(kLeastCell);
  arcs_->setAccessibleName(tr("Tree over the words"));
  matrix_->setAccessibleName(tr("Probabilities of arcs, head by dependent"));
  const auto key = [this](const QString& text, Qt::Key which, int by) {
    auto* action = new QAction(text, this);
    action->setShortcut(QKeySequence(Qt::CTRL | which));
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(action, &QAction::triggered, this, [this, by] {
      if (isVisible()) {  // the key is the window's
        steps_->step(by);
      }
    });
    addAction(action);
  };
  key(tr("Round or state before"), Qt::Key_PageUp, -1);
  key(tr("Next round or state"), Qt::Key_PageDown, 1);
}

void ParseView::connectParts() {
  connect(steps_, &StepBar::chosen, this, &ParseView::showStep);
  connect(projective_, &QToolButton::clicked, this, [this](bool on) { state().set(kProjective, on); });
  connect(chips_, &ArcChips::letGo, this, [this](const app::TreeArc& arc) { setArc(arc, ArcSetting::none); });
  connect(chips_, &ArcChips::letGoOfAll, this, [this] { state().set(kSetArcs, QString()); });
  for (FigureCanvas* const picture : {arcs_, matrix_}) {
    connect(picture, &FigureCanvas::hovered, this,
            [this, picture](const std::optional<figures::Hit>& hit) { point(*picture, hit); });
    connect(picture, &FigureCanvas::clicked, this,
            [this, picture](const figures::Hit& hit, Qt::KeyboardModifiers modifiers) {
              choose(*picture, hit, modifiers);
            });
  }
}

// That of the sentence where it is a parser, else the one opened last.
const WorkspaceModel* ParseView::parser(const WorkspaceItem& item) const {
  const WorkspaceModel* own = workspace().modelOf(item);
  if (own != nullptr && is_parser(own->loaded)) {
    return own;
  }
  const auto& models = workspace().models();
  const auto last = std::find_if(models.rbegin(), models.rend(),
                                 [](const WorkspaceModel& model) { return is_parser(model.loaded); });
  return last == models.rend() ? nullptr : &*last;
}

ParseView::Empty ParseView::noParser() {
  const QString folder = QString::fromStdString(app::model_path(kBundled).string());
  return {tr("No parser is open"),
          tr("A parser builds dependency trees: one that was trained here (mog train), or the bundled one of "
             "English."),
          {tr("Open the bundled parser"), [this, folder] { workspace().open(folder); }}};
}

void ParseView::refresh() {
  const WorkspaceItem* item = workspace().selectedItem();
  if (item == nullptr) {
    showEmpty(noSentence(tr("Here you see the tree that a parser builds of a sentence.")));
    return;
  }
  const WorkspaceModel* by = parser(*item);
  if (by == nullptr) {
    showEmpty(workspace().isOpening() ? whyNoSentence() : noParser());
    return;
  }
  parse(*by, *item);
}

// A recorded sentence as the words that it has.
QString ParseView::text() const {
  const WorkspaceItem* item = workspace().selectedItem();
  if (item == nullptr) {
    return {};
  }
  const auto index = selection().sentence().index;
  if (item->kind == WorkspaceItem::Kind::typed) {
    return QString::fromStdString(item->typed.at(static_cast<std::size_t>(index)).text);
  }
  QStringList words;
  for (const Word& word : item->source->sentence(index).words) {
    words.push_back(QString::fromStdString(word.text));
  }
  return words.join(QLatin1Char(' '));
}

app::TreeConstraints ParseView::constraints() const {
  return set_arcs_of(state().choice(kSetArcs), text());
}

void ParseView::parse(const WorkspaceModel& by, const WorkspaceItem& item) {
  const bool typed = item.kind == WorkspaceItem::Kind::typed;
  const TypedSentence* sentence =
      typed ? &item.typed.at(static_cast<std::size_t>(selection().sentence().index)) : nullptr;
  ParseQuestion question{
      by.loaded,
      text().toStdString(),
      typed ? sentence->words : model::WordCut::spaces,
      {.projective = state().flag(kProjective),
       .constraints =
           by.loaded.model->config().graph->by_transitions() ? app::TreeConstraints() : constraints()}};
  const bool same = shown_ != nullptr && asked_.text == question.text && model_path_ == by.path;
  wanted_step_ = same && steps_->current() < steps_->steps() ? steps_->current() : 0;
  asked_ = std::move(question);
  model_path_ = by.path;
  const bool changed = typed && !sentence->interventions.empty();
  const QString name = changed ? tr("%1, as it is without the change").arg(by.name) : by.name;
  by_->setText(by.loaded.model->config().graph->by_transitions()
                   ? tr("by %1; a click on a state of the map goes there").arg(name)
                   : tr("by %1; a click on a cell sets its arc or takes it out, once more lets go").arg(name),
               tr("With Shift a click forbids an arc that is not in the tree, and keeps one that is."));
  arcs_->setBusy(true);
  matrix_->setBusy(true);
  jobs().start(
      {.title = [] { return tr("Parsing"); }, .slot = kSlot, .quiet = true}, this,
      [asked = asked_](const JobContext& context) { return parse_shown(asked, context.stop()); },
      [this](ParseAnswer answer) { answered(std::move(answer)); },
      [this](const QString& message) {
        showEmpty({tr("The sentence cannot be parsed"), message});
      });
}

void ParseView::answered(ParseAnswer answer) {
  if (answer.shown == nullptr) {
    refused(answer.refused);
    return;
  }
  take(std::move(answer.shown));
}

std::pair<QString, bool> ParseView::settings() const {
  return {state().choice(kSetArcs), state().flag(kProjective)};
}

bool ParseView::lastStepIsOfParses() const {
  const QString last = state().history().undoText();
  const std::vector<Setting>& own = kind().settings;
  return std::any_of(own.begin(), own.end(),
                     [&last](const Setting& one) { return last == ViewState::tr(one.text); });
}

// The step that no tree obeys is undone. Arcs that came without one, with a session or for another model, are
// the reader's to let go of.
void ParseView::refused(const QString& message) {
  if (settings() != good_ && lastStepIsOfParses()) {
    workspace().report(message);
    state().history().undo();
    return;
  }
  const Offer let_go{tr("Let go of all"), [this] { state().set(kSetArcs, QString()); }};
  showEmpty({tr("No tree has the arcs that are set"), message, let_go});
}

void ParseView::take(std::shared_ptr<const ShownParse> shown) {
  shown_ = std::move(shown);
  pointed_.reset();
  good_ = settings();
  const bool transitions = shown_->parsed.by_transitions();
  steps_->setNames(transitions ? tr("State before") : tr("Round before"),
                   transitions ? tr("Next state") : tr("Next round"),
                   transitions ? tr("State of the parser") : tr("Round of the parser"));
  matrix_->setAccessibleName(transitions ? tr("Probabilities of the actions by state")
                                         : tr("Probabilities of arcs, head by dependent"));
  setParts(true);
  steps_->setSteps(shown_->parsed.steps());
  std::vector<QString> words;
  for (const Word& word : shown_->parsed.sentence.words) {
    words.push_back(QString::fromStdString(word.text));
  }
  chips_->setArcs(shown_->parsed.constraints, words);
  if (wanted_step_ > 0 && wanted_step_ < steps_->steps()) {
    steps_->setCurrent(wanted_step_);
  }
  showStep();
}

void ParseView::showStep() {
  if (shown_ == nullptr) {
    return;
  }
  const ParseStepPictures& step = shown_->steps.at(static_cast<std::size_t>(steps_->current()) - 1);
  arcs_->setFigure(step.arcs);
  matrix_->setFigure(step.matrix);
  sayStep();
  light();
}

void ParseView::setParts(bool shown) {
  const bool transitions = shown_ != nullptr && shown_->parsed.by_transitions();
  steps_->setVisible(shown && shown_->parsed.steps() > 1);
  by_->setVisible(shown);
  projective_->setVisible(shown);
  matrix_->setVisible(shown);
  state_->setVisible(shown && transitions);
  if (!shown) {
    chips_->hide();
  }
  // Few actions and many states lie better below the sentence.
  splitter_->setOrientation(transitions ? Qt::Vertical : Qt::Horizontal);
}

void ParseView::showEmpty(const Empty& empty) {
  shown_.reset();
  pointed_.reset();
  setParts(false);
  arcs_->setEmpty(empty.title, empty.hint, empty.offer);
}

const ViewKind& ParseView::kind() {
  static const ViewKind kind{
      .name = "parse",
      .rank = 7,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new ParseView(context, parent);
      },
      .places = {{"parse", 0, 0}},
      .settings = {{.name = kSetArcs,
                    .initial = std::string(),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "arcs set by hand")},
                   {.name = kProjective,
                    .initial = false,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "trees without crossing arcs")}},
      .guide = [](const ViewContext&) -> QStringList { return {QStringLiteral("heads.TASK.pair_scores")}; },
  };
  return kind;
}

std::span<const ViewKind> parse_view_kinds() {
  return {&ParseView::kind(), 1};
}

}  // namespace mog::gui
