// The only bridge between the window's thread and the others.
//
// A job is a function that runs on a worker, takes values and returns a value. Its result comes back on the
// window's thread; its errors become words. Every job can be cancelled. A job in a slot replaces the one
// before it in the same slot: the older one is cancelled and its result dropped, so that a view always ends
// with the answer to its last question.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <QThreadPool>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "app/gui/session/language.h"
#include "app/workflow/common/progress.h"

namespace mog::gui {

enum class JobState : std::uint8_t { waiting, running, done, failed, cancelled };

struct JobInfo {
  ReaderText title;    // what is done, in the reader's words: "Opening wsj.rec"
  QString slot;        // empty: no slot
  bool quiet = false;  // a moment's work of a view: in the list only while it takes long
  // Goes through a whole recording or corpus: has threads of its own, so that no view waits for it.
  bool background = false;
};

struct JobStatus {
  int id = 0;
  JobInfo info;
  JobState state = JobState::waiting;
  app::Progress progress;
  // Since the first progress with a total, and how much was done then: what a rate is made of.
  std::chrono::steady_clock::time_point counted_since;
  std::int64_t done_before = 0;
  QString message;  // why it failed
  std::optional<double> secondsLeft() const;
  bool over() const { return state != JobState::waiting && state != JobState::running; }
};

class JobRunner;

// What a job sees of its runner; used on the job's thread.
class JobContext {
 public:
  std::stop_token stop() const { return stop_; }
  // Throws Interrupted when the job was cancelled.
  void check() const;
  void report(const app::Progress& progress) const;
  app::ProgressCallback progress() const;
  // Calls `part` on the window's thread, in order, before the job's result; dropped once the job is
  // cancelled or replaced.
  void deliver(std::function<void()> part) const;

 private:
  friend class JobRunner;
  JobRunner* runner_ = nullptr;
  int id_ = 0;
  std::stop_token stop_;
};

class JobRunner : public QObject {
  Q_OBJECT
 public:
  explicit JobRunner(QObject* parent = nullptr);
  // Cancels everything and waits for the workers.
  ~JobRunner() override;

  // Runs `work` on a worker, then on the window's thread `done(result)`, or `failed(message)` when it threw.
  // Neither is called after a cancel, a replacement, or the end of `receiver`. Returns the job's number.
  template <class Work, class Done>
  int start(JobInfo info, QObject* receiver, Work work, Done done,
            std::function<void(const QString&)> failed = {}) {
    using Result = decltype(work(std::declval<const JobContext&>()));
    return launch(
        std::move(info), receiver,
        [work = std::move(work),
         done = std::move(done)](const JobContext& context) mutable -> std::function<void()> {
          auto result = std::make_shared<Result>(work(context));
          return [result, done]() mutable { done(std::move(*result)); };
        },
        std::move(failed));
  }

  void cancel(int id);
  void cancelSlot(const QString& slot);
  void cancelAll();
  bool idle() const { return jobs_.empty(); }
  bool busyIn(const QString& slot) const;
  int running() const { return static_cast<int>(jobs_.size()); }

 Q_SIGNALS:
  void jobStarted(const mog::gui::JobStatus& job);
  void jobProgressed(const mog::gui::JobStatus& job);
  void jobOver(const mog::gui::JobStatus& job);
  void becameIdle();

 private:
  friend class JobContext;
  using Task = std::function<std::function<void()>(const JobContext&)>;
  struct Job {
    JobStatus status;
    std::stop_source stop;
    QPointer<QObject> receiver;
    std::function<void(const QString&)> failed;
  };
  int launch(JobInfo info, QObject* receiver, Task task, std::function<void(const QString&)> failed);
  void run(int id, const Task& task, const std::stop_token& stop);
  void markRunning(int id);
  void finish(int id, const std::function<void()>& done);
  void fail(int id, const QString& message);
  void end(int id, JobState state, const QString& message);
  void tellIdle();
  void progressed(int id, const app::Progress& progress);

  QThreadPool pool_;
  QThreadPool background_;
  std::map<int, Job> jobs_;  // waiting and running ones
  int next_id_ = 1;
};

// The words of an error, as the command line prints them.
QString error_text(std::exception_ptr error);

}  // namespace mog::gui
