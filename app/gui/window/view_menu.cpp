#include "app/gui/window/view_menu.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <utility>

#include "app/gui/session/language.h"
#include "app/gui/session/view_state.h"
#include "app/gui/widgets/theme.h"
#include "app/gui/window/menu_keys.h"
#include "app/gui/window/pages.h"
#include "app/gui/window/status_line.h"

namespace mog::gui {
namespace {

const QString kTheme = QStringLiteral("theme");
const QString kLanguage = QStringLiteral("language");

QString theme_text(const QString& name) {
  if (name == QLatin1String("light")) {
    return ViewMenu::tr("&Light");
  }
  if (name == QLatin1String("dark")) {
    return ViewMenu::tr("&Dark");
  }
  return name == QLatin1String("system") ? ViewMenu::tr("As the &system") : ViewMenu::tr("High &contrast");
}

// One of several, whose name is the action's data.
void add_choice(QAction* action, const QString& name, QActionGroup& group) {
  action->setCheckable(true);
  action->setData(name);
  group.addAction(action);
}

void check(const QActionGroup& group, const QString& name) {
  for (QAction* action : group.actions()) {
    action->setChecked(action->data().toString() == name);
  }
}

}  // namespace

ViewMenu::ViewMenu(QMainWindow& window, ViewState& state, StatusLine& status, QSettings& settings)
    : state_(state), status_(status), settings_(settings), menu_(window.menuBar()->addMenu(tr("&View"))) {
  addWorkspaces();
  addThemes();
  addLanguages();
  menu_->addSeparator();
}

void ViewMenu::add(const QString& title, std::function<void()> show) {
  connect(menu_->addAction(title), &QAction::triggered, this, [show = std::move(show)] { show(); });
}

void ViewMenu::addWorkspaces() {
  auto* group = new QActionGroup(this);
  int number = 0;
  for (const QString& name : Pages::names()) {
    QAction* action = add_key(*menu_, Pages::title(name), QKeySequence(tr("Ctrl+%1").arg(++number)), this,
                              [this, name] { state_.set(setting::kWorkspace, name); });
    action->setToolTip(Pages::description(name));
    action->setStatusTip(Pages::description(name));
    add_choice(action, name, *group);
  }
  connect(menu_, &QMenu::aboutToShow, this,
          [this, group] { check(*group, state_.choice(setting::kWorkspace)); });
  add_key(*menu_, tr("&Reset this workspace"), QKeySequence(tr("Ctrl+0")), this,
          [this] { Q_EMIT resetAsked(); });
  connect(menu_->addAction(tr("This workspace in a &window of its own")), &QAction::triggered, this,
          [this] { Q_EMIT secondWindowAsked(); });
  menu_->addSeparator();
}

void ViewMenu::addThemes() {
  QMenu* menu = menu_->addMenu(tr("&Theme"));
  auto* group = new QActionGroup(this);
  for (const QString& name : theme_names()) {
    QAction* action = menu->addAction(theme_text(name));
    add_choice(action, name, *group);
    connect(action, &QAction::triggered, this, [this, name] { chooseTheme(name); });
  }
  connect(menu, &QMenu::aboutToShow, this,
          [this, group] { check(*group, settings_.value(kTheme, theme_names().front()).toString()); });
}

void ViewMenu::addLanguages() {
  QMenu* menu = menu_->addMenu(tr("Lan&guage"));
  auto* group = new QActionGroup(this);
  for (const QString& name : language_names()) {
    QAction* action = menu->addAction(language_text(name));
    add_choice(action, name, *group);
    connect(action, &QAction::triggered, this, [this, name] { chooseLanguage(name); });
  }
  connect(menu, &QMenu::aboutToShow, this,
          [this, group] { check(*group, settings_.value(kLanguage, language_names().front()).toString()); });
}

void ViewMenu::chooseTheme(const QString& name) {
  settings_.setValue(kTheme, name);
  apply_theme(*qApp, name);
}

void ViewMenu::changeTheme() {
  chooseTheme(is_dark(QApplication::palette()) ? QStringLiteral("light") : QStringLiteral("dark"));
}

void ViewMenu::chooseLanguage(const QString& name) {
  settings_.setValue(kLanguage, name);
  // Texts are made where widgets are made: the window would have to be built again.
  status_.say(language_named(name) == language_in_use()
                  ? tr("The window stays in this language.")
                  : tr("The language changes when the program is started again."));
}

}  // namespace mog::gui
