#include "app/gui/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QSettings>
#include <QShowEvent>
#include <QStatusBar>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/attention_view.h"
#include "app/gui/changes_view.h"
#include "app/gui/compare_view.h"
#include "app/gui/export_dialog.h"
#include "app/gui/figures_view.h"
#include "app/gui/gate_view.h"
#include "app/gui/jobs_view.h"
#include "app/gui/message_bar.h"
#include "app/gui/selection_history.h"
#include "app/gui/sentence_view.h"
#include "app/gui/tree_view.h"
#include "app/gui/weight_view.h"

namespace mog::gui {
namespace {
constexpr int kLayoutVersion = 2;
constexpr int kRecentFiles = 10;
const QString kRecentKey = QStringLiteral("recent");
}  // namespace

MainWindow::MainWindow(std::unique_ptr<QSettings> settings, Openers openers, const QString& sessions,
                       QWidget* parent)
    : QMainWindow(parent),
      settings_(std::move(settings)),
      jobs_(std::make_unique<JobRunner>()),
      workspace_(std::make_unique<Workspace>(*jobs_, selection_, std::move(openers))) {
  setWindowTitle(tr("MoG Workbench"));
  setAcceptDrops(true);
  setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);
  buildViews();
  pins_ = std::make_unique<SelectionHistory>(*workspace_, selection_, state_.history());
  session_ =
      std::make_unique<SessionKeeper>(*workspace_, selection_, state_, *pins_, sessionParts(), sessions);
  buildStatusBar();
  buildActions();
  resize(1280, 800);
  arrangeDocks();
  restoreGeometry(settings_->value(QStringLiteral("geometry")).toByteArray());
  arranged_ = restoreState(settings_->value(QStringLiteral("docks")).toByteArray(), kLayoutVersion);
  connect(workspace_.get(), &Workspace::messageReported, messages_, &MessageBar::add);
  connect(workspace_.get(), &Workspace::opened, this, &MainWindow::rememberRecent);
  connect(session_.get(), &SessionKeeper::sessionChanged, this, [this] {
    rememberRecent(session_->path());
    updateTitle();
  });
  connect(workspace_.get(), &Workspace::modelChanged, this, &MainWindow::updateTitle);
  connect(&selection_, &SelectionModel::sentenceChanged, this, &MainWindow::updateTitle);
}

// Jobs use what the views show: they end first.
MainWindow::~MainWindow() {
  jobs_->cancelAll();
  for (View* view : views_) {
    view->disconnect(this);
  }
  delete takeCentralWidget();
  for (QDockWidget* dock : findChildren<QDockWidget*>()) {
    delete dock;
  }
  session_.reset();
  pins_.reset();
  workspace_.reset();
  jobs_.reset();
}

void MainWindow::buildViews() {
  const ViewContext context{*workspace_, selection_, *jobs_, state_};
  auto* middle = new QWidget(this);
  auto* column = new QVBoxLayout(middle);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  messages_ = new MessageBar(middle);
  attention_ = new AttentionView(context, middle);
  attention_->setObjectName(QStringLiteral("attention"));
  column->addWidget(messages_);
  column->addWidget(attention_, 1);
  setCentralWidget(middle);
  sentences_ = new SentenceView(context, this);
  gates_ = new GateView(context, this);
  trees_ = new TreeView(context, this);
  weights_ = new WeightView(context, this);
  compare_ = new CompareView(context, this);
  figures_ = new FiguresView(context, this);
  changes_ = new ChangesView(context, this);
  job_list_ = new JobsView(*jobs_, this);
  views_ = {attention_, trees_, gates_, weights_, compare_, figures_, sentences_, changes_};
  for (View* view : views_) {
    connect(view, &View::readout, this, [this, view](const QString& text) {
      if (!text.isEmpty()) {
        in_use_ = view;
      }
      setReadout(text);
    });
  }
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    for (View* view : views_) {
      if (now != nullptr && view != sentences_ && view != changes_ &&
          (view == now || view->isAncestorOf(now))) {
        in_use_ = view;
      }
    }
  });
}

QDockWidget* MainWindow::addDock(const QString& title, const QString& object_name, QWidget* widget,
                                 Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(object_name);
  dock->setWidget(widget);
  addDockWidget(area, dock);
  return dock;
}

