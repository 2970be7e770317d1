// Rows of widgets that break where there is no room.
#pragma once

#include <QLayout>
#include <vector>

namespace mog::gui {

// Children from left to right, and on in the next line.
class WrappingLayout : public QLayout {
 public:
  explicit WrappingLayout(int spacing, QWidget* parent = nullptr);
  ~WrappingLayout() override;
  void addItem(QLayoutItem* item) override { items_.push_back(item); }
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return arrange({0, 0, width, 0}, false); }
  QSize sizeHint() const override;
  QSize minimumSize() const override;
  void setGeometry(const QRect& place) override;

 private:
  int arrange(const QRect& place, bool move) const;
  std::vector<QLayoutItem*> items_;
};

}  // namespace mog::gui
