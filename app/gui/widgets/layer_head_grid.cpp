// The thumbnails are one picture, made on a worker for a size and a ratio of the screen (ThumbnailPage). If
// the widget is another size when it paints, it makes the picture itself, so that what is clicked is what is
// seen; names, marks and the veil over heads that are left out are painted over it each time. Places come
// from one function (ThumbnailPlaces) for picture, widget and pointer. Finding the map under the pointer
// goes over all of them: some hundreds.
//
// Numbers that have no room are left out evenly, from the first on; the chosen one always has its own, and
// those too near to it are left out.
//
// Trap: keys are accepted as ShortcutOverride, or the window's shortcuts for tokens would take the arrows. A
// click does not take the focus for the same reason.
#include "app/gui/widgets/layer_head_grid.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {
constexpr double kGap = ThumbnailPlaces::kGap;
constexpr double kSmallest = 28;  // asked for; in a window with less room they are smaller, never outside

// Which of `count` names, `pitch` apart and `extent` long each, stand beside each other: the chosen one, the
// first, and from there as many as fit.
std::vector<bool> names_that_fit(std::int64_t count, double pitch, double extent, std::int64_t chosen) {
  std::vector<bool> shown(static_cast<std::size_t>(count), false);
  const auto apart = std::max<std::int64_t>(1, std::llround(std::ceil(extent / std::max(pitch, 0.1))));
  const bool any = chosen >= 0 && chosen < count;
  for (std::int64_t name = 0; name < count; name += apart) {
    shown[static_cast<std::size_t>(name)] = !any || std::abs(name - chosen) >= apart;
  }
  if (any) {
    shown[static_cast<std::size_t>(chosen)] = true;
  }
  return shown;
}

// Of what is chosen.
QFont bold(QFont font) {
  font.setBold(true);
  return font;
}

bool is_key_of_grid(const QKeyEvent& event) {
  if ((event.modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier) {
    return false;
  }
  constexpr std::array kKeys = {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up,     Qt::Key_Down, Qt::Key_Home,
                                Qt::Key_End,  Qt::Key_Space, Qt::Key_Return, Qt::Key_Enter};
  return std::find(kKeys.begin(), kKeys.end(), event.key()) != kKeys.end();
}

}  // namespace

LayerHeadGrid::LayerHeadGrid(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  // A click leaves the focus, and with it the window's arrow keys, where they are.
  setFocusPolicy(Qt::TabFocus);
  setAccessibleDescription(tr(
      "Thumbnails of all attention maps. Up and Down choose the layer, Left and Right the head, Space takes "
      "the head out of the means or in again, Return leaves it alone there."));
  sayWhereItIs();
}

void LayerHeadGrid::setGrid(std::shared_ptr<const analysis::AttentionOverview> grid, QImage picture,
                            const ThumbnailPage& page) {
  if (grid == nullptr) {
    grid = std::make_shared<const analysis::AttentionOverview>();
  }
  const bool other_shape = grid->layers != grid_->layers || grid->heads != grid_->heads;
  grid_ = std::move(grid);
  picture_ = std::move(picture);
  page_ = page;
  if (other_shape) {
    updateGeometry();
  }
  sayWhereItIs();
  update();
}

void LayerHeadGrid::setCurrent(std::int64_t layer, std::int64_t head) {
  layer_ = layer;
  head_ = head;
  sayWhereItIs();
  update();
}

void LayerHeadGrid::setHeadsOfMean(std::vector<std::int64_t> heads) {
  heads_of_mean_ = std::move(heads);
  sayWhereItIs();
  update();
}

// A screen reader says a name again when it changes.
void LayerHeadGrid::sayWhereItIs() {
  QString name = tr("Layers and heads");
  if (grid_->layers > 0 && layer_ > 0) {
    const QString layer = tr("layer %1 of %2").arg(layer_).arg(grid_->layers);
    const QString head =
        head_ == 0 ? tr("mean over heads") : tr("head %1 of %2").arg(head_).arg(grid_->heads);
    name = tr("%1: %2, %3").arg(name, layer, head);
    if (!inMean(head_)) {
      name = tr("%1, not in the means").arg(name);
    }
  }
  if (name != accessibleName()) {
    setAccessibleName(name);
  }
}

void LayerHeadGrid::choose(std::int64_t layer, std::int64_t head) {
  if (grid_->layers == 0) {
    return;
  }
  layer = std::clamp<std::int64_t>(layer, 1, grid_->layers);
  head = std::clamp<std::int64_t>(head, 0, grid_->heads);
  if (layer != layer_ || head != head_) {
    Q_EMIT chosen(layer, head);
  }
}

bool LayerHeadGrid::inMean(std::int64_t head) const {
  return head == 0 || heads_of_mean_.empty() ||
         std::find(heads_of_mean_.begin(), heads_of_mean_.end(), head) != heads_of_mean_.end();
}

