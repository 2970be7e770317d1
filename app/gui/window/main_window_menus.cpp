// The menus View and Help: layouts, themes, and what explains the program.
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>

#include "app/gui/session/language.h"
#include "app/gui/views/attention_view.h"
#include "app/gui/widgets/guide_page.h"
#include "app/gui/widgets/theme.h"
#include "app/gui/window/layouts.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/shortcuts.h"

namespace mog::gui {
namespace {

QString theme_text(const QString& name) {
  if (name == QLatin1String("light")) {
    return MainWindow::tr("&Light");
  }
  if (name == QLatin1String("dark")) {
    return MainWindow::tr("&Dark");
  }
  return name == QLatin1String("system") ? MainWindow::tr("As the &system")
                                         : MainWindow::tr("High &contrast");
}

}  // namespace

void MainWindow::buildViewMenu() {
  view_menu_ = menuBar()->addMenu(tr("&View"));
  QMenu* layout = view_menu_->addMenu(tr("&Layout"));
  auto* layouts = new QActionGroup(this);
  int number = 0;
  for (const QString& name : LayoutKeeper::names()) {
    QAction* action = addKey(layout, LayoutKeeper::title(name), QKeySequence(tr("Ctrl+%1").arg(++number)),
                             [this, name] { state_.set(setting::kLayout, name); });
    action->setCheckable(true);
    action->setToolTip(LayoutKeeper::description(name));
    action->setStatusTip(LayoutKeeper::description(name));
    action->setData(name);
    layouts->addAction(action);
  }
  connect(layout, &QMenu::aboutToShow, this, [this, layouts] {
    for (QAction* action : layouts->actions()) {
      action->setChecked(action->data().toString() == layouts_->current());
    }
  });
  layout->addSeparator();
  addKey(layout, tr("&Reset this layout"), QKeySequence(tr("Ctrl+0")), [this] { layouts_->reset(); });

  QMenu* theme = view_menu_->addMenu(tr("&Theme"));
  auto* themes = new QActionGroup(this);
  for (const QString& name : theme_names()) {
    QAction* action = theme->addAction(theme_text(name));
    action->setCheckable(true);
    action->setData(name);
    themes->addAction(action);
    connect(action, &QAction::triggered, this, [this, name] { chooseTheme(name); });
  }
  connect(theme, &QMenu::aboutToShow, this, [this, themes] {
    const QString now = settings_->value(QStringLiteral("theme"), theme_names().front()).toString();
    for (QAction* action : themes->actions()) {
      action->setChecked(action->data().toString() == now);
    }
  });

  QMenu* language = view_menu_->addMenu(tr("Lan&guage"));
  auto* languages = new QActionGroup(this);
  for (const QString& name : language_names()) {
    QAction* action = language->addAction(language_text(name));
    action->setCheckable(true);
    action->setData(name);
    languages->addAction(action);
    connect(action, &QAction::triggered, this, [this, name] { chooseLanguage(name); });
  }
  connect(language, &QMenu::aboutToShow, this, [this, languages] {
    const QString now = settings_->value(QStringLiteral("language"), language_names().front()).toString();
    for (QAction* action : languages->actions()) {
      action->setChecked(action->data().toString() == now);
    }
  });
  view_menu_->addSeparator();
}

void MainWindow::chooseTheme(const QString& name) {
  settings_->setValue(QStringLiteral("theme"), name);
  apply_theme(*qApp, name);
}

void MainWindow::chooseLanguage(const QString& name) {
  settings_->setValue(QStringLiteral("language"), name);
  // Texts are made where widgets are made: the window would have to be built again.
  say(language_named(name) == language_in_use()
          ? tr("The window stays in this language.")
          : tr("The language changes when the program is started again."));
}

void MainWindow::buildHelpMenu() {
  QMenu* help = menuBar()->addMenu(tr("&Help"));
  addKey(help, tr("&Keys"), QKeySequence(Qt::Key_F1), [this] {
    auto* page = new ShortcutPage(*this, this);
    page->setAttribute(Qt::WA_DeleteOnClose);
    page->show();
  });
  addKey(help, tr("&What does this view show?"), QKeySequence(tr("Shift+F1")), [this] { whatIsThis(); });
  connect(help->addAction(tr("&Quantities…")), &QAction::triggered, this,
          [this] { showGuide(QString::fromLatin1(AttentionView::kind().name)).search({}); });
  connect(help->addAction(tr("&Tour")), &QAction::triggered, this, &MainWindow::startTour);
}

}  // namespace mog::gui
