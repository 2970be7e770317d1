#include "app/gui/views/document/chain_text.h"

#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "app/figures/style.h"
#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {

constexpr int kMargin = 16;
constexpr int kBetween = 6;  // words
constexpr int kNumber = 12;  // room behind the last word of a mention with a number
constexpr int kLevel = 3;    // between underlines of mentions in each other
constexpr int kLevels = 4;

QFont text_font(const QWidget& widget) {
  QFont font = widget.font();
  font.setPixelSize(QFontInfo(font).pixelSize() + 2);
  return font;
}

QFont number_font(const QWidget& widget) {
  QFont font = widget.font();
  font.setPixelSize(std::max(11, QFontInfo(font).pixelSize() - 2));
  return font;
}

}  // namespace

ChainText::ChainText(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Text with its mentions"));
  QSizePolicy grows(QSizePolicy::Expanding, QSizePolicy::Minimum);
  grows.setHeightForWidth(true);
  setSizePolicy(grows);
}

void ChainText::setDocument(std::shared_ptr<const ShownDocument> document) {
  document_ = std::move(document);
  chosen_ = -1;
  lit_ = -1;
  depths_.clear();
  for (std::size_t one = 0; document_ != nullptr && one < document_->mentions.size(); ++one) {
    const analysis::Mention& inner = document_->mentions[one].links.mention;
    depths_.push_back(static_cast<int>(std::count_if(
        document_->mentions.begin(), document_->mentions.end(), [&inner](const ShownMention& other) {
          const analysis::Mention& outer = other.links.mention;
          return outer != inner && outer.begin <= inner.begin && outer.end >= inner.end;
        })));
  }
  measure();
  Q_EMIT chosenChanged();
}

int ChainText::arrange(int width, std::vector<QRect>& places) const {
  places.clear();
  if (document_ == nullptr) {
    return 2 * kMargin;
  }
  const QFontMetrics metrics(text_font(*this));
  const int line = metrics.height() + kLevels * kLevel + 8;
  std::vector<int> behind(document_->words.size(), 0);
  for (const ShownMention& mention : document_->mentions) {
    if (mention.chain >= 0) {
      behind[static_cast<std::size_t>(mention.links.mention.end) - 1] += kNumber;
    }
  }
  int x = kMargin;
  int y = kMargin;
  auto sentence = document_->sentences.begin();
  for (std::size_t word = 0; word < document_->words.size(); ++word) {
    const bool begins =
        sentence != document_->sentences.end() && *sentence == static_cast<std::int64_t>(word);
    sentence += begins ? 1 : 0;
    const int wide = metrics.horizontalAdvance(document_->words[word]);
    if (x > kMargin && (begins || x + wide + behind[word] > width - kMargin)) {
      x = kMargin;
      y += line;
    }
    places.emplace_back(x, y, wide, metrics.height());
    x += wide + behind[word] + kBetween;
  }
  return y + line + kMargin;
}

void ChainText::measure() {
  setMinimumHeight(arrange(width(), places_));
  updateGeometry();
  update();
}

QSize ChainText::sizeHint() const {
  return {400, heightForWidth(400)};
}

int ChainText::heightForWidth(int width) const {
  std::vector<QRect> places;
  return arrange(width, places);
}

void ChainText::choose(std::int64_t mention) {
  if (mention == chosen_) {
    return;
  }
  chosen_ = mention;
  lit_ = -1;
  setAccessibleDescription(mention < 0 ? QString() : told(mention));
  update();
  Q_EMIT chosenChanged();
}

void ChainText::light(std::int64_t mention) {
  lit_ = mention;
  update();
}

std::int64_t ChainText::wordAt(QPoint point) const {
  const auto at = std::find_if(places_.begin(), places_.end(), [point](const QRect& place) {
    return place.adjusted(-kBetween / 2, -2, kBetween / 2, kLevels * kLevel).contains(point);
  });
  return at == places_.end() ? -1 : at - places_.begin();
}

std::vector<std::int64_t> ChainText::mentionsAt(std::int64_t word) const {
  std::vector<std::int64_t> found;
  for (std::size_t at = 0; word >= 0 && at < document_->mentions.size(); ++at) {
    const analysis::Mention& mention = document_->mentions[at].links.mention;
    if (mention.begin <= word && word < mention.end) {
      found.push_back(static_cast<std::int64_t>(at));
    }
  }
  std::stable_sort(found.begin(), found.end(), [this](std::int64_t left, std::int64_t right) {
    return depths_[static_cast<std::size_t>(left)] > depths_[static_cast<std::size_t>(right)];
  });
  return found;
}

// "she: chain 2; Mary 0.83"
QString ChainText::told(std::int64_t mention) const {
  const ShownMention& one = document_->mentions[static_cast<std::size_t>(mention)];
  QString text = document_->textOf(one.links.mention);
  if (one.chain >= 0) {
    text = tr("%1: chain %2").arg(text).arg(one.chain + 1);
  }
  const auto& candidates = one.links.candidates;
  if (!candidates.empty() && candidates.front().probability > one.links.none) {
    return tr("%1; goes back to %2, %3")
        .arg(text, document_->textOf(candidates.front().mention),
             QLocale().toString(candidates.front().probability, 'f', 2));
  }
  return tr("%1; goes back to nothing, %2").arg(text, QLocale().toString(one.links.none, 'f', 2));
}

