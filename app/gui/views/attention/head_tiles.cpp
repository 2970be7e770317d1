// The tiles take what is below their title, as wide as the height allows and at most two fifths of the room
// beside the map. Where they would scroll sideways in that, they get more of it, down to their smallest size,
// as long as the map keeps room. Only then do they scroll.
#include "app/gui/views/attention/head_tiles.h"

#include <QLabel>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSplitter>
#include <QStyle>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/views/attention/special_scale_button.h"
#include "app/gui/widgets/layer_head_grid.h"

namespace mog::gui {
namespace {
constexpr int kPerMille = 1000;
}

HeadTiles::HeadTiles(AttentionChoices& choices, QSplitter& splitter)
    : QWidget(&splitter),
      splitter_(splitter),
      scroll_(new QScrollArea(this)),
      grid_(new LayerHeadGrid(scroll_)),
      special_scale_(new SpecialScaleButton(choices, this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 4, 4, 4);
  column->setSpacing(4);
  auto* head = new QHBoxLayout;
  head->setSpacing(8);
  auto* title = new QLabel(tr("Heads"), this);
  QFont font = title->font();
  font.setWeight(QFont::DemiBold);
  title->setFont(font);
  head->addWidget(title);
  head->addWidget(special_scale_, 1, Qt::AlignLeft);
  head->addStretch();
  column->addLayout(head);
  scroll_->setWidget(grid_);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setFocusPolicy(Qt::NoFocus);
  column->addWidget(scroll_, 1);
  splitter_.addWidget(this);
  splitter_.installEventFilter(this);
  scroll_->installEventFilter(this);
  connect(&splitter_, &QSplitter::splitterMoved, this, [this] {
    if (isVisible() && splitter_.width() > 0) {
      share_ = std::clamp(width() * kPerMille / splitter_.width(), 1, kPerMille);
      Q_EMIT divided(share_);
    }
  });
}

void HeadTiles::setShare(int share) {
  if (share != share_) {
    share_ = share;
    takeWidth();
  }
}

void HeadTiles::takeWidth() {
  const int whole = splitter_.width();
  if (share_ > 0) {
    QList<int> sizes(splitter_.count(), whole - whole * share_ / kPerMille);
    sizes.front() = whole * share_ / kPerMille;
    splitter_.setSizes(sizes);
    return;
  }
  if (grid_->grid()->layers == 0) {
    return;
  }
  const QMargins margins = layout()->contentsMargins();
  // Where they scroll down, the bar takes its place beside them.
  const bool bar = grid_->minimumSizeHint().height() > scroll_->height();
  const int beside =
      margins.left() + margins.right() + (bar ? style()->pixelMetric(QStyle::PM_ScrollBarExtent) : 0);
  const int wanted = grid_->widthForHeight(scroll_->height()) + beside;
  const int least = std::min(grid_->minimumSizeHint().width() + beside, whole * 11 / 20);
  const int wide = std::clamp(wanted, 96, std::max({96, whole * 2 / 5, least}));
  QList<int> sizes(splitter_.count(), whole - wide);
  sizes.front() = wide;
  splitter_.setSizes(sizes);
}

void HeadTiles::see(std::int64_t layer, std::int64_t head) {
  if (layer > 0 && layer <= grid_->grid()->layers) {
    const QPointF at = grid_->cell(layer, head).center();
    scroll_->ensureVisible(static_cast<int>(at.x()), static_cast<int>(at.y()), 24, 24);
  }
}

bool HeadTiles::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) {
    const auto* resized = static_cast<QResizeEvent*>(event);
    // The width of the tiles follows from their height, not the reverse.
    if (watched == &splitter_ || resized->size().height() != resized->oldSize().height()) {
      QTimer::singleShot(0, this, &HeadTiles::takeWidth);  // the layout is done by then
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace mog::gui
