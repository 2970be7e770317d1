#include "app/gui/views/inspector/section.h"

#include <QEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "app/figures/style.h"
#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {

constexpr int kLineHeight = 28;
constexpr int kBadgeHeight = 22;
constexpr int kSide = 20;  // left and right of all sections

QFont small_font(QFont font) {
  font.setPixelSize(std::max(11, QFontInfo(font).pixelSize() - 1));
  return font;
}

// `colour` over the surface: enough to see, not enough to make the text hard to read.
QColor tinted(const QColor& colour, const QColor& surface) {
  const auto mix = [](int over, int under) { return (over * 16 + under * 84) / 100; };
  return {mix(colour.red(), surface.red()), mix(colour.green(), surface.green()),
          mix(colour.blue(), surface.blue())};
}

// The colour itself where it reads on the tint, else ink.
QColor text_colour(const QColor& colour, const QColor& on, const QColor& ink) {
  return contrast(colour, on) >= 4.5 ? colour : ink;
}

void paint_badge(QPainter& painter, const QRect& place, const QString& text, const QColor& colour,
                 const QPalette& palette) {
  const Roles roles = roles_of(palette);
  const QColor fill = is_high_contrast(palette) ? roles.surface : tinted(colour, roles.surface);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(fill);
  painter.setPen(is_high_contrast(palette) ? QPen(colour, 2) : QPen(Qt::NoPen));
  const QRectF inside = QRectF(place).adjusted(1, 1, -1, -1);
  painter.drawRoundedRect(inside, inside.height() / 2, inside.height() / 2);
  painter.setPen(text_colour(colour, fill, roles.ink));
  painter.drawText(place, Qt::AlignCenter, text);
}

// Of the levels of claims, and what is causal among them.
QColor level_colour(const QPalette& palette) {
  return is_dark(palette) ? QColor(0x4c, 0xc3, 0x8a) : QColor(0x1b, 0x70, 0x4a);
}

}  // namespace

RoleLabel::RoleLabel(Role role, QWidget* parent) : QLabel(parent), role_(role) {
  setWordWrap(true);
  setTextFormat(role == Role::section ? Qt::PlainText : Qt::RichText);
  setTextInteractionFlags(Qt::TextSelectableByMouse);
  dress();
}

void RoleLabel::changeEvent(QEvent* event) {
  QLabel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
    dress();
  }
}

// setPalette() and setFont() come back here.
void RoleLabel::dress() {
  if (dressing_) {
    return;
  }
  dressing_ = true;
  const QPalette around = parentWidget() == nullptr ? palette() : parentWidget()->palette();
  QFont font = parentWidget() == nullptr ? this->font() : parentWidget()->font();
  const int size = QFontInfo(font).pixelSize();
  if (role_ == Role::title) {
    font.setPixelSize(size + 5);
  } else if (role_ == Role::quiet) {
    font.setPixelSize(std::max(11, size - 1));
  } else if (role_ == Role::section) {
    font.setWeight(QFont::DemiBold);
  }
  setFont(font);
  QPalette own = around;
  const Roles roles = roles_of(around);
  for (const auto role : {QPalette::WindowText, QPalette::Text}) {  // the latter on a surface of fields
    own.setColor(role, role_ == Role::quiet ? roles.secondary : roles.ink);
  }
  setPalette(own);
  dressing_ = false;
}

Badge::Badge(const Content& content, QWidget* parent) : QLabel(content.text, parent), content_(content) {
  setFont(small_font(font()));
  setToolTip(content.tip);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QSize Badge::sizeHint() const {
  return {fontMetrics().horizontalAdvance(text()) + 18, std::max(kBadgeHeight, fontMetrics().height() + 4)};
}

void Badge::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Roles roles = roles_of(palette());
  const figures::Theme theme = figure_theme(palette());
  const QColor colour = content_.colour == Colour::part ? figures::part_colour(content_.part, theme)
                        : content_.colour == Colour::kind
                            ? figures::palette_colour(PartColour::vermillion, theme)
                        : content_.colour == Colour::level ? level_colour(palette())
                                                           : roles.secondary;
  paint_badge(painter, rect(), text(), colour, palette());
}

