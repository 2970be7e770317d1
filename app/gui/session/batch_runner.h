// Recordings of whole corpora as jobs of the window: `mog record`, then `mog stats`, with progress, cancel
// and resume.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "app/workflow/record/record_job.h"

namespace mog::gui {

class JobRunner;
class Workspace;
struct WorkspaceModel;

struct BatchRequest {
  int model = 0;  // WorkspaceModel::id
  QString corpus;
  QString output;  // folder of the recording
  QString name;    // what tables and figures call it; empty: as the model is called
  std::set<app::CaptureName> captures = {app::CaptureName::summary, app::CaptureName::attention,
                                         app::CaptureName::gates};
  app::LongPolicy long_sentences = app::LongPolicy::error;
  bool resume = false;
  QString table;  // .csv of weights by layer and length; empty: none
};

// The shell line that does the same.
QString batch_command(const BatchRequest& request, const WorkspaceModel& model);

// The state of a folder that a recording shall be written to.
enum class OutputState : std::uint8_t { free, incomplete, complete, occupied };
OutputState output_state(const QString& output);

class BatchRunner : public QObject {
  Q_OBJECT
 public:
  BatchRunner(Workspace& workspace, JobRunner& jobs, QObject* parent = nullptr);

  // Starts the job and returns its number; 0: refused, and said why.
  int start(const BatchRequest& request);
  // How much it would be, in a job; then `done`, or `failed` with the reason. Replaces an estimate under way.
  void estimate(const BatchRequest& request, QObject* receiver,
                std::function<void(const app::RecordEstimate&)> done,
                std::function<void(const QString&)> failed);
  // A recording that was cancelled or failed goes on where it was.
  bool canResume(int job) const { return stopped_.find(job) != stopped_.end(); }
  int resume(int job);

 Q_SIGNALS:
  // In words: how many sentences, where.
  void finished(const QString& text);
  void stopped(int job);                 // it can go on
  void recorded(const QString& output);  // a folder that can be opened

 private:
  app::RecordOptions optionsOf(const BatchRequest& request) const;
  void count(const BatchRequest& request);
  std::shared_ptr<std::mutex> gateOf(const QString& output);

  Workspace& workspace_;
  JobRunner& jobs_;
  std::map<int, BatchRequest> running_;
  std::map<int, BatchRequest> stopped_;
  // One writer a folder: a cancelled job commits what it has before the next one may go on.
  std::map<QString, std::shared_ptr<std::mutex>> gates_;
};

}  // namespace mog::gui
