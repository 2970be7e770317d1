// A table among other views: it follows a selection that changes elsewhere.
#pragma once

#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QTableView>
#include <algorithm>

namespace mog::gui {

// Names of columns, whose width can be asked for while they are hidden.
class ColumnNames : public QHeaderView {
 public:
  explicit ColumnNames(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {}
  int widthOf(int column) const {
    return std::max(minimumSectionSize(), sectionSizeFromContents(column).width());
  }
};

// Texts of any length: only what a cell may have room for is laid out.
class LongTextDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

class TableView : public QTableView {
 public:
  explicit TableView(QWidget* parent = nullptr);

 protected:
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* ring_;
};

}  // namespace mog::gui
