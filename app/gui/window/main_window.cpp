#include "app/gui/window/main_window.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>
#include <QStyle>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/gui/session/selection_history.h"
#include "app/gui/session/training_runs.h"
#include "app/gui/views/compare/compare_view.h"
#include "app/gui/views/corpus/sentence_view.h"
#include "app/gui/views/corpus/trajectory_view.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/views/inspector/inspector_view.h"
#include "app/gui/views/jobs/model_view.h"
#include "app/gui/views/start/start_view.h"
#include "app/gui/views/strip/sentence_strip.h"
#include "app/gui/views/strip/typing_field.h"
#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/message_bar.h"
#include "app/gui/window/accessible_controls.h"
#include "app/gui/window/batches.h"
#include "app/gui/window/exporter.h"
#include "app/gui/window/file_menus.h"
#include "app/gui/window/files.h"
#include "app/gui/window/finder.h"
#include "app/gui/window/help.h"
#include "app/gui/window/hold_sentence.h"
#include "app/gui/window/look_menus.h"
#include "app/gui/window/offers.h"
#include "app/gui/window/pages.h"
#include "app/gui/window/picture_menus.h"
#include "app/gui/window/rail.h"
#include "app/gui/window/status_line.h"
#include "app/gui/window/tab_order.h"
#include "app/gui/window/top_bar.h"
#include "app/gui/window/view_menu.h"
#include "app/gui/window/view_set.h"
#include "app/gui/window/window_keeper.h"