double LayerHeadGrid::leftMargin() const {
  const QFontMetricsF chosen(bold(font()));
  return std::ceil(
             std::max(chosen.horizontalAdvance(QStringLiteral("00")), chosen.horizontalAdvance(tr("mean")))) +
         6.0;
}

double LayerHeadGrid::topMargin() const {
  return fontMetrics().height() + 4.0;
}

ThumbnailPage LayerHeadGrid::page() const {
  return {size(), {leftMargin(), topMargin()}, devicePixelRatioF(), screen_style(*this)};
}

ThumbnailPlaces LayerHeadGrid::places() const {
  return {{size(), {leftMargin(), topMargin()}, 1, {}}, rows(), columns()};
}

QRectF LayerHeadGrid::cell(std::int64_t layer, std::int64_t head) const {
  return places().cell(static_cast<std::int64_t>(grid_->at_row(static_cast<std::size_t>(layer - 1))), head);
}

std::pair<std::int64_t, std::int64_t> LayerHeadGrid::mapAt(QPointF position) const {
  const ThumbnailPlaces at = places();
  const double half = at.gap() / 2;
  for (std::int64_t layer = 1; layer <= rows(); ++layer) {
    for (std::int64_t head = 0; head < columns(); ++head) {
      if (cell(layer, head).adjusted(-half, -half, half, half).contains(position)) {
        return {layer, head};
      }
    }
  }
  return {0, 0};
}

std::vector<bool> LayerHeadGrid::headsNamed() const {
  const double longest =
      QFontMetricsF(bold(font())).horizontalAdvance(QString::number(std::max<std::int64_t>(grid_->heads, 1)));
  return names_that_fit(columns(), places().pitch(), longest + 3, head_);
}

std::vector<bool> LayerHeadGrid::layersNamed() const {
  const auto row_of = [this](std::int64_t layer) {
    return static_cast<std::int64_t>(grid_->at_row(static_cast<std::size_t>(layer)));
  };
  const std::int64_t chosen = layer_ > 0 && layer_ <= rows() ? row_of(layer_ - 1) : -1;
  const std::vector<bool> by_row = names_that_fit(rows(), places().pitch(), fontMetrics().ascent(), chosen);
  std::vector<bool> by_layer(by_row.size());
  for (std::size_t layer = 0; layer < by_layer.size(); ++layer) {
    by_layer[layer] = by_row[grid_->at_row(layer)];
  }
  return by_layer;
}

QRectF LayerHeadGrid::label(std::int64_t head) const {
  const double gap = places().gap();
  const QRectF box = places().cell(0, head);
  return {box.left() - gap / 2, 0, box.width() + gap, topMargin()};
}

std::int64_t LayerHeadGrid::labelAt(QPointF position) const {
  for (std::int64_t head = 0; head < columns() && grid_->layers > 0; ++head) {
    if (label(head).contains(position)) {
      return head;
    }
  }
  return -1;
}

int LayerHeadGrid::widthForHeight(int height) const {
  const double layers = static_cast<double>(std::max<std::int64_t>(1, rows()));
  const double side =
      std::clamp((height - topMargin() - kGap) / layers - kGap, kSmallest, ThumbnailPlaces::kLargest);
  return static_cast<int>(std::ceil(leftMargin() + static_cast<double>(columns()) * (side + kGap) + kGap));
}

QSize LayerHeadGrid::minimumSizeHint() const {
  const QSizeF least(leftMargin() + static_cast<double>(columns()) * (kSmallest + kGap) + kGap,
                     topMargin() + static_cast<double>(rows()) * (kSmallest + kGap) + kGap);
  return least.toSize().expandedTo({96, 80});
}

QSize LayerHeadGrid::sizeHint() const {
  const double side = 64;
  const double layers = static_cast<double>(std::max<std::int64_t>(1, rows()));
  return QSizeF(leftMargin() + static_cast<double>(columns()) * (side + kGap) + kGap,
                topMargin() + layers * (side + kGap) + kGap)
      .toSize();
}

