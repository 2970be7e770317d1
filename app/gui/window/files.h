// What the window opens, saves and closes: models, recordings, treebanks, training runs and sessions, with
// the dialogs that ask for them and the list of what was open lately.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <optional>

#include "app/gui/session/workspace.h"

class QSettings;
class QWidget;

namespace mog::gui {

class SessionKeeper;
class StatusLine;

// Where dialogs begin: the folder of what was opened or recorded last.
QString last_folder(const QSettings& settings);
void remember_folder_of(QSettings& settings, const QString& path);

class Files : public QObject {
  Q_OBJECT
 public:
  // `window` is the parent of the dialogs; `settings` keep folders and recent files. All outlive it.
  Files(QWidget& window, Workspace& workspace, SessionKeeper& session, StatusLine& status,
        QSettings& settings);

  // A session replaces what is open: what comes with it, or while it is opened, waits for it.
  void open(const QStringList& paths);
  void openGold(const QString& path);
  void closeGold();
  bool goldIsOpen() const;
  // Of the program before; empty: there is none.
  QString lastSession() const;
  // Absolute paths, the latest first.
  QStringList recent() const;
  // The session into its file; without one the reader is asked. False: not saved.
  bool saveSession();

  // Dialogs, and what the reader chooses in them.
  void askForFolder();
  void askForFiles();
  void askForGold();
  void askToSaveSession();

  // The recording or model that is looked at; empty: there is none.
  QString nameInUse() const { return nameOf(workspace_.inUse()); }
  // Files stay as they are and open again; typed sentences are of the window, so a model with some is asked
  // for.
  void closeInUse() { close(workspace_.inUse()); }
  void close(const Workspace::InUse& which);

 private:
  QString nameOf(const Workspace::InUse& use) const;
  bool save(const QString& path);
  void openWaiting();
  void remember(const QString& path);

  QWidget& window_;
  Workspace& workspace_;
  SessionKeeper& session_;
  StatusLine& status_;
  QSettings& settings_;
  QStringList waiting_;  // to be opened after the session that is being opened
  std::optional<QString> waiting_gold_;
};

}  // namespace mog::gui
