// The tables of `mog train --watch` that are open: quantities over the updates of training runs. A file that
// is another than it was, of a run that goes on, is read again. Lives in the window's thread; reading is a
// job.
#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <memory>
#include <vector>

#include "analysis/figure_data/trajectory_figure.h"

namespace mog::gui {

class JobRunner;
class Workspace;

struct TrainingRun {
  // What a file was when it was read last, or could not be.
  struct Stamp {
    QDateTime written;
    qint64 bytes = -1;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  QString file;                                       // absolute
  std::shared_ptr<const analysis::Trajectory> table;  // as it was read last; nullptr: it never was
  QString error;                                      // why the file as it is now cannot be read; else empty
  Stamp stamp;
};

class TrainingRuns : public QObject {
  Q_OBJECT
 public:
  TrainingRuns(JobRunner& jobs, Workspace& workspace);

  // Whether open() takes it: a table, or the folder of a training run with one in it.
  static bool takes(const QString& path);
  // Reads it; one that is open already is read again. A failure becomes a message, and one that was not open
  // is not kept.
  void open(const QString& path);
  void close(const QString& path);
  // Closes what is open and opens these; a file that cannot be read is said and kept.
  void restore(const QStringList& paths);

  // In the order in which they were opened.
  const std::vector<TrainingRun>& runs() const { return runs_; }
  // Of those that were read.
  std::vector<std::shared_ptr<const analysis::Trajectory>> tables() const;
  QStringList paths() const;
  // Reads again what is another file than it was. Done by itself every few seconds.
  void look();

 Q_SIGNALS:
  void changed();
  void opened(const QString& path);  // by a reader, for the first time

 private:
  TrainingRun* find(const QString& file);
  TrainingRun& add(const QString& file);
  struct Reading {
    bool first = false;  // by a reader, who is shown it
    bool keep = true;    // also where it cannot be read
  };
  void read(TrainingRun& run, Reading how);
  void take(const QString& file, analysis::Trajectory table);
  void fail(const QString& file, const QString& message, bool keep);

  JobRunner& jobs_;
  Workspace& workspace_;
  std::vector<TrainingRun> runs_;
  QTimer timer_;
};

}  // namespace mog::gui
