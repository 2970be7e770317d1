// Only the window's thread touches jobs_. A worker gets values and a stop token; whatever it has to say goes
// as an event to the runner (queued), and is looked up by its number there: a job that was cancelled or
// replaced in its slot is not found, so its result is dropped without a lock. Cancelling is at once for the
// window; the worker notices at its next check, and until then holds its thread.
//
// Background jobs have a pool of their own: a recording of an hour must not keep the views' short questions
// waiting.
//
// Traps: a job is over (end) before its result is used, because that may start a new one in the same slot.
// Receivers are guarded by QPointer, since a view may be closed while its job runs. The destructor waits for
// all threads: a task that never asks its token keeps the program from ending.
#include "app/gui/session/job_runner.h"

#include <QMetaObject>
#include <QThread>
#include <algorithm>
#include <chrono>
#include <new>

#include "io/recording/errors.h"

namespace mog::gui {

QString error_text(std::exception_ptr error) {
  try {
    std::rethrow_exception(std::move(error));
  } catch (const std::bad_alloc&) {
    return JobRunner::tr(
        "There is not enough memory for this. Close other recordings or choose a shorter "
        "sentence.");
  } catch (const std::exception& e) {
    return QString::fromUtf8(e.what());
  } catch (...) {
    return JobRunner::tr("An unknown error happened.");
  }
}

// After two seconds, when a rate means something.
std::optional<double> JobStatus::secondsLeft() const {
  const std::int64_t done = progress.done - done_before;
  if (progress.total <= 0 || done <= 0 || over()) {
    return std::nullopt;
  }
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - counted_since).count();
  if (elapsed < 2) {
    return std::nullopt;
  }
  return elapsed * static_cast<double>(progress.total - progress.done) / static_cast<double>(done);
}

void JobContext::check() const {
  if (stop_.stop_requested()) {
    throw Interrupted("cancelled");
  }
}

void JobContext::report(const app::Progress& progress) const {
  QMetaObject::invokeMethod(
      runner_, [runner = runner_, id = id_, progress] { runner->progressed(id, progress); },
      Qt::QueuedConnection);
}

app::ProgressCallback JobContext::progress() const {
  // At most 20 messages a second, and always the last one.
  auto last = std::make_shared<std::chrono::steady_clock::time_point>();
  return [context = *this, last](const app::Progress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (now - *last >= std::chrono::milliseconds(50) || progress.done == progress.total) {
      *last = now;
      context.report(progress);
    }
  };
}

void JobContext::deliver(std::function<void()> part) const {
  QMetaObject::invokeMethod(
      runner_,
      [runner = runner_, id = id_, part = std::move(part)] {
        const auto at = runner->jobs_.find(id);
        if (at != runner->jobs_.end() && at->second.receiver) {
          part();
        }
      },
      Qt::QueuedConnection);
}

JobRunner::JobRunner(QObject* parent) : QObject(parent) {
  for (QThreadPool* pool : {&pool_, &background_}) {
    pool->setMaxThreadCount(std::max(2, QThread::idealThreadCount()));
  }
}

JobRunner::~JobRunner() {
  for (auto& [id, job] : jobs_) {
    job.stop.request_stop();
  }
  for (QThreadPool* pool : {&pool_, &background_}) {
    pool->clear();
    pool->waitForDone();
  }
}

int JobRunner::launch(JobInfo info, QObject* receiver, Task task,
                      std::function<void(const QString&)> failed) {
  if (!info.slot.isEmpty()) {
    cancelSlot(info.slot);
  }
  const int id = next_id_++;
  Job& job = jobs_[id];
  job.status.id = id;
  job.status.info = std::move(info);
  job.receiver = receiver;
  job.failed = std::move(failed);
  const JobStatus status = job.status;
  const std::stop_token stop = job.stop.get_token();
  Q_EMIT jobStarted(status);
  QThreadPool& pool = status.info.background ? background_ : pool_;
  pool.start([this, id, task = std::move(task), stop] { run(id, task, stop); });
  return id;
}

// On the worker's thread. What comes back is sent as events: they die with the runner.
void JobRunner::run(int id, const Task& task, const std::stop_token& stop) {
  if (stop.stop_requested()) {
    return;
  }
  QMetaObject::invokeMethod(
      this, [this, id] { markRunning(id); }, Qt::QueuedConnection);
  JobContext context;
  context.runner_ = this;
  context.id_ = id;
  context.stop_ = stop;
  try {
    std::function<void()> done = task(context);
    QMetaObject::invokeMethod(
        this, [this, id, done = std::move(done)] { finish(id, done); }, Qt::QueuedConnection);
  } catch (...) {
    const QString message = error_text(std::current_exception());
    QMetaObject::invokeMethod(
        this, [this, id, message] { fail(id, message); }, Qt::QueuedConnection);
  }
}

void JobRunner::markRunning(int id) {
  const auto at = jobs_.find(id);
  if (at != jobs_.end()) {
    at->second.status.state = JobState::running;
    Q_EMIT jobProgressed(JobStatus(at->second.status));
  }
}

void JobRunner::progressed(int id, const app::Progress& progress) {
  const auto at = jobs_.find(id);
  if (at != jobs_.end()) {
    if (at->second.status.progress.total != progress.total) {
      at->second.status.counted_since = std::chrono::steady_clock::now();
      at->second.status.done_before = progress.done;
    }
    at->second.status.progress = progress;
    Q_EMIT jobProgressed(JobStatus(at->second.status));
  }
}

// The job is over before its result is used: what `done` starts, also in the same slot, is a new job.
void JobRunner::finish(int id, const std::function<void()>& done) {
  const auto at = jobs_.find(id);
  if (at == jobs_.end()) {
    return;
  }
  const QPointer<QObject> receiver = at->second.receiver;
  const auto failed = at->second.failed;
  end(id, JobState::done, {});
  try {
    if (receiver) {
      done();
    }
  } catch (...) {
    const QString message = error_text(std::current_exception());
    if (failed) {
      failed(message);
    }
  }
  tellIdle();
}

void JobRunner::fail(int id, const QString& message) {
  const auto at = jobs_.find(id);
  if (at == jobs_.end()) {
    return;
  }
  const QPointer<QObject> receiver = at->second.receiver;
  const auto failed = at->second.failed;
  end(id, JobState::failed, message);
  if (receiver && failed) {
    failed(message);
  }
  tellIdle();
}

void JobRunner::end(int id, JobState state, const QString& message) {
  const auto at = jobs_.find(id);
  JobStatus status = at->second.status;
  status.state = state;
  status.message = message;
  jobs_.erase(at);
  Q_EMIT jobOver(status);
}

bool JobRunner::busyIn(const QString& slot) const {
  return std::any_of(jobs_.begin(), jobs_.end(),
                     [&slot](const auto& job) { return job.second.status.info.slot == slot; });
}

void JobRunner::tellIdle() {
  if (jobs_.empty()) {
    Q_EMIT becameIdle();
  }
}

void JobRunner::cancel(int id) {
  const auto at = jobs_.find(id);
  if (at != jobs_.end()) {
    at->second.stop.request_stop();
    end(id, JobState::cancelled, {});
    tellIdle();
  }
}

void JobRunner::cancelSlot(const QString& slot) {
  std::vector<int> ids;
  for (const auto& [id, job] : jobs_) {
    if (job.status.info.slot == slot) {
      ids.push_back(id);
    }
  }
  for (const int id : ids) {
    cancel(id);
  }
}

void JobRunner::cancelAll() {
  while (!jobs_.empty()) {
    cancel(jobs_.begin()->first);
  }
}

}  // namespace mog::gui
