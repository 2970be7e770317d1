// Every key of the desktop program on one page, read off the actions of the window: the page cannot say
// another key than the window obeys.
#pragma once

#include <QDialog>
#include <QKeySequence>
#include <QList>
#include <QString>

class QMainWindow;

namespace mog::gui {

struct ShortcutRow {
  QList<QKeySequence> keys;
  QString other;  // of the mouse: "Ctrl+wheel"
  QString meaning;
  QString text() const;  // as the page says it
};
struct ShortcutGroup {
  QString title;
  QList<ShortcutRow> rows;
};
// The menus in their order, without what the model has not; what is in no menu; then pictures, graphs, the
// strip and thumbnails.
QList<ShortcutGroup> shortcut_groups(const QMainWindow& window);
// Keys that a picture obeys itself while it has the focus.
QList<ShortcutRow> picture_keys();
// The same of the thumbnails.
QList<ShortcutRow> thumbnail_keys();

class ShortcutPage : public QDialog {
  Q_OBJECT
 public:
  explicit ShortcutPage(const QMainWindow& window, QWidget* parent = nullptr);
};

}  // namespace mog::gui