namespace mog::gui {
namespace {

constexpr int kWide = 1280;       // of a window with room for the rail and a wide inspector
constexpr int kSide = 360;        // width of the inspector
constexpr int kNarrowSide = 288;  // the same below kWide

std::vector<Setting> all_settings(std::span<const ViewKind* const> kinds) {
  std::vector<Setting> settings = settings_of(kinds);
  const std::vector<Setting> of_window = Pages::settings();
  settings.insert(settings.end(), of_window.begin(), of_window.end());
  return settings;
}

const QString kGeometry = QStringLiteral("geometry");
const QString kNarrowRail = QStringLiteral("rail/narrow");

}  // namespace

MainWindow::MainWindow(std::unique_ptr<QSettings> settings, Openers openers, const QString& sessions,
                       QWidget* parent, std::span<const ViewKind* const> kinds)
    : QMainWindow(parent),
      settings_(std::move(settings)),
      state_(all_settings(kinds)),
      jobs_(std::make_unique<JobRunner>()),
      workspace_(std::make_unique<Workspace>(*jobs_, selection_, std::move(openers))) {
  install_accessibility();
  setWindowTitle(tr("MoG Workbench"));
  setAcceptDrops(true);
  setMinimumSize(800, 560);
  buildViews(kinds);
  pins_ = std::make_unique<SelectionHistory>(*workspace_, selection_, state_.history());
  session_ =
      std::make_unique<SessionKeeper>(*workspace_, selection_, state_, *pins_, sessionParts(), sessions);
  buildStatusBar();
  files_ = std::make_unique<Files>(*this, *workspace_, *session_, *status_, *settings_);
  exporter_ = std::make_unique<Exporter>(*this, *views_, *workspace_, *status_, *settings_);
  batches_ = std::make_unique<Batches>(*this, *workspace_, *jobs_, *views_, *status_, *settings_);
  buildBody();
  buildMenus();
  connectAll();
  resize(1440, 900);
  restoreGeometry(settings_->value(kGeometry).toByteArray());
  fitScreen();
  fit();
  auto* keeper = new WindowKeeper(*this, [this] { keepWindow(); });
  connect(&state_, &ViewState::changed, keeper, &WindowKeeper::touch);
  connect(rail_, &Rail::narrowAsked, keeper, &WindowKeeper::touch);
}

// Jobs use what the views show: they end first. Then what acts on views, before they go with their pages.
MainWindow::~MainWindow() {
  jobs_->cancelAll();
  finder_.reset();
  help_.reset();
  view_menu_.reset();
  look_menus_.reset();
  file_menus_.reset();
  exporter_.reset();
  batches_.reset();
  views_.reset();
  delete takeCentralWidget();
  files_.reset();
  session_.reset();
  pins_.reset();
  workspace_.reset();
  jobs_.reset();
}

void MainWindow::buildViews(std::span<const ViewKind* const> kinds) {
  auto* middle = new QWidget(this);
  setCentralWidget(middle);
  messages_ = new MessageBar(middle);
  views_ = std::make_unique<ViewSet>(kinds, context(), *middle);
}

// The rail, the workspaces and the inspector stand side by side below the bar.
void MainWindow::buildBody() {
  QWidget* middle = centralWidget();
  pages_ = new Pages(*views_, state_, *settings_, middle);
  rail_ = new Rail(context(), *files_, middle);
  top_bar_ = new TopBar(context(), *files_, *pages_, middle);
  strip_ = new SentenceStrip(context(), middle);
  auto* column = new QVBoxLayout(middle);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(top_bar_);
  column->addWidget(strip_);
  column->addWidget(messages_);
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  row->addWidget(rail_);
  row->addWidget(pages_, 1);
  row->addWidget(&pages_->side());
  column->addLayout(row, 1);
  picture_menus_ = new PictureMenus(*views_, selection_, *exporter_, *strip_, middle);
  new Offers(batches_->runner(), *workspace_, *messages_, *rail_, middle);
  side_wanted_ = pages_->wantsSide();
  const QVariant narrow = settings_->value(kNarrowRail);
  if (narrow.isValid()) {
    rail_narrow_ = narrow.toBool();
  }
}

void MainWindow::buildStatusBar() {
  status_ = std::make_unique<StatusLine>(*statusBar());
}

void MainWindow::buildMenus() {
  file_menus_ =
      std::make_unique<FileMenus>(*this, *files_, *batches_, *exporter_, *status_, state_.history());
  look_menus_ = std::make_unique<LookMenus>(*this, selection_, *views_, *rail_, *strip_, *status_);
  view_menu_ = std::make_unique<ViewMenu>(*this, state_, *status_, *settings_);
  for (const auto& [kind, widget] : views_->made()) {
    view_menu_->add(kind->title(), [this, kind = kind] { views_->show(*kind); });
  }
  help_ = std::make_unique<Help>(*this, context(), *views_, rail_->field());
  finder_ = std::make_unique<Finder>(*this, context(), *views_, *help_, *settings_);
  takeActions(*this);
  menuBar()->hide();  // Alt shows it
}

// A key works in every window that has its action, whether a menu bar is seen there or not.
void MainWindow::takeActions(QWidget& window) {
  for (QAction* action : findChildren<QAction*>()) {
    if (!action->shortcut().isEmpty()) {
      window.addAction(action);
    }
  }
}

void MainWindow::connectAll() {
  connect(views_.get(), &ViewSet::readout, status_.get(), &StatusLine::setReadout);
  connect(views_.get(), &ViewSet::said, status_.get(), &StatusLine::say);
  connect(views_.get(), &ViewSet::openAsked, this, [this] { files_->askForFolder(); });
  connect(views_.get(), &ViewSet::typingAsked, this, [this] { rail_->focusTyping(); });
  connect(views_.get(), &ViewSet::recordAsked, this, [this] { batches_->ask({}); });
  connect(&modelView(), &ModelView::wantsToBeSeen, views_.get(), [this] { views_->show(ModelView::kind()); });
  connect(views_.get(), &ViewSet::wanted, pages_, &Pages::showView);
  connect(view_menu_.get(), &ViewMenu::resetAsked, pages_, &Pages::reset);
  connect(view_menu_.get(), &ViewMenu::secondWindowAsked, pages_, &Pages::moveOut);
  connectBody();
  connect(workspace_.get(), &Workspace::messageReported, messages_, &MessageBar::add);
  connect(session_.get(), &SessionKeeper::sessionChanged, this, &MainWindow::updateTitle);
  connect(workspace_.get(), &Workspace::modelChanged, this, &MainWindow::updateTitle);
  connect(workspace_.get(), &Workspace::itemAdded, this, &MainWindow::updateTitle);
  connect(workspace_.get(), &Workspace::itemRemoved, this, &MainWindow::updateTitle);
  connect(&selection_, &SelectionModel::sentenceChanged, this, &MainWindow::updateTitle);
}

// The bar, the strip, the rail, the first page and the workspaces.
void MainWindow::connectBody() {
  // A single sentence that was typed is no list to choose from.
  const auto count = [this] {
    const auto& items = workspace_->items();
    pages_->setNothingOpen(items.empty() ||
                           (items.size() == 1 && items.front().kind == WorkspaceItem::Kind::typed &&
                            items.front().typed.size() == 1));
  };
  connect(workspace_.get(), &Workspace::itemAdded, pages_, count);
  connect(workspace_.get(), &Workspace::itemChanged, pages_, count);
  connect(workspace_.get(), &Workspace::itemRemoved, pages_, count);
  connect(workspace_.get(), &Workspace::allRemoved, pages_, count);
  connect(pages_, &Pages::asked, this, [this](const QString& view) { help_->showGuide(view); });
  connect(pages_, &Pages::windowOpened, this, [this](QWidget* window) { takeActions(*window); });
  connect(pages_, &Pages::sideWanted, this, [this](bool wanted) {
    side_wanted_ = wanted;
    fit();
  });
  connect(rail_, &Rail::narrowAsked, this, [this](bool narrow) {
    rail_narrow_ = narrow;
    fit();
  });
  connect(rail_, &Rail::narrowed, strip_,
          [this](bool narrow) { strip_->setPagerWidth(narrow ? Rail::kNarrow : Rail::kWidth); });
  connect(rail_, &Rail::viewAsked, pages_, &Pages::showView);
  connect(rail_, &Rail::recordingAsked, this, [this] { batches_->ask({}); });
  connect(top_bar_, &TopBar::exportAsked, this, [this] { exporter_->ask(); });
  connect(top_bar_, &TopBar::secondWindowAsked, pages_, &Pages::moveOut);
  connect(top_bar_, &TopBar::themeAsked, view_menu_.get(), &ViewMenu::changeTheme);
  connect(top_bar_, &TopBar::holdAsked, this, [this] { hold_sentence(*views_); });
  connect(top_bar_, &TopBar::findAsked, this, [this] { finder_->open(TopBar::kHeight); });
  connect(file_menus_.get(), &FileMenus::findAsked, this, [this] { finder_->open(TopBar::kHeight); });
  connect(strip_, &SentenceStrip::stepAsked, this, [this](int by) { sentences().step(by); });
  connect(strip_, &SentenceStrip::edited, this, &MainWindow::runEdited);
  connect(strip_, &SentenceStrip::entered, views_.get(), &ViewSet::focusPicture);
  connect(&state_, &ViewState::changed, this, [this](const QString& name) {
    if (name == setting::kAttentionPieces) {
      strip_->setPieces(state_.flag(name));
    }
  });
  strip_->setPieces(state_.flag(setting::kAttentionPieces));
  connect(&trees(), &TreeView::graphShown, strip_, &SentenceStrip::setGraphWords);
  trees().setFeet([this](std::int64_t token) {
    const auto foot = trees().window() == this ? strip_->footOf(token) : std::nullopt;
    return foot ? std::optional(strip_->mapToGlobal(*foot)) : std::nullopt;
  });
  connect(strip_, &SentenceStrip::placesChanged, &trees(), &TreeView::feetMoved);
  connect(&inspector(), &InspectorView::asked, pages_, &Pages::showView);
  connect(&start(), &StartView::viewAsked, pages_, &Pages::showView);
  connect(&workspace_->trainingRuns(), &TrainingRuns::opened, this,
          [this] { pages_->showView(QString::fromLatin1(TrajectoryView::kind().name)); });
  connect(&start(), &StartView::typed, this, [this](const QString& text) { rail_->field().run(text); });
  connect(&start(), &StartView::tourAsked, this, [this] { help_->startTour(); });
}

// The screen may be smaller than the one of the last time.
void MainWindow::fitScreen() {
  if (isMaximized() || isFullScreen()) {
    return;
  }
  const QScreen* at = QGuiApplication::screenAt(geometry().center());
  const QRect room = (at == nullptr ? screen() : at)->availableGeometry();
  const int title = style()->pixelMetric(QStyle::PM_TitleBarHeight, nullptr, this);
  resize(size().boundedTo(room.size() - QSize(0, title)));
  const QRect whole(pos(), size() + QSize(0, title));
  if (!room.contains(whole)) {
    move(std::clamp(whole.left(), room.left(), std::max(room.left(), room.right() + 1 - whole.width())),
         std::clamp(whole.top(), room.top(), std::max(room.top(), room.bottom() + 1 - whole.height())));
  }
}

// What has no room gives way: the rail's words first.
void MainWindow::fit() {
  const bool narrow = width() < kWide;
  rail_->setNarrow(rail_narrow_.value_or(narrow));
  top_bar_->setNarrow(narrow);
  pages_->side().setVisible(side_wanted_);
  const int side = narrow ? kNarrowSide : kSide;
  pages_->side().setFixedWidth(side);
  strip_->setKeyWidth(narrow ? 0 : side);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  fit();
}

// Alt alone shows the menu bar, or hides it.
void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Alt && !event->isAutoRepeat()) {
    menuBar()->setVisible(menuBar()->isHidden());
    if (menuBar()->isVisible()) {
      menuBar()->setFocus(Qt::MenuBarFocusReason);
    }
  }
  QMainWindow::keyPressEvent(event);
}