FoldButton::FoldButton(QWidget* parent) : QPushButton(parent) {
  setFlat(true);
  setCheckable(true);
  setFocusPolicy(Qt::TabFocus);
  setCursor(Qt::PointingHandCursor);
}

void FoldButton::setNote(const QString& note) {
  note_ = note;
  setAccessibleDescription(note);
  update();
}

void FoldButton::setBadge(const QString& badge) {
  badge_ = badge;
  update();
}

QSize FoldButton::sizeHint() const {
  return {120, std::max(kLineHeight, fontMetrics().height() + 8)};
}

void FoldButton::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Roles roles = roles_of(palette());
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  painter.setFont(bold);
  painter.setPen(roles.ink);
  // A short note is a number, which is not cut; a long one leaves more than half to the title.
  // The arrow that comes under the pointer takes its room from the note.
  const int room = std::max(40, width());
  const int note = note_.isEmpty() ? 0 : QFontMetrics(small_font(font())).horizontalAdvance(note_) + 12;
  const QString shown =
      painter.fontMetrics().elidedText(text(), Qt::ElideRight, std::max(room * 11 / 20, room - note));
  painter.drawText(rect(), Qt::AlignVCenter | Qt::AlignLeft, shown);
  const int used = painter.fontMetrics().horizontalAdvance(shown) + 12;
  int right = width();
  if (isChecked() || underMouse() || hasFocus()) {  // the arrow where it can be meant
    const QPointF at(width() - 8, height() / 2.0);
    painter.setPen(QPen(roles.secondary, 1.5));
    isChecked()
        ? painter.drawPolyline(QPolygonF({at + QPointF(-3, -4), at + QPointF(1, 0), at + QPointF(-3, 4)}))
        : painter.drawPolyline(QPolygonF({at + QPointF(-5, -2), at + QPointF(-1, 2), at + QPointF(3, -2)}));
    right -= 20;
  }
  painter.setFont(small_font(font()));
  if (!badge_.isEmpty()) {
    const int wide = painter.fontMetrics().horizontalAdvance(badge_) + 18;
    paint_badge(painter, {right - wide, (height() - kBadgeHeight) / 2, wide, kBadgeHeight}, badge_,
                level_colour(palette()), palette());
    right -= wide + 8;
  }
  painter.setFont(small_font(font()));
  painter.setPen(roles.secondary);
  painter.drawText(QRect(used, 0, std::max(0, right - used), height()), Qt::AlignVCenter | Qt::AlignRight,
                   painter.fontMetrics().elidedText(note_, Qt::ElideRight, std::max(0, right - used)));
  if (hasFocus()) {
    painter.setPen(QPen(palette().color(QPalette::Active, QPalette::Highlight), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
  }
}

Section::Section(int number, const QString& title, QWidget* parent)
    : QWidget(parent),
      number_(number),
      title_(new FoldButton(this)),
      content_(new QWidget(this)),
      body_(new QVBoxLayout(content_)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kSide, 8, kSide, 12);
  column->setSpacing(4);
  column->addWidget(title_);
  column->addWidget(content_);
  body_->setContentsMargins(0, 0, 0, 0);
  body_->setSpacing(8);
  setTitle(title);
  connect(title_, &QPushButton::toggled, this, [this](bool folded) {
    content_->setVisible(!folded);
    Q_EMIT foldedByHand(number_, folded);
  });
}

void Section::setTitle(const QString& title, const QString& note) {
  title_->setText(title);
  title_->setToolTip(note.isEmpty() ? title : title + QStringLiteral(", ") + note);
  title_->setNote(note);
}

void Section::setFolded(bool folded) {
  const QSignalBlocker quiet(title_);
  title_->setChecked(folded);
  content_->setVisible(!folded);
}

void Section::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(QRect(0, 0, width(), 1), roles_of(palette()).border);
}

}  // namespace mog::gui
