// Sessions on disk: saving and opening them, the autosave that a crash leaves behind, and its recovery.
//
// While the program runs, autosave-PID.mog-session in the sessions folder follows every change within a
// second; a lock file beside it says that its program lives. A clean end renames it to last.mog-session. A
// start takes the newest autosave without a living program, renames it to recovering-….mog-session and opens
// it: a session that brought the program down once is not opened by itself a second time, but stays as a
// file.
#pragma once

#include <QLockFile>
#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <memory>
#include <vector>

#include "app/gui/session/gold_syntax.h"
#include "app/gui/session/workspace.h"
#include "app/workflow/session/session.h"

namespace mog::gui {

class SelectionHistory;
class ViewState;

inline constexpr int kAutosaveMs = 1000;  // at most, from a change to its autosave
inline const QString kSessionSuffix = QStringLiteral(".mog-session");

// What the window keeps in a session beside its objects: the text of the search.
struct SessionParts {
  std::function<void(app::Session&)> add;
  std::function<void(const app::Session&)> take;
};

class SessionKeeper : public QObject {
  Q_OBJECT
 public:
  // No folder: nothing is saved by itself.
  SessionKeeper(Workspace& workspace, SelectionModel& selection, ViewState& state, SelectionHistory& pins,
                SessionParts parts, const QString& folder, QObject* parent = nullptr);
  ~SessionKeeper() override;

  app::Session current() const;
  // Throws StorageError.
  void save(const QString& path);
  // Restores in a job; what is wrong becomes a message, and what cannot be opened now stays in the session.
  void open(const QString& path);
  QString path() const { return path_; }
  // A session is being opened: what is open now goes when it is done.
  bool restoring() const { return restoring_ > 0; }
  QString lastSession() const;  // of the program before; empty: there is none

  // Opens what a killed program left. False: nothing was left.
  bool recover();
  // Within a second; also after what the keeper cannot see (a dock that moved).
  void touch();
  void autosaveNow();
  QString autosavePath() const { return autosave_; }
  // The program ends as it should.
  void finish();

 Q_SIGNALS:
  void sessionChanged();  // another file
  void restored();
  void over();  // the restoring of a session ended, well or not

 private:
  void start(const app::Session& session, const ReaderText& name, std::function<void()> done,
             std::function<void()> replacing = {});
  void endRestoring();
  void sweepFailed();
  QString keepTyped() const;  // the file; empty: nothing would be lost
  void write(const QString& path, const std::string& text) const;
  Workspace& workspace_;
  SelectionModel& selection_;
  ViewState& state_;
  SelectionHistory& pins_;
  SessionParts parts_;
  QString folder_;
  QString path_;
  QString autosave_;
  std::string saved_;    // items of the session file, as it was read or written
  std::string written_;  // what autosave_ holds
  int restoring_ = 0;    // one that another replaces ends later than that begins
  std::unique_ptr<QLockFile> lock_;
  QTimer timer_;
  // Of a session that was opened and could not be found again: with the model's path for typed sentences.
  std::vector<Workspace::Lost> lost_;
  QString recovering_;
  QString recovering_from_;
  std::unique_ptr<QLockFile> recovering_lock_;
};

}  // namespace mog::gui
