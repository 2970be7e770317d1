// The treebank beside what is open: gold trees for the pictures, and the attachment scores of a whole
// recording. Lives in the window's thread; reading and scoring are jobs.
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <memory>
#include <utility>

#include "app/workflow/syntax/syntax_job.h"
#include "app/workflow/syntax/treebank_words.h"

namespace mog::gui {

class JobRunner;
class Workspace;
struct WorkspaceItem;

class GoldSyntax : public QObject {
  Q_OBJECT
 public:
  GoldSyntax(JobRunner& jobs, Workspace& workspace);

  // Reads a treebank in CoNLL-U; a failure becomes a message. An empty path closes it.
  void open(const QString& path);
  bool isOpen() const { return treebank_ != nullptr; }
  const QString& path() const { return path_; }
  const std::shared_ptr<const app::TreebankWords>& treebank() const { return treebank_; }

  // Scores every sentence of a recording in a job; the result is kept until another treebank is read.
  void score(const WorkspaceItem& item, app::SyntaxSource source);
  bool isScoring() const { return scoring_ != 0; }
  // nullptr: not scored yet.
  const app::SyntaxResult* scores(const RecordingSource* recording, app::SyntaxSource source) const;
  // "UAS 41 % [39, 43], either way 52 % [50, 54] of 1,000 sentences"; empty without a result or such a row.
  QString scoreText(const RecordingSource* recording, const app::SyntaxRow& row) const;

 Q_SIGNALS:
  void changed();        // another treebank, or none
  void scoresChanged();  // a result, or a job that began or ended

 private:
  JobRunner& jobs_;
  Workspace& workspace_;
  struct Scored {
    std::weak_ptr<const RecordingSource> recording;  // its place in memory may be taken by another one
    app::SyntaxResult result;
  };
  using Scores = std::map<std::pair<const RecordingSource*, app::SyntaxSource>, Scored>;
  QString path_;
  std::shared_ptr<const app::TreebankWords> treebank_;
  Scores scores_;
  int scoring_ = 0;  // the job; 0: none
};

}  // namespace mog::gui
