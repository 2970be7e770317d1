// The tables of `mog train --watch` that are open: quantities over the updates of training runs. A file that
// has grown since, of a run that goes on, is read again. Lives in the window's thread; reading is a job.
#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <vector>

#include "analysis/figure_data/trajectory_figure.h"

namespace mog::gui {

class JobRunner;
class Workspace;

class TrainingRuns : public QObject {
  Q_OBJECT
 public:
  TrainingRuns(JobRunner& jobs, Workspace& workspace);

  // Whether open() takes it: a table, or the folder of a training run with one in it.
  static bool takes(const QString& path);
  // Reads it; one that is open already is read again. A failure becomes a message.
  void open(const QString& path);
  void close(const QString& path);
  // Closes what is open and opens these; a file that cannot be read is said and stays in paths().
  void restore(const QStringList& paths);

  // Those that were read, in the order in which they were opened.
  const std::vector<analysis::Trajectory>& runs() const { return runs_; }
  // Their files, absolute, and those of a session that could not be read.
  const QStringList& paths() const { return files_; }
  // Reads again what is another file than it was. Done by itself every few seconds.
  void look();

 Q_SIGNALS:
  void changed();
  void opened(const QString& path);  // by a reader, for the first time

 private:
  struct Stamp {
    QDateTime written;
    qint64 bytes = -1;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  static Stamp stampOf(const QString& file);
  struct Reading {
    bool first = false;      // by a reader, who is shown it
    bool to_be_kept = true;  // among paths() where it cannot be read
  };
  void read(const QString& file, Reading how);
  void take(const QString& file, analysis::Trajectory run, const Stamp& stamp);
  std::ptrdiff_t placeOf(const QString& file) const;  // among runs(); -1: it is not read

  JobRunner& jobs_;
  Workspace& workspace_;
  std::vector<analysis::Trajectory> runs_;
  std::vector<Stamp> stamps_;  // of the files as they were read, or could not be
  QStringList files_;
  QTimer timer_;
};

}  // namespace mog::gui
