#include "app/gui/widgets/table_view.h"

#include <QPainter>
#include <algorithm>

namespace mog::gui {
namespace {

// Around a table that has the focus: styles mark its current cell at most. It lies over everything, so that
// rows that are scrolled do not carry it along.
class FocusRing : public QWidget {
 public:
  explicit FocusRing(QWidget* table) : QWidget(table) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setPen(QPen(palette().color(QPalette::Active, QPalette::Highlight), 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
  }
};

}  // namespace

void LongTextDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  const int narrow = std::max(1, option->fontMetrics.averageCharWidth() / 4);
  qsizetype most = std::max(0, option->rect.width()) / narrow + 1;
  if (most < option->text.size()) {
    most += option->text[most].isLowSurrogate() ? 1 : 0;
    option->text = option->text.left(most) + QChar(0x2026);
  }
}

TableView::TableView(QWidget* parent) : QTableView(parent), ring_(new FocusRing(this)) {}

// A QTableView tells screen readers that its new cell has the focus, even while the focus is elsewhere.
void TableView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  if (hasFocus()) {
    QTableView::currentChanged(current, previous);
  } else {
    QAbstractItemView::currentChanged(current, previous);  // NOLINT(bugprone-parent-virtual-call)
  }
}

void TableView::focusInEvent(QFocusEvent* event) {
  QTableView::focusInEvent(event);
  ring_->setGeometry(rect());
  ring_->raise();
  ring_->show();
}

void TableView::focusOutEvent(QFocusEvent* event) {
  QTableView::focusOutEvent(event);
  ring_->hide();
}

void TableView::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  ring_->setGeometry(rect());
}

}  // namespace mog::gui
