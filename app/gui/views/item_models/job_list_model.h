// Jobs as a list, newest first: running ones, and the last ones that ended.
#pragma once

#include <QAbstractTableModel>
#include <deque>
#include <vector>

#include "app/gui/session/job_runner.h"

namespace mog::gui {

class JobListModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kTitle, kState, kColumns };
  static constexpr int kIdRole = Qt::UserRole;
  static constexpr int kRunningRole = Qt::UserRole + 1;
  // 0..100, or -1 when the job does not know its end.
  static constexpr int kPercentRole = Qt::UserRole + 2;

  explicit JobListModel(JobRunner& jobs, QObject* parent = nullptr);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void put(const JobStatus& job);
  std::deque<JobStatus> rows_;
};

// "1,200 of 2,077 sentences, 3 min left"; empty when nothing is known.
QString progress_text(const JobStatus& job);

}  // namespace mog::gui
