// Jobs with their progress; running ones can be cancelled.
#pragma once

#include <QWidget>
#include <functional>

#include "app/gui/session/job_runner.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QTableView;
class QToolButton;

namespace mog::gui {

struct ViewKind;

class JobListModel;

class JobsView : public QWidget {
  Q_OBJECT
 public:
  static const ViewKind& kind();
  explicit JobsView(JobRunner& jobs, QWidget* parent = nullptr);
  JobListModel& model() { return *model_; }
  // Cancels the job of a row, if it still runs.
  void cancelRow(int row);
  void updateTools();
  // Which ended jobs can go on, and how.
  void setResume(std::function<bool(int job)> can, std::function<void(int job)> resume);

 private:
  int currentRow() const;
  JobRunner& jobs_;
  JobListModel* model_;
  QTableView* table_;
  QLabel* hint_;
  QPushButton* cancel_;
  QPushButton* go_on_;
  std::function<bool(int)> can_resume_;
  std::function<void(int)> resume_;
};

// In the status bar: the newest running job with its progress and a button that cancels it; nothing when all
// is done.
class JobIndicator : public QWidget {
  Q_OBJECT
 public:
  explicit JobIndicator(JobRunner& jobs, QWidget* parent = nullptr);

 private:
  void show(const JobStatus& job);
  void over(const JobStatus& job);
  JobRunner& jobs_;
  std::map<int, JobStatus> running_;
  QLabel* title_;
  QProgressBar* bar_;
  QToolButton* cancel_;
};

}  // namespace mog::gui
