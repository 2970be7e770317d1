#include "app/gui/window/shortcuts.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QScrollArea>
#include <QSet>
#include <QVBoxLayout>
#include <algorithm>

namespace mog::gui {
namespace {

constexpr int kColumns = 3;

QString plain(QString text) {
  text.remove(QLatin1Char('&'));
  text.remove(QChar(0x2026));
  return text.trimmed();
}

void add_action(const QAction& action, QSet<const QAction*>& known, QList<ShortcutRow>& rows) {
  if (known.contains(&action) || !action.isVisible()) {
    return;
  }
  known.insert(&action);
  if (!action.shortcuts().isEmpty()) {
    rows.push_back({action.shortcuts(), {}, plain(action.text())});
  }
}

// Menus inside menus are of the group of their menu.
void add_menu(const QMenu& menu, QSet<const QAction*>& known, QList<ShortcutRow>& rows) {
  for (const QAction* action : menu.actions()) {
    if (const QMenu* inside = action->menu<QMenu*>()) {
      add_menu(*inside, known, rows);
    } else {
      add_action(*action, known, rows);
    }
  }
}

QWidget* make_group(const ShortcutGroup& group) {
  auto* box = new QWidget;
  auto* grid = new QGridLayout(box);
  grid->setContentsMargins(0, 0, 0, 16);
  grid->setHorizontalSpacing(16);
  grid->setVerticalSpacing(2);
  grid->setColumnStretch(1, 1);
  auto* title = new QLabel(group.title, box);
  QFont bold = title->font();
  bold.setBold(true);
  title->setFont(bold);
  grid->addWidget(title, 0, 0, 1, 2);
  int line = 1;
  for (const ShortcutRow& row : group.rows) {
    auto* meaning = new QLabel(row.meaning, box);
    meaning->setWordWrap(true);
    grid->addWidget(new QLabel(row.text(), box), line, 0, Qt::AlignTop);
    grid->addWidget(meaning, line++, 1);
  }
  return box;
}

}  // namespace

QString ShortcutRow::text() const {
  QStringList parts;
  for (const QKeySequence& key : keys) {
    parts.push_back(key.toString(QKeySequence::NativeText));
  }
  if (!other.isEmpty()) {
    parts.push_back(other);
  }
  return parts.join(QStringLiteral(", "));
}

QList<ShortcutRow> picture_keys() {
  return {{{QKeySequence(Qt::Key_Plus), QKeySequence(Qt::Key_Equal)},
           ShortcutPage::tr("Ctrl+wheel"),
           ShortcutPage::tr("Nearer")},
          {{QKeySequence(Qt::Key_Minus)}, ShortcutPage::tr("Ctrl+wheel"), ShortcutPage::tr("Farther")},
          {{QKeySequence(Qt::Key_Asterisk)},
           ShortcutPage::tr("double click on nothing"),
           ShortcutPage::tr("Fit into the view; a large map: the whole, or readable cells")},
          {{},
           ShortcutPage::tr("Shift+arrows"),
           ShortcutPage::tr("From one thing to the next, as the pointer would")},
          {{}, ShortcutPage::tr("Enter"), ShortcutPage::tr("Click where the arrows have led")}};
}

namespace {

QList<ShortcutRow> graph_keys() {
  return {{{}, ShortcutPage::tr("Up, Down"), ShortcutPage::tr("The join that takes this one in, its query")},
          {{}, ShortcutPage::tr("Left, Right"), ShortcutPage::tr("Its key, on that side")},
          {{}, ShortcutPage::tr("Tab"), ShortcutPage::tr("The next join, in the order of joining")},
          {{}, ShortcutPage::tr("Esc"), ShortcutPage::tr("Let the join go")}};
}

QList<ShortcutRow> strip_keys() {
  return {{{}, ShortcutPage::tr("Home, End"), ShortcutPage::tr("The first word, the last word")},
          {{}, ShortcutPage::tr("Space"), ShortcutPage::tr("Pin the word, or let go")},
          {{},
           ShortcutPage::tr("F2, Enter, double click"),
           ShortcutPage::tr("Edit the sentence; Enter runs it")}};
}

}  // namespace

QList<ShortcutRow> thumbnail_keys() {
  return {{{}, ShortcutPage::tr("arrows"), ShortcutPage::tr("Layer and head")},
          {{}, ShortcutPage::tr("Home, End"), ShortcutPage::tr("The mean, the last head")},
          {{}, ShortcutPage::tr("Space"), ShortcutPage::tr("Head out of the means, or in again")},
          {{}, ShortcutPage::tr("Enter"), ShortcutPage::tr("The head alone in the means, or all again")}};
}

QList<ShortcutGroup> shortcut_groups(const QMainWindow& window) {
  QList<ShortcutGroup> groups;
  QSet<const QAction*> known;
  for (const QAction* action : window.menuBar()->actions()) {
    ShortcutGroup group{plain(action->text()), {}};
    if (const QMenu* menu = action->menu<QMenu*>()) {
      add_menu(*menu, known, group.rows);
    }
    if (!group.rows.isEmpty()) {
      groups.push_back(std::move(group));
    }
  }
  ShortcutGroup elsewhere{ShortcutPage::tr("Elsewhere"), {}};
  for (const QAction* action : window.findChildren<QAction*>()) {
    add_action(*action, known, elsewhere.rows);
  }
  if (!elsewhere.rows.isEmpty()) {
    groups.push_back(std::move(elsewhere));
  }
  ShortcutGroup pictures{ShortcutPage::tr("Pictures, with the focus"), picture_keys()};
  pictures.rows.push_back({{}, ShortcutPage::tr("wheel, drag"), ShortcutPage::tr("Move a zoomed picture")});
  pictures.rows.push_back(
      {{}, ShortcutPage::tr("pointing"), ShortcutPage::tr("The value, and the token in all views")});
  pictures.rows.push_back({{},
                           ShortcutPage::tr("click"),
                           ShortcutPage::tr("Pin the token, choose the map, the graph, the length")});
  pictures.rows.push_back(
      {{}, ShortcutPage::tr("Tab, Shift+Tab"), ShortcutPage::tr("The next control, the one before")});
  groups.push_back(std::move(pictures));
  groups.push_back({ShortcutPage::tr("Graph, with the focus"), graph_keys()});
  groups.push_back({ShortcutPage::tr("Words above, with the focus"), strip_keys()});
  groups.push_back({ShortcutPage::tr("Thumbnails, with the focus"), thumbnail_keys()});
  return groups;
}

ShortcutPage::ShortcutPage(const QMainWindow& window, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Keys"));
  auto* page = new QWidget;
  auto* columns = new QHBoxLayout(page);
  columns->setSpacing(32);
  const QList<ShortcutGroup> groups = shortcut_groups(window);
  qsizetype rows = 0;
  for (const ShortcutGroup& group : groups) {
    rows += group.rows.size() + 2;
  }
  // Groups stay whole; one that would stand for the most part beyond its column's share begins the next.
  QVBoxLayout* column = nullptr;
  qsizetype filled = 0;
  int made = 0;
  for (const ShortcutGroup& group : groups) {
    const qsizetype size = group.rows.size() + 2;
    if (column == nullptr || (made < kColumns && (filled + size / 2) * kColumns >= rows * made)) {
      if (column != nullptr) {
        column->addStretch(1);
      }
      column = new QVBoxLayout;
      column->setSpacing(0);
      columns->addLayout(column, 1);
      ++made;
    }
    column->addWidget(make_group(group));
    filled += size;
  }
  if (column != nullptr) {
    column->addStretch(1);
  }
  auto* area = new QScrollArea(this);
  area->setWidget(page);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setAccessibleName(tr("Keys"));
  area->setFocusPolicy(Qt::StrongFocus);
  auto* whole = new QVBoxLayout(this);
  whole->addWidget(area, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  whole->addWidget(buttons);
  const QSize wanted = page->sizeHint() + QSize(48, 80);
  const QSize most = window.size().boundedTo(QSize(1200, 900)) - QSize(32, 32);
  resize(std::min(wanted.width(), std::max(640, most.width())), std::min(wanted.height(), most.height()));
}

}  // namespace mog::gui
