// Jobs with their progress; running ones can be cancelled.
#pragma once

#include <QWidget>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

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

// The newest running job with its progress and a button that cancels it; while none runs, what the newest one
// has made and a button that opens it, if any; else nothing. Narrow, its name stands in the tool tip.
class JobIndicator : public QWidget {
  Q_OBJECT
 public:
  enum class Size : std::uint8_t { wide, narrow };
  JobIndicator(JobRunner& jobs, Size size, QWidget* parent = nullptr);
  // `key`: by which it is taken back.
  void offer(const QString& text, const QString& button, std::function<void()> run, const QString& key);
  void takeBack(const QString& key);
  QPushButton& button() { return *open_; }

 Q_SIGNALS:
  void closed(const QString& key);  // an offer, by the reader

 private:
  struct Offer {
    QString text;
    QString button;
    std::function<void()> run;
    QString key;
  };
  void showRest();  // what is to be seen while nothing runs
  void show(const JobStatus& job);
  void over(const JobStatus& job);
  JobRunner& jobs_;
  std::map<int, JobStatus> running_;
  std::vector<Offer> offers_;
  LineLabel* title_;
  QProgressBar* bar_;
  QPushButton* open_;
  QToolButton* cancel_;
};

}  // namespace mog::gui
