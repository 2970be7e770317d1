// Arrangements are made for the size that the window has: on a small screen docks share a place as tabs, on
// a large one they stand beside each other.
#include "app/gui/window/layouts.h"

#include <QChildEvent>
#include <QDockWidget>
#include <QLayout>
#include <QMainWindow>
#include <QSettings>
#include <QTabBar>
#include <QWindow>
#include <algorithm>
#include <utility>
#include <vector>

#include "app/gui/views/view_kind.h"

namespace mog::gui {
namespace {

constexpr int kVersion = 5;        // of QMainWindow's state
constexpr int kColumnWidth = 620;  // what a picture with its tools wants
const QString kSettings = QStringLiteral("layouts/");
const QString kSettingsCurrent = QStringLiteral("layout");

// What a layout is besides its docks, which say themselves where it has them (ViewKind::places).
struct Arrangement {
  QString name;
  int height_percent = 42;  // of the window, below the maps of attention
  bool keeps_all = false;   // docks that it does not name stand behind the last column, else are hidden
};

const std::vector<Arrangement>& arrangements() {
  static const std::vector<Arrangement> all = {{QStringLiteral("look"), 42, true},
                                               {QStringLiteral("count"), 60, false},
                                               {QStringLiteral("compare"), 56, false},
                                               {QStringLiteral("syntax"), 58, false}};
  return all;
}

const Arrangement& find(const QString& name) {
  const auto at = std::find_if(arrangements().begin(), arrangements().end(),
                               [&name](const Arrangement& one) { return one.name == name; });
  return at == arrangements().end() ? arrangements().front() : *at;
}

int side_width(int window) {
  return std::clamp(window / 4, 260, 420);
}

// As many columns at the bottom as have room; what is beyond joins the last.
std::vector<QStringList> fitted(const std::vector<QStringList>& columns, int width, bool two_at_least) {
  const int room = std::max((width - side_width(width)) / kColumnWidth, two_at_least ? 2 : 1);
  std::vector<QStringList> result;
  for (std::size_t i = 1; i < columns.size(); ++i) {
    const QStringList& column = columns[i];
    if (static_cast<int>(result.size()) < room) {
      result.push_back(column);
    } else {
      result.back() += column;
    }
  }
  return result;
}

// At its end, QMainWindow::restoreState (6.4) shows the tab bars of its set of used ones; showing one runs a
// layout pass that is due, and that pass replaces the set under the loop. So no pass until all are shown.
bool take_state(QMainWindow& window, const QByteArray& state) {
  QLayout& layout = *window.layout();
  layout.setEnabled(false);
  const bool taken = window.restoreState(state, kVersion);
  layout.setEnabled(true);
  layout.invalidate();
  layout.activate();
  return taken;
}

}  // namespace

QStringList LayoutKeeper::names() {
  QStringList result;
  for (const Arrangement& one : arrangements()) {
    result.push_back(one.name);
  }
  return result;
}

QString LayoutKeeper::title(const QString& name) {
  if (name == QLatin1String("count")) {
    return tr("&Count");
  }
  if (name == QLatin1String("compare")) {
    return tr("Co&mpare");
  }
  return name == QLatin1String("syntax") ? tr("&Syntax") : tr("&Look");
}

QString LayoutKeeper::description(const QString& name) {
  if (name == QLatin1String("count")) {
    return tr("Weight by length and layer and the figures of whole recordings have the room");
  }
  if (name == QLatin1String("compare")) {
    return tr("Two sentences, models or runs side by side, with the interventions beside them");
  }
  if (name == QLatin1String("syntax")) {
    return tr("Graphs, forests and expected joins of a sentence have the room");
  }
  return tr("One sentence: maps above, graphs and gates below, everything else as tabs");
}

Setting LayoutKeeper::setting() {
  return {.name = setting::kLayout,
          .initial = names().front().toStdString(),
          .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "layout"),
          .choices = names()};
}

