#include "app/gui/views/corpus/trajectory_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/gui/session/training_runs.h"
#include "app/gui/views/common/view_kind.h"
#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/wrapping_layout.h"

namespace mog::gui {
namespace {

const QString kSlot = QStringLiteral("trajectories");
const QString kMeasure = QStringLiteral("trajectory.measure");
const QString kLength = QStringLiteral("trajectory.length");
const QString kLayer = QStringLiteral("trajectory.layer");
const QString kHead = QStringLiteral("trajectory.head");
const QString kChanges = QStringLiteral("trajectory.changes");
const QString kTogether = QStringLiteral("trajectory.together");
constexpr int kApart = 8;

QString measure_name(const std::string& measure) {
  static const std::pair<const char*, const char*> kNames[] = {
      {"gate", QT_TRANSLATE_NOOP("mog::gui::TrajectoryView", "Gate weight")},
      {"share", QT_TRANSLATE_NOOP("mog::gui::TrajectoryView", "Share of each part")},
      {"entropy", QT_TRANSLATE_NOOP("mog::gui::TrajectoryView", "Attention entropy")},
      {"max", QT_TRANSLATE_NOOP("mog::gui::TrajectoryView", "Greatest attention")},
      {"leaves", QT_TRANSLATE_NOOP("mog::gui::TrajectoryView", "Expected leaves")},
      {"token_cosine", QT_TRANSLATE_NOOP("mog::gui::TrajectoryView", "Token cosine")},
      {"uuas", QT_TRANSLATE_NOOP("mog::gui::TrajectoryView", "UUAS of the best tree")}};
  const auto* const at = std::find_if(std::begin(kNames), std::end(kNames),
                                      [&](const auto& one) { return measure == one.first; });
  return at == std::end(kNames) ? QString::fromStdString(measure) : TrajectoryView::tr(at->second);
}

// The value that is wished for, or the first.
std::string chosen_of(const std::vector<std::string>& values, const std::string& wish) {
  const bool there = std::find(values.begin(), values.end(), wish) != values.end();
  return there ? wish : values.empty() ? std::string() : values.front();
}

// The values as entries, of which one is chosen. An open list stays as it is where they are the same.
template <class Name>
void fill(Combo& box, const std::vector<std::string>& values, const std::string& chosen, const Name& name) {
  std::vector<std::string> there;
  for (int i = 0; i < box.count(); ++i) {
    there.push_back(box.itemData(i).toString().toStdString());
  }
  const QSignalBlocker quiet(&box);
  if (there != values) {
    box.clear();
    for (const std::string& value : values) {
      box.addItem(name(value), QString::fromStdString(value));
    }
  }
  box.setCurrentIndex(std::max(0, box.findData(QString::fromStdString(chosen))));
  box.setVisible(box.count() > 1);
}

}  // namespace

struct TrajectoryView::Question {
  std::vector<std::shared_ptr<const analysis::Trajectory>> tables;
  analysis::TrajectoryOptions wished;
};

struct TrajectoryView::Answer {
  analysis::TrajectoryChoices choices;
  analysis::TrajectoryOptions chosen;
  MadeFigure made;  // none: the runs have no quantity in common
};

TrajectoryView::TrajectoryView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      tools_(new QWidget(this)),
      measure_(new Combo(this)),
      length_(new Combo(this)),
      layer_(new Combo(this)),
      head_(new Combo(this)),
      change_points_(new QCheckBox(tr("Change &points"), this)),
      together_(new QCheckBox(tr("&Runs in one panel"), this)),
      runs_(new QToolButton(this)),
      picture_(new FigureCanvas(this)) {
  build();
  asksIn({kSlot});
  for (const auto& [box, name] : {std::pair(measure_, kMeasure), std::pair(length_, kLength),
                                  std::pair(layer_, kLayer), std::pair(head_, kHead)}) {
    connect(box, &QComboBox::activated, this,
            [this, box = box, name = name] { state().set(name, box->currentData().toString()); });
  }
  for (const auto& [box, name] : {std::pair(change_points_, kChanges), std::pair(together_, kTogether)}) {
    connect(box, &QCheckBox::toggled, this,
            [this, name = name](bool on) { state().set(name, ViewState::Value(on)); });
  }
  connect(&state(), &ViewState::changed, this, [this](const QString& name) {
    if (name.startsWith(QLatin1String("trajectory."))) {
      invalidate();
    }
  });
  connect(&workspace().trainingRuns(), &TrainingRuns::changed, this, &TrajectoryView::invalidate);
  connect(picture_, &FigureCanvas::hovered, this, [this](const std::optional<figures::Hit>& hit) {
    picture_->setHighlight(hit ? hit->highlight() : figures::Highlight{});
    Q_EMIT readout(hit ? hit->readout : QString());
  });
}

QComboBox& TrajectoryView::measure() {
  return *measure_;
}

QComboBox& TrajectoryView::length() {
  return *length_;
}

QComboBox& TrajectoryView::layer() {
  return *layer_;
}

QComboBox& TrajectoryView::head() {
  return *head_;
}

void TrajectoryView::build() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* around = new QVBoxLayout(tools_);
  around->setContentsMargins(12, 8, 12, 4);
  auto* line = new WrappingLayout(kApart);
  around->addLayout(line);
  set_label(*measure_, tr("Quantity"));
  set_label(*length_, tr("Sentence length"));
  set_label(*layer_, tr("Layer"));
  set_label(*head_, tr("Head"));
  runs_->setAutoRaise(true);
  runs_->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
  runs_->setPopupMode(QToolButton::InstantPopup);
  runs_->setMenu(new QMenu(runs_));
  runs_->menu()->setToolTipsVisible(true);
  runs_->setToolTip(tr("Training runs that are open, to close one or to open more"));
  runs_->setAccessibleName(runs_->toolTip());
  change_points_->setToolTip(tr("Rings where a line goes another way"));
  together_->setToolTip(tr("Dashes are runs; of one layer colours are runs, too"));
  for (QWidget* const tool :
       std::initializer_list<QWidget*>{measure_, length_, layer_, head_, change_points_, together_, runs_}) {
    tool->setMinimumHeight(measure_->sizeHint().height());  // one line
    line->addWidget(tool);
  }
  QSizePolicy grows(QSizePolicy::Preferred, QSizePolicy::Minimum);
  grows.setHeightForWidth(true);
  tools_->setSizePolicy(grows);
  column->addWidget(tools_);
  column->addWidget(picture_, 1);
  picture_->setAccessibleName(tr("Quantity over the updates of a training run"));
  fillChoices({});
}

