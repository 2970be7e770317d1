#include "app/gui/views/inspector/weight_boxes.h"

#include <QPainter>
#include <algorithm>

#include "app/gui/views/inspector/inspector_text.h"
#include "app/gui/widgets/theme.h"

namespace mog::gui {

void WeightBoxes::setValues(std::optional<double> attention, std::optional<double> share, double weight,
                            const QString& part) {
  boxes_.clear();
  product_ = attention && share;  // else a factor is missing
  if (attention) {
    boxes_.emplace_back(tr("attention"), number_text(*attention));
  }
  if (share) {
    boxes_.emplace_back(tr("share of %1").arg(part), number_text(*share));
  }
  boxes_.emplace_back(tr("weight"), number_text(weight));
  QStringList said;
  for (const auto& [name, number] : boxes_) {
    said.push_back(name + QLatin1Char(' ') + number);
  }
  setAccessibleName(said.join(QStringLiteral(", ")));
  update();
}

QSize WeightBoxes::sizeHint() const {
  return {240, 2 * fontMetrics().height() + 14};
}

void WeightBoxes::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Roles roles = roles_of(palette());
  QFont small = font();
  small.setPixelSize(std::max(11, QFontInfo(font()).pixelSize() - 1));
  QFont strong = font();
  strong.setWeight(QFont::DemiBold);
  constexpr int kSign = 18;
  const double free = width() - kSign * (static_cast<double>(boxes_.size()) - 1);
  auto boxes = boxes_;
  const auto needed = [&] {
    double all = 0;
    for (const auto& box : boxes) {
      all += QFontMetrics(small).horizontalAdvance(box.first) + 20;
    }
    return all;
  };
  if (product_ && needed() > free) {
    boxes[1].first = tr("share");  // its part stands in the title
  }
  const double all = needed();
  double x = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const double wide =
        free * (QFontMetrics(small).horizontalAdvance(boxes[i].first) + 20) / std::max(1.0, all);
    const QRectF box(x + 0.5, 0.5, wide - 1, height() - 1);
    painter.setPen(roles.border);
    painter.setBrush(roles.window);
    painter.drawRoundedRect(box, 6, 6);
    const QRectF inside = box.adjusted(8, 4, -4, -4);
    painter.setFont(small);
    painter.setPen(roles.secondary);
    painter.drawText(
        inside, Qt::AlignTop | Qt::AlignLeft,
        QFontMetrics(small).elidedText(boxes[i].first, Qt::ElideRight, static_cast<int>(inside.width())));
    painter.setFont(strong);
    painter.setPen(roles.ink);
    painter.drawText(inside, Qt::AlignBottom | Qt::AlignLeft, boxes[i].second);
    x += wide;
    if (i + 1 < boxes.size()) {
      painter.setFont(font());
      painter.setPen(roles.secondary);
      const QString sign = i + 2 < boxes.size() ? QStringLiteral("×") : QStringLiteral("=");
      painter.drawText(QRectF(x, 0, kSign, height()), Qt::AlignCenter, product_ ? sign : QString());
      x += kSign;
    }
  }
}

}  // namespace mog::gui
