// A table among other views: it follows a selection that changes elsewhere.
#pragma once

#include <QTableView>

namespace mog::gui {

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
