#include "app/gui/widgets/wrapping_layout.h"

#include <algorithm>

namespace mog::gui {

WrappingLayout::WrappingLayout(int spacing, QWidget* parent) : QLayout(parent) {
  setSpacing(spacing);
  setContentsMargins(0, 0, 0, 0);
}

WrappingLayout::~WrappingLayout() {
  for (QLayoutItem* item : items_) {
    delete item;
  }
}

QLayoutItem* WrappingLayout::itemAt(int index) const {
  return index < 0 || index >= count() ? nullptr : items_[static_cast<std::size_t>(index)];
}

QLayoutItem* WrappingLayout::takeAt(int index) {
  QLayoutItem* const item = itemAt(index);
  if (item != nullptr) {
    items_.erase(items_.begin() + index);
  }
  return item;
}

QSize WrappingLayout::sizeHint() const {
  QSize size;
  for (const QLayoutItem* item : items_) {
    size.rwidth() += item->sizeHint().width() + spacing();
    size.setHeight(std::max(size.height(), item->sizeHint().height()));
  }
  return size;
}

QSize WrappingLayout::minimumSize() const {
  QSize size;
  for (const QLayoutItem* item : items_) {
    size = size.expandedTo(item->minimumSize());
  }
  return size;
}

void WrappingLayout::setGeometry(const QRect& place) {
  QLayout::setGeometry(place);
  arrange(place, true);
}

int WrappingLayout::arrange(const QRect& place, bool move) const {
  int x = place.left();
  int y = place.top();
  int line = 0;
  for (QLayoutItem* item : items_) {
    if (item->isEmpty()) {
      continue;  // hidden
    }
    const QSize size(std::min(item->sizeHint().width(), place.width()), item->sizeHint().height());
    if (x > place.left() && x + size.width() > place.right() + 1) {
      x = place.left();
      y += line + spacing();
      line = 0;
    }
    if (move) {
      item->setGeometry({{x, y}, size});
    }
    x += size.width() + spacing();
    line = std::max(line, size.height());
  }
  return y + line - place.top();
}

}  // namespace mog::gui
