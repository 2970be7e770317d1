#include "app/gui/widgets/rail_delegate.h"

#include <QApplication>
#include <QPainter>
#include <algorithm>

#include "app/gui/widgets/theme.h"

namespace mog::gui {

QSize RailDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QSize size = QStyledItemDelegate::sizeHint(option, index);
  return {size.width() + 12, std::max(kHeight, option.fontMetrics.height() + 10)};
}

void RailDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  QStyleOptionViewItem item = option;
  initStyleOption(&item, index);
  const Roles roles = roles_of(item.palette);
  const bool chosen = item.state.testFlag(QStyle::State_Selected);
  const bool enabled = index.flags().testFlag(Qt::ItemIsSelectable);
  const bool heading = !index.parent().isValid();
  painter->save();
  if (chosen || item.state.testFlag(QStyle::State_MouseOver)) {
    painter->fillRect(item.rect, chosen ? roles.tint : roles.hover);
  }
  painter->setPen(chosen                ? roles.accent
                  : heading || !enabled ? roles.secondary
                  : index.column() > 0  ? roles.secondary
                                        : roles.ink);
  painter->setFont(item.font);
  const QRect room = item.rect.adjusted(4, 0, -6, 0);
  const QString text = item.fontMetrics.elidedText(item.text, Qt::ElideRight, room.width());
  painter->drawText(room, static_cast<int>(item.displayAlignment | Qt::AlignVCenter), text);
  if (item.state.testFlag(QStyle::State_HasFocus)) {
    painter->setPen(QPen(roles.accent, 1));
    painter->drawRect(item.rect.adjusted(0, 0, -1, -1));
  }
  painter->restore();
}

}  // namespace mog::gui
