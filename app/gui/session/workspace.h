// What is open: recordings, the model that runs typed sentences, and what was said about failures.
// Opening and running are jobs; this object lives in the window's thread.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "app/gui/session/language.h"
#include "app/gui/session/open_path.h"
#include "app/gui/session/selection_model.h"
#include "app/gui/session/tried_change.h"
#include "app/gui/session/typed_run.h"
#include "app/gui/session/workspace_items.h"
#include "app/workflow/session/session.h"

namespace mog::gui {

class GoldSyntax;
class JobRunner;
class TrainingRuns;

class Workspace : public QObject {
  Q_OBJECT
 public:
  Workspace(JobRunner& jobs, SelectionModel& selection, Openers openers = Openers::standard(),
            QObject* parent = nullptr);

  // Starts a job; what was opened appears as an item or as the model, a failure as a message.
  int open(const QString& path);  // the job that does it
  // One that is open already is selected instead; where it has grown since, it takes its own place.
  // `tokens`: of every sentence, source->token_counts() read by whoever opened it.
  void addRecording(const QString& name, const QString& path, std::shared_ptr<const RecordingSource> source,
                    std::vector<std::int64_t> tokens);
  // A folder that is open already is the model that it was.
  void addModel(const QString& path, OpenedModel loaded);
  void closeItem(int id);
  // With the sentences that were typed for it.
  void closeModel(int id);
  // A typed sentence, with what was changed in it. The list gets another number: steps of undo that know the
  // former do nothing.
  void removeSentence(SentenceRef sentence);
  // A name of the reader's own for a model, or for a recording; empty: its former one again.
  void rename(int item, int model, const QString& name);
  void renameSentence(SentenceRef sentence, const QString& name);
  // What a reader looks at: the selected recording, or the chosen model with what was typed for it. 0, 0:
  // there is nothing.
  struct InUse {
    int item = 0;   // a recording
    int model = 0;  // or a model
  };
  InUse inUse() const;

  const std::vector<WorkspaceItem>& items() const { return items_; }
  const WorkspaceItem* item(int id) const;
  // Which one runs what is typed: that of the list that is chosen; of a recording its own, else the one
  // opened last. nullptr: none is open.
  const WorkspaceModel* currentModel() const;
  // Chooses the list of a model; one without sentences too.
  void chooseModel(int id);
  // The model whose list is chosen while nothing is typed for it; nullptr: the selected sentence's list is.
  const WorkspaceModel* modelWithoutSentences() const { return model(chosen_model_); }
  // The sentences typed for a model; nullptr: none yet.
  const WorkspaceItem* typedFor(int model) const;
  const WorkspaceModel* model(int id) const;
  // That which made an item; nullptr: it is not open.
  const WorkspaceModel* modelOf(const WorkspaceItem& item) const;
  const std::vector<WorkspaceModel>& models() const { return models_; }
  // The item of the selected sentence.
  const WorkspaceItem* selectedItem() const;
  // Selects a sentence and tells the selection what it has.
  void select(SentenceRef sentence);

  // Runs the current model; the sentence becomes a new row of its typed sentences, and is selected.
  // Without a model: a message that says to open one.
  void runSentence(const QString& text, model::WordCut words = model::WordCut::automatic);
  // The folder of the model that made a recording, as the command in it says; empty: it is not there.
  QString modelFolderOf(const WorkspaceItem& item) const;
  // A sentence of a recording as a typed one of the model that made it, which is opened where it is not: with
  // all that pictures need. It is selected. Does nothing where there is no such model.
  void runAgain(SentenceRef of);
  // The sentence `of` once more with other interventions: a new row whose parent it is, run by the model that
  // ran it.
  void runChanged(SentenceRef of, std::string text, std::vector<model::Intervention> interventions);
  // The same as something to run on any thread (run_tried()), without a row; of a sentence of a recording,
  // too. nullopt: its model is not open.
  std::optional<TriedChange> tryChange(SentenceRef of, std::string text,
                                       std::vector<model::Intervention> interventions) const;
  // Makes a tried change a new row, selected, whose parent is what it changes: that sentence is returned. A
  // sentence of a recording becomes a typed one first. nullopt: what it is of was closed.
  std::optional<SentenceRef> keep(const TriedChange& tried);
  bool isRunning() const { return !running_.empty(); }
  bool isOpening() const { return !opening_.empty(); }

  // The shell line that records the typed sentences of an item into `recording`: record_command().
  std::optional<QString> recordCommand(const WorkspaceItem& item, const QString& recording) const;

  // Everything that a session opens, with its numbers, and what of it is looked at.
  struct Contents {
    std::vector<WorkspaceItem> items;
    std::vector<WorkspaceModel> models;
    int next_item = 1;  // no number is used twice: steps of undo know items by theirs
    int next_model = 1;
    SentenceRef selected;
    std::optional<SentenceRef> held;
    app::SessionSelection look;  // layer, part, head, token, key and lengths of it
  };
  // Closes everything that is open and takes this.
  void replace(Contents contents);

  // Closes everything and opens what a session names, in one job; then `done` with what could not be opened:
  // a line each for the reader, and which items they were. Selects what the session selects.
  struct Lost {
    app::SessionItem item;
    std::string model;  // path, of typed sentences
  };
  struct Restored {
    QStringList problems;
    std::vector<Lost> lost;
  };
  // `stopped`: the job was cancelled or failed; everything is as it was.
  // `replacing`: it is all open, and what was open before goes now.
  void restore(const app::Session& session, const ReaderText& name, std::function<void(const Restored&)> done,
               std::function<void()> stopped = {}, std::function<void()> replacing = {});
  // Models, items, selection and treebank of a session.
  void describe(app::Session& session) const;

  // The treebank beside what is open.
  GoldSyntax& gold() const { return *gold_; }
  // Trajectories of training runs.
  TrainingRuns& trainingRuns() const { return *training_runs_; }

  void report(const QString& message);
  const QStringList& messages() const { return messages_; }

 Q_SIGNALS:
  void itemAdded(int id);
  void itemChanged(int id);  // more sentences
  void itemRemoved(int id);
  void modelChanged();
  void allRemoved();
  void opened(const QString& path);
  // A sound file that is neither a model nor a recording; what could not be opened, and why.
  void found(const QString& path, const mog::app::Description& description);
  void refused(const QString& path, const QString& message);
  void messageReported(const QString& message);
  void runningChanged();  // isRunning(), isOpening()

 private:
  void run(const WorkspaceModel& model, TypedSentence sentence);
  void runWaiting(const QString& opened);
  SentenceRef typedAs(const TriedChange& tried);
  void addTyped(int model, TypedSentence typed, std::shared_ptr<const RecordingSource> sentence);
  JobRunner& jobs_;
  SelectionModel& selection_;
  Openers openers_;
  std::vector<WorkspaceItem> items_;
  std::vector<WorkspaceModel> models_;
  QStringList messages_;
  GoldSyntax* gold_;
  TrainingRuns* training_runs_;
  int next_item_ = 1;
  int next_model_ = 1;
  int chosen_model_ = 0;  // has no sentences yet; 0: the list of the selected sentence is chosen
  // A sentence that waits for its model.
  struct Waiting {
    SentenceRef of;
    QString folder;
    int job = 0;  // that opens it
  };
  std::optional<Waiting> waiting_;
  std::set<int> running_;  // jobs that run sentences
  std::set<int> opening_;  // jobs that open files and sessions
};

}  // namespace mog::gui
