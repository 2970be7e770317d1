// Trap: keys are accepted as ShortcutOverride, or the window's shortcuts for tokens would take the arrows and
// walk by pieces where words are shown.
#include "app/gui/views/strip/strip_line.h"

#include <QAccessible>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/views/strip/strip_accessible.h"
#include "app/gui/widgets/gate_colours.h"
#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {

bool is_key_of_strip(const QKeyEvent& event) {
  constexpr std::array kKeys = {Qt::Key_Left,   Qt::Key_Right,    Qt::Key_Home, Qt::Key_End,
                                Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_F2,   Qt::Key_Return,
                                Qt::Key_Enter,  Qt::Key_Space};
  return (event.modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier &&
         std::find(kKeys.begin(), kKeys.end(), event.key()) != kKeys.end();
}

// Of text on the accent: whichever is read better.
QColor text_on(const QColor& background, const Roles& roles) {
  const QColor dark = is_dark(QPalette(roles.surface)) ? roles.surface : roles.ink;
  return contrast(Qt::white, background) >= contrast(dark, background) ? QColor(Qt::white) : dark;
}

}  // namespace

StripLine::StripLine(SelectionModel& selection, QWidget* parent) : QWidget(parent), selection_(selection) {
  install_strip_accessibility();
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Words of the sentence"));
  setAccessibleDescription(tr(
      "Left and Right choose the word, Space lets it go, Page Up and Page Down the sentence, F2 edits it."));
  connect(&selection_, &SelectionModel::tokenChanged, this, [this] {
    update();
    tellFocus();
    Q_EMIT pinnedMoved();
  });
  connect(&selection_, &SelectionModel::hoveredChanged, this, qOverload<>(&QWidget::update));
}

void StripLine::setSentence(StripSentence sentence) {
  sentence_ = std::move(sentence);
  graph_.clear();
  update();
}

void StripLine::setMiddle(const std::optional<analysis::GateMiddle>& middle) {
  middle_ = middle;
  update();
}

void StripLine::setGraphWords(std::vector<std::int64_t> tokens) {
  graph_ = std::move(tokens);
  update();
}

bool StripLine::inGraph(int word) const {
  return word >= 0 && std::any_of(graph_.begin(), graph_.end(),
                                  [&](std::int64_t token) { return sentence_.wordOf(token) == word; });
}

void StripLine::layOut(double width) {
  places_ = lay_out_strip(sentence_, font(), width);
  setFixedHeight(std::max(places_.lines > 2 ? kTallStripHeight - 1 : kStripHeight - 1,
                          static_cast<int>(std::ceil(places_.height))));
  update();
}

QString StripLine::nameOf(int word) const {
  const StripWord& of = sentence_.words[static_cast<std::size_t>(word)];
  const QLocale locale;
  return !std::isnan(of.gate) ? tr("%1, gate %2").arg(of.text, locale.toString(of.gate, 'f', 2))
         : !std::isnan(of.surprisal)
             ? tr("%1, surprisal %2").arg(of.text, locale.toString(of.surprisal, 'f', 1))
             : of.text;
}

QString StripLine::explain(int word) const {
  const auto words = static_cast<int>(sentence_.words.size());
  QString text = tr("%1: word %2 of %3")
                     .arg(sentence_.words[static_cast<std::size_t>(word)].text)
                     .arg(word + 1)
                     .arg(words);
  const QLocale locale;
  const double gate = sentence_.words[static_cast<std::size_t>(word)].gate;
  const double surprisal = sentence_.words[static_cast<std::size_t>(word)].surprisal;
  const double rank = sentence_.words[static_cast<std::size_t>(word)].rank;
  if (!std::isnan(surprisal)) {
    text += QLatin1Char('\n') +
            tr("surprisal %1 nats, probability %2")
                .arg(locale.toString(surprisal, 'f', 2), locale.toString(std::exp(-surprisal), 'g', 2));
    if (!std::isnan(rank)) {
      text += sentence_.words[static_cast<std::size_t>(word)].tokens.size() == 1
                  ? tr(", rank %1").arg(locale.toString(rank, 'f', 0))
                  : tr(", rank of its first piece %1").arg(locale.toString(rank, 'f', 0));
    }
  } else if (sentence_.guessed > 0) {
    text += QLatin1Char('\n') + tr("the first token: nothing before it says what it will be");
  }
  if (!std::isnan(gate)) {
    text += QLatin1Char('\n') +
            (middle_ ? tr("gate %1, median %2")
                           .arg(locale.toString(gate, 'f', 3), locale.toString(middle_->median, 'f', 3))
                     : tr("gate %1").arg(locale.toString(gate, 'f', 3)));
  }
  return text;
}

void StripLine::choose(int word) {
  const auto words = static_cast<int>(sentence_.words.size());
  if (words > 0) {
    word = std::clamp(word, 0, words - 1);
    selection_.setToken(sentence_.words[static_cast<std::size_t>(word)].tokens.front());
  }
}

void StripLine::step(int by) {
  const int now = pinned();
  choose(now >= 0 ? now + by : by > 0 ? 0 : static_cast<int>(sentence_.words.size()) - 1);
}