void TrajectoryView::refresh() {
  const std::vector<TrainingRun>& runs = workspace().trainingRuns().runs();
  tools_->setVisible(!runs.empty());
  if (runs.empty()) {
    jobs().cancelSlot(kSlot);
    made_ = {};
    picture_->setEmpty(
        tr("No training run is open"),
        tr("mog train --watch writes trajectory.csv into the folder OUTPUT.training. Open the file or its "
           "folder: here you see how a quantity moves, update by update, also while the training goes on."),
        {tr("Open…"), [this] { Q_EMIT openAsked(); }});
    return;
  }
  fillRuns();
  const QSignalBlocker quiet_changes(change_points_);
  change_points_->setChecked(state().flag(kChanges));
  const QSignalBlocker quiet_together(together_);
  together_->setChecked(state().flag(kTogether));
  if (!workspace().trainingRuns().tables().empty()) {
    ask();
    return;
  }
  jobs().cancelSlot(kSlot);
  fillChoices({});
  QStringList errors;
  for (const TrainingRun& run : runs) {
    errors.push_back(run.error);
  }
  errors.removeAll(QString());
  if (errors.isEmpty()) {
    picture_->setBusy(true);  // they are being read
    return;
  }
  showNothing(tr("No training run could be read"), errors.join(QLatin1Char('\n')));
}

void TrajectoryView::showNothing(const QString& title, const QString& hint) {
  made_ = {};
  picture_->setEmpty(title, hint);
}

// An open menu stays as it is where the runs are the same.
void TrajectoryView::fillRuns() {
  const std::vector<TrainingRun>& runs = workspace().trainingRuns().runs();
  const auto tables = workspace().trainingRuns().tables();
  runs_->setText((runs.size() == 1 && !tables.empty() ? QString::fromStdString(tables.front()->name)
                                                      : tr("Runs: %1").arg(runs.size())) +
                 QStringLiteral(" ▾"));
  together_->setVisible(tables.size() > 1);
  QStringList entries;
  for (const TrainingRun& run : runs) {
    entries +=
        {run.file, run.error, run.table == nullptr ? QString() : QString::fromStdString(run.table->name)};
  }
  if (entries == listed_) {
    return;
  }
  listed_ = entries;
  runs_->menu()->clear();
  for (const TrainingRun& run : runs) {
    const bool named = run.table != nullptr && run.error.isEmpty();
    QAction* close =
        runs_->menu()->addAction(named ? tr("Close %1").arg(QString::fromStdString(run.table->name))
                                       : tr("Close %1, which cannot be read").arg(run.file));
    close->setToolTip(run.error.isEmpty() ? run.file : run.error);
    connect(
        close, &QAction::triggered, this, [this, file = run.file] { workspace().trainingRuns().close(file); },
        Qt::QueuedConnection);  // the menu is filled anew by it
  }
  runs_->menu()->addSeparator();
  connect(runs_->menu()->addAction(tr("Open another…")), &QAction::triggered, this,
          [this] { Q_EMIT openAsked(); });
}

