#include "app/gui/window/status_line.h"

#include <QLabel>
#include <QStatusBar>
#include <QTimer>

namespace mog::gui {

StatusLine::StatusLine(QStatusBar& bar) : bar_(bar), readout_(new QLabel(&bar)) {
  readout_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  readout_->setAccessibleDescription(tr("Read-out"));
  readout_->setMinimumWidth(1);
  bar_.addWidget(readout_, 1);
}

QString StatusLine::readout() const {
  return readout_->text();
}

void StatusLine::setReadout(const QString& text) {
  readout_->setText(text);
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