void StripLine::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Roles roles = roles_of(palette());
  const bool plain = is_high_contrast(palette());
  painter.fillRect(event->rect(), roles.surface);
  const int pinned_word = pinned();
  const int hovered = sentence_.wordOf(selection_.hovered());
  std::vector<bool> tinted(sentence_.words.size());
  for (const std::int64_t token : graph_) {
    if (const int word = sentence_.wordOf(token); word >= 0) {
      tinted[static_cast<std::size_t>(word)] = true;
    }
  }
  for (const StripPiece& piece : places_.pieces) {
    const StripWord& word = sentence_.words[static_cast<std::size_t>(piece.word)];
    const bool pinned_here = piece.word == pinned_word;
    const bool in_graph = tinted[static_cast<std::size_t>(piece.word)];
    const bool hovered_here = piece.word == hovered;
    painter.setPen(Qt::NoPen);
    if (pinned_here || in_graph || hovered_here) {
      painter.setBrush(pinned_here    ? roles.accent
                       : hovered_here ? roles.hover
                       : plain        ? roles.surface
                                      : roles.tint);
      if (plain && in_graph && !pinned_here) {
        painter.setPen(QPen(roles.accent, 2));
      } else if (hovered_here && !pinned_here) {
        painter.setPen(QPen(in_graph ? roles.accent : roles.faint, 1));
      }
      painter.drawRoundedRect(piece.box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }
    painter.setFont(strip_font(font(), places_.pixel_size, word.special));
    painter.setPen(pinned_here    ? text_on(roles.accent, roles)
                   : word.special ? quiet_text(palette())
                                  : roles.ink);
    painter.drawText(piece.box, Qt::AlignCenter | Qt::TextDontClip, piece.text);
    if (!piece.bar.isEmpty() && !(std::isnan(word.gate) && std::isnan(word.surprisal))) {
      paintBar(painter, piece);
    }
  }
  if (ringed_ && hasFocus()) {
    painter.setPen(QPen(roles.accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(2, 2, -2, -2), 6, 6);
  }
}

// The end of the bar is marked: near the median its colour is that of the background.
void StripLine::paintBar(QPainter& painter, const StripPiece& piece) const {
  const Roles roles = roles_of(palette());
  const StripWord& word = sentence_.words[static_cast<std::size_t>(piece.word)];
  const double gate = sentence_.gates() ? word.gate : word.surprisal / std::max(sentence_.guessed, 1e-9);
  const double away = middle_ && middle_->reach > 0 ? (gate - middle_->median) / middle_->reach : 0;
  QRectF filled = piece.bar;
  filled.setWidth(std::clamp(gate, 0.0, 1.0) * piece.bar.width());
  painter.setPen(Qt::NoPen);
  painter.setBrush(roles.row);
  painter.drawRoundedRect(piece.bar, 1.5, 1.5);
  const QColor colour = sentence_.gates() ? gate_colour(palette(), away) : roles.secondary;
  painter.setBrush(is_high_contrast(palette()) && away < 0 ? QBrush(colour, Qt::Dense4Pattern)
                                                           : QBrush(colour));
  painter.drawRoundedRect(filled, 1.5, 1.5);
  painter.setBrush(roles.secondary);
  painter.drawRect(
      QRectF(std::max(filled.right() - 1.5, filled.left()), filled.top() - 1, 1.5, filled.height() + 2));
}

void StripLine::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) {
    QWidget::mousePressEvent(event);
    return;
  }
  before_click_ = selection_.token();
  const int word = places_.wordAt(event->position());
  if (word == pinned()) {
    selection_.setToken(std::nullopt);
  } else if (word >= 0) {
    choose(word);
  }
}

void StripLine::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) {
    selection_.setToken(before_click_);
    Q_EMIT editAsked();
  }
}

void StripLine::mouseMoveEvent(QMouseEvent* event) {
  const int word = places_.wordAt(event->position());
  setCursor(word >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  selection_.setHovered(word >= 0
                            ? std::optional(sentence_.words[static_cast<std::size_t>(word)].tokens.front())
                            : std::nullopt);
}

void StripLine::leaveEvent(QEvent* event) {
  selection_.setHovered(std::nullopt);
  QWidget::leaveEvent(event);
}

void StripLine::contextMenuEvent(QContextMenuEvent* event) {
  const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  const int word = by_key ? pinned() : places_.wordAt(event->pos());
  const StripPiece* const piece = by_key ? places_.pieceOf(word) : nullptr;
  const QPoint at = !by_key            ? event->pos()
                    : piece != nullptr ? piece->box.center().toPoint()
                                       : rect().center();
  if (!sentence_.words.empty()) {
    Q_EMIT menuAsked(word, mapToGlobal(at));
  }
}

bool StripLine::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && is_key_of_strip(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int word = places_.wordAt(QPointF(help->pos()));
    if (word >= 0) {
      QToolTip::showText(help->globalPos(), explain(word), this);
    } else {
      QToolTip::hideText();
    }
    return true;
  }
  return QWidget::event(event);
}

void StripLine::keyPressEvent(QKeyEvent* event) {
  if (!is_key_of_strip(*event)) {
    QWidget::keyPressEvent(event);
    return;
  }
  switch (event->key()) {
    case Qt::Key_Left:
      return step(-1);
    case Qt::Key_Right:
      return step(1);
    case Qt::Key_Home:
      return choose(0);
    case Qt::Key_End:
      return choose(static_cast<int>(sentence_.words.size()) - 1);
    case Qt::Key_PageUp:
      Q_EMIT stepAsked(-1);
      return;
    case Qt::Key_PageDown:
      Q_EMIT stepAsked(1);
      return;
    case Qt::Key_F2:
    case Qt::Key_Return:
    case Qt::Key_Enter:
      Q_EMIT editAsked();
      return;
    default:
      selection_.togglePin();
  }
}

void StripLine::focusInEvent(QFocusEvent* event) {
  ringed_ = event->reason() != Qt::MouseFocusReason;
  QWidget::focusInEvent(event);
  tellFocus();
  update();
  Q_EMIT focused();
}

void StripLine::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

void StripLine::tellFocus() {
  if (const int word = pinned(); hasFocus() && word >= 0) {
    QAccessibleEvent moved(this, QAccessible::Focus);
    moved.setChild(word);
    QAccessible::updateAccessibility(&moved);
  }
}

}  // namespace mog::gui
