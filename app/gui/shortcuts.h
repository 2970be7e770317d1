// Every key of the desktop program: one table for the actions, the tool tips and the shortcut page.
#pragma once

#include <QDialog>
#include <QList>
#include <QString>

namespace mog::gui {

struct ShortcutRow {
  QString keys;
  QString meaning;
};
struct ShortcutGroup {
  QString title;
  QList<ShortcutRow> rows;
};
QList<ShortcutGroup> shortcut_groups();

class ShortcutPage : public QDialog {
  Q_OBJECT
 public:
  explicit ShortcutPage(QWidget* parent = nullptr);
};

}  // namespace mog::gui
