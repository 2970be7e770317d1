// No event keeps the window's thread for more than 50 ms of processor time while jobs run.
//
// The 50 ms are those of the reference machine (tests/benchmarks/calibration.h) and of an optimised build;
// the calibration loop of the same run and the kind of the build scale them, and what is above is printed.
// The test fails at three times as much: a machine that is busy with other tests gives less in a millisecond
// than the calibration a moment before.
#include <QDoubleSpinBox>
#include <QTableView>
#include <QTest>
#include <QUndoStack>
#include <QWheelEvent>
#include <atomic>

#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/gate_view.h"
#include "app/gui/views/common/view_kind.h"
#include "app/gui/views/compare/compare_view.h"
#include "app/gui/views/compare/interventions_view.h"
#include "app/gui/views/corpus/further_figures_view.h"
#include "app/gui/views/corpus/sentence_view.h"
#include "app/gui/views/corpus/weight_view.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/views/item_models/sentence_table_model.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/widgets/theme.h"
#include "tests/benchmarks/calibration.h"
#include "tests/gui/gui_fixture.h"
#include "tests/gui/watchdog.h"

using mog::test::WatchdogApplication;
using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

constexpr double kLimitMs = 50;
constexpr double kBusyMachine = 3;

WatchdogApplication& watchdog() {
  return static_cast<WatchdogApplication&>(*QCoreApplication::instance());
}

}  // namespace

class WatchdogTest : public QObject {
  Q_OBJECT

  // A job that runs all the time, beside those of the views.
  static void keepBusy(MainWindow& window, const std::shared_ptr<std::atomic<bool>>& enough) {
    window.jobs().start(
        {.title = QStringLiteral("a long count"), .slot = QStringLiteral("busy")}, &window,
        [enough](const JobContext& context) {
          std::int64_t round = 0;
          while (!*enough && !context.stop().stop_requested()) {
            context.report({.done = ++round, .total = 0, .unit = "rounds", .message = {}});
            QThread::msleep(20);
          }
          return round;
        },
        [](std::int64_t) {});
  }

  // Until the views are done; the long job goes on.
  static bool settle(MainWindow& window) {
    for (int i = 0; i < 2000; ++i) {
      QTest::qWait(10);
      if (window.jobs().running() <= 1) {
        QTest::qWait(30);
        if (window.jobs().running() <= 1) {
          return true;
        }
      }
    }
    return false;
  }

  static double limit() {
    return kLimitMs * std::max(1.0, mog::bench::calibration_factor()) * mog::test::build_factor();
  }

  static void report(const std::vector<WatchdogApplication::Slow>& slow, double limit_ms) {
    QStringList lines;
    for (const auto& one : slow) {
      lines.push_back(QStringLiteral("%1 ms: %2").arg(one.ms, 0, 'f', 1).arg(one.name));
    }
    qInfo("%ld events, the slowest %.1f ms, limit %.0f ms%s", watchdog().events(), watchdog().slowestMs(),
          limit_ms,
          qPrintable(lines.isEmpty() ? QString() : QLatin1Char('\n') + lines.join(QLatin1Char('\n'))));
    QVERIFY2(slow.empty() || slow.front().ms < kBusyMachine * limit_ms,
             qPrintable(lines.join(QLatin1Char('\n'))));
  }

  static void move(QWidget& over, QPointF at) {
    QMouseEvent event(QEvent::MouseMove, at, over.mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                      Qt::NoModifier);
    QApplication::sendEvent(&over, &event);
    QCoreApplication::processEvents();
  }

  static void zoom(QWidget& in, int turn) {
    const QPointF at = in.rect().center();
    QWheelEvent event(at, in.mapToGlobal(at), {}, {0, turn}, Qt::NoButton, Qt::ControlModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&in, &event);
    QCoreApplication::processEvents();
  }