// Docks by object name. The first of a column is in front, the others are tabs behind it.
std::vector<QStringList> LayoutKeeper::columnsOf(const QString& layout) const {
  std::vector<std::pair<ViewPlace, const char*>> placed;
  for (const ViewKind* const kind : kinds_) {
    for (const ViewPlace& place : kind->places) {
      if (layout == QLatin1String(place.layout)) {
        placed.emplace_back(place, kind->name);
      }
    }
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& left, const auto& right) { return left.first.place < right.first.place; });
  std::vector<QStringList> columns(1);
  for (const auto& [place, name] : placed) {
    columns.resize(std::max(columns.size(), static_cast<std::size_t>(place.column) + 1));
    columns[static_cast<std::size_t>(place.column)].push_back(QString::fromLatin1(name));
  }
  return columns;
}

LayoutKeeper::LayoutKeeper(QMainWindow& window, std::span<const ViewKind* const> kinds, ViewState& state,
                           QSettings& settings, QObject* parent)
    : QObject(parent), window_(window), kinds_(kinds), state_(state), settings_(settings) {
  for (const QString& name : names()) {
    const QByteArray kept = settings_.value(kSettings + name).toByteArray();
    if (!kept.isEmpty()) {
      arrangements_[name] = kept;
    }
  }
  const QString last = settings_.value(kSettingsCurrent).toString();
  if (names().contains(last)) {
    state_.restore({{setting::kLayout.toStdString(), last.toStdString()}});
  }
  connect(&state_, &ViewState::changed, this, [this](const QString& name) {
    if (name == setting::kLayout) {
      keep();
      follow();
    }
  });
  window_.installEventFilter(this);
  follow();
}

// The window takes the arrangement of the setting.
void LayoutKeeper::follow() {
  current_ = state_.choice(setting::kLayout);
  const auto kept = arrangements_.find(current_);
  if (kept == arrangements_.end() || !take_state(window_, kept->second)) {
    arrangements_.erase(current_);
    arrange();
  }
}

QByteArray LayoutKeeper::arrangement() const {
  return window_.saveState(kVersion);
}

// What a reader made of the layout in use; nothing where it is as it was arranged.
void LayoutKeeper::keep() {
  const QByteArray now = arrangement();
  const auto pristine = pristine_.find(current_);
  if (pristine == pristine_.end() || pristine->second != now) {
    arrangements_[current_] = now;
  } else {
    arrangements_.erase(current_);
  }
}

void LayoutKeeper::reset() {
  arrangements_.erase(current_);
  arrange();
}

void LayoutKeeper::windowShown() {
  if (shown_) {
    return;
  }
  shown_ = true;
  liftFloating();
  if (arrangements_.find(current_) == arrangements_.end()) {
    arrange();
  }
}

// Docks outside of the window that were shown before it do not belong to it for the desktop and lie behind.
void LayoutKeeper::liftFloating() {
  for (QDockWidget* dock : window_.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (dock->isFloating() && dock->isVisible()) {
      dock->hide();
      dock->windowHandle()->setTransientParent(window_.windowHandle());
      dock->show();
      dock->raise();
    }
  }
}

std::vector<QDockWidget*> LayoutKeeper::docksOf(const QStringList& wanted) const {
  std::vector<QDockWidget*> result;
  for (const QString& name : wanted) {
    if (auto* dock = window_.findChild<QDockWidget*>(name, Qt::FindDirectChildrenOnly)) {
      result.push_back(dock);
    }
  }
  return result;
}

void LayoutKeeper::arrange() {
  const Arrangement& chosen = find(current_);
  const std::vector<QStringList> placed = columnsOf(current_);
  std::vector<QStringList> columns = fitted(placed, window_.width(), chosen.keeps_all);
  if (chosen.keeps_all) {
    for (const QDockWidget* dock :
         window_.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
      const QString name = dock->objectName();
      const bool named = placed.front().contains(name) ||
                         std::any_of(columns.begin(), columns.end(),
                                     [&name](const QStringList& column) { return column.contains(name); });
      if (!named) {
        columns.back().push_back(name);
      }
    }
  }
  window_.setUpdatesEnabled(false);
  place(columns, placed.front());
  giveSizes();
  window_.setUpdatesEnabled(true);
  pristine_[current_] = arrangement();
}

