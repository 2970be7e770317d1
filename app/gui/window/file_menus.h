// The menus File and Edit: what is opened, saved, recorded, exported, undone and copied.
#pragma once

#include <QObject>

class QMainWindow;
class QMenu;
class QUndoStack;

namespace mog::gui {

class Batches;
class Exporter;
class Files;
class StatusLine;

class FileMenus : public QObject {
  Q_OBJECT
 public:
  // Adds them to the menu bar of `window`. Everything given outlives them.
  FileMenus(QMainWindow& window, Files& files, Batches& batches, Exporter& exporter, StatusLine& status,
            QUndoStack& history);

 Q_SIGNALS:
  void findAsked();

 private:
  void buildFile();
  void addClosing(QMenu& file);
  void addSessions(QMenu& file);
  void buildEdit(QUndoStack& history);
  void fillRecent(QMenu& recent);

  QMainWindow& window_;
  Files& files_;
  Batches& batches_;
  Exporter& exporter_;
  StatusLine& status_;
};

}  // namespace mog::gui
