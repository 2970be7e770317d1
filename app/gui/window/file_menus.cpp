#include "app/gui/window/file_menus.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QUndoStack>

#include "app/gui/window/batches.h"
#include "app/gui/window/exporter.h"
#include "app/gui/window/files.h"
#include "app/gui/window/menu_keys.h"
#include "app/gui/window/status_line.h"

namespace mog::gui {

FileMenus::FileMenus(QMainWindow& window, Files& files, Batches& batches, Exporter& exporter,
                     StatusLine& status, QUndoStack& history)
    : window_(window), files_(files), batches_(batches), exporter_(exporter), status_(status) {
  buildFile();
  buildEdit(history);
}

void FileMenus::buildFile() {
  QMenu& file = *window_.menuBar()->addMenu(tr("&File"));
  add_key(file, tr("&Open model or recording…"), QKeySequence(tr("Ctrl+O")), this,
          [this] { files_.askForFolder(); });
  add_key(file, tr("Open &file…"), QKeySequence(tr("Ctrl+Shift+O")), this, [this] { files_.askForFiles(); });
  add_key(file, tr("Open &gold syntax…"), QKeySequence(tr("Ctrl+G")), this, [this] { files_.askForGold(); });
  addClosing(file);
  QMenu* recent = file.addMenu(tr("Open &recent"));
  connect(recent, &QMenu::aboutToShow, this, [this, recent] { fillRecent(*recent); });
  file.addSeparator();
  addSessions(file);
  file.addSeparator();
  add_key(file, tr("Record a corpus (send to &batch)…"), QKeySequence(tr("Ctrl+B")), this,
          [this] { batches_.ask({}); });
  add_key(file, tr("&Export view…"), QKeySequence(tr("Ctrl+E")), this, [this] { exporter_.ask(); });
  file.addSeparator();
  add_key(file, tr("&Quit"), QKeySequence(tr("Ctrl+Q")), this, [this] { window_.close(); });
}

void FileMenus::addClosing(QMenu& file) {
  QAction* no_gold = file.addAction(tr("&Close gold syntax"));
  connect(no_gold, &QAction::triggered, this, [this] { files_.closeGold(); });
  QAction* in_use =
      add_key(file, tr("Close"), QKeySequence(tr("Ctrl+W")), this, [this] { files_.closeInUse(); });
  connect(&file, &QMenu::aboutToShow, this, [this, no_gold, in_use] {
    no_gold->setVisible(files_.goldIsOpen());
    const QString name = files_.nameInUse();
    in_use->setText(name.isEmpty() ? tr("Close") : tr("Close %1").arg(name));
    in_use->setEnabled(!name.isEmpty());
  });
  connect(&file, &QMenu::aboutToHide, this, [in_use] { in_use->setEnabled(true); });
}

void FileMenus::addSessions(QMenu& file) {
  add_key(file, tr("&Save session"), QKeySequence(tr("Ctrl+S")), this, [this] { files_.saveSession(); });
  add_key(file, tr("Save session &as…"), QKeySequence(tr("Ctrl+Shift+S")), this,
          [this] { files_.askToSaveSession(); });
  QAction* last = file.addAction(tr("Open the &last session"));
  connect(last, &QAction::triggered, this, [this] { files_.open({files_.lastSession()}); });
  connect(&file, &QMenu::aboutToShow, this,
          [this, last] { last->setVisible(!files_.lastSession().isEmpty()); });
}

void FileMenus::fillRecent(QMenu& menu) {
  menu.clear();
  const QStringList recent = files_.recent();
  for (const QString& path : recent) {
    connect(menu.addAction(QDir::toNativeSeparators(path)), &QAction::triggered, this,
            [this, path] { files_.open({path}); });
  }
  if (recent.isEmpty()) {
    menu.addAction(tr("Nothing was opened yet"))->setEnabled(false);
  }
}

void FileMenus::buildEdit(QUndoStack& history) {
  QMenu& edit = *window_.menuBar()->addMenu(tr("&Edit"));
  QAction* undo = history.createUndoAction(&window_, tr("&Undo"));
  undo->setShortcut(QKeySequence(tr("Ctrl+Z")));
  QAction* redo = history.createRedoAction(&window_, tr("&Redo"));
  redo->setShortcut(QKeySequence(tr("Ctrl+Shift+Z")));
  edit.addAction(undo);
  edit.addAction(redo);
  edit.addSeparator();
  add_key(edit, tr("&Find or run…"), QKeySequence(tr("Ctrl+K")), this, [this] { Q_EMIT findAsked(); });
  add_key(edit, tr("Copy as &command"), QKeySequence(tr("Ctrl+Shift+K")), this,
          [this] { exporter_.copyCommand(); });
  add_key(edit, tr("Copy read-&out"), QKeySequence(tr("Ctrl+Shift+C")), this,
          [this] { QApplication::clipboard()->setText(status_.readout()); });
}

}  // namespace mog::gui
