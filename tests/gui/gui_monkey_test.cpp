// A monkey at the keyboard and the mouse: random events, always the same ones for one seed.
#include <QDialog>
#include <QTest>
#include <QUndoStack>
#include <QWheelEvent>
#include <random>

#include "app/gui/attention_view.h"
#include "app/gui/changes_view.h"
#include "app/gui/figure_view.h"
#include "tests/gui/gui_fixture.h"

using mog::test::WindowFixture;

class MonkeyTest : public QObject {
  Q_OBJECT

  static constexpr Qt::Key kKeys[] = {Qt::Key_Left,
                                      Qt::Key_Right,
                                      Qt::Key_Up,
                                      Qt::Key_Down,
                                      Qt::Key_BracketLeft,
                                      Qt::Key_BracketRight,
                                      Qt::Key_0,
                                      Qt::Key_1,
                                      Qt::Key_2,
                                      Qt::Key_3,
                                      Qt::Key_4,
                                      Qt::Key_P,
                                      Qt::Key_Plus,
                                      Qt::Key_Minus,
                                      Qt::Key_PageDown,
                                      Qt::Key_PageUp,
                                      Qt::Key_Escape,
                                      Qt::Key_Slash,
                                      Qt::Key_Tab,
                                      Qt::Key_Space,
                                      Qt::Key_A,
                                      Qt::Key_Return,
                                      Qt::Key_Backspace,
                                      Qt::Key_Asterisk,
                                      Qt::Key_W,
                                      Qt::Key_S,
                                      Qt::Key_T,
                                      Qt::Key_X,
                                      Qt::Key_D};

 private Q_SLOTS:
  void randomEventsDoNoHarm() {
    const int events = qEnvironmentVariableIntValue("MOG_MONKEY_EVENTS");
    const int wanted = events > 0 ? events : 200;
    WindowFixture fixture;
    fixture.openFake();
    fixture.openFakeModel();
    mog::gui::MainWindow& window = *fixture.window;
    std::mt19937 random(20261121);
    const auto pick = [&random](std::size_t below) {
      return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
    };
    const QStringList docks = {QStringLiteral("gates"),   QStringLiteral("weights"),
                               QStringLiteral("trees"),   QStringLiteral("compare"),
                               QStringLiteral("figures"), QStringLiteral("changes"),
                               QStringLiteral("jobs")};
    for (int i = 0; i < wanted; ++i) {
      for (QDialog* dialog : window.findChildren<QDialog*>()) {
        dialog->reject();
      }
      QWidget* target = QApplication::focusWidget() ? QApplication::focusWidget() : &window;
      QList<QWidget*> places;
      for (QWidget* widget : window.findChildren<QWidget*>()) {
        if (widget->isVisible() && widget->width() > 4 && widget->height() > 4) {
          places.push_back(widget);
        }
      }
      QWidget* place = places[static_cast<qsizetype>(pick(static_cast<std::size_t>(places.size())))];
      const QPoint at(static_cast<int>(pick(static_cast<std::size_t>(place->width()))),
                      static_cast<int>(pick(static_cast<std::size_t>(place->height()))));
      switch (pick(10)) {
        case 0:
        case 1:
        case 2:
          QTest::keyClick(target, kKeys[pick(std::size(kKeys))]);
          break;
        case 3:
          QTest::mouseMove(place, at);
          break;
        case 4:
          // Not on menus and title bars: they would open nested event loops.
          if (qobject_cast<mog::gui::FigureView*>(place) != nullptr) {
            QTest::mouseClick(place, Qt::LeftButton, {}, at);
          }
          break;
        case 5:
          if (qobject_cast<mog::gui::FigureView*>(place) != nullptr) {
            QWheelEvent wheel(at, place->mapToGlobal(at), {}, {0, pick(2) == 0 ? 120 : -120}, Qt::NoButton,
                              pick(2) == 0 ? Qt::ControlModifier : Qt::NoModifier, Qt::NoScrollPhase, false);
            QApplication::sendEvent(place, &wheel);
          }
          break;
        case 6:
          window.showDock(docks[static_cast<qsizetype>(pick(static_cast<std::size_t>(docks.size())))]);
          if (pick(6) == 0) {
            window.workspace().runSentence(QStringLiteral("a monkey types this"));
          }
          break;
        case 7:
          (pick(3) == 0 ? window.state().history().redo() : window.state().history().undo());
          break;
        case 8:
          if (pick(8) == 0) {
            window.changes().setChange(static_cast<mog::gui::ChangesView::Change>(pick(6)));
            window.changes().run();
          }
          break;
        default:
          window.resize(700 + static_cast<int>(pick(900)), 500 + static_cast<int>(pick(600)));
          QTest::qWait(static_cast<int>(pick(20)));
          break;
      }
    }
    QVERIFY(fixture.settle());
    QVERIFY2(window.workspace().messages().isEmpty(),
             qPrintable(window.workspace().messages().join(QLatin1Char('\n'))));
    const auto& extent = window.selection().extent();
    QVERIFY(window.selection().layer() <= extent.layers);
    QVERIFY(window.selection().head() <= extent.heads);
  }
};

QTEST_MAIN(MonkeyTest)
#include "gui_monkey_test.moc"
