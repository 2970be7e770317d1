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

TrainingRuns::Stamp TrainingRuns::stampOf(const QString& file) {
  const QFileInfo info(file);
  return {info.lastModified(), info.size()};
}

void TrainingRuns::open(const QString& path) {
  const QString file = file_of(path);
  const bool known = files_.contains(file);
  if (!known) {
    files_.push_back(file);  // its place: files are read at the same time
  }
  read(file, {.first = placeOf(file) < 0, .to_be_kept = known});
}

void TrainingRuns::read(const QString& file, Reading how) {
  const Stamp stamp = stampOf(file);  // before it is read: what comes later is seen by look()
  jobs_.start(
      {.title = [name = QFileInfo(file).fileName()] { return tr("Reading the trajectory %1").arg(name); },
       .slot = QStringLiteral("trajectory ") + file,
       .quiet = !how.first},
      this, [path = to_path(file)](const JobContext&) { return app::read_trajectory(path); },
      [this, file, stamp, how](analysis::Trajectory run) {
        take(file, std::move(run), stamp);
        if (how.first) {
          Q_EMIT opened(file);
        }
        Q_EMIT changed();
      },
      [this, file, how](const QString& message) {
        workspace_.report(message);
        if (!how.to_be_kept) {
          files_.removeAll(file);
        }
      });
}

std::ptrdiff_t TrainingRuns::placeOf(const QString& file) const {
  const auto at = std::find_if(runs_.begin(), runs_.end(), [&](const analysis::Trajectory& one) {
    return QString::fromStdString(one.file) == file;
  });
  return at == runs_.end() ? -1 : at - runs_.begin();
}

void TrainingRuns::take(const QString& file, analysis::Trajectory run, const Stamp& stamp) {
  timer_.start();
  if (const std::ptrdiff_t place = placeOf(file); place >= 0) {
    runs_[static_cast<std::size_t>(place)] = std::move(run);
    stamps_[static_cast<std::size_t>(place)] = stamp;
    return;
  }
  // They may be read in another order than they were opened.
  const auto at = std::find_if(runs_.begin(), runs_.end(), [&](const analysis::Trajectory& one) {
    return files_.indexOf(QString::fromStdString(one.file)) > files_.indexOf(file);
  });
  stamps_.insert(stamps_.begin() + (at - runs_.begin()), stamp);
  runs_.insert(at, std::move(run));
}

void TrainingRuns::close(const QString& path) {
  const QString file = file_of(path);
  jobs_.cancelSlot(QStringLiteral("trajectory ") + file);
  files_.removeAll(file);
  if (const std::ptrdiff_t place = placeOf(file); place >= 0) {
    runs_.erase(runs_.begin() + place);
    stamps_.erase(stamps_.begin() + place);
  }
  if (runs_.empty()) {
    timer_.stop();
  }
  Q_EMIT changed();
}

void TrainingRuns::restore(const QStringList& wanted) {
  const QStringList before = files_;
  for (const QString& file : before) {
    close(file);
  }
  files_ = wanted;
  for (const QString& file : wanted) {
    read(file, {});
  }
}

void TrainingRuns::look() {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const QString file = QString::fromStdString(runs_[i].file);
    const Stamp now = stampOf(file);
    if (now.bytes > 0 && now != stamps_[i]) {
      stamps_[i] = now;  // a bad one is said once
      read(file, {});
    }
  }
}

}  // namespace mog::gui
