#include "app/gui/window/main_window.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QShowEvent>
#include <QStatusBar>
#include <QStyle>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/gui/session/selection_history.h"
#include "app/gui/views/attention_view.h"
#include "app/gui/views/compare_view.h"
#include "app/gui/views/decomposition_view.h"
#include "app/gui/views/flow_view.h"
#include "app/gui/views/further_figures_view.h"
#include "app/gui/views/gate_view.h"
#include "app/gui/views/interventions_view.h"
#include "app/gui/views/jobs_view.h"
#include "app/gui/views/model_view.h"
#include "app/gui/views/sentence_view.h"
#include "app/gui/views/tree_view.h"
#include "app/gui/views/weight_view.h"
#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/dock_title.h"
#include "app/gui/widgets/message_bar.h"
#include "app/gui/window/accessible_controls.h"
#include "app/gui/window/batches.h"
#include "app/gui/window/exporter.h"
#include "app/gui/window/file_menus.h"
#include "app/gui/window/files.h"
#include "app/gui/window/help.h"
#include "app/gui/window/layouts.h"
#include "app/gui/window/look_menus.h"
#include "app/gui/window/status_line.h"
#include "app/gui/window/tab_order.h"
#include "app/gui/window/view_menu.h"
#include "app/gui/window/view_set.h"

namespace mog::gui {
namespace {

std::vector<Setting> settings_with_layout(std::span<const ViewKind* const> kinds) {
  std::vector<Setting> settings = settings_of(kinds);
  settings.push_back(LayoutKeeper::setting());
  return settings;
}

}  // namespace

MainWindow::MainWindow(std::unique_ptr<QSettings> settings, Openers openers, const QString& sessions,
                       QWidget* parent, std::span<const ViewKind* const> kinds)
    : QMainWindow(parent),
      settings_(std::move(settings)),
      state_(settings_with_layout(kinds)),
      jobs_(std::make_unique<JobRunner>()),
      workspace_(std::make_unique<Workspace>(*jobs_, selection_, std::move(openers))) {
  install_accessibility();
  setWindowTitle(tr("MoG Workbench"));
  setAcceptDrops(true);
  setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);
  buildViews(kinds);
  pins_ = std::make_unique<SelectionHistory>(*workspace_, selection_, state_.history());
  session_ =
      std::make_unique<SessionKeeper>(*workspace_, selection_, state_, *pins_, sessionParts(), sessions);
  buildStatusBar();
  files_ = std::make_unique<Files>(*this, *workspace_, *session_, *status_, *settings_);
  exporter_ = std::make_unique<Exporter>(*this, *views_, *workspace_, *status_, *settings_);
  batches_ = std::make_unique<Batches>(*this, *workspace_, *jobs_, *views_, *status_, *settings_);
  buildMenus();
  resize(1280, 800);
  restoreGeometry(settings_->value(QStringLiteral("geometry")).toByteArray());
  fitScreen();
  buildDocks();
  layouts_ = std::make_unique<LayoutKeeper>(*this, kinds, state_, *settings_);
  connectAll();
}

// Jobs use what the views show: they end first. Then what acts on views, before they go with their docks.
MainWindow::~MainWindow() {
  jobs_->cancelAll();
  help_.reset();
  view_menu_.reset();
  look_menus_.reset();
  file_menus_.reset();
  exporter_.reset();
  views_.reset();
  delete takeCentralWidget();
  for (QDockWidget* dock : findChildren<QDockWidget*>()) {
    delete dock;
  }
  layouts_.reset();
  batches_.reset();
  files_.reset();
  session_.reset();
  pins_.reset();
  workspace_.reset();
  jobs_.reset();
}

void MainWindow::buildViews(std::span<const ViewKind* const> kinds) {
  auto* middle = new QWidget(this);
  auto* column = new QVBoxLayout(middle);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  messages_ = new MessageBar(middle);
  column->addWidget(messages_);
  setCentralWidget(middle);
  views_ = std::make_unique<ViewSet>(kinds, context(), *this, *middle);
  for (const auto& [kind, widget] : views_->made()) {
    if (kind->in_the_middle) {
      widget->setObjectName(QString::fromLatin1(kind->name));
      column->addWidget(widget, 1);
    }
  }
}

void MainWindow::buildStatusBar() {
  status_ = std::make_unique<StatusLine>(*statusBar());
  statusBar()->addPermanentWidget(new JobIndicator(*jobs_, this));
}

