// Jobs with their progress; running ones can be cancelled.
#pragma once

#include <QWidget>
#include <cstdint>
#include <functional>
#include <map>

#include "app/gui/session/job_runner.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QTableView;
class QToolButton;

namespace mog::gui {

struct ViewKind;

class JobListModel;
class LineLabel;

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

// The newest running job with its progress and a button that cancels it; nothing when all is done. Narrow,
// its name stands in the tool tip.
class JobIndicator : public QWidget {
  Q_OBJECT
 public:
  enum class Size : std::uint8_t { wide, narrow };
  JobIndicator(JobRunner& jobs, Size size, QWidget* parent = nullptr);

 private:
  void show(const JobStatus& job);
  void over(const JobStatus& job);
  JobRunner& jobs_;
  std::map<int, JobStatus> running_;
  LineLabel* title_;
  QProgressBar* bar_;
  QToolButton* cancel_;
};

}  // namespace mog::gui
