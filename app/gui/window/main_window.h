// The one window: a bar with the workspaces, below it the rail, the workspace in front and the inspector, a
// line at its foot. Menus, files, export, help and batches are objects of their own, which it holds.
#pragma once

#include <QMainWindow>
#include <QStringList>
#include <memory>
#include <optional>
#include <span>

#include "app/gui/session/job_runner.h"
#include "app/gui/session/selection_model.h"
#include "app/gui/session/session_keeper.h"
#include "app/gui/session/view_state.h"
#include "app/gui/session/workspace.h"
#include "app/gui/views/common/view.h"
#include "app/gui/views/common/view_kind.h"

class QSettings;
class QSplitter;

namespace mog::gui {

class AttentionView;
class Batches;
class InspectorView;
class InterventionsView;
class CompareView;
class DecompositionView;
class Exporter;
class FurtherFiguresView;
class FileMenus;
class Files;
class Finder;
class FlowView;
class GateView;
class Help;
class JobsView;
class LookMenus;
class MessageBar;
class ModelView;
class Pages;
class PictureMenus;
class Rail;
class SelectionHistory;
class SentenceStrip;
class SentenceView;
class StartView;
class StatusLine;
class TopBar;
class TreeView;
class ViewMenu;
class ViewSet;
class WeightView;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  // `settings` keeps the arrangement and recent files; tests give a file of their own. `sessions`: the folder
  // of the autosave; empty: there is none. `kinds`: the views that it has; they outlive it.
  explicit MainWindow(std::unique_ptr<QSettings> settings, Openers openers = Openers::standard(),
                      const QString& sessions = {}, QWidget* parent = nullptr,
                      std::span<const ViewKind* const> kinds = view_kinds());
  ~MainWindow() override;

  // What is open, selected, running and kept.
  Workspace& workspace() { return *workspace_; }
  SelectionModel& selection() { return selection_; }
  JobRunner& jobs() { return *jobs_; }
  ViewState& state() { return state_; }
  SessionKeeper& session() { return *session_; }
  SelectionHistory& pins() { return *pins_; }

  // What is done with it.
  Files& files() { return *files_; }
  Exporter& exporter() { return *exporter_; }
  Batches& batches() { return *batches_; }
  ViewMenu& viewMenu() { return *view_menu_; }
  Help& help() { return *help_; }
  Pages& pages() { return *pages_; }
  Rail& rail() { return *rail_; }
  TopBar& topBar() { return *top_bar_; }
  SentenceStrip& strip() { return *strip_; }
  PictureMenus& pictureMenus() { return *picture_menus_; }
  Finder& finder() { return *finder_; }
  StatusLine& status() { return *status_; }
  MessageBar& messages() { return *messages_; }

  AttentionView& attention();
  FlowView& flow();
  DecompositionView& decomposition();
  GateView& gates();
  TreeView& trees();
  WeightView& weights();
  SentenceView& sentences();
  InterventionsView& interventions();
  CompareView& compare();
  FurtherFiguresView& furtherFigures();
  JobsView& jobList();
  ModelView& modelView();
  StartView& start();
  InspectorView& inspector();

  // Models, recordings, treebanks, sessions (Files).
  void open(const QStringList& paths);
  // Brings a view to the front; by its kind or name.
  void showView(const ViewKind& kind) { showView(QString::fromLatin1(kind.name)); }
  void showView(const QString& name);
  // By its name; nullptr: there is none.
  QWidget* view(const QString& name);
  // What stands at the foot of the window (StatusLine).
  QString readout() const;

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool focusNextPrevChild(bool next) override;

 private:
  ViewContext context() { return {*workspace_, selection_, *jobs_, state_}; }
  void buildViews(std::span<const ViewKind* const> kinds);
  void buildStatusBar();
  void buildMenus();
  void buildBody();
  void takeActions(QWidget& window);
  void fit();
  void connectAll();
  void connectBody();
  void runEdited(const QString& text);
  void fitScreen();
  void keepWindow();
  SessionParts sessionParts();
  void updateTitle();

  std::unique_ptr<QSettings> settings_;
  SelectionModel selection_;
  ViewState state_;
  std::unique_ptr<JobRunner> jobs_;
  std::unique_ptr<Workspace> workspace_;
  MessageBar* messages_ = nullptr;
  Pages* pages_ = nullptr;
  Rail* rail_ = nullptr;
  TopBar* top_bar_ = nullptr;
  SentenceStrip* strip_ = nullptr;
  PictureMenus* picture_menus_ = nullptr;
  std::optional<bool> rail_narrow_;  // as the reader wants it; empty: by the width of the window
  bool side_wanted_ = false;
  std::unique_ptr<ViewSet> views_;
  std::unique_ptr<SelectionHistory> pins_;
  std::unique_ptr<SessionKeeper> session_;
  std::unique_ptr<StatusLine> status_;
  std::unique_ptr<Files> files_;
  std::unique_ptr<Exporter> exporter_;
  std::unique_ptr<Batches> batches_;
  std::unique_ptr<FileMenus> file_menus_;
  std::unique_ptr<LookMenus> look_menus_;
  std::unique_ptr<ViewMenu> view_menu_;
  std::unique_ptr<Help> help_;
  std::unique_ptr<Finder> finder_;
};

}  // namespace mog::gui
