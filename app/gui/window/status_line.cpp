#include "app/gui/window/status_line.h"

#include <QEvent>
#include <QLabel>
#include <QStatusBar>
#include <QTimer>

namespace mog::gui {

StatusLine::StatusLine(QStatusBar& bar) : bar_(bar), readout_(new QLabel(&bar)) {
  readout_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  readout_->setAccessibleDescription(tr("Read-out"));
  readout_->setMinimumWidth(1);
  readout_->setTextFormat(Qt::PlainText);  // "<s>" is a token
  readout_->installEventFilter(this);
  bar_.addWidget(readout_, 1);
}

QString StatusLine::readout() const {
  return text_;
}

void StatusLine::setReadout(const QString& text) {
  text_ = text;
  readout_->setToolTip(text.toHtmlEscaped());
  readout_->setAccessibleName(text);
  fit();
}

void StatusLine::fit() {
  readout_->setText(readout_->fontMetrics().elidedText(text_, Qt::ElideRight, readout_->width()));
}

bool StatusLine::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) {
    fit();
  }
  return QObject::eventFilter(watched, event);
}

// Goes by itself: it is about the moment, not about what is shown.
void StatusLine::say(const QString& text) {
  constexpr int kSaidMs = 8000;
  setReadout(text);
  QTimer::singleShot(kSaidMs, this, [this, text] {
    if (readout() == text) {
      setReadout({});
    }
  });
}

void StatusLine::announce(const QString& text, int duration_ms) {
  bar_.showMessage(text, duration_ms);
}

}  // namespace mog::gui