void LayerHeadGrid::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  if (grid_->layers == 0) {
    painter.fillRect(rect(), figures::background(screen_style(*this).theme));
    return;
  }
  if (ThumbnailPage now = page(); picture_.isNull() || page_ != now) {
    page_ = std::move(now);
    picture_ = paint_thumbnails(*grid_, page_);
  }
  painter.drawImage(QPointF(0, 0), picture_);
  const QColor text = palette().color(QPalette::WindowText);
  const std::vector<bool> layers = layersNamed();
  for (std::int64_t layer = 1; layer <= rows(); ++layer) {
    if (!layers[static_cast<std::size_t>(layer - 1)]) {
      continue;
    }
    painter.setFont(layer == layer_ ? bold(font()) : font());
    painter.setPen(layer == layer_ ? text : quiet_text(palette()));
    const double middle = cell(layer, 0).center().y();
    const double half = fontMetrics().height() / 2.0;
    painter.drawText(QRectF(0, middle - half, leftMargin() - 4, 2 * half), Qt::AlignRight | Qt::AlignVCenter,
                     layer > grid_->layers ? tr("mean") : QString::number(layer));
  }
  const std::vector<bool> heads = headsNamed();
  for (std::int64_t head = 0; head < columns(); ++head) {
    painter.setFont(head == head_ ? bold(font()) : font());
    painter.setPen(head == head_ ? text : quiet_text(palette()));
    const QRectF box = places().cell(0, head);
    const QString name = head > 0 ? QString::number(head) : tr("mean");
    const bool named = heads[static_cast<std::size_t>(head)];
    const double wide = QFontMetricsF(painter.font()).horizontalAdvance(name) / 2.0 + 2;
    if (named) {
      // The mean's name is longer than a small map is wide: it goes on over the layers' numbers.
      const bool fits = head > 0 || 2 * wide < box.width();
      const double left = fits ? box.center().x() - wide - kGap : 0;
      const double right = fits ? box.center().x() + wide + kGap : box.right() + 1;
      const auto across = fits ? Qt::AlignHCenter : Qt::AlignRight;
      painter.drawText(QRectF(left, 0, right - left, topMargin() - 2),
                       static_cast<int>(across | Qt::AlignBottom), name);
    }
    if (!inMean(head)) {
      // Out of the means: struck through and faded, not by colour alone.
      const double y = topMargin() - 2 - fontMetrics().ascent() / 2.0 + 1;
      if (named) {
        painter.drawLine(QPointF(box.center().x() - wide, y), QPointF(box.center().x() + wide, y));
      }
      QColor veil = figures::background(screen_style(*this).theme);
      veil.setAlphaF(0.6F);
      painter.fillRect(
          QRectF(box.left(), box.top(), box.width(), places().cell(rows() - 1, head).bottom() - box.top()),
          veil);
    }
  }
  painter.setBrush(Qt::NoBrush);
  if (hasFocus()) {
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
  }
  if (hovered_layer_ > 0) {
    painter.setPen(QPen(quiet_text(palette()), 1));
    painter.drawRect(cell(hovered_layer_, hovered_head_).adjusted(-1, -1, 1, 1));
  }
  if (layer_ > 0 && layer_ <= grid_->layers && head_ < columns()) {
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.drawRect(cell(layer_, head_).adjusted(-2, -2, 2, 2));
  }
}

void LayerHeadGrid::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) {
    return;
  }
  const auto [layer, head] = mapAt(event->position());
  const std::int64_t named = labelAt(event->position());
  if (named >= 0 && grid_->heads > 0) {
    Q_EMIT headToggled(named);
  } else if (layer > 0 && head > 0 && event->modifiers().testFlag(Qt::ControlModifier)) {
    Q_EMIT headToggled(head);
  } else if (layer > 0 && layer <= grid_->layers) {
    Q_EMIT chosen(layer, head);
  }
}

void LayerHeadGrid::mouseDoubleClickEvent(QMouseEvent* event) {
  const std::int64_t named = labelAt(event->position());
  const auto [layer, head] = mapAt(event->position());
  if (event->button() == Qt::LeftButton && named > 0) {
    Q_EMIT headIsolated(named, true);
  } else if (event->button() == Qt::LeftButton && layer > 0 && head > 0 &&
             !event->modifiers().testFlag(Qt::ControlModifier)) {
    Q_EMIT headIsolated(head, false);
  } else {
    mousePressEvent(event);
  }
}

void LayerHeadGrid::mouseMoveEvent(QMouseEvent* event) {
  const auto [layer, head] = mapAt(event->position());
  if (layer != hovered_layer_ || head != hovered_head_) {
    hovered_layer_ = layer;
    hovered_head_ = head;
    update();
    Q_EMIT hoveredMap(layer, head);
  }
}

void LayerHeadGrid::leaveEvent(QEvent* event) {
  hovered_layer_ = hovered_head_ = 0;
  update();
  Q_EMIT hoveredMap(0, 0);
  QWidget::leaveEvent(event);
}

// While the grid has the focus the arrows are its own: the window's keys for tokens wait.
bool LayerHeadGrid::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && is_key_of_grid(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  return QWidget::event(event);
}

void LayerHeadGrid::keyPressEvent(QKeyEvent* event) {
  if (!is_key_of_grid(*event)) {
    QWidget::keyPressEvent(event);
    return;
  }
  switch (event->key()) {
    case Qt::Key_Up:
      return choose(layer_ + 1, head_);
    case Qt::Key_Down:
      return choose(layer_ - 1, head_);
    case Qt::Key_Left:
      return choose(layer_, head_ - 1);
    case Qt::Key_Right:
      return choose(layer_, head_ + 1);
    case Qt::Key_Home:
      return choose(layer_, 0);
    case Qt::Key_End:
      return choose(layer_, grid_->heads);
    default:
      break;
  }
  if (head_ > 0 && grid_->layers > 0) {
    if (event->key() == Qt::Key_Space) {
      Q_EMIT headToggled(head_);
    } else {
      Q_EMIT headIsolated(head_, false);
    }
  }
}

}  // namespace mog::gui
