// Where the keys lead.
#include <QGuiApplication>
#include <QSet>
#include <QStyleHints>

#include "app/gui/widgets/figure_view.h"
#include "app/gui/window/main_window.h"

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

// Views behind a tab lie outside of the window, visible for Qt: Tab goes past them. The focus moves once, for
// a screen reader says every control that it comes to.
bool MainWindow::focusNextPrevChild(bool next) {
  QWidget* const from = focusWidget() == nullptr ? this : focusWidget();
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

// The keys lead now, wherever the pointer was left.
void MainWindow::stepToken(int by) {
  for (FigureView* picture : findChildren<FigureView*>()) {
    picture->forgetPointer();
  }
  setReadout({});
  selection_.stepToken(by);
}

}  // namespace mog::gui
