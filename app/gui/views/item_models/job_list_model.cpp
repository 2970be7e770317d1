#include "app/gui/views/item_models/job_list_model.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <iterator>

namespace mog::gui {
namespace {
constexpr std::size_t kKept = 50;
}

JobListModel::JobListModel(JobRunner& jobs, QObject* parent) : QAbstractTableModel(parent) {
  connect(&jobs, &JobRunner::jobStarted, this, &JobListModel::put);
  connect(&jobs, &JobRunner::jobProgressed, this, &JobListModel::put);
  connect(&jobs, &JobRunner::jobOver, this, &JobListModel::put);
}

void JobListModel::put(const JobStatus& job) {
  const auto at =
      std::find_if(rows_.begin(), rows_.end(), [&](const JobStatus& row) { return row.id == job.id; });
  if (at != rows_.end()) {
    *at = job;
    const int row = static_cast<int>(at - rows_.begin());
    Q_EMIT dataChanged(index(row, 0), index(row, kColumns - 1));
    return;
  }
  // A view's quiet work is worth a row only when it fails or says how far it is.
  if (job.info.quiet && job.state != JobState::failed && job.progress.total == 0) {
    return;
  }
  beginInsertRows({}, 0, 0);
  rows_.push_front(job);
  endInsertRows();
  if (rows_.size() > kKept && rows_.back().over()) {
    const int last = static_cast<int>(rows_.size()) - 1;
    beginRemoveRows({}, last, last);
    rows_.pop_back();
    endRemoveRows();
  }
}

int JobListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int JobListModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

namespace {

QString unit_text(const std::string& unit) {
  if (unit == "sentences") {
    return JobListModel::tr("sentences");
  }
  if (unit == "steps") {
    return JobListModel::tr("steps");
  }
  return unit == "files" ? JobListModel::tr("files") : QString::fromStdString(unit);
}

QString duration_text(double seconds) {
  const auto whole = static_cast<int>(std::ceil(seconds));
  if (whole < 60) {
    return JobListModel::tr("%1 s").arg(whole);
  }
  return whole < 5400 ? JobListModel::tr("%1 min").arg((whole + 30) / 60)
                      : JobListModel::tr("%1 h").arg((whole + 1800) / 3600);
}

}  // namespace

QString progress_text(const JobStatus& job) {
  if (job.progress.total <= 0) {
    return QString::fromStdString(job.progress.message);
  }
  const QLocale locale;
  const QString counted =
      JobListModel::tr("%1 of %2 %3")
          .arg(locale.toString(static_cast<qlonglong>(job.progress.done)),
               locale.toString(static_cast<qlonglong>(job.progress.total)), unit_text(job.progress.unit));
  const auto left = job.secondsLeft();
  return left ? JobListModel::tr("%1, %2 left").arg(counted, duration_text(*left)) : counted;
}

QVariant JobListModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) {
    return {};
  }
  const JobStatus& job = rows_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case kIdRole:
      return job.id;
    case kRunningRole:
      return !job.over();
    case kPercentRole:
      return job.progress.total <= 0 ? -1 : static_cast<int>(100 * job.progress.done / job.progress.total);
    case Qt::ToolTipRole:
      return job.message;
    case Qt::DisplayRole:
      break;
    default:
      return {};
  }
  if (index.column() == kTitle) {
    return job.info.title.text();
  }
  switch (job.state) {
    case JobState::waiting:
      return tr("waiting");
    case JobState::running: {
      const QString progress = progress_text(job);
      return progress.isEmpty() ? tr("running") : progress;
    }
    case JobState::done:
      return tr("done");
    case JobState::failed:
      return tr("failed: %1").arg(job.message);
    case JobState::cancelled:
      return tr("cancelled");
  }
  return {};
}

QVariant JobListModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
    return {};
  }
  return section == kTitle ? tr("Job") : tr("State");
}

}  // namespace mog::gui
