#include "app/gui/widgets/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QToolButton>

#include "app/gui/widgets/accessibility.h"

namespace mog::gui {

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), text_(new QLabel(this)), more_(new QLabel(this)), close_(new QToolButton(this)) {
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::AlternateBase);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 4, 4, 4);
  auto* icon = new QLabel(this);
  const int side = style()->pixelMetric(QStyle::PM_SmallIconSize);
  icon->setPixmap(style()->standardIcon(QStyle::SP_MessageBoxWarning).pixmap(side, side));
  row->addWidget(icon, 0, Qt::AlignTop);
  row->addWidget(text_, 1);
  row->addWidget(more_, 0, Qt::AlignTop);
  row->addWidget(close_, 0, Qt::AlignTop);
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  text_->setAccessibleDescription(tr("Message"));
  close_->setText(QStringLiteral("✕"));
  close_->setAutoRaise(true);
  close_->setToolTip(tr("Close this message"));
  close_->setAccessibleName(tr("Close this message"));
  connect(close_, &QToolButton::clicked, this, [this] {
    waiting_.pop_back();
    showLast();
  });
  hide();
}

void MessageBar::add(const QString& message) {
  if (waiting_.isEmpty() || waiting_.back() != message) {  // said once more, it stands there once
    waiting_.push_back(message);
  }
  showLast();
  announce(*this);
}

QString MessageBar::shown() const {
  return waiting_.isEmpty() ? QString() : waiting_.back();
}

void MessageBar::showLast() {
  if (!waiting_.isEmpty()) {
    // Very long messages (a list of tensors) keep their beginning; the tool tip has the rest.
    const QString& message = waiting_.back();
    text_->setText(message.size() > 600 ? message.left(600) + QChar(0x2026) : message);
    text_->setToolTip(message.size() > 600 ? message : QString());
    const auto more = static_cast<int>(waiting_.size()) - 1;
    more_->setText(more > 0 ? tr("%n more", nullptr, more) : QString());
    setAccessibleName(text_->text());
  }
  setVisible(!waiting_.isEmpty());
}

}  // namespace mog::gui
