#include "app/gui/window/palette.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QScreen>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/theme.h"
#include "app/gui/window/palette_model.h"

namespace mog::gui {
namespace {
constexpr qsizetype kRemembered = 8;
constexpr int kLine = 40;
}  // namespace

CommandPalette::CommandPalette(QWidget* parent)
    : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint),
      line_(new QLineEdit(this)),
      list_(new QListView(this)),
      nothing_(new QLabel(tr("Nothing of that name: fewer or other words find more."), this)),
      model_(new PaletteModel(this)) {
  setWindowTitle(tr("Find or run"));
  setAccessibleName(windowTitle());
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 8, 8, 8);
  column->setSpacing(6);
  line_->setPlaceholderText(tr("Find or run: actions, views, quantities, figures, sentences"));
  line_->setAccessibleName(tr("Find or run"));
  line_->setClearButtonEnabled(true);
  name_clear_button(*line_);
  line_->setFixedHeight(kLine);
  line_->setTextMargins(8, 0, 4, 0);
  QFont type = font();
  type.setPixelSize(15);
  line_->setFont(type);
  list_->setModel(model_);
  list_->setItemDelegate(new PaletteDelegate(list_));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setFocusPolicy(Qt::NoFocus);  // the line keeps it
  list_->setMouseTracking(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list_->setAccessibleName(tr("What was found"));
  nothing_->setWordWrap(true);
  nothing_->setContentsMargins(12, 8, 12, 8);
  nothing_->hide();
  column->addWidget(line_);
  column->addWidget(nothing_);
  column->addWidget(list_, 1);
  line_->installEventFilter(this);
  connect(line_, &QLineEdit::textChanged, this, &CommandPalette::match);
  connect(list_, &QListView::clicked, this, [this](const QModelIndex& index) { run(index.row()); });
}

void CommandPalette::addProvider(Provider provider) {
  providers_.push_back(std::move(provider));
}

// Rows of the model point into the list: it is matched again whenever that grows.
void CommandPalette::append(std::vector<PaletteRow> rows) {
  if (!isVisible()) {
    return;  // of a job that ends after the palette
  }
  model_->show({}, {}, {});
  std::move(rows.begin(), rows.end(), std::back_inserter(all_));
  match();
}

void CommandPalette::setRecent(const QStringList& names) {
  recent_ = names;
}

void CommandPalette::openOver(const QWidget& window, int top) {
  model_->show({}, {}, {});
  all_.clear();
  for (const Provider& provider : providers_) {
    for (PaletteEntry& entry : provider()) {
      all_.push_back(palette_row(std::move(entry)));
    }
  }
  line_->clear();
  match();
  const int wide = std::min(kWidth, window.width() - 16);
  setFixedWidth(wide);
  fitHeight();
  move(window.mapToGlobal(QPoint((window.width() - wide) / 2, top)));
  show();
  line_->setFocus(Qt::PopupFocusReason);
  Q_EMIT opened();
}

void CommandPalette::match() {
  model_->show(all_, line_->text(), recent_);
  const bool any = model_->firstEntry() >= 0;
  nothing_->setVisible(!any && !all_.empty());
  list_->setVisible(any);
  list_->scrollToTop();
  choose(model_->firstEntry());
  fitHeight();
}

// As high as its rows, up to twelve.
void CommandPalette::fitHeight() {
  int rows = 0;
  for (int row = 0; row < model_->rowCount() && rows < kRows * PaletteModel::kRowHeight; ++row) {
    rows += list_->sizeHintForRow(row);
  }
  const int below = model_->rowCount() > 0 ? std::min(rows, kRows * PaletteModel::kRowHeight) + 2
                    : all_.empty()         ? 0
                                           : nothing_->sizeHint().height();
  setFixedHeight(8 + kLine + (below > 0 ? 6 : 0) + below + 8);
}

void CommandPalette::choose(int row) {
  const QModelIndex index = model_->index(row, 0);
  list_->setCurrentIndex(index);
  list_->scrollTo(index);
  if (row > 0 && model_->next(row, -1) == row) {
    list_->scrollToTop();  // with the name of its group
  }
  if (isVisible() && row >= 0) {
    QAccessibleEvent moved(list_, QAccessible::Focus);
    moved.setChild(row);
    QAccessible::updateAccessibility(&moved);
  }
}

void CommandPalette::run(int row) {
  const PaletteEntry* const entry = model_->entry(row);
  if (entry == nullptr || !entry->enabled || !entry->run) {
    return;
  }
  const std::function<void()> todo = entry->run;
  recent_.removeAll(entry->name());
  recent_.prepend(entry->name());
  recent_ = recent_.mid(0, kRemembered);
  hide();
  Q_EMIT recentChanged(recent_);
  todo();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched != line_ || (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)) {
    return QDialog::eventFilter(watched, event);
  }
  const int key = static_cast<QKeyEvent*>(event)->key();
  const bool acts = event->type() == QEvent::KeyPress;
  const int row = list_->currentIndex().row();
  int by = 0;
  switch (key) {
    case Qt::Key_Up:
    case Qt::Key_Down:
      by = 1;
      break;
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
      by = kRows - 2;
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      break;
    default:
      return QDialog::eventFilter(watched, event);
  }
  event->accept();
  if (acts && by == 0) {
    run(row);
  }
  for (int at = row; acts && by > 0; --by) {
    at = model_->next(at, key == Qt::Key_Up || key == Qt::Key_PageUp ? -1 : 1);
    if (by == 1) {
      choose(at);
    }
  }
  return true;
}

void CommandPalette::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Roles roles = roles_of(palette());
  painter.fillRect(rect(), roles.surface);
  painter.setPen(roles.border);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

}  // namespace mog::gui
