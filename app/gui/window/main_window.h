// The one window: views as docks around the attention maps, menus, keys, messages, read-out.
#pragma once

#include <QMainWindow>
#include <QPointer>
#include <QStringList>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "app/gui/session/job_runner.h"
#include "app/gui/session/selection_model.h"
#include "app/gui/session/session_keeper.h"
#include "app/gui/session/view_state.h"
#include "app/gui/session/workspace.h"
#include "app/gui/views/view.h"
#include "app/gui/views/view_kind.h"

class QLabel;
class QMenu;
class QSettings;

namespace mog::gui {

class AttentionView;
class BatchRunner;
class ChangesView;
class CompareView;
class DecompositionView;
class FiguresView;
class FlowView;
class GateView;
class GuidePage;
class JobsView;
class LayoutKeeper;
class MessageBar;
class ModelView;
class SelectionHistory;
class SentenceView;
class Tour;
class TreeView;
class WeightView;
struct TourStep;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  // `settings` keeps docks and recent files; tests give a file of their own. `sessions`: the folder of the
  // autosave; empty: there is none.
  // `kinds`: the views that it has; they outlive it.
  explicit MainWindow(std::unique_ptr<QSettings> settings, Openers openers = Openers::standard(),
                      const QString& sessions = {}, QWidget* parent = nullptr,
                      std::span<const ViewKind* const> kinds = view_kinds());
  ~MainWindow() override;

  Workspace& workspace() { return *workspace_; }
  SelectionModel& selection() { return selection_; }
  JobRunner& jobs() { return *jobs_; }
  ViewState& state() { return state_; }
  SessionKeeper& session() { return *session_; }
  SelectionHistory& pins() { return *pins_; }
  AttentionView& attention() { return *attention_; }
  FlowView& flow();
  DecompositionView& decomposition();
  GateView& gates();
  TreeView& trees();
  WeightView& weights();
  SentenceView& sentences() { return *sentences_; }
  ChangesView& changes();
  CompareView& compare() { return *compare_; }
  FiguresView& figuresView() { return *figures_; }
  JobsView& jobList() { return *job_list_; }
  LayoutKeeper& layouts() { return *layouts_; }
  ModelView& modelView() { return *model_view_; }
  BatchRunner& batches() { return *batches_; }
  Tour* tour() const;  // while it is under way
  MessageBar& messages() { return *messages_; }
  QString readout() const;
  QStringList recentFiles() const;

  // Models, recordings, sessions.
  void open(const QStringList& paths);
  void openGold(const QString& path);
  // The session into its file; without one the reader is asked. False: not saved.
  bool saveSession();
  // The command that makes the picture of the view in use onto the clipboard; false: there is none.
  bool copyCommand();
  // All pictures, those of the view in use first.
  std::vector<ExportItem> exports() const;
  // Writes one and says so, or reports why not.
  bool exportItem(const struct ExportRequest& request);
  // Brings a view to the front; by its name.
  void showDock(const ViewKind& kind) { showDock(QString::fromLatin1(kind.name)); }
  void showDock(const QString& name);
  // The dialog that records a corpus; the path may be empty.
  void sendToBatch(const QString& corpus);
  // The guide, open at a view ("gates"), or at the view in use.
  GuidePage& showGuide(const QString& view);
  GuidePage& whatIsThis();
  GuidePage& raiseGuide();         // to the front, as it is
  const GuidePage* guide() const;  // nullptr when it cannot be seen
  // On the model that is open; where nothing else is, a sentence is run first.
  void startTour();
  // Once for every reader; false: it was offered before.
  bool offerTour();
  // One of theme_names(), remembered.
  void chooseTheme(const QString& name);
  // One of language_names(), remembered for the next start.
  void chooseLanguage(const QString& name);
  void setReadout(const QString& text);
  void say(const QString& text);  // in the place of the read-out, for some seconds

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void showEvent(QShowEvent* event) override;
  bool focusNextPrevChild(bool next) override;

 private:
  void buildViews();
  QDockWidget* addDock(const ViewKind& kind, QWidget* widget);
  void buildDocks();
  void fitScreen();
  void buildStatusBar();
  void buildActions();
  void buildLookActions();
  void buildEditActions();
  void buildViewMenu();
  void buildHelpMenu();
  void buildBatches();
  ViewContext context() { return {*workspace_, selection_, *jobs_, state_}; }
  template <class V>
  V& made() const;
  std::vector<TourStep> tourSteps();
  void saveSessionAs();
  SessionParts sessionParts();
  QAction* addKey(QMenu* menu, const QString& text, const QKeySequence& keys, std::function<void()> run);
  void openFolder();
  void openFile();
  void openGold();
  void openWaiting();
  void stepToken(int by);
  void exportCurrent();
  void rememberRecent(const QString& path);
  void fillRecent();
  void choosePart(Part part);
  void closeInUse();
  QString nameInUse() const;
  void namePartActions();
  void stepSentence(int by);
  void escape();
  void focusPicture();
  void updateTitle();

  std::span<const ViewKind* const> kinds_;
  std::unique_ptr<QSettings> settings_;
  SelectionModel selection_;
  std::vector<QAction*> part_actions_;  // of the keys 1, 2, …
  ViewState state_;
  std::unique_ptr<JobRunner> jobs_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<SelectionHistory> pins_;
  std::unique_ptr<SessionKeeper> session_;
  QStringList waiting_;  // to be opened after the session that is being opened
  std::optional<QString> waiting_gold_;
  std::unique_ptr<BatchRunner> batches_;
  AttentionView* attention_ = nullptr;
  SentenceView* sentences_ = nullptr;
  CompareView* compare_ = nullptr;
  FiguresView* figures_ = nullptr;
  JobsView* job_list_ = nullptr;
  ModelView* model_view_ = nullptr;
  QPointer<GuidePage> guide_;
  QPointer<Tour> tour_;
  MessageBar* messages_ = nullptr;
  QLabel* readout_ = nullptr;
  QMenu* recent_menu_ = nullptr;
  QMenu* view_menu_ = nullptr;
  std::unique_ptr<LayoutKeeper> layouts_;
  std::vector<std::pair<const ViewKind*, QWidget*>> made_;  // in the order of the kinds
  std::vector<View*> views_;
  QPointer<View> in_use_;
};

}  // namespace mog::gui
