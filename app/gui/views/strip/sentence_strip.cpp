#include "app/gui/views/strip/sentence_strip.h"

#include <QFocusEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {
constexpr int kArrowsFrom = 140;  // narrower pagers are numbers alone
const QString kSlot = QStringLiteral("strip");
const QString kMiddleSlot = QStringLiteral("strip.median");

void make_quiet(QWidget& widget) {
  QPalette palette = widget.parentWidget()->palette();
  palette.setColor(QPalette::WindowText, quiet_text(palette));
  widget.setPalette(palette);
}

}  // namespace

SentenceStrip::SentenceStrip(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      pager_(new QWidget(this)),
      previous_(new QToolButton(pager_)),
      next_(new QToolButton(pager_)),
      page_(new QLabel(pager_)),
      scroll_(new QScrollArea(this)),
      line_(new StripLine(context.selection)),
      empty_(new QLabel(this)),
      editor_(new QLineEdit(this)),
      key_(new GateKey(this)) {
  buildPager();
  buildWords();
  soon_.setSingleShot(true);
  soon_.setInterval(0);
  connectAll();
  setFixedHeight(kStripHeight);
  showNothing();
  ask();
}

void SentenceStrip::buildPager() {
  auto* row = new QHBoxLayout(pager_);
  row->setContentsMargins(10, 0, 10, 0);
  row->addWidget(previous_);
  row->addWidget(page_, 1);
  row->addWidget(next_);
  QFont bold = font();
  bold.setPixelSize(13);
  bold.setWeight(QFont::DemiBold);
  page_->setFont(bold);
  page_->setAlignment(Qt::AlignCenter);
  for (QToolButton* button : {previous_, next_}) {
    button->setAutoRaise(true);
    button->setFixedSize(28, 28);
    button->setIconSize({16, 16});
  }
  drawArrows();
  previous_->setToolTip(tr("Previous sentence (Page Up)"));
  next_->setToolTip(tr("Next sentence (Page Down)"));
  previous_->setAccessibleName(tr("Previous sentence"));
  next_->setAccessibleName(tr("Next sentence"));
}

void SentenceStrip::drawArrows() {
  previous_->setIcon(icon(Icon::previous, palette()));
  next_->setIcon(icon(Icon::next, palette()));
}

void SentenceStrip::buildWords() {
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->setWidget(line_);
  setFocusProxy(line_);
  empty_->setWordWrap(true);
  empty_->setContentsMargins(16, 0, 16, 0);
  make_quiet(*empty_);
  editor_->hide();
  editor_->setAccessibleName(tr("The sentence, to change it"));
  editor_->setToolTip(tr("Enter runs the changed sentence, Esc leaves it as it is"));
  QFont type = font();
  type.setPixelSize(15);
  editor_->setFont(type);
  editor_->installEventFilter(this);
}

void SentenceStrip::connectAll() {
  connect(&soon_, &QTimer::timeout, this, &SentenceStrip::refresh);
  connect(previous_, &QToolButton::clicked, this, [this] { Q_EMIT stepAsked(-1); });
  connect(next_, &QToolButton::clicked, this, [this] { Q_EMIT stepAsked(1); });
  connect(line_, &StripLine::stepAsked, this, &SentenceStrip::stepAsked);
  connect(line_, &StripLine::editAsked, this, &SentenceStrip::edit);
  connect(line_, &StripLine::pinnedMoved, this, &SentenceStrip::seePinned);
  // A scroll area shows the middle of what takes the focus: the words stay where they are.
  connect(line_, &StripLine::focused, this, [this] {
    QTimer::singleShot(0, this, [this, at = scroll_->verticalScrollBar()->value()] {
      scroll_->verticalScrollBar()->setValue(at);
      seePinned();
    });
  });
  connect(editor_, &QLineEdit::returnPressed, this, [this] { endEditing(true); });
  connect(&context_.selection, &SelectionModel::sentenceChanged, this, &SentenceStrip::ask);
  const Workspace& workspace = context_.workspace;
  connect(&workspace, &Workspace::itemAdded, this, &SentenceStrip::ask);
  connect(&workspace, &Workspace::itemChanged, this, &SentenceStrip::ask);
  connect(&workspace, &Workspace::itemRemoved, this, &SentenceStrip::ask);
  connect(&workspace, &Workspace::modelChanged, this, &SentenceStrip::ask);
  connect(&workspace, &Workspace::allRemoved, this, &SentenceStrip::ask);
  connect(&workspace, &Workspace::runningChanged, this, [this] {
    updateNote();
    if (!shown_.valid()) {
      showNothing();
    }
  });
}

void SentenceStrip::setPieces(bool pieces) {
  pieces_ = pieces;
  ask();
}

void SentenceStrip::setPagerWidth(int width) {
  pager_width_ = width;
  place();
}

void SentenceStrip::setKeyWidth(int width) {
  key_width_ = width;
  place();
}

void SentenceStrip::setGraphWords(std::vector<std::int64_t> tokens) {
  line_->setGraphWords(std::move(tokens));
}

void SentenceStrip::ask() {
  soon_.start();
}

void SentenceStrip::refresh() {
  updateNote();
  updatePage();
  const WorkspaceItem* item = context_.workspace.selectedItem();
  const SentenceRef of = context_.selection.sentence();
  if (item == nullptr || of.index < 0 || of.index >= item->source->size()) {
    context_.jobs.cancelSlot(kSlot);
    showNothing();
    return;
  }
  context_.jobs.start(
      {.title = [] { return tr("Reading a sentence"); }, .slot = kSlot, .quiet = true}, this,
      [source = item->source, index = of.index, pieces = pieces_](const JobContext&) {
        return read_strip_sentence(*source, index, pieces);
      },
      [this, of](StripSentence sentence) { showSentence(std::move(sentence), of); },
      [this](const QString& message) {
        showNothing();
        empty_->setText(tr("The sentence cannot be shown: %1").arg(message));
      });
  readMiddle(item->source, of.index);
}

void SentenceStrip::readMiddle(const std::shared_ptr<const RecordingSource>& source, std::int64_t index) {
  const std::int64_t own = analysis::parts_at_own_median(*source) ? index : -1;
  if (middle_of_.lock() == source && middle_index_ == own) {
    return;
  }
  middle_of_ = source;
  middle_index_ = own;
  // A list that has grown keeps its colours until it is read again.
  if (const int item = context_.selection.sentence().item; item != middle_item_) {
    middle_item_ = item;
    line_->setMiddle(std::nullopt);
    key_->setMiddle(std::nullopt);
  }
  context_.jobs.start(
      {.title = [] { return tr("Reading the gates of a recording"); },
       .slot = kMiddleSlot,
       .quiet = true,
       .background = true},
      this,
      [source, index](const JobContext& job) { return analysis::gate_middle(*source, index, job.stop()); },
      [this](const std::optional<analysis::GateMiddle>& middle) {
        line_->setMiddle(middle);
        key_->setMiddle(middle);
      },
      [this](const QString& message) {
        middle_of_.reset();
        line_->setMiddle(std::nullopt);
        key_->setMiddle(std::nullopt);
        context_.workspace.report(message);
      });
}

void SentenceStrip::showSentence(StripSentence sentence, SentenceRef of) {
  if (of != shown_) {
    endEditing(false);
  }
  shown_ = of;
  const int steps = std::exchange(steps_, 0);
  key_->setLayers(sentence.first_layer, sentence.last_layer);
  key_->setSurprisal(sentence.guessed);
  line_->setSentence(std::move(sentence));
  empty_->hide();
  scroll_->show();
  place();
  seePinned();
  for (int i = 0; i < std::abs(steps); ++i) {
    line_->step(steps > 0 ? 1 : -1);
  }
}

void SentenceStrip::stepWord(int by) {
  if (shown_ == context_.selection.sentence()) {
    line_->step(by);
  } else {
    steps_ += by;
  }
}

void SentenceStrip::showNothing() {
  endEditing(false);
  shown_ = {};
  key_->setLayers(0, 0);
  key_->setSurprisal(0);
  line_->setSentence({});
  const Workspace& workspace = context_.workspace;
  QString text;
  if (workspace.isRunning()) {
    text = tr("The model runs…");
  } else if (workspace.isOpening()) {
    text = tr("Opening…");
  } else if (!workspace.items().empty()) {
    text = tr("Choose a sentence in the rail: it stands here whole, with its gates.");
  } else if (workspace.currentModel() != nullptr) {
    text = tr("Type a sentence (Ctrl+L): it stands here whole, with its gates.");
  } else {
    text = tr("Open a model or a recording (Ctrl+O): its sentence stands here whole, with its gates.");
  }
  empty_->setText(text);
  empty_->show();
  scroll_->hide();
  place();
}

QString SentenceStrip::emptyText() const {
  return empty_->isHidden() ? QString() : empty_->text();
}

// A sentence is shown while the next one runs.
void SentenceStrip::updateNote() {
  key_->setNote(context_.workspace.isRunning() && shown_.valid() ? tr("The model runs…") : QString());
}

QString SentenceStrip::page() const {
  return page_->text();
}

void SentenceStrip::updatePage() {
  const WorkspaceItem* item = context_.workspace.selectedItem();
  const std::int64_t index = context_.selection.sentence().index;
  const std::int64_t all = item == nullptr ? 0 : item->source->size();
  const QLocale locale;
  const bool narrow = pager_width_ < kArrowsFrom;
  const bool any = all > 0 && index >= 0;
  const QString here = locale.toString(qlonglong{index} + 1);
  const QString of = locale.toString(qlonglong(all));
  page_->setText(!any                           ? QString()
                 : !narrow                      ? tr("%1 / %2").arg(here, of)
                 : here.size() + of.size() <= 4 ? here + QLatin1Char('/') + of
                                                : here + QStringLiteral("/\n") + of);
  page_->setAccessibleName(any ? tr("Sentence %1 of %2").arg(here, of) : QString());
  page_->setToolTip(page_->accessibleName());
  previous_->setEnabled(any && index > 0);
  next_->setEnabled(any && index + 1 < all);
  for (QToolButton* button : {previous_, next_}) {
    button->setVisible(any && !narrow);
  }
  pager_->layout()->setContentsMargins(narrow ? 2 : 10, 0, narrow ? 2 : 10, 0);
}

// The height follows from the lines, the lines from the width that is left.
void SentenceStrip::place() {
  updatePage();
  const int key = key_width_ > 0 && (key_->note().size() > 0 || line_->sentence().bars()) ? key_width_ : 0;
  const QRect middle(pager_width_ + 1, 0, std::max(0, width() - pager_width_ - 1 - key), 0);
  const int bar = scroll_->verticalScrollBar()->sizeHint().width();
  line_->layOut(middle.width());
  if (line_->height() >= kTallStripHeight) {
    line_->layOut(middle.width() - bar);  // it scrolls
  }
  setFixedHeight(line_->places().lines > 2 && shown_.valid() ? kTallStripHeight : kStripHeight);
  const int inside = height() - 1;  // a line below
  pager_->setGeometry(0, 0, pager_width_, inside);
  scroll_->setGeometry(middle.x(), 0, middle.width(), inside);
  empty_->setGeometry(middle.x(), 0, middle.width(), inside);
  editor_->setGeometry(middle.x() + 8, (inside - 36) / 2, std::max(0, middle.width() - 16), 36);
  key_->setGeometry(width() - key_width_, 0, key_width_, inside);
  key_->setVisible(key > 0);
  update();
  Q_EMIT placesChanged();
}

void SentenceStrip::seePinned() {
  if (const StripPiece* piece = line_->places().pieceOf(line_->pinned())) {
    const QPointF middle = piece->box.center();
    scroll_->ensureVisible(static_cast<int>(middle.x()), static_cast<int>(middle.y()), 0, 28);
  }
}

std::optional<QPointF> SentenceStrip::footOf(std::int64_t token) const {
  const StripPiece* piece = line_->places().pieceOf(line_->sentence().wordOf(token));
  if (piece == nullptr || line_->places().lines != 1) {
    return std::nullopt;
  }
  const QPointF foot(piece->box.center().x(),
                     piece->bar.isEmpty() ? piece->box.bottom() : piece->bar.bottom());
  return foot + line_->mapTo(this, QPoint(0, 0));
}

void SentenceStrip::edit() {
  if (!shown_.valid() || isEditing()) {
    return;
  }
  editor_->setText(line_->sentence().text);
  scroll_->hide();
  editor_->show();
  place();
  editor_->setFocus(Qt::OtherFocusReason);
  editor_->setCursorPosition(0);
  editor_->selectAll();
}

bool SentenceStrip::isEditing() const {
  return !editor_->isHidden();
}

void SentenceStrip::endEditing(bool run) {
  if (!isEditing() || ending_) {
    return;
  }
  ending_ = true;
  const bool focused = editor_->hasFocus();
  const QString text = editor_->text().trimmed();
  const bool changed = !text.isEmpty() && text != line_->sentence().text.trimmed();
  scroll_->show();
  editor_->hide();
  if (focused) {
    line_->setFocus(Qt::OtherFocusReason);
  }
  ending_ = false;
  if (run && changed) {
    Q_EMIT edited(text);
  }
  if (run) {
    Q_EMIT entered();
  }
}

bool SentenceStrip::eventFilter(QObject* watched, QEvent* event) {
  if (watched == editor_) {
    if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
      if (static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        if (event->type() == QEvent::KeyPress) {
          endEditing(false);
        }
        return true;
      }
    } else if (event->type() == QEvent::FocusOut) {
      const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
      if (reason == Qt::MouseFocusReason || reason == Qt::TabFocusReason ||
          reason == Qt::BacktabFocusReason) {
        endEditing(false);
      }
    }
  }
  return QWidget::eventFilter(watched, event);
}

void SentenceStrip::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  place();
}

void SentenceStrip::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) {
    make_quiet(*empty_);
    drawArrows();
  } else if (event->type() == QEvent::FontChange) {
    place();
  }
}

void SentenceStrip::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Roles roles = roles_of(palette());
  painter.fillRect(rect(), roles.surface);
  painter.fillRect(QRect(pager_width_, 0, 1, height()), roles.border);
  painter.fillRect(QRect(0, height() - 1, width(), 1), roles.border);
}

}  // namespace mog::gui
