// How the first page is laid out; what it says is in start_view.cpp.
#include <QHBoxLayout>
#include <QKeySequence>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "app/gui/views/start/question_card.h"
#include "app/gui/views/start/start_notes.h"
#include "app/gui/views/start/start_view.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/theme.h"
#include "app/gui/widgets/wrapping_layout.h"

namespace mog::gui {
namespace {

void set_type(QLabel& label, int pixels, QFont::Weight weight) {
  QFont type = label.font();
  type.setPixelSize(pixels);
  type.setWeight(weight);
  label.setFont(type);
  label.setWordWrap(true);
}

QLabel* make_label(const QString& text, int pixels, QFont::Weight weight, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  set_type(*label, pixels, weight);
  return label;
}

}  // namespace

QWidget* StartView::buildQuestions() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(48, 32, 48, 24);
  column->setSpacing(16);
  auto* title = make_label(tr("What did this word collect?"), 32, QFont::DemiBold, page);
  text_ = make_label({}, 15, QFont::Normal, page);
  column->addWidget(title);
  column->addWidget(text_);
  column->addSpacing(16);
  for (QuestionCard* card : {collected_, looks_, lengths_}) {
    column->addWidget(card);
  }
  column->addSpacing(8);
  column->addWidget(buildOwn());
  column->addStretch(1);
  page->setMaximumWidth(720);
  return page;
}

QWidget* StartView::buildOwn() {
  auto* own = new QWidget;
  auto* column = new QVBoxLayout(own);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(12);
  column->addWidget(make_label(tr("Or start from your own"), 15, QFont::DemiBold, own));
  line_->setPlaceholderText(tr("Type a sentence and press Enter"));
  line_->setAccessibleName(tr("A sentence of your own"));
  line_->setMinimumHeight(44);
  QFont type = line_->font();
  type.setPixelSize(15);
  line_->setFont(type);
  line_->setTextMargins(8, 0, 8, 0);
  column->addWidget(line_);
  auto* buttons = new WrappingLayout(8);
  for (QPushButton* button : {open_, record_}) {
    button->setAccessibleName(button->text());
  }
  for (QPushButton* button : {open_, record_, tour_}) {
    button->setMinimumHeight(32);
    buttons->addWidget(button);
  }
  column->addLayout(buttons);
  note_ = make_label(tr("Opens Graph-Transformers, BERT-like encoders, GPT-2, Llama and their kin, T5, GRU, "
                        "LSTM. Nothing leaves this machine."),
                     12, QFont::Normal, own);
  column->addWidget(note_);
  return own;
}

// Where there is little room, the keys stand in the tool tips alone, and the margins are narrower.
void StartView::fitQuestions() {
  const bool wide = width() >= kKeysFrom;
  const bool beside = width() >= kPictureFrom;
  const auto say = [wide](QPushButton& button, const QKeySequence& keys) {
    const QString key = keys.toString(QKeySequence::NativeText);
    button.setText(wide ? button.accessibleName() + QStringLiteral("  ") + key : button.accessibleName());
    button.setToolTip(key);
  };
  say(*open_, QKeySequence(Qt::CTRL | Qt::Key_O));
  say(*record_, QKeySequence(Qt::CTRL | Qt::Key_B));
  const int side = wide ? 48 : 24;
  questions_->widget()->layout()->setContentsMargins(side, 32, side, 24);
  questions_->setHorizontalScrollBarPolicy(beside ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
  questions_->setMinimumWidth(beside ? questions_->widget()->minimumSizeHint().width() +
                                           questions_->verticalScrollBar()->sizeHint().width()
                                     : 0);
}

QWidget* StartView::buildPicture() {
  auto* half = new QWidget(this);
  auto* column = new QVBoxLayout(half);
  column->setContentsMargins(33, 33, 41, 33);
  column->setSpacing(12);
  column->addWidget(picture_, 1);
  column->addWidget(notes_);
  set_type(*caption_, 12, QFont::Normal);
  column->addWidget(caption_);
  picture_->setAccessibleName(tr("Graph of the first question"));
  return half;
}

// What explains is quieter than what is chosen; icons have the colour of the text.
void StartView::paintQuiet() {
  QPalette quiet = palette();
  quiet.setColor(QPalette::WindowText, quiet_text(quiet));
  for (QLabel* label : {text_, note_, caption_}) {
    label->setPalette(quiet);
  }
  open_->setIcon(icon(Icon::model, palette()));
  record_->setIcon(icon(Icon::recording, palette()));
  tour_->setIcon(icon(Icon::next, palette()));
}

void StartView::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Roles roles = roles_of(palette());
  painter.fillRect(rect(), roles.surface);
  if (right_->isVisible()) {
    painter.setPen(roles.border);
    painter.setBrush(roles.surface);
    painter.drawRoundedRect(QRectF(right_->geometry()).adjusted(16.5, 16.5, -24.5, -16.5), 12, 12);
  }
}

}  // namespace mog::gui
