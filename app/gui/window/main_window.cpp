#include "app/gui/window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
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

#include "app/gui/session/batch_runner.h"
#include "app/gui/session/gold_syntax.h"
#include "app/gui/session/selection_history.h"
#include "app/gui/views/attention_view.h"
#include "app/gui/views/changes_view.h"
#include "app/gui/views/compare_view.h"
#include "app/gui/views/decomposition_view.h"
#include "app/gui/views/figures_view.h"
#include "app/gui/views/flow_view.h"
#include "app/gui/views/gate_view.h"
#include "app/gui/views/jobs_view.h"
#include "app/gui/views/model_view.h"
#include "app/gui/views/sentence_view.h"
#include "app/gui/views/tree_view.h"
#include "app/gui/views/weight_view.h"
#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/dock_title.h"
#include "app/gui/widgets/guide_page.h"
#include "app/gui/widgets/message_bar.h"
#include "app/gui/window/accessible_controls.h"
#include "app/gui/window/export_dialog.h"
#include "app/gui/window/layouts.h"
#include "app/gui/window/tour.h"

namespace mog::gui {
namespace {
constexpr int kRecentFiles = 10;
const QString kTreebankSuffix = QStringLiteral(".conllu");
const QString kRecentKey = QStringLiteral("recent");

std::vector<Setting> settings_with_layout(std::span<const ViewKind* const> kinds) {
  std::vector<Setting> settings = settings_of(kinds);
  settings.push_back(LayoutKeeper::setting());
  return settings;
}

}  // namespace

MainWindow::MainWindow(std::unique_ptr<QSettings> settings, Openers openers, const QString& sessions,
                       QWidget* parent, std::span<const ViewKind* const> kinds)
    : QMainWindow(parent),
      kinds_(kinds),
      settings_(std::move(settings)),
      state_(settings_with_layout(kinds)),
      jobs_(std::make_unique<JobRunner>()),
      workspace_(std::make_unique<Workspace>(*jobs_, selection_, std::move(openers))) {
  install_accessibility();
  setWindowTitle(tr("MoG Workbench"));
  setAcceptDrops(true);
  setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);
  buildViews();
  pins_ = std::make_unique<SelectionHistory>(*workspace_, selection_, state_.history());
  session_ =
      std::make_unique<SessionKeeper>(*workspace_, selection_, state_, *pins_, sessionParts(), sessions);
  buildStatusBar();
  buildBatches();
  buildActions();
  resize(1280, 800);
  restoreGeometry(settings_->value(QStringLiteral("geometry")).toByteArray());
  fitScreen();
  buildDocks();
  layouts_ = std::make_unique<LayoutKeeper>(*this, kinds_, state_, *settings_);
  connect(workspace_.get(), &Workspace::messageReported, messages_, &MessageBar::add);
  connect(workspace_.get(), &Workspace::opened, this, &MainWindow::rememberRecent);
  connect(session_.get(), &SessionKeeper::over, this, &MainWindow::openWaiting);
  connect(session_.get(), &SessionKeeper::sessionChanged, this, [this] {
    rememberRecent(session_->path());
    updateTitle();
  });
  connect(workspace_.get(), &Workspace::modelChanged, this, &MainWindow::updateTitle);
  connect(workspace_.get(), &Workspace::itemAdded, this, &MainWindow::updateTitle);
  connect(workspace_.get(), &Workspace::itemRemoved, this, &MainWindow::updateTitle);
  connect(&selection_, &SelectionModel::sentenceChanged, this, &MainWindow::updateTitle);
}

// Jobs use what the views show: they end first.
MainWindow::~MainWindow() {
  // The focus leaves the window once more when all its members are gone.
  disconnect(qApp, nullptr, this, nullptr);
  jobs_->cancelAll();
  for (View* view : views_) {
    view->disconnect(this);
  }
  delete takeCentralWidget();
  for (QDockWidget* dock : findChildren<QDockWidget*>()) {
    delete dock;
  }
  layouts_.reset();
  batches_.reset();
  session_.reset();
  pins_.reset();
  workspace_.reset();
  jobs_.reset();
}

template <class V>
V& MainWindow::made() const {
  const auto at =
      std::find_if(made_.begin(), made_.end(), [](const auto& one) { return one.first == &V::kind(); });
  return *static_cast<V*>(at->second);
}

FlowView& MainWindow::flow() {
  return made<FlowView>();
}
DecompositionView& MainWindow::decomposition() {
  return made<DecompositionView>();
}
GateView& MainWindow::gates() {
  return made<GateView>();
}
TreeView& MainWindow::trees() {
  return made<TreeView>();
}
WeightView& MainWindow::weights() {
  return made<WeightView>();
}
ChangesView& MainWindow::changes() {
  return made<ChangesView>();
}

