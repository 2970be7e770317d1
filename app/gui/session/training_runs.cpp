#include "app/gui/session/training_runs.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "app/gui/session/job_runner.h"
#include "app/gui/session/open_path.h"
#include "app/gui/session/workspace.h"
#include "app/workflow/figures/plot_job.h"

namespace mog::gui {
namespace {

constexpr int kLookMs = 2000;
const QString kTable = QStringLiteral("trajectory.csv");

QString file_of(const QString& path) {
  const QFileInfo info(path);
  return info.isDir() ? QDir(info.absoluteFilePath()).filePath(kTable) : info.absoluteFilePath();
}

QString slot_of(const QString& file) {
  return QStringLiteral("trajectory ") + file;
}

TrainingRun::Stamp stamp_of(const QString& file) {
  const QFileInfo info(file);
  return {info.lastModified(), info.size()};
}

}  // namespace

TrainingRuns::TrainingRuns(JobRunner& jobs, Workspace& workspace)
    : QObject(&workspace), jobs_(jobs), workspace_(workspace) {
  timer_.setInterval(kLookMs);
  connect(&timer_, &QTimer::timeout, this, &TrainingRuns::look);
}

bool TrainingRuns::takes(const QString& path) {
  const QFileInfo info(path);
  return info.isDir() ? QFileInfo(file_of(path)).isFile()
                      : info.suffix().compare(QLatin1String("csv"), Qt::CaseInsensitive) == 0;
}

std::vector<std::shared_ptr<const analysis::Trajectory>> TrainingRuns::tables() const {
  std::vector<std::shared_ptr<const analysis::Trajectory>> tables;
  for (const TrainingRun& run : runs_) {
    if (run.table != nullptr) {
      tables.push_back(run.table);
    }
  }
  return tables;
}

QStringList TrainingRuns::paths() const {
  QStringList paths;
  for (const TrainingRun& run : runs_) {
    paths.push_back(run.file);
  }
  return paths;
}

TrainingRun* TrainingRuns::find(const QString& file) {
  const auto at =
      std::find_if(runs_.begin(), runs_.end(), [&](const TrainingRun& run) { return run.file == file; });
  return at == runs_.end() ? nullptr : &*at;
}

TrainingRun& TrainingRuns::add(const QString& file) {
  timer_.start();
  return runs_.emplace_back(TrainingRun{.file = file, .table = nullptr, .error = {}, .stamp = {}});
}

void TrainingRuns::open(const QString& path) {
  const QString file = file_of(path);
  TrainingRun* const known = find(file);
  TrainingRun& run = known != nullptr ? *known : add(file);
  read(run, {.first = run.table == nullptr, .keep = known != nullptr});
}

void TrainingRuns::read(TrainingRun& run, Reading how) {
  run.stamp = stamp_of(run.file);  // before it is read: what comes later is seen by look()
  jobs_.start(
      {.title = [name = QFileInfo(run.file).fileName()] { return tr("Reading the trajectory %1").arg(name); },
       .slot = slot_of(run.file),
       .quiet = !how.first},
      this, [path = to_path(run.file)](const JobContext&) { return app::read_trajectory(path); },
      [this, file = run.file, how](analysis::Trajectory table) {
        take(file, std::move(table));
        if (how.first) {
          Q_EMIT opened(file);
        }
        Q_EMIT changed();
      },
      [this, file = run.file, how](const QString& message) { fail(file, message, how.keep); });
}

void TrainingRuns::take(const QString& file, analysis::Trajectory table) {
  if (TrainingRun* const run = find(file); run != nullptr) {
    run->table = std::make_shared<const analysis::Trajectory>(std::move(table));
    run->error.clear();
  }
}

void TrainingRuns::fail(const QString& file, const QString& message, bool keep) {
  workspace_.report(message);
  if (!keep) {
    close(file);
  } else if (TrainingRun* const run = find(file); run != nullptr) {
    run->error = message;
    Q_EMIT changed();
  }
}

void TrainingRuns::close(const QString& path) {
  const QString file = file_of(path);
  jobs_.cancelSlot(slot_of(file));
  std::erase_if(runs_, [&](const TrainingRun& run) { return run.file == file; });
  if (runs_.empty()) {
    timer_.stop();
  }
  Q_EMIT changed();
}

void TrainingRuns::restore(const QStringList& wanted) {
  for (const QString& file : paths()) {
    close(file);
  }
  for (const QString& file : wanted) {
    read(add(file), {});
  }
}

void TrainingRuns::look() {
  for (TrainingRun& run : runs_) {
    const TrainingRun::Stamp now = stamp_of(run.file);
    if (now.bytes > 0 && now != run.stamp) {
      read(run, {});
    }
  }
}

}  // namespace mog::gui