void MainWindow::updateTitle() {
  QStringList parts;
  if (!session_->path().isEmpty()) {
    parts.push_back(QFileInfo(session_->path()).completeBaseName());
  }
  const WorkspaceItem* item = workspace_->selectedItem();
  if (item != nullptr) {
    parts.push_back(item->name);  // of typed sentences the model stands in it
    if (item->kind == WorkspaceItem::Kind::recording) {
      parts.push_back(QString::fromStdString(item->source->header().model.name));
    }
  } else if (const WorkspaceModel* model = workspace_->currentModel()) {
    parts.push_back(model->name);
  }
  parts.push_back(tr("MoG Workbench"));
  setWindowTitle(parts.join(QStringLiteral(" – ")));
}

SessionParts MainWindow::sessionParts() {
  return {[this](app::Session& session) { session.find = sentences().find().text().toStdString(); },
          [this](const app::Session& session) {
            sentences().find().setText(QString::fromStdString(session.find));
          }};
}

// A typed sentence becomes one that changes it, that of a recording a new one.
void MainWindow::runEdited(const QString& text) {
  const WorkspaceItem* item = workspace_->selectedItem();
  if (item != nullptr && item->kind == WorkspaceItem::Kind::typed) {
    workspace_->runChanged(selection_.sentence(), text.toStdString(), {});
  } else {
    rail_->field().run(text);
  }
}

void MainWindow::open(const QStringList& paths) {
  files_->open(paths);
}

void MainWindow::showView(const QString& name) {
  pages_->showView(name);
}

QWidget* MainWindow::view(const QString& name) {
  return views_->find(name);
}

QString MainWindow::readout() const {
  return status_->readout();
}

bool MainWindow::focusNextPrevChild(bool next) {
  return move_focus(*this, next);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) {
    event->acceptProposedAction();
  }
}

void MainWindow::dropEvent(QDropEvent* event) {
  QStringList paths;
  for (const QUrl& url : event->mimeData()->urls()) {
    if (url.isLocalFile()) {
      paths.push_back(url.toLocalFile());
    }
  }
  event->acceptProposedAction();
  open(paths);
}

void MainWindow::keepWindow() {
  settings_->setValue(kGeometry, saveGeometry());
  if (rail_narrow_) {
    settings_->setValue(kNarrowRail, *rail_narrow_);
  }
  pages_->store();
  settings_->sync();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  keepWindow();
  session_->finish();
  jobs_->cancelAll();
  QMainWindow::closeEvent(event);
}

}  // namespace mog::gui
