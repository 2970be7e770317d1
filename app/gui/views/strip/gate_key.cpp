#include "app/gui/views/strip/gate_key.h"

#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>
#include <algorithm>

#include "app/gui/widgets/gate_colours.h"
#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {
constexpr double kMargin = 20;  // that of the inspector below
constexpr double kBar = 144;
constexpr double kBarHeight = 5;
}  // namespace

GateKey::GateKey(QWidget* parent) : QWidget(parent) {}

void GateKey::setLayers(std::int64_t first, std::int64_t last) {
  first_ = first;
  last_ = last;
  explain();
}

void GateKey::setSurprisal(double full) {
  surprisal_ = full;
  explain();
}

void GateKey::setMiddle(const std::optional<analysis::GateMiddle>& middle) {
  middle_ = middle;
  explain();
}

void GateKey::setNote(const QString& note) {
  note_ = note;
  explain();
}

QString GateKey::title() const {
  return last_ == 0        ? (surprisal_ > 0 ? tr("surprisal of the words, in nats") : QString())
         : first_ == last_ ? tr("gate of layer %1").arg(last_)
                           : tr("gate, mean of layers %1–%2").arg(first_).arg(last_);
}

QString GateKey::median() const {
  return middle_ ? tr("median %1").arg(QLocale().toString(middle_->median, 'f', 2)) : QString();
}

void GateKey::explain() {
  const QLocale locale;
  setAccessibleName(note_.isEmpty() ? title() + (middle_ ? QStringLiteral(", ") + median() : QString())
                                    : note_);
  QString tip;
  if (last_ > 0) {
    tip = tr("The length of a bar is the gate of the word, its mean over layers, dimensions and pieces.");
  }
  if (last_ > 0 && middle_) {
    const QString of = middle_->of == 0 ? tr("this sentence")
                                        : tr("%1 of %2 sentences")
                                              .arg(locale.toString(qlonglong(middle_->sentences)),
                                                   locale.toString(qlonglong(middle_->of)));
    tip += QLatin1Char(' ') +
           tr("Its colour is the distance from the median of words and layers, %1 (%2), full at %3: nine of "
              "ten words lie nearer.")
               .arg(locale.toString(middle_->median, 'f', 3), of, locale.toString(middle_->reach, 'f', 3));
  }
  if (last_ == 0 && surprisal_ > 0) {
    tip =
        tr("The length of a bar says how little the model foresaw the word from those before it: −ln of its "
           "probability, its pieces together. A full bar, %1 nats, is a word that was no more probable than "
           "any other of the vocabulary.")
            .arg(locale.toString(surprisal_, 'f', 1));
  }
  setToolTip(tip);
  update();
}

void GateKey::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Roles roles = roles_of(palette());
  QFont small = font();
  small.setPixelSize(12);
  painter.setFont(small);
  painter.setPen(roles.secondary);
  if (!note_.isEmpty()) {
    painter.drawText(QRectF(rect()).adjusted(kMargin, 0, -8, 0),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, note_);
    return;
  }
  if (last_ == 0 && surprisal_ <= 0) {
    return;
  }
  QFont smallest = font();
  smallest.setPixelSize(11);
  const QFontMetricsF metrics(smallest);
  const bool gates = last_ > 0;
  const QString low = gates ? tr("carries more") : tr("foreseen");
  const QString high = gates ? tr("takes in more") : tr("as if guessed");
  const double wide = std::max(kBar, metrics.horizontalAdvance(low) + 10 + metrics.horizontalAdvance(high));
  const double top = (height() - 48) / 2.0;
  painter.drawText(QRectF(kMargin, top, width() - kMargin, 16), Qt::AlignLeft | Qt::AlignVCenter, title());
  const QRectF bar(kMargin, top + 22, wide, kBarHeight);
  if (gates) {
    QLinearGradient colours(bar.topLeft(), bar.topRight());
    for (const double at : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      colours.setColorAt(at, gate_colour(palette(), 2 * at - 1));
    }
    painter.fillRect(bar, colours);
    painter.fillRect(QRectF(bar.center().x() - 0.75, bar.top() - 2, 1.5, bar.height() + 4), roles.secondary);
  } else {
    painter.fillRect(bar, roles.row);
    painter.fillRect(QRectF(bar.left(), bar.top(), bar.width() / 2, bar.height()), roles.secondary);
    painter.fillRect(QRectF(bar.center().x() - 1.5, bar.top() - 1, 1.5, bar.height() + 2), roles.secondary);
  }
  painter.setFont(smallest);
  const QRectF ends(bar.left(), bar.bottom() + 4, wide, 15);
  painter.drawText(ends, Qt::AlignLeft | Qt::AlignVCenter, low);
  painter.drawText(ends, Qt::AlignRight | Qt::AlignVCenter, high);
  painter.drawText(QRectF(bar.right() + 12, bar.center().y() - 8, width() - bar.right() - 12, 16),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   gates ? median() : tr("0 to %1").arg(QLocale().toString(surprisal_, 'f', 1)));
}

}  // namespace mog::gui