void MainWindow::buildViews() {
  auto* middle = new QWidget(this);
  auto* column = new QVBoxLayout(middle);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  messages_ = new MessageBar(middle);
  column->addWidget(messages_);
  setCentralWidget(middle);
  for (const ViewKind* const kind : kinds_) {
    QWidget* const widget = kind->create(context(), kind->in_the_middle ? middle : this);
    if (kind->in_the_middle) {
      widget->setObjectName(QString::fromLatin1(kind->name));
      column->addWidget(widget, 1);
    }
    made_.emplace_back(kind, widget);
    if (auto* view = qobject_cast<View*>(widget)) {
      views_.push_back(view);
    }
  }
  // What the keys of the window act on.
  attention_ = &made<AttentionView>();
  sentences_ = &made<SentenceView>();
  compare_ = &made<CompareView>();
  figures_ = &made<FiguresView>();
  job_list_ = &made<JobsView>();
  model_view_ = &made<ModelView>();
  for (View* view : views_) {
    connect(view, &View::readout, this, [this, view](const QString& text) {
      if (!text.isEmpty()) {
        in_use_ = view;
      }
      setReadout(text);
    });
    connect(view, &View::said, this, &MainWindow::say);
  }
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    for (View* view : views_) {
      if (now != nullptr && view != sentences_ && view != &changes() &&
          (view == now || view->isAncestorOf(now))) {
        in_use_ = view;
      }
    }
  });
}

QDockWidget* MainWindow::addDock(const ViewKind& kind, QWidget* widget) {
  const QString name = QString::fromLatin1(kind.name);
  auto* dock = new ViewDock(kind.title(), this);
  dock->setObjectName(name);
  dock->setWidget(widget);
  auto* row = new DockTitle(*dock);
  dock->setTitleBarWidget(row);
  connect(row, &DockTitle::asked, this, [this, name] { showGuide(name); });
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
  for (const auto& [kind, widget] : made_) {
    if (!kind->in_the_middle) {
      view_menu_->addAction(addDock(*kind, widget)->toggleViewAction());
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

void MainWindow::buildStatusBar() {
  readout_ = new QLabel(this);
  readout_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  readout_->setAccessibleDescription(tr("Read-out"));
  readout_->setMinimumWidth(1);
  statusBar()->addWidget(readout_, 1);
  statusBar()->addPermanentWidget(new JobIndicator(*jobs_, this));
}

// Goes by itself: it is about the moment, not about what is shown.
void MainWindow::say(const QString& text) {
  constexpr int kSaidMs = 8000;
  setReadout(text);
  QTimer::singleShot(kSaidMs, this, [this, text] {
    if (readout() == text) {
      setReadout({});
    }
  });
}

void MainWindow::setReadout(const QString& text) {
  readout_->setText(text);
}

QString MainWindow::readout() const {
  return readout_->text();
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

// A session replaces what is open: what comes with it, or while it is opened, waits for it.
void MainWindow::open(const QStringList& paths) {
  for (const QString& path : paths) {
    if (path.endsWith(kSessionSuffix, Qt::CaseInsensitive)) {
      session_->open(path);
    }
  }
  for (const QString& path : paths) {
    if (path.endsWith(kSessionSuffix, Qt::CaseInsensitive)) {
      continue;
    }
    if (path.endsWith(kTreebankSuffix, Qt::CaseInsensitive)) {
      openGold(path);
    } else if (session_->restoring()) {
      waiting_.push_back(path);
    } else {
      workspace_->open(path);
    }
  }
}

void MainWindow::openGold(const QString& path) {
  if (session_->restoring()) {
    waiting_gold_ = path;
  } else {
    workspace_->gold().open(path);
  }
}

void MainWindow::openWaiting() {
  open(std::exchange(waiting_, {}));
  if (const auto gold = std::exchange(waiting_gold_, std::nullopt)) {
    openGold(*gold);
  }
}

SessionParts MainWindow::sessionParts() {
  return {[this](app::Session& session) {
            session.layouts = layouts_->values();
            session.docks = layouts_->arrangement().toBase64().toStdString();
            session.find = sentences_->find().text().toStdString();
          },
          [this](const app::Session& session) {
            sentences_->find().setText(QString::fromStdString(session.find));
            layouts_->restore(session.layouts,
                              QByteArray::fromBase64(QByteArray::fromStdString(session.docks)));
          }};
}

std::vector<ExportItem> MainWindow::exports() const {
  std::vector<ExportItem> items;
  const auto take = [&items](const View* view) {
    if (view->stale()) {
      return;  // not of this sentence
    }
    for (ExportItem& item : view->exports()) {
      items.push_back(std::move(item));
    }
  };
  if (in_use_) {
    take(in_use_);
  }
  for (const View* view : views_) {
    if (view != in_use_) {
      take(view);
    }
  }
  return items;
}

bool MainWindow::exportItem(const ExportRequest& request) {
  try {
    const QStringList files = write_export(request);
    statusBar()->showMessage(tr("Written: %1").arg(files.join(QStringLiteral(", "))), 8000);
    return true;
  } catch (...) {
    workspace_->report(error_text(std::current_exception()));
    return false;
  }
}

void MainWindow::showDock(const QString& name) {
  if (auto* dock = findChild<QDockWidget*>(name)) {
    dock->show();
    dock->raise();
  }
}

QStringList MainWindow::recentFiles() const {
  return settings_->value(kRecentKey).toStringList();
}

void MainWindow::rememberRecent(const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  QStringList recent = recentFiles();
  recent.removeAll(absolute);
  recent.push_front(absolute);
  while (recent.size() > kRecentFiles) {
    recent.pop_back();
  }
  settings_->setValue(kRecentKey, recent);
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
