#include "app/gui/widgets/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "app/gui/widgets/accessibility.h"

namespace mog::gui {

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent),
      icon_(new QLabel(this)),
      text_(new QLabel(this)),
      button_(new QPushButton(this)),
      more_(new QToolButton(this)),
      close_(new QToolButton(this)) {
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::AlternateBase);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 4, 4, 4);
  row->addWidget(icon_, 0, Qt::AlignTop);
  row->addWidget(text_, 1);
  row->addWidget(button_, 0, Qt::AlignTop);
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
  more_->setAutoRaise(true);
  more_->setToolTip(tr("Close all messages"));
  more_->setAccessibleName(tr("Close all messages"));
  connect(more_, &QToolButton::clicked, this, [this] {
    waiting_.clear();
    showLast();
  });
  connect(close_, &QToolButton::clicked, this, [this] {
    waiting_.pop_back();
    showLast();
  });
  connect(button_, &QPushButton::clicked, this, [this] {
    const auto run = waiting_.back().run;
    waiting_.pop_back();
    showLast();
    run();
  });
  hide();
}

void MessageBar::add(const QString& message) {
  push({message, {}, {}, {}});
}

void MessageBar::offer(const QString& message, const QString& button, std::function<void()> run,
                       const QString& key) {
  push({message, button, std::move(run), key});
}

void MessageBar::push(Message message) {
  if (waiting_.empty() || waiting_.back().text != message.text ||
      waiting_.back().key != message.key) {  // said once more, it stands there once
    waiting_.push_back(std::move(message));
  }
  showLast();
  announce(*this);
}

void MessageBar::takeBack(const QString& key) {
  waiting_.erase(
      std::remove_if(waiting_.begin(), waiting_.end(),
                     [&key](const Message& one) { return !one.button.isEmpty() && one.key == key; }),
      waiting_.end());
  showLast();
}

QString MessageBar::shown() const {
  return waiting_.empty() ? QString() : waiting_.back().text;
}

QStringList MessageBar::all() const {
  QStringList texts;
  for (const Message& one : waiting_) {
    texts << one.text;
  }
  return texts;
}

void MessageBar::showLast() {
  if (!waiting_.empty()) {
    const bool offers = !waiting_.back().button.isEmpty();
    const int side = style()->pixelMetric(QStyle::PM_SmallIconSize);
    icon_->setPixmap(
        style()
            ->standardIcon(offers ? QStyle::SP_MessageBoxInformation : QStyle::SP_MessageBoxWarning)
            .pixmap(side, side));
    button_->setText(waiting_.back().button);
    button_->setVisible(offers);
    // Very long messages (a list of tensors) keep their beginning; the tool tip has the rest.
    const QString& message = waiting_.back().text;
    text_->setText(message.size() > 600 ? message.left(600) + QChar(0x2026) : message);
    text_->setToolTip(message.size() > 600 ? message : QString());
    const auto more = static_cast<int>(waiting_.size()) - 1;
    more_->setText(tr("%n more: close all", nullptr, more));
    more_->setVisible(more > 0);
    setAccessibleName(text_->text());
  }
  setVisible(!waiting_.empty());
}

}  // namespace mog::gui