void ChainText::paintMention(QPainter& painter, std::int64_t mention) const {
  const auto at = static_cast<std::size_t>(mention);
  const ShownMention& one = document_->mentions[at];
  const Roles roles = roles_of(palette());
  const bool alone = one.chain < 0;
  const QColor colour =
      alone ? roles.faint
            : figures::colour_of(
                  analysis::ColourKey::of_category(one.chain, std::max<std::int64_t>(document_->chains, 1)),
                  figure_theme(palette()));
  const int below = 2 + kLevel * std::min(depths_[at], kLevels - 1);
  // A piece for each line of the text.
  for (std::int64_t word = one.links.mention.begin; word < one.links.mention.end;) {
    QRect piece = places_[static_cast<std::size_t>(word)];
    for (++word; word < one.links.mention.end && places_[static_cast<std::size_t>(word)].top() == piece.top();
         ++word) {
      piece = piece.united(places_[static_cast<std::size_t>(word)]);
    }
    QColor ground = colour;
    ground.setAlphaF(alone ? 0.0F : 0.16F);
    painter.fillRect(piece.adjusted(-2, -1, 2, 1), ground);
    painter.setPen(QPen(colour, alone ? 1 : 2, alone ? Qt::DotLine : Qt::SolidLine));
    painter.drawLine(piece.left() - 2, piece.bottom() + below, piece.right() + 2, piece.bottom() + below);
    if (mention == chosen_ || mention == lit_) {
      painter.setPen(
          QPen(roles.accent, mention == chosen_ ? 2 : 1, mention == chosen_ ? Qt::SolidLine : Qt::DashLine));
      painter.drawRoundedRect(piece.adjusted(-3, -2, 3, below + 2), 3, 3);
    }
  }
  if (!alone) {
    const QRect last = places_[static_cast<std::size_t>(one.links.mention.end) - 1];
    int before = 0;  // longer ones that end there, too, stand behind it
    for (std::size_t other = 0; other < document_->mentions.size(); ++other) {
      const ShownMention& longer = document_->mentions[other];
      before += other != at && longer.chain >= 0 && longer.links.mention.end == one.links.mention.end &&
                        depths_[other] > depths_[at]
                    ? 1
                    : 0;
    }
    painter.setFont(number_font(*this));
    painter.setPen(roles.secondary);
    painter.drawText(last.right() + 4 + before * kNumber, last.top() + QFontMetrics(painter.font()).ascent(),
                     QLocale().toString(one.chain + 1));
  }
}

void ChainText::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Roles roles = roles_of(palette());
  painter.fillRect(rect(), roles.surface);
  if (document_ == nullptr) {
    return;
  }
  for (std::size_t mention = 0; mention < document_->mentions.size(); ++mention) {
    paintMention(painter, static_cast<std::int64_t>(mention));
  }
  const QFont font = text_font(*this);
  const QFontMetrics metrics(font);
  painter.setFont(font);
  painter.setPen(roles.ink);
  for (std::size_t word = 0; word < places_.size(); ++word) {
    painter.drawText(places_[word].left(), places_[word].top() + metrics.ascent(), document_->words[word]);
  }
  if (hasFocus()) {
    painter.setPen(QPen(roles.accent, 1));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

void ChainText::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) {
    measure();
  }
}

void ChainText::mousePressEvent(QMouseEvent* event) {
  if (document_ == nullptr || event->button() != Qt::LeftButton) {
    return;
  }
  const std::vector<std::int64_t> here = mentionsAt(wordAt(event->position().toPoint()));
  const auto now = std::find(here.begin(), here.end(), chosen_);
  choose(here.empty() ? -1 : now == here.end() || now + 1 == here.end() ? here.front() : *(now + 1));
}

void ChainText::mouseMoveEvent(QMouseEvent* event) {
  if (document_ == nullptr) {
    return;
  }
  const std::vector<std::int64_t> here = mentionsAt(wordAt(event->position().toPoint()));
  Q_EMIT pointed(here.empty() ? QString() : told(here.front()));
}

void ChainText::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  Q_EMIT pointed({});
}

// Left and Right are the window's keys for words; here they are those of mentions.
bool ChainText::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->modifiers() == Qt::NoModifier && (key->key() == Qt::Key_Left || key->key() == Qt::Key_Right)) {
      event->accept();
      return true;
    }
  }
  return QWidget::event(event);
}

void ChainText::keyPressEvent(QKeyEvent* event) {
  const bool left = event->key() == Qt::Key_Left;
  if (document_ == nullptr || document_->mentions.empty() || event->modifiers() != Qt::NoModifier ||
      (!left && event->key() != Qt::Key_Right)) {
    QWidget::keyPressEvent(event);
    return;
  }
  const auto count = static_cast<std::int64_t>(document_->mentions.size());
  choose(chosen_ < 0 ? (left ? count - 1 : 0)
                     : std::clamp<std::int64_t>(chosen_ + (left ? -1 : 1), 0, count - 1));
}

void ChainText::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) {
    measure();
  }
}

}  // namespace mog::gui
