#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <algorithm>
#include <atomic>
#include <semaphore>
#include <stdexcept>

#include "app/gui/session/job_runner.h"
#include "io/recording/errors.h"

using mog::gui::JobContext;
using mog::gui::JobRunner;
using mog::gui::JobState;
using mog::gui::JobStatus;

class JobRunnerTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void resultsArriveOnTheWindowsThread() {
    JobRunner jobs;
    QThread* worker = nullptr;
    int result = 0;
    jobs.start(
        {.title = QStringLiteral("count"), .slot = {}}, this,
        [&](const JobContext&) {
          worker = QThread::currentThread();
          return 42;
        },
        [&](int value) {
          QCOMPARE(QThread::currentThread(), thread());
          result = value;
        });
    QVERIFY(!jobs.idle());
    QTRY_COMPARE(result, 42);
    QVERIFY(worker != thread());
    QVERIFY(jobs.idle());
  }

  void errorsArriveInTheirOwnWords() {
    JobRunner jobs;
    QString words;
    jobs.start(
        {.title = QStringLiteral("fail"), .slot = {}}, this,
        [](const JobContext&) -> int { throw mog::FormatError("Opening x.h5: not an HDF5 file."); },
        [](int) { QFAIL("no result was made"); }, [&](const QString& message) { words = message; });
    QTRY_COMPARE(words, QStringLiteral("Opening x.h5: not an HDF5 file."));
  }

  void anErrorInTheResultsUseIsReportedToo() {
    JobRunner jobs;
    QString words;
    jobs.start(
        {.title = QStringLiteral("late"), .slot = {}}, this, [](const JobContext&) { return 1; },
        [](int) { throw std::runtime_error("no room"); }, [&](const QString& message) { words = message; });
    QTRY_COMPARE(words, QStringLiteral("no room"));
  }

  void cancelledJobsStopAndSayNothing() {
    JobRunner jobs;
    std::atomic<bool> started = false;
    std::atomic<bool> stopped = false;
    const int id = jobs.start(
        {.title = QStringLiteral("endless"), .slot = {}}, this,
        [&](const JobContext& context) {
          started = true;
          while (!context.stop().stop_requested()) {
            QThread::msleep(1);
          }
          stopped = true;
          context.check();
          return 0;
        },
        [](int) { QFAIL("was cancelled"); }, [](const QString&) { QFAIL("a cancel is no failure"); });
    QSignalSpy over(&jobs, &JobRunner::jobOver);
    QTRY_VERIFY(started.load());
    jobs.cancel(id);
    QVERIFY(jobs.idle());
    QTRY_VERIFY(stopped.load());
    QTest::qWait(30);
    QCOMPARE(over.count(), 1);
    QVERIFY(over.front().front().value<JobStatus>().state == JobState::cancelled);
  }

  void aSlotKeepsTheLastQuestionOnly() {
    JobRunner jobs;
    std::vector<int> answers;
    for (int i = 0; i < 20; ++i) {
      jobs.start(
          {.title = QStringLiteral("ask"), .slot = QStringLiteral("view"), .quiet = true}, this,
          [i](const JobContext&) {
            QThread::msleep(5);
            return i;
          },
          [&](int answer) { answers.push_back(answer); });
    }
    QTRY_VERIFY(jobs.idle());
    QTest::qWait(50);
    QCOMPARE(answers, std::vector<int>{19});
  }

  void aJobMayStartTheNextOneInItsSlot() {
    JobRunner jobs;
    int second = 0;
    QSignalSpy over(&jobs, &JobRunner::jobOver);
    jobs.start(
        {.title = QStringLiteral("one"), .slot = QStringLiteral("s")}, this,
        [](const JobContext&) { return 1; },
        [&](int one) {
          jobs.start(
              {.title = QStringLiteral("two"), .slot = QStringLiteral("s")}, this,
              [one](const JobContext&) { return one + 1; }, [&](int two) { second = two; });
        });
    QTRY_COMPARE(second, 2);
    QCOMPARE(over.count(), 2);
    for (const auto& signal : over) {
      QVERIFY(signal.front().value<JobStatus>().state == JobState::done);
    }
  }

  void partsComeInOrderBeforeTheResult() {
    JobRunner jobs;
    std::vector<int> seen;
    jobs.start(
        {.title = QStringLiteral("parts"), .slot = {}}, this,
        [&](const JobContext& context) {
          for (int i = 0; i < 100; ++i) {
            context.deliver([&seen, i] { seen.push_back(i); });
          }
          return 100;
        },
        [&](int last) { seen.push_back(last); });
    QTRY_COMPARE(seen.size(), std::size_t{101});
    for (int i = 0; i <= 100; ++i) {
      QCOMPARE(seen[static_cast<std::size_t>(i)], i);
    }
  }

  void nothingReachesAReceiverThatIsGone() {
    JobRunner jobs;
    auto receiver = std::make_unique<QObject>();
    std::binary_semaphore go(0);
    jobs.start(
        {.title = QStringLiteral("orphan"), .slot = {}}, receiver.get(),
        [&](const JobContext&) {
          go.acquire();
          return 1;
        },
        [](int) { QFAIL("the receiver is gone"); });
    receiver.reset();
    go.release();
    QTRY_VERIFY(jobs.idle());
  }

  void theEndOfTheRunnerWaitsForItsWorkers() {
    std::atomic<int> left = 0;
    {
      JobRunner jobs;
      for (int i = 0; i < 8; ++i) {
        jobs.start(
            {.title = QStringLiteral("w"), .slot = {}}, this,
            [&](const JobContext& context) {
              ++left;
              while (!context.stop().stop_requested()) {
                QThread::msleep(1);
              }
              --left;
              return 0;
            },
            [](int) { QFAIL("the runner is gone"); });
      }
      QTRY_VERIFY(left > 0);
    }
    QCOMPARE(left.load(), 0);
  }

  // As many of them as there are: what a view asks for does not wait behind them.
  void wholeRecordingsKeepNoViewWaiting() {
    std::counting_semaphore<1000> go(0);
    JobRunner jobs;
    const int many = 4 * std::max(2, QThread::idealThreadCount());
    int counted = 0;
    for (int i = 0; i < many; ++i) {
      jobs.start(
          {.title = QStringLiteral("a whole recording"), .slot = {}, .background = true}, this,
          [&go](const JobContext&) {
            go.acquire();
            return 1;
          },
          [&counted](int one) { counted += one; });
    }
    bool seen = false;
    jobs.start(
        {.title = QStringLiteral("a map"), .slot = {}}, this, [](const JobContext&) { return true; },
        [&seen](bool value) { seen = value; });
    QTRY_VERIFY(seen);
    QCOMPARE(counted, 0);
    go.release(many);
    QTRY_COMPARE(counted, many);
  }

  void progressIsToldAndTheLastStepToo() {
    JobRunner jobs;
    QSignalSpy progressed(&jobs, &JobRunner::jobProgressed);
    jobs.start(
        {.title = QStringLiteral("steps"), .slot = {}}, this,
        [](const JobContext& context) {
          const auto tell = context.progress();
          for (int i = 1; i <= 1000; ++i) {
            tell({.done = i, .total = 1000, .unit = "steps", .message = {}});
          }
          return 0;
        },
        [](int) {});
    QTRY_VERIFY(jobs.idle());
    QVERIFY(progressed.count() >= 2);
    QVERIFY(progressed.count() < 50);  // not one event a step
    QCOMPARE(progressed.back().front().value<JobStatus>().progress.done, 1000);
  }
};

QTEST_MAIN(JobRunnerTest)
#include "gui_job_runner_test.moc"
