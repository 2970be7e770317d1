// The window without a mouse: Tab reaches everything, the focus is seen in every theme, keys do what the
// mouse does, and a screen reader hears what they did.
#include <QAbstractButton>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QButtonGroup>
#include <QComboBox>
#include <QImage>
#include <QLineEdit>
#include <QSet>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QTreeWidget>
#include <QUndoStack>
#include <algorithm>
#include <set>
#include <vector>

#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/corpus/sentence_view.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/views/strip/sentence_strip.h"
#include "app/gui/views/strip/typing_field.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/film_strip.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/widgets/theme.h"
#include "app/gui/window/rail.h"
#include "tests/gui/gui_fixture.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

// Every widget that Tab leads to, in its order.
std::vector<QWidget*> tab_chain(MainWindow& window) {
  window.activateWindow();
  if (!QTest::qWaitForWindowActive(&window)) {
    return {};
  }
  window.rail().tree().setFocus();
  std::vector<QWidget*> chain;
  QSet<QWidget*> seen;
  for (int i = 0; i < 300; ++i) {
    QWidget* now = QApplication::focusWidget();
    if (now == nullptr || seen.contains(now)) {
      break;
    }
    seen.insert(now);
    chain.push_back(now);
    QTest::keyClick(now, Qt::Key_Tab);
  }
  return chain;
}

// What a hand can do something with; parts of other controls are theirs.
bool is_control(const QWidget& widget) {
  const bool kind = qobject_cast<const QAbstractButton*>(&widget) ||
                    qobject_cast<const QComboBox*>(&widget) || qobject_cast<const QLineEdit*>(&widget) ||
                    qobject_cast<const QAbstractSpinBox*>(&widget) ||
                    qobject_cast<const QAbstractSlider*>(&widget) ||
                    qobject_cast<const QTableView*>(&widget) || qobject_cast<const FigureCanvas*>(&widget) ||
                    qobject_cast<const LayerHeadGrid*>(&widget) || qobject_cast<const QTabBar*>(&widget);
  if (!kind || !widget.isVisible() || !widget.isEnabled() || widget.visibleRegion().isEmpty()) {
    return false;
  }
  for (const QWidget* parent = widget.parentWidget(); parent != nullptr; parent = parent->parentWidget()) {
    if (qobject_cast<const QAbstractSpinBox*>(parent) || qobject_cast<const QComboBox*>(parent) ||
        qobject_cast<const QTableView*>(parent) || qobject_cast<const QLineEdit*>(parent) ||
        qobject_cast<const QTabBar*>(parent)) {
      return false;
    }
  }
  // Of a group of buttons one is in the chain, the arrows lead to the others.
  const auto* button = qobject_cast<const QAbstractButton*>(&widget);
  return button == nullptr || button->group() == nullptr || button->isChecked();
}

}  // namespace

class KeyboardTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void tabReachesEverything() {
    WindowFixture fixture;
    fixture.openFakeModel();
    fixture.openFake();
    for (const char* dock :
         {"gates", "flow", "decomposition", "weights", "compare", "figures", "changes", "jobs"}) {
      fixture.window->showView(QString::fromLatin1(dock));
      QVERIFY(fixture.settle());
      const std::vector<QWidget*> chain = tab_chain(*fixture.window);
      QVERIFY(chain.size() > 10);
      for (const QWidget* widget : chain) {  // of views behind a tab nothing
        QVERIFY2(!widget->visibleRegion().isEmpty(), qPrintable(widget->accessibleName()));
      }
      for (QWidget* widget : fixture.window->findChildren<QWidget*>()) {
        if (is_control(*widget)) {
          QVERIFY2(std::find(chain.begin(), chain.end(), widget) != chain.end(),
                   qPrintable(QStringLiteral("%1 %2 (%3)")
                                  .arg(QString::fromLatin1(widget->metaObject()->className()),
                                       widget->accessibleName(), QString::fromLatin1(dock))));
        }
      }
    }
  }

  void theFocusIsSeen_data() {
    QTest::addColumn<QString>("theme");
    for (const char* theme : {"light", "dark", "high-contrast"}) {
      QTest::newRow(theme) << QString::fromLatin1(theme);
    }
  }

  void theFocusIsSeen() {
    QFETCH(QString, theme);
    apply_theme(*qApp, theme);
    WindowFixture fixture;
    fixture.openFakeModel();
    fixture.openFake();
    const auto chain = tab_chain(*fixture.window);
    QVERIFY(chain.size() > 10);
    for (QWidget* widget : chain) {
      widget->setFocus(Qt::TabFocusReason);
      const QImage with = widget->grab().toImage();
      QWidget* other = widget == &fixture.window->attention().matrix()
                           ? static_cast<QWidget*>(&fixture.window->attention().grid())
                           : static_cast<QWidget*>(&fixture.window->attention().matrix());
      other->setFocus(Qt::TabFocusReason);
      QVERIFY2(widget->grab().toImage() != with,
               qPrintable(QStringLiteral("%1 %2").arg(QString::fromLatin1(widget->metaObject()->className()),
                                                      widget->accessibleName())));
    }
    apply_theme(*qApp, QStringLiteral("light"));
  }

  // Ctrl+L and / lead into lines that can be seen, also when they were hidden.
  void linesToTypeInComeToTheFront() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.openFakeModel();
    MainWindow& window = *fixture.window;
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QVERIFY(window.sentences().visibleRegion().isEmpty());
    window.rail().setNarrow(true);
    QTest::keyClick(&window.attention().matrix(), Qt::Key_L, Qt::ControlModifier);
    QVERIFY(fixture.settle());
    QVERIFY(window.rail().field().typing().hasFocus());
    fixture.see("attention");
    window.attention().matrix().setFocus();
    QVERIFY(fixture.settle());
    QTest::keyClick(&window.attention().matrix(), Qt::Key_Slash);
    QVERIFY(fixture.settle());
    QVERIFY(!window.sentences().visibleRegion().isEmpty());
    QVERIFY(window.sentences().find().hasFocus());
  }

  void theGridGoesByKeys() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    LayerHeadGrid& grid = window.attention().grid();
    grid.setFocus(Qt::TabFocusReason);
    SelectionModel& selection = window.selection();
    selection.setMap(1, mog::Part::none, 0);
    const auto press = [&grid](Qt::Key key) { QTest::keyClick(&grid, key); };
    // A screen reader says a name when it changes.
    const auto said = [&grid](const char* text) {
      return grid.accessibleName().contains(QString::fromLatin1(text));
    };
    press(Qt::Key_Up);
    QCOMPARE(selection.layer(), 2);
    QVERIFY(said("layer 2 of 3, mean over heads"));
    press(Qt::Key_Right);
    QCOMPARE(selection.head(), 1);
    QVERIFY(!selection.token());  // not the window's key
    QVERIFY(said("head 1 of 2"));
    press(Qt::Key_End);
    QCOMPARE(selection.head(), 2);
    press(Qt::Key_Right);
    QCOMPARE(selection.head(), 2);  // there is no more
    press(Qt::Key_Home);
    QCOMPARE(selection.head(), 0);
    press(Qt::Key_Space);  // the mean is no head
    QVERIFY(window.state().list(setting::kHeadsOff).empty());
    press(Qt::Key_Right);
    press(Qt::Key_Down);
    QCOMPARE(selection.layer(), 1);
    press(Qt::Key_Space);
    QCOMPARE(window.state().list(setting::kHeadsOff), std::vector<std::int64_t>{1});
    QVERIFY(fixture.settle());
    QVERIFY(said("not in the means"));
    // Return isolates, and takes back nothing but what it did itself.
    window.state().set(setting::kGraphsShow, QStringLiteral("arcs"));
    press(Qt::Key_Return);
    QCOMPARE(window.state().list(setting::kHeadsOff), std::vector<std::int64_t>{2});
    QCOMPARE(window.state().choice(setting::kGraphsShow), QStringLiteral("arcs"));
    press(Qt::Key_Return);
    QVERIFY(window.state().list(setting::kHeadsOff).empty());
    // Elsewhere the arrows are the window's.
    window.attention().matrix().setFocus();
    QTest::keyClick(&window.attention().matrix(), Qt::Key_Right);
    QCOMPARE(selection.token().value(), 0);
    // They walk the words of the strip, to the last and not on to </s>.
    for (int i = 0; i < 40; ++i) {
      QTest::keyClick(&window.attention().matrix(), Qt::Key_Right);
    }
    QCOMPARE(selection.token().value(), window.strip().line().sentence().words.back().tokens.front());
    QVERIFY(selection.token().value() + 1 < selection.extent().tokens);
    QVERIFY(fixture.settle());
  }

  // In the picture of a graph the arrows go along its edges, Tab from join to join and then out.
  void joinsAreWalked() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.workspace().select({1, 2});
    window.selection().setToken(3);
    QVERIFY(fixture.settle());
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    fixture.see("trees");
    window.trees().filmstrip().button(4)->click();  // five leaves
    FigureCanvas& view = window.trees().picture();
    view.setFocus(Qt::TabFocusReason);
    const auto& nodes = std::get<mog::analysis::TreeFigure>(view.figure()->body).nodes;
    const auto join = [&nodes](std::int64_t node) {
      return node >= 0 && nodes[static_cast<std::size_t>(node)].left >= 0;
    };
    const auto press = [&view](Qt::Key key, Qt::KeyboardModifiers with = {}) {
      QTest::keyClick(&view, key, with);
    };
    const auto chosen = [&window] {
      return window.selection().join() ? window.selection().join()->node : -1;
    };
    press(Qt::Key_Up);
    const std::int64_t root = std::ssize(nodes) - 1;
    QCOMPARE(chosen(), root);
    press(Qt::Key_Up);
    QCOMPARE(chosen(), root);  // nothing takes it in
    const auto& top = nodes[static_cast<std::size_t>(root)];
    press(Qt::Key_Down);
    QCOMPARE(chosen(), join(top.left) ? top.left : root);
    if (join(top.left)) {
      press(Qt::Key_Up);
      QCOMPARE(chosen(), root);
    }
    const bool left = nodes[static_cast<std::size_t>(top.right)].word < top.word;
    press(left ? Qt::Key_Right : Qt::Key_Left);
    QCOMPARE(chosen(), root);
    QCOMPARE(window.selection().token().value(), 3);  // not the window's key
    press(left ? Qt::Key_Left : Qt::Key_Right);
    QCOMPARE(chosen(), join(top.right) ? top.right : root);
    // From the first join to the last, by layers.
    while (chosen() >= 0 && view.hasFocus() && window.selection().join()->layer > 1) {
      press(Qt::Key_Backtab, Qt::ShiftModifier);
    }
    std::int64_t layer = 0;
    std::set<std::int64_t> walked;
    while (view.hasFocus() && walked.size() < nodes.size()) {
      QVERIFY(window.selection().join()->layer >= layer);
      layer = window.selection().join()->layer;
      walked.insert(chosen());
      press(Qt::Key_Tab);
    }
    QVERIFY(!view.hasFocus());
    QVERIFY(walked.count(root) == 1 && walked.size() >= 2);
    view.setFocus(Qt::TabFocusReason);
    press(Qt::Key_Escape);
    QCOMPARE(chosen(), -1);
    press(Qt::Key_Right);  // without a join the arrows are the window's
    QCOMPARE(window.selection().token().value(), 4);
    QVERIFY(fixture.settle());
  }

  // Ctrl with the arrows goes from graph to graph wherever the focus is in the view.
  void graphsAreWalked() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.selection().setToken(1);
    QVERIFY(fixture.settle());
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    fixture.see("trees");
    FilmStrip& strip = window.trees().filmstrip();
    window.trees().picture().setFocus();
    const int before = strip.current();
    QVERIFY(before >= 1);
    const auto figure = window.trees().picture().figure();
    QTest::keyClick(&window.trees().picture(), Qt::Key_Left, Qt::ControlModifier);
    QCOMPARE(strip.current(), before - 1);
    QVERIFY(window.trees().picture().figure() != figure);
    QTest::keyClick(&window.trees().picture(), Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(strip.current(), before);
    // On a card the arrows alone.
    strip.button(before)->setFocus(Qt::TabFocusReason);
    QTest::keyClick(strip.button(before), Qt::Key_Left);
    QCOMPARE(strip.current(), before - 1);
    QVERIFY(strip.button(before - 1)->hasFocus());
    QVERIFY(fixture.settle());
  }

  void aMapIsWalkedCellByCell() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    window.workspace().select({1, 1});
    QVERIFY(fixture.settle());
    FigureCanvas& matrix = window.attention().matrix();
    matrix.setFocus(Qt::TabFocusReason);
    std::vector<mog::figures::Hit> walked;
    connect(&matrix, &FigureCanvas::hovered, this, [&walked](const std::optional<mog::figures::Hit>& hit) {
      if (hit) {
        walked.push_back(*hit);
      }
    });
    const auto step = [&matrix](Qt::Key key) { QTest::keyClick(&matrix, key, Qt::ShiftModifier); };
    step(Qt::Key_Down);
    QCOMPARE(walked.size(), std::size_t{1});
    for (int i = 0; i < 20 && walked.back().kind != mog::figures::Hit::Kind::cell; ++i) {
      step(i % 2 == 0 ? Qt::Key_Down : Qt::Key_Right);
    }
    QVERIFY(walked.back().kind == mog::figures::Hit::Kind::cell);
    const mog::figures::Hit start = walked.back();
    step(Qt::Key_Right);
    QCOMPARE(walked.back().row, start.row);
    QCOMPARE(walked.back().column, start.column + 1);
    step(Qt::Key_Down);
    QCOMPARE(walked.back().row, start.row + 1);
    QCOMPARE(walked.back().column, start.column + 1);
    QCOMPARE(window.readout(), walked.back().readout);
    QCOMPARE(matrix.accessibleDescription(), walked.back().readout);
    QTest::keyClick(&matrix, Qt::Key_Return);
    QCOMPARE(window.selection().token().value(), walked.back().row);
    QCOMPARE(window.selection().key().value(), walked.back().column);
    step(Qt::Key_Left);
    QCOMPARE(walked.back().column, start.column);
    QVERIFY(fixture.settle());
  }

  // Where nothing lies straight on, the nearest thing beside it is next.
  void arcsAndTreesAreWalked() {
    WindowFixture fixture;
    fixture.openFake();
    for (FigureCanvas* view : fixture.window->findChildren<FigureCanvas*>()) {
      if (view->visibleRegion().isEmpty() || view->figure() == nullptr) {
        continue;
      }
      QSet<QString> said;
      connect(view, &FigureCanvas::hovered, this, [&said](const std::optional<mog::figures::Hit>& hit) {
        if (hit) {
          said.insert(hit->readout);
        }
      });
      view->setFocus(Qt::TabFocusReason);
      // Every way from everywhere: where things stand depends on how much room the machine's font leaves.
      constexpr Qt::Key kKeys[] = {Qt::Key_Right, Qt::Key_Down, Qt::Key_Left,  Qt::Key_Down,
                                   Qt::Key_Right, Qt::Key_Up,   Qt::Key_Left,  Qt::Key_Up,
                                   Qt::Key_Down,  Qt::Key_Down, Qt::Key_Right, Qt::Key_Right};
      for (int i = 0; i < 3; ++i) {
        for (const Qt::Key key : kKeys) {
          QTest::keyClick(view, key, Qt::ShiftModifier);
        }
      }
      QVERIFY2(said.size() >= 3, qPrintable(view->accessibleName()));
      view->disconnect(this);
    }
    QVERIFY(fixture.settle());
  }
};

QTEST_MAIN(KeyboardTest)
#include "gui_keyboard_test.moc"
