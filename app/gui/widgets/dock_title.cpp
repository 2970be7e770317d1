#include "app/gui/widgets/dock_title.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QStyle>
#include <QToolButton>

#include "app/gui/widgets/theme.h"
#include "app/gui/widgets/tool_row.h"

namespace mog::gui {

DockTitle::DockTitle(QDockWidget& dock) : QWidget(&dock) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 2, 4, 2);
  row->setSpacing(0);
  auto* title = new LineLabel(this);
  title->setText(dock.windowTitle());
  title->setAttribute(Qt::WA_TransparentForMouseEvents);
  connect(&dock, &QDockWidget::windowTitleChanged, title,
          [title](const QString& text) { title->setText(text); });
  row->addWidget(title, 1);
  const auto add = [this, row, &dock](const QString& tip) {
    auto* button = new QToolButton(this);
    button->setAutoRaise(true);
    button->setToolTip(tip);
    // Heard on its own, it says of which view it is.
    const auto name = [button, tip](const QString& view) {
      button->setAccessibleName(QStringLiteral("%1: %2").arg(view, tip));
    };
    name(dock.windowTitle());
    connect(&dock, &QDockWidget::windowTitleChanged, button, name);
    button->setFocusPolicy(Qt::TabFocus);
    button->setIconSize(QSize(12, 12));
    row->addWidget(button);
    return button;
  };
  QToolButton* ask = add(tr("What does this view show? (Shift+F1)"));
  ask->setText(QStringLiteral("?"));
  connect(ask, &QToolButton::clicked, this, &DockTitle::asked);
  QToolButton* lift = add(tr("Take out of the window, or put back"));
  lift->setIcon(style()->standardIcon(QStyle::SP_TitleBarNormalButton));
  connect(lift, &QToolButton::clicked, &dock, [&dock] { dock.setFloating(!dock.isFloating()); });
  QToolButton* close = add(tr("Close this view; the menu View shows it again"));
  close->setIcon(style()->standardIcon(QStyle::SP_TitleBarCloseButton));
  connect(close, &QToolButton::clicked, &dock, &QDockWidget::close);
}

// A narrow dock keeps its buttons.
QSize DockTitle::minimumSizeHint() const {
  return {96, QWidget::minimumSizeHint().height()};
}

// Outside of the window: a title row of one's own takes the desktop's frame away, and all grounds are alike.
void ViewDock::paintEvent(QPaintEvent* event) {
  QDockWidget::paintEvent(event);
  if (isFloating()) {
    QPainter painter(this);
    painter.setPen(edge_colour(palette()));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

}  // namespace mog::gui
