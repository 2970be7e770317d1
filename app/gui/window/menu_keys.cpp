#include "app/gui/window/menu_keys.h"

#include <QAction>
#include <QMenu>
#include <utility>

namespace mog::gui {

QAction* add_key(QMenu& menu, const QString& text, const QKeySequence& keys, const QObject* receiver,
                 std::function<void()> run) {
  QAction* action = menu.addAction(text);
  action->setShortcut(keys);
  action->setShortcutContext(Qt::WindowShortcut);
  QObject::connect(action, &QAction::triggered, receiver, [run = std::move(run)] { run(); });
  return action;
}

}  // namespace mog::gui