TrajectoryView::Answer TrajectoryView::find(const Question& question) {
  std::vector<analysis::Trajectory> runs;
  for (const auto& table : question.tables) {
    runs.push_back(*table);
  }
  Answer found{.choices = analysis::trajectory_choices(runs, question.wished.measure),
               .chosen = question.wished,
               .made = {}};
  std::vector<std::string>& layers = found.choices.layers;
  std::erase(layers, std::string());
  layers.insert(layers.begin(), std::string());  // all of them
  analysis::TrajectoryOptions& chosen = found.chosen;
  chosen.measure = chosen_of(found.choices.measures, chosen.measure);
  chosen.length = chosen_of(found.choices.lengths, chosen.length);
  chosen.layer = chosen_of(layers, chosen.layer);
  chosen.head = chosen_of(found.choices.heads, chosen.head);
  if (found.choices.measures.empty()) {
    return found;
  }
  app::FigureRequest request{.kind = "trajectory"};
  request.set("measure", chosen.measure)
      .set("layer", chosen.layer)
      .set("head", chosen.head)
      .flag("together", chosen.together && runs.size() > 1)
      .flag("no-change-points", !chosen.change_points);
  if (chosen.length != "all") {
    request.set("length", chosen.length);
  }
  for (const analysis::Trajectory& run : runs) {
    request.inputs.emplace_back(run.file);
  }
  found.made = {std::make_shared<const analysis::FigureData>(analysis::trajectory_figure(runs, chosen)),
                request};
  return found;
}

void TrajectoryView::fillChoices(const Answer& answer) {
  const analysis::TrajectoryOptions& chosen = answer.chosen;
  fill(*measure_, answer.choices.measures, chosen.measure, measure_name);
  fill(*length_, answer.choices.lengths, chosen.length, [](const std::string& bin) {
    return bin == "all" ? tr("All lengths") : tr("%1 words").arg(QString::fromStdString(bin));
  });
  fill(*layer_, answer.choices.layers, chosen.layer, [](const std::string& layer) {
    return layer.empty() ? tr("All layers") : tr("Layer %1").arg(QString::fromStdString(layer));
  });
  fill(*head_, answer.choices.heads, chosen.head, [](const std::string& head) {
    return head.empty() ? tr("Mean over heads") : tr("Head %1").arg(QString::fromStdString(head));
  });
  measure_->setVisible(!answer.choices.measures.empty());
}

void TrajectoryView::ask() {
  const auto wish = [this](const QString& name) { return state().choice(name).toStdString(); };
  picture_->setBusy(true);
  jobs().start(
      {.title = [] { return tr("Drawing a trajectory"); }, .slot = kSlot, .quiet = true}, this,
      [question = Question{workspace().trainingRuns().tables(),
                           {.measure = wish(kMeasure),
                            .length = wish(kLength),
                            .layer = wish(kLayer),
                            .head = wish(kHead),
                            .together = state().flag(kTogether),
                            .change_points = state().flag(kChanges)}}](const JobContext&) {
        return find(question);
      },
      [this](Answer found) { take(std::move(found)); },
      [this](const QString& message) { showNothing(tr("This figure cannot be made"), message); });
}

void TrajectoryView::take(Answer answer) {
  fillChoices(answer);
  if (answer.made.figure == nullptr) {
    showNothing(tr("These runs have no quantity in common"),
                tr("Close one of them: the button above the picture names them."));
    return;
  }
  made_ = std::move(answer.made);
  picture_->setFigure(made_.figure);
}

std::vector<ExportItem> TrajectoryView::exports() const {
  if (picture_->figure() == nullptr || made_.figure == nullptr) {
    return {};
  }
  FigureCommand command;
  command.arguments = app::figure_arguments(made_.made_by);
  command.facts = [made_by = made_.made_by] { return app::figure_facts(made_by); };
  return {{tr("Trajectory"),
           QStringLiteral("trajectory-") + QString::fromStdString(made_.made_by.text_of("measure")),
           made_.figure,
           {},
           command}};
}

const ViewKind& TrajectoryView::kind() {
  static const ViewKind kind{
      .name = "trajectory",
      .rank = 11,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new TrajectoryView(context, parent);
      },
      .places = {{"corpus", 0, 3}},
      .settings = {{.name = kMeasure,
                    .initial = std::string(),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "quantity of the trajectory")},
                   {.name = kLength,
                    .initial = std::string("all"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "sentence length of the trajectory")},
                   {.name = kLayer,
                    .initial = std::string(),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "layer of the trajectory")},
                   {.name = kHead,
                    .initial = std::string(),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "head of the trajectory")},
                   {.name = kChanges,
                    .initial = true,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "change points")},
                   {.name = kTogether,
                    .initial = false,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "runs in one panel")}},
      .guide = [](const ViewContext& context) -> QStringList {
        const QString measure = context.state.choice(kMeasure);
        return {measure.isEmpty() ? QStringLiteral("gate") : measure};
      },
  };
  return kind;
}

std::span<const ViewKind> trajectory_view_kinds() {
  return {&TrajectoryView::kind(), 1};
}

}  // namespace mog::gui
