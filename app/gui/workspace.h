// What is open: recordings, the model that runs typed sentences, and what was said about failures.
// Opening and running are jobs; this object lives in the window's thread.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "app/gui/open_path.h"
#include "app/gui/selection_model.h"

namespace mog::gui {

class JobRunner;

// A recording, or the sentences typed for one model.
struct WorkspaceItem {
  enum class Kind : std::uint8_t { recording, typed };
  int id = 0;  // from 1
  Kind kind = Kind::recording;
  QString name;
  QString path;   // empty for typed sentences
  int model = 0;  // WorkspaceModel::id of typed sentences
  std::shared_ptr<const RecordingSource> source;
  std::vector<std::int64_t> tokens;  // of every sentence
};

struct WorkspaceModel {
  int id = 0;  // from 1
  QString name;
  QString path;
  OpenedModel loaded;
};

class Workspace : public QObject {
  Q_OBJECT
 public:
  Workspace(JobRunner& jobs, SelectionModel& selection, Openers openers = Openers::standard(),
            QObject* parent = nullptr);

  // Starts a job; what was opened appears as an item or as the model, a failure as a message.
  void open(const QString& path);
  // `tokens`: of every sentence, source->token_counts() read by whoever opened it.
  void addRecording(const QString& name, const QString& path, std::shared_ptr<const RecordingSource> source,
                    std::vector<std::int64_t> tokens);
  void addModel(const QString& path, OpenedModel loaded);
  void closeItem(int id);

  const std::vector<WorkspaceItem>& items() const { return items_; }
  const WorkspaceItem* item(int id) const;
  const WorkspaceModel* currentModel() const;
  // The item of the selected sentence.
  const WorkspaceItem* selectedItem() const;
  // Selects a sentence and tells the selection what it has.
  void select(SentenceRef sentence);

  // Runs the current model; the sentence becomes a new row of its typed sentences, and is selected.
  // Without a model: a message that says to open one.
  void runSentence(const QString& text);
  bool isRunning() const { return !running_.empty(); }

  void report(const QString& message);
  const QStringList& messages() const { return messages_; }

 Q_SIGNALS:
  void itemAdded(int id);
  void itemChanged(int id);  // more sentences
  void itemRemoved(int id);
  void modelChanged();
  void opened(const QString& path);
  void messageReported(const QString& message);
  void runningChanged();

 private:
  void addTyped(int model, std::shared_ptr<const RecordingSource> sentence);
  JobRunner& jobs_;
  SelectionModel& selection_;
  Openers openers_;
  std::vector<WorkspaceItem> items_;
  std::vector<WorkspaceModel> models_;
  QStringList messages_;
  int next_item_ = 1;
  std::set<int> running_;  // jobs that run sentences
};

// What can be chosen in a sentence of `tokens` tokens of this recording.
SelectionExtent extent_of(const RecordingHeader& header, std::int64_t tokens);

}  // namespace mog::gui