void LayoutKeeper::place(const std::vector<QStringList>& columns, const QStringList& left) {
  for (QDockWidget* dock : window_.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
    dock->setFloating(false);
    window_.removeDockWidget(dock);
  }
  const auto stack = [this](const std::vector<QDockWidget*>& docks, Qt::DockWidgetArea area,
                            QDockWidget* beside) {
    for (std::size_t i = 0; i < docks.size(); ++i) {
      if (i > 0) {
        window_.tabifyDockWidget(docks[i - 1], docks[i]);
      } else if (beside != nullptr) {
        window_.splitDockWidget(beside, docks[i], Qt::Horizontal);
      } else {
        window_.addDockWidget(area, docks[i]);
      }
      docks[i]->show();
    }
    if (!docks.empty()) {
      docks.front()->raise();
    }
  };
  stack(docksOf(left), Qt::LeftDockWidgetArea, nullptr);
  QDockWidget* before = nullptr;
  for (const QStringList& column : columns) {
    const std::vector<QDockWidget*> docks = docksOf(column);
    stack(docks, Qt::BottomDockWidgetArea, before);
    before = docks.empty() ? before : docks.front();
  }
  // The others have their place behind the last column, hidden: a state of the window that does not name a
  // dock leaves it where another layout had it.
  for (QDockWidget* dock : window_.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (window_.dockWidgetArea(dock) == Qt::NoDockWidgetArea) {
      window_.tabifyDockWidget(before, dock);
    }
  }
}

// On a small screen names of tabs are scrolled, not cut. The window makes tab bars whenever it wants one.
bool LayoutKeeper::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &window_ && event->type() == QEvent::ChildPolished) {
    if (auto* tabs = qobject_cast<QTabBar*>(static_cast<QChildEvent*>(event)->child())) {
      tabs->setAccessibleName(tr("Views in one place"));
      tabs->setElideMode(Qt::ElideNone);
      tabs->setUsesScrollButtons(true);
    }
  }
  return QObject::eventFilter(watched, event);
}

void LayoutKeeper::giveSizes() {
  if (!shown_) {
    return;
  }
  const Arrangement& chosen = find(current_);
  const int side = side_width(window_.width());
  const int rest = window_.width() - side;
  const std::vector<QStringList> placed = columnsOf(current_);
  const std::vector<QDockWidget*> left = docksOf(placed.front());
  if (!left.empty()) {
    window_.resizeDocks({left.front()}, {side}, Qt::Horizontal);
  }
  QList<QDockWidget*> fronts;
  for (const QStringList& column : fitted(placed, window_.width(), chosen.keeps_all)) {
    const std::vector<QDockWidget*> docks = docksOf(column);
    if (!docks.empty()) {
      fronts.push_back(docks.front());
    }
  }
  // The first column is the widest: its picture is what the layout is for.
  const int parts = 2 * static_cast<int>(fronts.size()) + 1;
  QList<int> widths;
  QList<int> heights;
  for (qsizetype i = 0; i < fronts.size(); ++i) {
    widths.push_back(rest * (i == 0 ? 3 : 2) / parts);
    heights.push_back(window_.height() * chosen.height_percent / 100);
  }
  window_.resizeDocks(fronts, widths, Qt::Horizontal);
  window_.resizeDocks(fronts, heights, Qt::Vertical);
}

void LayoutKeeper::store() {
  keep();
  settings_.remove(QStringLiteral("layouts"));
  for (const auto& [name, state] : arrangements_) {
    settings_.setValue(kSettings + name, state);
  }
  settings_.setValue(kSettingsCurrent, current_);
}

std::map<std::string, std::string> LayoutKeeper::values() {
  keep();
  std::map<std::string, std::string> result;
  for (const auto& [name, state] : arrangements_) {
    if (name != current_) {
      result.emplace(name.toStdString(), state.toBase64().toStdString());
    }
  }
  return result;
}

void LayoutKeeper::restore(const std::map<std::string, std::string>& values, const QByteArray& of_current) {
  arrangements_.clear();
  for (const auto& [name, state] : values) {
    if (names().contains(QString::fromStdString(name))) {
      arrangements_[QString::fromStdString(name)] = QByteArray::fromBase64(QByteArray::fromStdString(state));
    }
  }
  if (!of_current.isEmpty() && take_state(window_, of_current)) {
    arrangements_[current_] = of_current;
  } else {
    arrange();
  }
}

}  // namespace mog::gui
