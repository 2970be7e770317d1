// Rows of the rail: 32 pixels high, the chosen one tinted, headings quiet, counts faint.
#pragma once

#include <QStyledItemDelegate>

namespace mog::gui {

class RailDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  static constexpr int kHeight = 32;
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace mog::gui