  static void walk(MainWindow& window) {
    QTableView& table = window.sentences().tableView();
    for (int row = 0; row < window.sentences().table().rowCount(); ++row) {
      watchdog().setDoing(QStringLiteral("sentence %1 is chosen").arg(row + 1));
      table.selectRow(row);
      QVERIFY(settle(window));
    }
    for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_BracketRight, Qt::Key_BracketRight,
                              Qt::Key_1, Qt::Key_2, Qt::Key_0, Qt::Key_Right, Qt::Key_Right, Qt::Key_P,
                              Qt::Key_S, Qt::Key_W, Qt::Key_S, Qt::Key_W, Qt::Key_X, Qt::Key_X, Qt::Key_D}) {
      watchdog().setDoing(QStringLiteral("key %1").arg(QKeySequence(key).toString()));
      QTest::keyClick(&window.attention().matrix(), key);
      QVERIFY(settle(window));
    }
  }

  static void showEveryView(MainWindow& window) {
    for (const ViewKind* const kind : view_kinds()) {
      watchdog().setDoing(QStringLiteral("the view %1 is shown").arg(QString::fromLatin1(kind->name)));
      window.showView(*kind);
      QVERIFY(settle(window));
    }
    window.showView(QStringLiteral("figures"));
    for (const QString& kind : window.furtherFigures().kinds()) {
      watchdog().setDoing(QStringLiteral("the figure %1 is shown").arg(kind));
      window.furtherFigures().setKind(kind);
      QVERIFY(settle(window));
    }
    window.showView(QStringLiteral("gates"));
  }

  static void moveThePointer(MainWindow& window) {
    for (FigureCanvas* view : window.findChildren<FigureCanvas*>()) {
      if (!view->isVisible()) {
        continue;
      }
      watchdog().setDoing(QStringLiteral("the pointer moves over %1").arg(view->accessibleName()));
      for (int step = 0; step < 20; ++step) {
        move(*view, QPointF(view->width() * (0.05 + 0.045 * step), view->height() * (0.95 - 0.045 * step)));
      }
      watchdog().setDoing(QStringLiteral("%1 is zoomed").arg(view->accessibleName()));
      for (const int turn : {120, 120, 120, 480, -480, -120, -120, -120}) {
        zoom(*view, turn);
      }
    }
  }

  static void dragTheThreshold(MainWindow& window) {
    watchdog().setDoing(QStringLiteral("the threshold of the arcs changes"));
    for (const double value : {0.5, 0.2, 0.1, 0.05, 0.01, 0.004, 0.001, 0.0, -1.0}) {
      window.state().set(setting::kAttentionThreshold, ViewState::Value(value));
      QVERIFY(settle(window));
    }
  }

  static void everything(WindowFixture& fixture, const mog::test::CorpusOptions& corpus) {
    MainWindow& window = *fixture.window;
    const QString path =
        mog::test::save_recording(fixture.folder.filePath(QStringLiteral("big.rec")), corpus);
    fixture.openFakeModel();
    const double limit_ms = limit();
    const auto enough = std::make_shared<std::atomic<bool>>(false);
    keepBusy(window, enough);
    watchdog().watch(limit_ms);
    watchdog().setDoing(QStringLiteral("a recording is opened"));
    window.open({path});
    QVERIFY(settle(window));
    walk(window);
    dragTheThreshold(window);
    moveThePointer(window);
    showEveryView(window);
    watchdog().setDoing(QStringLiteral("a sentence is run"));
    window.workspace().runSentence(QStringLiteral("typed while a job runs"));
    QVERIFY(settle(window));
    watchdog().setDoing(QStringLiteral("a change is run"));
    window.interventions().setChoice(InterventionsView::Choice::mask);
    window.selection().setToken(1);
    window.interventions().run();
    QVERIFY(settle(window));
    watchdog().setDoing(QStringLiteral("everything is undone"));
    while (window.state().history().canUndo()) {
      window.state().history().undo();
    }
    QVERIFY(settle(window));
    watchdog().setDoing(QStringLiteral("the session is saved and opened"));
    const QString session = fixture.folder.filePath(QStringLiteral("a.mog-session"));
    window.session().save(session);
    window.open({session});
    QVERIFY(settle(window));
    watchdog().setDoing(QStringLiteral("the theme changes"));
    QApplication::setPalette(dark_palette());
    QVERIFY(settle(window));
    watchdog().setDoing(QStringLiteral("the window is resized"));
    window.resize(1600, 1000);
    QVERIFY(settle(window));
    const auto slow = watchdog().stopWatching();
    QApplication::setPalette(light_palette());
    *enough = true;
    QVERIFY(fixture.settle());
    report(slow, limit_ms);
  }

 private Q_SLOTS:
  void watchdogCountsProcessorTimeAndNamesTheInnermost() {
    class Burner : public QObject {
     public:
      bool event(QEvent* event) override {
        if (event->type() == QEvent::User) {
          const std::clock_t begin = std::clock();
          while (std::clock() - begin < CLOCKS_PER_SEC / 25) {
          }
        } else if (event->type() == QEvent::Type(QEvent::User + 1)) {
          QEvent inner(QEvent::User);
          QCoreApplication::sendEvent(this, &inner);
          QThread::msleep(40);  // sleeping is not counted
        }
        return true;
      }
    };
    Burner burner;
    burner.setObjectName(QStringLiteral("burner"));
    watchdog().setDoing(QStringLiteral("burning"));
    watchdog().watch(10);
    QEvent outer(QEvent::Type(QEvent::User + 1));
    QCoreApplication::sendEvent(&burner, &outer);
    const auto slow = watchdog().stopWatching();
    QCOMPARE(slow.size(), std::size_t{1});
    QVERIFY(slow.front().name.contains(QStringLiteral("burner")));
    QVERIFY(slow.front().name.contains(QStringLiteral("User")));
    QVERIFY(slow.front().ms > 30 && slow.front().ms < 79);
  }

  void ordinarySentences() {
    WindowFixture fixture;
    fixture.window->resize(1440, 900);
    mog::test::CorpusOptions corpus;
    corpus.model.layers = 12;
    corpus.model.heads = 12;
    corpus.lengths = {59, 5, 30};
    everything(fixture, corpus);
  }

  void aSentenceOf511Words() {
    WindowFixture fixture;
    fixture.window->resize(1440, 900);
    mog::test::CorpusOptions corpus;
    corpus.model.layers = 2;
    corpus.model.heads = 2;
    corpus.lengths = {511, 12};
    everything(fixture, corpus);
  }
};

int main(int argc, char** argv) {
  WatchdogApplication application(argc, argv);
  WatchdogTest test;
  QTEST_SET_MAIN_SOURCE_PATH
  return QTest::qExec(&test, argc, argv);
}
#include "gui_watchdog_test.moc"
