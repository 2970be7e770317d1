#include "app/gui/window/tab_order.h"

#include <QGuiApplication>
#include <QSet>
#include <QStyleHints>
#include <QWidget>

namespace mog::gui {
namespace {

// Seen by the reader, on the way that Tab goes. A control that gives its focus to one of its parts, or a part
// that gives it to its control, is one step.
bool takes_tab(const QWidget& to, const QWidget& from, bool next) {
  const int wanted = QGuiApplication::styleHints()->tabFocusBehavior() == Qt::TabFocusAllControls
                         ? Qt::TabFocus
                         : Qt::StrongFocus;
  if ((to.focusPolicy() & wanted) != wanted || !to.isEnabled() || to.window() != from.window() ||
      to.visibleRegion().isEmpty()) {
    return false;
  }
  const QWidget* const proxy = to.focusProxy();
  return proxy == nullptr || (proxy != &from && !(next ? proxy->isAncestorOf(&to) : to.isAncestorOf(proxy)));
}

}  // namespace

// Views behind a tab lie outside of the window, visible for Qt: Tab goes past them.
bool move_focus(QWidget& window, bool next) {
  QWidget* const from = window.focusWidget() == nullptr ? &window : window.focusWidget();
  const auto one_on = [next](const QWidget* widget) {
    return next ? widget->nextInFocusChain() : widget->previousInFocusChain();
  };
  QSet<const QWidget*> passed;  // a chain that does not lead back to `from` ends, too
  for (QWidget* to = one_on(from); to != from && !passed.contains(to); to = one_on(to)) {
    passed.insert(to);
    if (takes_tab(*to, *from, next)) {
      to->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
      return true;
    }
  }
  return false;
}

}  // namespace mog::gui