void MainWindow::buildMenus() {
  file_menus_ =
      std::make_unique<FileMenus>(*this, *files_, *batches_, *exporter_, *status_, state_.history());
  look_menus_ = std::make_unique<LookMenus>(*this, selection_, *views_, *status_);
  view_menu_ = std::make_unique<ViewMenu>(*this, state_, *status_, *settings_);
  help_ = std::make_unique<Help>(*this, context(), *views_, *settings_);
}

void MainWindow::connectAll() {
  connect(views_.get(), &ViewSet::readout, status_.get(), &StatusLine::setReadout);
  connect(views_.get(), &ViewSet::said, status_.get(), &StatusLine::say);
  connect(&modelView(), &ModelView::wantsToBeSeen, views_.get(), [this] { views_->show(ModelView::kind()); });
  connect(view_menu_.get(), &ViewMenu::layoutResetAsked, layouts_.get(), &LayoutKeeper::reset);
  connect(workspace_.get(), &Workspace::messageReported, messages_, &MessageBar::add);
  connect(session_.get(), &SessionKeeper::sessionChanged, this, &MainWindow::updateTitle);
  connect(workspace_.get(), &Workspace::modelChanged, this, &MainWindow::updateTitle);
  connect(workspace_.get(), &Workspace::itemAdded, this, &MainWindow::updateTitle);
  connect(workspace_.get(), &Workspace::itemRemoved, this, &MainWindow::updateTitle);
  connect(&selection_, &SelectionModel::sentenceChanged, this, &MainWindow::updateTitle);
}

QDockWidget* MainWindow::addDock(const ViewKind& kind, QWidget* widget) {
  const QString name = QString::fromLatin1(kind.name);
  auto* dock = new ViewDock(kind.title(), this);
  dock->setObjectName(name);
  dock->setWidget(widget);
  auto* row = new DockTitle(*dock);
  dock->setTitleBarWidget(row);
  connect(row, &DockTitle::asked, this, [this, name] { help_->showGuide(name); });
  if (auto* view = qobject_cast<View*>(widget)) {
    const auto follow = [view](bool seen) {
      if (seen) {
        view->comeToFront();
      }
    };
    connect(dock, &QDockWidget::visibilityChanged, view, follow, Qt::QueuedConnection);
  }
  const bool left = !kind.places.empty() && kind.places.front().column == 0;
  addDockWidget(left ? Qt::LeftDockWidgetArea : Qt::BottomDockWidgetArea, dock);
  return dock;
}

// Where they stand is the layout's.
void MainWindow::buildDocks() {
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::TopLeftCorner, Qt::LeftDockWidgetArea);
  for (const auto& [kind, widget] : views_->made()) {
    if (!kind->in_the_middle) {
      view_menu_->add(addDock(*kind, widget)->toggleViewAction());
    }
  }
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

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!event->spontaneous()) {
    QTimer::singleShot(0, this, [this] { layouts_->windowShown(); });
  }
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
  return {[this](app::Session& session) {
            session.layouts = layouts_->values();
            session.docks = layouts_->arrangement().toBase64().toStdString();
            session.find = sentences().find().text().toStdString();
          },
          [this](const app::Session& session) {
            sentences().find().setText(QString::fromStdString(session.find));
            layouts_->restore(session.layouts,
                              QByteArray::fromBase64(QByteArray::fromStdString(session.docks)));
          }};
}

AttentionView& MainWindow::attention() {
  return views_->get<AttentionView>();
}
FlowView& MainWindow::flow() {
  return views_->get<FlowView>();
}
DecompositionView& MainWindow::decomposition() {
  return views_->get<DecompositionView>();
}
GateView& MainWindow::gates() {
  return views_->get<GateView>();
}
TreeView& MainWindow::trees() {
  return views_->get<TreeView>();
}
WeightView& MainWindow::weights() {
  return views_->get<WeightView>();
}
SentenceView& MainWindow::sentences() {
  return views_->get<SentenceView>();
}
InterventionsView& MainWindow::interventions() {
  return views_->get<InterventionsView>();
}
CompareView& MainWindow::compare() {
  return views_->get<CompareView>();
}
FurtherFiguresView& MainWindow::furtherFigures() {
  return views_->get<FurtherFiguresView>();
}
JobsView& MainWindow::jobList() {
  return views_->get<JobsView>();
}
ModelView& MainWindow::modelView() {
  return views_->get<ModelView>();
}

void MainWindow::open(const QStringList& paths) {
  files_->open(paths);
}

void MainWindow::showDock(const QString& name) {
  views_->show(name);
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

void MainWindow::closeEvent(QCloseEvent* event) {
  settings_->setValue(QStringLiteral("geometry"), saveGeometry());
  layouts_->store();
  session_->finish();
  jobs_->cancelAll();
  QMainWindow::closeEvent(event);
}

}  // namespace mog::gui
