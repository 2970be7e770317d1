// Entries of the menus.
#pragma once

#include <QKeySequence>
#include <QString>
#include <functional>

class QAction;
class QMenu;
class QObject;

namespace mog::gui {

// An entry with keys that the whole window obeys; `run` is called while `receiver` lives.
QAction* add_key(QMenu& menu, const QString& text, const QKeySequence& keys, const QObject* receiver,
                 std::function<void()> run);

}  // namespace mog::gui
