// Layouts of the docks, themes and their contrast.
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QScreen>
#include <QTabBar>
#include <QTest>
#include <QUndoStack>
#include <QWindow>
#include <algorithm>
#include <map>

#include "app/figures/style.h"
#include "app/gui/views/attention_view.h"
#include "app/gui/views/compare_view.h"
#include "app/gui/views/tree_view.h"
#include "app/gui/views/weight_view.h"
#include "app/gui/widgets/theme.h"
#include "app/gui/window/layouts.h"
#include "app/gui/window/view_menu.h"
#include "tests/gui/gui_fixture.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

QDockWidget* dock(MainWindow& window, const char* name) {
  return window.findChild<QDockWidget*>(QString::fromLatin1(name));
}

// In front of its tabs, or alone.
bool in_sight(const QDockWidget* one) {
  return one->isVisible() && !one->visibleRegion().isEmpty();
}

// Of every dock: where it is shown, what it shares the place with, whether it is in front.
std::map<QString, QString> places(const MainWindow& window) {
  std::map<QString, QString> result;
  for (QDockWidget* one : window.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
    QStringList tabs;
    for (const QDockWidget* other : window.tabifiedDockWidgets(one)) {
      if (!other->isHidden()) {
        tabs.push_back(other->objectName());
      }
    }
    tabs.sort();
    QString& place = result[one->objectName()];
    if (one->isHidden()) {
      place = QStringLiteral("hidden");
    } else if (!in_sight(one)) {
      place = QStringLiteral("behind ") + tabs.join(QLatin1Char(','));
    } else {
      const QRect at = one->geometry();
      place = QStringLiteral("%1,%2 %3 × %4 ").arg(at.x()).arg(at.y()).arg(at.width()).arg(at.height()) +
              tabs.join(QLatin1Char(','));
    }
  }
  return result;
}

void choose(WindowFixture& fixture, const char* layout) {
  fixture.window->state().set(setting::kLayout, QString::fromLatin1(layout));
  QVERIFY(fixture.settle());
}

}  // namespace

class LayoutTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyLayoutShowsWhatItsTaskNeeds_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("small") << QSize(1024, 768);
    QTest::newRow("usual") << QSize(1440, 900);
    QTest::newRow("4K") << QSize(3840, 2160);
  }

  void everyLayoutShowsWhatItsTaskNeeds() {
    QFETCH(QSize, size);
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.resize(size);
    fixture.openFake();
    const std::map<const char*, const char*> main = {
        {"look", "trees"}, {"count", "weights"}, {"compare", "compare"}, {"syntax", "trees"}};
    for (const auto& [layout, name] : main) {
      choose(fixture, layout);
      window.layouts().reset();
      QVERIFY(fixture.settle());
      QVERIFY2(window.width() == size.width() && window.height() == size.height(), layout);
      QVERIFY2(in_sight(dock(window, name)), layout);
      QVERIFY2(in_sight(dock(window, "sentences")), layout);
      // Nothing is squeezed: the map and the picture of the task keep a usable size.
      QVERIFY2(window.attention().height() >= 200 && window.attention().width() >= 500, layout);
      QVERIFY2(dock(window, name)->height() >= 260 && dock(window, name)->width() >= 340, layout);
    }
    choose(fixture, "count");
    QVERIFY(dock(window, "weights")->height() > window.attention().height());
    choose(fixture, "look");
    QCOMPARE(in_sight(dock(window, "weights")), size.width() > 2000);
  }

  void aLayoutKeepsWhatWasChangedAndCanBeReset() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    QVERIFY(fixture.settle());
    dock(window, "gates")->hide();
    choose(fixture, "syntax");
    QVERIFY(in_sight(dock(window, "trees")));
    dock(window, "sentences")->hide();
    choose(fixture, "look");
    QVERIFY(dock(window, "gates")->isHidden());
    QVERIFY(!dock(window, "sentences")->isHidden());
    choose(fixture, "syntax");
    QVERIFY(dock(window, "sentences")->isHidden());
    window.layouts().reset();
    QVERIFY(!dock(window, "sentences")->isHidden());
    choose(fixture, "look");
    QVERIFY(dock(window, "gates")->isHidden());  // reset is of one layout
    window.state().history().undo();
    QCOMPARE(window.layouts().current(), QStringLiteral("syntax"));
  }

  void aLayoutComesBackAsItWasLeft() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    fixture.openFake();
    const QStringList names = LayoutKeeper::names();
    for (const QString& layout : names) {
      choose(fixture, qPrintable(layout));
      const auto left = places(window);
      for (const QString& other : names) {
        choose(fixture, qPrintable(other));
        for (const QDockWidget* one : window.findChildren<QDockWidget*>()) {
          QVERIFY2(window.dockWidgetArea(const_cast<QDockWidget*>(one)) != Qt::NoDockWidgetArea,
                   qPrintable(one->objectName()));
        }
        choose(fixture, qPrintable(layout));
        const auto now = places(window);
        for (const auto& [name, place] : left) {
          QVERIFY2(now.at(name) == place, qPrintable(layout + QLatin1Char(' ') + other + QLatin1Char(' ') +
                                                     name + QLatin1Char(' ') + now.at(name)));
        }
      }
    }
    // What was hidden comes among the tabs.
    choose(fixture, "compare");
    window.showDock(QStringLiteral("flow"));
    QVERIFY(fixture.settle());
    QVERIFY(in_sight(dock(window, "flow")));
    QVERIFY(!window.tabifiedDockWidgets(dock(window, "flow")).isEmpty());
  }

  void tabsAreNamedInFull() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    const QString session = fixture.folder.filePath(QStringLiteral("a.mog-session"));
    const auto all_in_full = [&window] {
      const auto bars = window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
      return !bars.isEmpty() && std::all_of(bars.begin(), bars.end(), [](const QTabBar* bar) {
        return bar->isHidden() || (bar->elideMode() == Qt::ElideNone && !bar->accessibleName().isEmpty());
      });
    };
    QVERIFY(fixture.settle());
    QVERIFY(all_in_full());
    window.session().save(session);
    // As many places as a reader makes.
    for (QDockWidget* one : window.findChildren<QDockWidget*>()) {
      window.addDockWidget(Qt::RightDockWidgetArea, one);
    }
    window.tabifyDockWidget(dock(window, "trees"), dock(window, "gates"));
    window.tabifyDockWidget(dock(window, "flow"), dock(window, "weights"));
    window.tabifyDockWidget(dock(window, "compare"), dock(window, "jobs"));
    window.tabifyDockWidget(dock(window, "figures"), dock(window, "changes"));
    QVERIFY(fixture.settle());
    QVERIFY(all_in_full());
    window.open({session});
    QVERIFY(fixture.settle());
    QVERIFY(all_in_full());
  }

  void layoutsOutliveTheProgramAndTheSession() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("s.ini"));
    const QString session = folder.filePath(QStringLiteral("a.mog-session"));
    const auto settings = [&file] { return std::make_unique<QSettings>(file, QSettings::IniFormat); };
    {
      MainWindow window(settings(), mog::test::fake_openers());
      window.show();
      QTest::qWait(50);
      dock(window, "gates")->hide();
      window.state().set(setting::kLayout, QStringLiteral("count"));
      dock(window, "figures")->hide();
      window.session().save(session);
      window.close();
    }
    {
      MainWindow window(settings(), mog::test::fake_openers());
      window.show();
      QTest::qWait(50);
      QCOMPARE(window.layouts().current(), QStringLiteral("count"));
      QVERIFY(dock(window, "figures")->isHidden());
      window.layouts().reset();
      window.state().set(setting::kLayout, QStringLiteral("look"));
      QVERIFY(dock(window, "gates")->isHidden());
      window.layouts().reset();
      window.close();
    }
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.open({session});
    QVERIFY(fixture.settle());
    QCOMPARE(window.layouts().current(), QStringLiteral("count"));
    QVERIFY(dock(window, "figures")->isHidden());
    choose(fixture, "look");
    QVERIFY(dock(window, "gates")->isHidden());
    QVERIFY(window.workspace().messages().isEmpty());
  }

  void aDockOutsideIsSeenAfterARestart() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("s.ini"));
    const auto settings = [&file] { return std::make_unique<QSettings>(file, QSettings::IniFormat); };
    {
      MainWindow window(settings(), mog::test::fake_openers());
      window.show();
      QTest::qWait(50);
      QDockWidget* gates = dock(window, "gates");
      gates->setFloating(true);
      gates->resize(500, 400);
      QTest::qWait(50);
      // Its edge is seen against a window of the same colour.
      const QImage image = gates->grab().toImage();
      const QColor ground = gates->palette().color(QPalette::Window);
      for (const QPoint at : {QPoint(0, 200), QPoint(499, 200), QPoint(250, 0), QPoint(250, 399)}) {
        QVERIFY2(contrast(image.pixelColor(at), ground) >= 3, qPrintable(image.pixelColor(at).name()));
      }
      window.close();
    }
    MainWindow window(settings(), mog::test::fake_openers());
    window.show();
    QTest::qWait(50);
    const QDockWidget* gates = dock(window, "gates");
    QVERIFY(gates->isFloating() && gates->isVisible());
    QVERIFY(gates->windowHandle()->transientParent() == window.windowHandle());
  }

  void theWindowFitsTheScreen() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("s.ini"));
    const auto settings = [&file] { return std::make_unique<QSettings>(file, QSettings::IniFormat); };
    for (const bool was_larger : {false, true}) {
      if (was_larger) {
        QWidget large;
        large.setGeometry(0, 0, 4000, 3000);
        settings()->setValue(QStringLiteral("geometry"), large.saveGeometry());
      }
      const MainWindow window(settings(), mog::test::fake_openers());
      QVERIFY(window.screen()->availableGeometry().contains(window.geometry()));
    }
  }

  // WCAG 2: text 4.5 : 1, what is drawn 3 : 1.
  void textCanBeReadInEveryTheme() {
    const std::map<const char*, QPalette> palettes = {
        {"light", light_palette()}, {"dark", dark_palette()}, {"high contrast", high_contrast_palette()}};
    using Role = QPalette::ColorRole;
    const std::vector<std::pair<Role, Role>> pairs = {
        {QPalette::WindowText, QPalette::Window},         {QPalette::Text, QPalette::Base},
        {QPalette::Text, QPalette::AlternateBase},        {QPalette::ButtonText, QPalette::Button},
        {QPalette::HighlightedText, QPalette::Highlight}, {QPalette::ToolTipText, QPalette::ToolTipBase},
        {QPalette::PlaceholderText, QPalette::Base},      {QPalette::Link, QPalette::Base}};
    for (const auto& [name, palette] : palettes) {
      const double least = palette == high_contrast_palette() ? 7 : 4.5;
      for (const auto group : {QPalette::Active, QPalette::Inactive, QPalette::Disabled}) {
        for (const auto& [text, ground] : pairs) {
          const double found = contrast(palette.color(group, text), palette.color(group, ground));
          QVERIFY2(found >= (group == QPalette::Disabled ? 4.5 : least),
                   qPrintable(QStringLiteral("%1: role %2 on %3: %4")
                                  .arg(QString::fromLatin1(name))
                                  .arg(text)
                                  .arg(ground)
                                  .arg(found)));
        }
      }
      for (const auto ground : {QPalette::Window, QPalette::Base}) {
        QVERIFY2(contrast(quiet_text(palette), palette.color(ground)) >= least, name);
      }
    }
  }

  void figuresCanBeReadInEveryTheme() {
    using namespace mog::figures;
    for (const Theme theme : {Theme::light, Theme::dark, Theme::high_contrast}) {
      const QColor ground = background(theme);
      const double least = theme == Theme::high_contrast ? 7 : 4.5;
      QVERIFY(contrast(ink(theme), ground) >= least);
      QVERIFY(contrast(soft_ink(theme), ground) >= least);
      if (theme != Theme::high_contrast) {
        continue;  // parts have the palette of the papers there, and dashes and labels beside it
      }
      QVERIFY(contrast(faint_ink(theme), ground) >= 3);
      QVERIFY(contrast(accent(theme), ground) >= least);
      for (const mog::Part part : {mog::Part::high, mog::Part::middle1, mog::Part::middle2, mog::Part::low,
                                   mog::Part::full, mog::Part::recurrent, mog::Part::none}) {
        QVERIFY(contrast(part_colour(part, theme), ground) >= 4.5);
      }
      for (std::int64_t step = 0; step < 6; ++step) {
        QVERIFY(contrast(ramp_colour(step, 6, theme), ground) >= 3);
      }
    }
  }

  void theThemeIsChosenAndRemembered() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.viewMenu().chooseTheme(QStringLiteral("high-contrast"));
    QTRY_VERIFY(is_high_contrast(window.palette()));
    QVERIFY(figure_theme(window.palette()) == mog::figures::Theme::high_contrast);
    window.viewMenu().chooseTheme(QStringLiteral("light"));
    QTRY_VERIFY(!is_dark(window.palette()));
    QVERIFY(figure_theme(window.palette()) == mog::figures::Theme::light);
    window.viewMenu().chooseTheme(QStringLiteral("system"));
  }
};

QTEST_MAIN(LayoutTest)
#include "gui_layout_test.moc"
