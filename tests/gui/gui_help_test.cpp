// What explains the window: the guide, the keys, the tour; names for screen readers and the way by keyboard.
#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QButtonGroup>
#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QPointer>
#include <QPushButton>
#include <QSet>
#include <QShortcut>
#include <QTableView>
#include <QTest>
#include <QTextBrowser>
#include <QTimer>
#include <QToolButton>
#include <QUrl>

#include <QTreeWidget>
#include "app/gui/session/language.h"
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/gate_view.h"
#include "app/gui/views/common/view_kind.h"
#include "app/gui/views/corpus/sentence_view.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/views/strip/typing_field.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/guide_page.h"
#include "app/gui/window/about.h"
#include "app/gui/window/help.h"
#include "app/gui/window/pages.h"
#include "app/gui/window/pane.h"
#include "app/gui/window/rail.h"
#include "app/gui/window/shortcuts.h"
#include "app/gui/window/tour.h"

#include "tests/gui/gui_fixture.h"
#include "tests/support/places.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

// Of Qt's own making, inside another widget.
bool is_inner(const QWidget& widget) {
  return widget.objectName().startsWith(QStringLiteral("qt_")) || widget.inherits("QScrollBar") ||
         widget.inherits("QHeaderView") || widget.inherits("QAbstractScrollAreaScrollBarContainer") ||
         widget.inherits("QTabBar") || widget.inherits("QSplitterHandle") || widget.inherits("QMenu") ||
         (widget.parentWidget() != nullptr &&
          (widget.parentWidget()->inherits("QAbstractSpinBox") ||
           widget.parentWidget()->inherits("QComboBox") || widget.parentWidget()->inherits("QLineEdit") ||
           widget.parentWidget()->inherits("QTabBar") || widget.parentWidget()->inherits("QTableView")));
}

bool is_input(const QWidget& widget) {
  return qobject_cast<const QAbstractButton*>(&widget) || qobject_cast<const QLineEdit*>(&widget) ||
         qobject_cast<const QComboBox*>(&widget) || qobject_cast<const QAbstractSpinBox*>(&widget) ||
         qobject_cast<const QAbstractItemView*>(&widget) || qobject_cast<const FigureCanvas*>(&widget) ||
         qobject_cast<const QTextEdit*>(&widget) || qobject_cast<const QAbstractSlider*>(&widget);
}

QString said_of(const QWidget& widget) {
  if (!widget.accessibleName().isEmpty()) {
    return widget.accessibleName();
  }
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) {
    return button->text();
  }
  return {};
}

QString place_of_widget(const QWidget& widget) {
  QStringList names;
  for (const QWidget* one = &widget; one != nullptr; one = one->parentWidget()) {
    names.push_front(QString::fromLatin1(one->metaObject()->className()) +
                     (one->objectName().isEmpty() ? QString() : QLatin1Char(':') + one->objectName()));
  }
  return names.join(QStringLiteral(" > "));
}

// All widgets that Tab reaches from `first`, in order.
QSet<const QWidget*> reached_by_tab(QWidget& window, QWidget& first) {
  QSet<const QWidget*> reached;
  first.setFocus(Qt::TabFocusReason);
  for (int i = 0; i < 400; ++i) {
    QWidget* now = window.focusWidget();
    if (now == nullptr || (i > 0 && reached.contains(now) && now == &first)) {
      break;
    }
    reached.insert(now);
    QTest::keyClick(now, Qt::Key_Tab);
    if (window.focusWidget() == now) {  // an editor that takes Tab
      QTest::keyClick(now, Qt::Key_Tab, Qt::ControlModifier);
    }
  }
  return reached;
}

}  // namespace

class HelpTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void thePageOfKeysSaysWhatTheWindowObeys() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    QSet<QKeySequence> said;
    for (const ShortcutGroup& group : shortcut_groups(window)) {
      QVERIFY(!group.title.isEmpty());
      for (const ShortcutRow& row : group.rows) {
        QVERIFY2(!row.text().isEmpty() && !row.meaning.isEmpty(), qPrintable(group.title));
        for (const QKeySequence& key : row.keys) {
          QVERIFY2(!said.contains(key), qPrintable(key.toString()));  // two actions of one key do nothing
          said.insert(key);
        }
      }
    }
    QSet<QKeySequence> obeyed;
    for (const QAction* action : window.findChildren<QAction*>()) {
      if (!action->isVisible()) {
        continue;  // a part that the model has not: its key does nothing
      }
      for (const QKeySequence& key : action->shortcuts()) {
        obeyed.insert(key);
      }
    }
    for (const ShortcutRow& row : picture_keys()) {
      for (const QKeySequence& key : row.keys) {
        obeyed.insert(key);
      }
    }
    // Keys of one view are written out: "Shift+arrows" would be four rows.
    QSet<QString> others;
    for (const ShortcutGroup& group : shortcut_groups(window)) {
      for (const ShortcutRow& row : group.rows) {
        others.insert(row.text());
      }
    }
    for (const char* key : {"Shift+arrows", "Enter", "Tab, Shift+Tab", "arrows", "Home, End", "Space"}) {
      QVERIFY2(others.contains(QString::fromLatin1(key)), key);
    }
    QVERIFY(window.findChildren<QShortcut*>().isEmpty());  // keys are actions, or nobody could list them
    QVERIFY(obeyed.size() > 40);
    QCOMPARE(said, obeyed);
    // And the document.
    QFile document(QString::fromStdString((mog::test::docs_dir() / "desktop.md").string()));
    QVERIFY(document.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(document.readAll());
    const QString keys = text.mid(text.indexOf(QStringLiteral("## Keys")));
    for (const QKeySequence& key : obeyed) {
      QString name = key.toString();
      name.replace(QStringLiteral("PgUp"), QStringLiteral("Page Up"));
      name.replace(QStringLiteral("PgDown"), QStringLiteral("Page Down"));
      QVERIFY2(keys.contains(name), qPrintable(QStringLiteral("docs/desktop.md, Keys, lacks ") + name));
    }
  }

  void theDocumentNamesEveryView() {
    QFile document(QString::fromStdString((mog::test::docs_dir() / "desktop.md").string()));
    QVERIFY(document.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(document.readAll());
    const qsizetype option = text.indexOf(QStringLiteral("`--view "));
    QVERIFY(option >= 0);
    QStringList named = text.mid(option + 8, text.indexOf(QLatin1Char('`'), option + 1) - option - 8)
                            .split(QStringLiteral("\\|"));
    QStringList all;
    for (const ViewKind* const kind : view_kinds()) {
      all.push_back(QString::fromLatin1(kind->name));
    }
    named.sort();
    all.sort();
    QCOMPARE(named, all);
  }

  void picturesObeyTheirKeys() {
    WindowFixture fixture;
    fixture.openFake();
    FigureCanvas& view = fixture.window->attention().matrix();
    view.setFocus();
    for (const ShortcutRow& row : picture_keys()) {
      for (const QKeySequence& key : row.keys) {
        view.setZoom(2, QPointF(50, 50));
        QTest::keyClick(&view, key[0].key());
        QVERIFY2(view.zoom() != 2, qPrintable(key.toString()));
      }
    }
  }

  void everyViewSaysWhatItShows() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    for (const ViewKind* const kind : view_kinds()) {
      window.showView(*kind);
      QVERIFY(fixture.settle());
      QToolButton* button = nullptr;
      for (const Pane* pane : window.findChildren<Pane*>()) {
        if (pane->isVisible() && pane->front() == QLatin1String(kind->name)) {
          button = pane->findChild<QToolButton*>(QStringLiteral("help"));
        }
      }
      QVERIFY2(button != nullptr, kind->name);
      button->click();
      auto* page = window.findChild<GuidePage*>();
      QVERIFY(page != nullptr && page->isVisible());
      QCOMPARE(page->shown(), QStringLiteral("view.") + QString::fromLatin1(kind->name));
      QVERIFY2(page->text().size() > 60, kind->name);
    }
    fixture.see("gates");
    window.gates().picture().setFocus();
    GuidePage& page = window.help().whatIsThis();
    QCOMPARE(page.shown(), QStringLiteral("view.gates"));
    window.attention().matrix().setFocus();
    window.help().whatIsThis();
    QCOMPARE(page.shown(), QStringLiteral("view.attention"));
    QVERIFY(page.text().contains(QStringLiteral("attention of the high part")));  // what it shows now
  }

  void aboutSaysWhatTheProgramIs() {
    WindowFixture fixture;
    AboutPage& page = fixture.window->help().showAbout();
    QVERIFY(fixture.settle());
    for (const QString& said :
         {QStringLiteral("Apache License 2.0"), QString::fromLatin1(qVersion()), QStringLiteral("LibTorch"),
          QStringLiteral("HDF5"), QStringLiteral("Boost"), QStringLiteral("Version 0.")}) {
      QVERIFY2(page.text().contains(said), qPrintable(said));
    }
    QVERIFY(!page.text().contains(QStringLiteral("asking")));
    QVERIFY(!page.text().contains(QStringLiteral("<td>&nbsp;")));  // a library without its version
    QVERIFY(QFileInfo::exists(documentation_page()));
    QVERIFY(page.text().contains(QUrl::fromLocalFile(documentation_page()).toString(QUrl::FullyEncoded)));
    bool shown = false;
    QTimer::singleShot(200, &page, [&shown] {
      for (QWidget* widget : QApplication::topLevelWidgets()) {
        if (widget->inherits("QMessageBox") && widget->isVisible()) {
          shown = true;
          widget->close();
        }
      }
    });
    page.qtButton().click();
    QTRY_VERIFY(shown);
  }

  void theGuideIsSearched() {
    GuidePage page;
    const int all = page.count();
    QVERIFY(all > 130);
    page.search(QStringLiteral("entropy attention"));
    QVERIFY(page.count() >= 2 && page.count() < all / 4);
    page.search(QStringLiteral("encoder.3.gate.mean"));
    QCOMPARE(page.shown(), QStringLiteral("encoder.L.gate.mean"));
    QVERIFY(page.text().contains(QStringLiteral("level 2")));
    page.search(QStringLiteral("qwertz"));
    QCOMPARE(page.count(), 0);
    QVERIFY(!page.text().isEmpty());
    page.showEntry(QStringLiteral("encoder.L.gate"));
    QCOMPARE(page.count(), all);
    QVERIFY(page.text().contains(QStringLiteral("0 to 1")));
  }

  // Without a model there is no line to type in.
  void theTourSpeaksOfWhatIsOpen() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.window->help().startTour();
    QVERIFY(fixture.window->help().tour()->accessibleDescription().startsWith(
        QStringLiteral("Ctrl+O opens a recording")));
    fixture.openFakeModel();
    Q_EMIT fixture.window->help().tour()->ended();
    QTRY_VERIFY(fixture.window->help().tour() == nullptr);
    fixture.window->help().startTour();
    const QString text = fixture.window->help().tour()->accessibleDescription();
    QVERIFY2(text.contains(fixture.window->workspace().currentModel()->name), qPrintable(text));
  }

  // What the tour teaches is done by the keys that it names, also after a sentence was typed as it asks for.
  void keysThatTheTourTeachesWorkInIt() {
    WindowFixture fixture;
    fixture.openFakeModel();
    MainWindow& window = *fixture.window;
    window.help().startTour();
    QVERIFY(fixture.settle());
    QLineEdit& line = window.rail().field().typing();
    QVERIFY(line.text().isEmpty());  // for the reader's own sentence
    line.setFocus();
    QTest::keyClicks(&line, QStringLiteral("one two three"));
    QTest::keyClick(&line, Qt::Key_Return);
    QVERIFY(fixture.settle());
    QVERIFY(window.help().tour()->isAncestorOf(window.focusWidget()));
    const auto press = [&window](Qt::Key key) { QTest::keyClick(window.focusWidget(), key); };
    press(Qt::Key_2);
    QCOMPARE(window.selection().part(), mog::Part::middle1);
    press(Qt::Key_BracketRight);
    QCOMPARE(window.selection().head(), 1);
    const auto layer = window.selection().layer();
    press(layer == 1 ? Qt::Key_Up : Qt::Key_Down);
    QVERIFY(window.selection().layer() != layer);
    const int step = window.help().tour()->step();
    press(Qt::Key_Right);  // walks from word to word
    QCOMPARE(*window.selection().token(), 0);
    press(Qt::Key_Right);
    press(Qt::Key_Left);
    QCOMPARE(*window.selection().token(), 0);
    QCOMPARE(window.help().tour()->step(), step);
    QCOMPARE(line.text(), QStringLiteral("one two three"));
  }

  // It shows other tabs on its way; the line to type in is there at its end.
  void theTourLeavesTheLineInSight() {
    WindowFixture fixture;
    fixture.openFakeModel();
    MainWindow& window = *fixture.window;
    window.help().startTour();
    QVERIFY(fixture.settle());
    const QPointer<Tour> tour = window.help().tour();
    while (tour->step() + 1 < tour->size()) {
      tour->next();
      QVERIFY(fixture.settle());
    }
    tour->next();
    QVERIFY(fixture.settle());
    QVERIFY(!window.rail().field().typing().visibleRegion().isEmpty());
  }

  // The window lays itself out while the tour ends.
  void theTourEndsInOnePiece_data() {
    QTest::addColumn<int>("key");
    QTest::newRow("Esc") << int{Qt::Key_Escape};
    QTest::newRow("Enter on Done") << int{Qt::Key_Return};
  }
  void theTourEndsInOnePiece() {
    QFETCH(const int, key);
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.help().startTour();
    const QPointer<Tour> tour = window.help().tour();
    QVERIFY(fixture.settle());
    while (key != Qt::Key_Escape && tour->step() + 1 < tour->size()) {
      const int before = tour->step();
      QTest::keyClick(window.focusWidget(), Qt::Key_Enter);
      QCOMPARE(tour->step(), before + 1);
    }
    QTest::keyClick(window.focusWidget(), static_cast<Qt::Key>(key));
    QVERIFY(!tour->isVisible());
    // The card goes last: events of the window come between.
    const QObjectList children = window.children();
    const std::vector<QPointer<QObject>> each(children.rbegin(), children.rend());
    for (const QPointer<QObject>& child : each) {
      if (child == nullptr) {
        continue;
      }
      QCoreApplication::sendPostedEvents(child, QEvent::DeferredDelete);
      QEvent asked(QEvent::LayoutRequest);
      QCoreApplication::sendEvent(&window, &asked);
    }
    QVERIFY(fixture.settle());
    QVERIFY(tour == nullptr);
  }

  void keysOfTheTourAreNotThoseOfMenus() {
    for (const QString& language : {QStringLiteral("en"), QStringLiteral("de")}) {
      install_language(*qApp, language);
      WindowFixture fixture;
      fixture.openFake();
      MainWindow& window = *fixture.window;
      window.help().startTour();
      QList<QKeySequence> taken;
      for (const QAction* menu : window.menuBar()->actions()) {
        taken.push_back(QKeySequence::mnemonic(menu->text()));
      }
      while (true) {
        for (const QPushButton* button : window.help().tour()->findChildren<QPushButton*>()) {
          const QKeySequence keys = QKeySequence::mnemonic(button->text());
          QVERIFY2(!keys.isEmpty() && !taken.contains(keys), qPrintable(button->text()));
        }
        if (window.help().tour()->step() + 1 == window.help().tour()->size()) {
          break;
        }
        window.help().tour()->next();
      }
    }
    install_language(*qApp, QStringLiteral("en"));
  }

  void theTourLeadsThroughRealViews() {
    WindowFixture fixture;
    fixture.openFakeModel();
    MainWindow& window = *fixture.window;
    window.help().startTour();
    QVERIFY(fixture.settle());
    QPointer<Tour> tour = window.help().tour();
    QVERIFY(tour != nullptr);
    QCOMPARE(window.workspace().items().size(), std::size_t{1});  // a sentence was run: there is content
    QVERIFY(window.trees().picture().figure() != nullptr);
    const int steps = tour->size();
    QVERIFY(steps >= 6 && steps <= 10);
    for (int step = 0; step < steps; ++step) {
      QVERIFY(fixture.settle());
      QCOMPARE(tour->step(), step);
      QVERIFY(!tour->title().isEmpty());
      QVERIFY2(tour->target() != nullptr && tour->target()->isVisible(), qPrintable(tour->title()));
      QVERIFY(!tour->target()->visibleRegion().isEmpty());
      QVERIFY(window.rect().contains(tour->geometry()));
      QVERIFY(tour->isAncestorOf(window.focusWidget()));
      QTest::keyClick(window.focusWidget(), step % 2 == 0 ? Qt::Key_PageDown : Qt::Key_Space);
    }
    QTRY_VERIFY(tour == nullptr);
    window.help().startTour();  // again
    QVERIFY(window.help().tour() != nullptr);
    QTest::keyClick(window.focusWidget(), Qt::Key_PageUp);
    QCOMPARE(window.help().tour()->step(), 0);
    QTest::keyClick(window.focusWidget(), Qt::Key_Escape);
    QTRY_VERIFY(window.help().tour() == nullptr);
    QVERIFY(fixture.settle());
  }

  void everyWidgetHasANameAndAWay() {
    WindowFixture fixture;
    fixture.openFakeModel();
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    for (const ViewKind* const kind : view_kinds()) {
      window.showView(*kind);
      QVERIFY(fixture.settle());
      checkNamesAndWay(window);
    }
  }

 private:
  static void checkNamesAndWay(MainWindow& window) {
    const QSet<const QWidget*> reached = reached_by_tab(window, window.rail().tree());
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
      if (is_inner(*widget) || !is_input(*widget) || !widget->isVisible() ||
          widget->visibleRegion().isEmpty()) {
        continue;
      }
      const QString where = place_of_widget(*widget);
      QVERIFY2(!said_of(*widget).isEmpty(), qPrintable(where + QStringLiteral(" has no name")));
      if (!widget->isEnabled()) {
        continue;
      }
      // Of a group of choices one is in the chain, the arrows lead to the others.
      const auto* button = qobject_cast<const QAbstractButton*>(widget);
      bool way = reached.contains(widget);
      if (button != nullptr && button->group() != nullptr) {
        for (const QAbstractButton* other : button->group()->buttons()) {
          way = way || reached.contains(other);
        }
      }
      QVERIFY2(way, qPrintable(where + QLatin1Char(' ') + said_of(*widget) +
                               QStringLiteral(" cannot be reached by Tab")));
    }
  }
};

QTEST_MAIN(HelpTest)
#include "gui_help_test.moc"