void MainWindow::arrangeDocks() {
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::TopLeftCorner, Qt::LeftDockWidgetArea);
  auto* sentences = addDock(tr("Sentences"), QStringLiteral("sentences"), sentences_, Qt::LeftDockWidgetArea);
  auto* trees = addDock(tr("Multi-order graphs"), QStringLiteral("trees"), trees_, Qt::BottomDockWidgetArea);
  auto* gates = addDock(tr("Gates"), QStringLiteral("gates"), gates_, Qt::BottomDockWidgetArea);
  auto* weights =
      addDock(tr("Weight by length"), QStringLiteral("weights"), weights_, Qt::BottomDockWidgetArea);
  auto* jobs = addDock(tr("Jobs"), QStringLiteral("jobs"), job_list_, Qt::BottomDockWidgetArea);
  auto* compare = addDock(tr("Compare"), QStringLiteral("compare"), compare_, Qt::BottomDockWidgetArea);
  auto* more = addDock(tr("More figures"), QStringLiteral("figures"), figures_, Qt::BottomDockWidgetArea);
  auto* changes = addDock(tr("Changes"), QStringLiteral("changes"), changes_, Qt::LeftDockWidgetArea);
  tabifyDockWidget(gates, weights);
  tabifyDockWidget(weights, compare);
  tabifyDockWidget(compare, more);
  tabifyDockWidget(more, jobs);
  tabifyDockWidget(sentences, changes);
  gates->raise();
  sentences->raise();
  for (QDockWidget* dock : {sentences, changes, trees, gates, weights, compare, more, jobs}) {
    view_menu_->addAction(dock->toggleViewAction());
  }
}

// Sizes of docks can be set only once the window has its own.
void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (arranged_) {
    return;
  }
  arranged_ = true;
  QTimer::singleShot(0, this, [this] {
    const auto dock = [this](const char* name) { return findChild<QDockWidget*>(QString::fromLatin1(name)); };
    const int side = std::clamp(width() / 4, 260, 400);
    const int rest = width() - side;
    resizeDocks({dock("sentences")}, {side}, Qt::Horizontal);
    resizeDocks({dock("trees"), dock("gates")}, {rest * 58 / 100, rest * 42 / 100}, Qt::Horizontal);
    resizeDocks({dock("trees"), dock("gates")}, {height() * 42 / 100, height() * 42 / 100}, Qt::Vertical);
  });
}

void MainWindow::buildStatusBar() {
  readout_ = new QLabel(this);
  readout_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  readout_->setAccessibleName(tr("Read-out"));
  readout_->setMinimumWidth(1);
  statusBar()->addWidget(readout_, 1);
  statusBar()->addPermanentWidget(new JobIndicator(*jobs_, this));
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
  if (const WorkspaceItem* item = workspace_->selectedItem()) {
    parts.push_back(item->name);
  }
  if (const WorkspaceModel* model = workspace_->currentModel()) {
    parts.push_back(model->name);
  }
  parts.push_back(tr("MoG Workbench"));
  setWindowTitle(parts.join(QStringLiteral(" – ")));
}

void MainWindow::open(const QStringList& paths) {
  for (const QString& path : paths) {
    if (path.endsWith(kSessionSuffix, Qt::CaseInsensitive)) {
      session_->open(path);
    } else {
      workspace_->open(path);
    }
  }
}

SessionParts MainWindow::sessionParts() {
  return {[this](app::Session& session) {
            session.docks = saveState(kLayoutVersion).toBase64().toStdString();
            session.find = sentences_->find().text().toStdString();
          },
          [this](const app::Session& session) {
            sentences_->find().setText(QString::fromStdString(session.find));
            const QByteArray docks = QByteArray::fromBase64(QByteArray::fromStdString(session.docks));
            arranged_ = restoreState(docks, kLayoutVersion) || arranged_;
          }};
}

std::vector<ExportItem> MainWindow::exports() const {
  std::vector<ExportItem> items;
  const auto take = [&items](const View* view) {
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

void MainWindow::showDock(const QString& object_name) {
  if (auto* dock = findChild<QDockWidget*>(object_name)) {
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
  settings_->setValue(QStringLiteral("docks"), saveState(kLayoutVersion));
  session_->finish();
  jobs_->cancelAll();
  QMainWindow::closeEvent(event);
}

}  // namespace mog::gui
