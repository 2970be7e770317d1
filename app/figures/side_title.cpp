#include "app/figures/side_title.h"

namespace mog::figures {

SideTitle::SideTitle(const QString& text, const Style& style, double room) : face_(style, style.body_pt) {
  if (text.isEmpty()) {
    return;
  }
  for (double size = style.body_pt; size >= style.body_pt - 2 * unit(style); --size) {
    face_ = TypeFace(style, size);
    if (face_.width(text) <= room) {
      lines_ = {text};
      return;
    }
  }
  face_ = TypeFace(style, style.tick_pt);
  lines_ = face_.wrapped(text, room);
  if (lines_.size() > 2) {
    face_ = TypeFace(style, smallest_type(style));
    lines_ = face_.wrapped(text, room);
  }
}

TypeFace fitting_face(const QString& text, const Style& style, double room) {
  TypeFace face(style, style.body_pt);
  for (double size = style.body_pt; face.width(text) > room && size > smallest_type(style); --size) {
    face = TypeFace(style, std::max(size - 1, smallest_type(style)));
  }
  return face;
}

double SideTitle::width() const noexcept {
  return face_.height() * static_cast<double>(lines_.size());
}

void SideTitle::draw(Pen& pen, double left, double centre) const {
  double x = left + face_.ascent();
  for (const QString& line : lines_) {
    pen.turned_text({x, centre}, line, face_, ink(pen.theme()), Across::centre);
    x += face_.height();
  }
}

}  // namespace mog::figures
