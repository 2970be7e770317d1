// Recording corpora from the window: the dialog that asks what and where, the runner that does it, and the
// list of jobs, in which one that stopped goes on.
#pragma once

#include <QObject>
#include <QString>

#include "app/gui/session/batch_runner.h"

class QSettings;
class QWidget;

namespace mog::gui {

class StatusLine;
class ViewSet;

class Batches : public QObject {
  Q_OBJECT
 public:
  // `window` is the parent of the dialog; `settings` keep the folder of corpora. All outlive it, and it
  // outlives the views, which ask it.
  Batches(QWidget& window, Workspace& workspace, JobRunner& jobs, const ViewSet& views, StatusLine& status,
          QSettings& settings);

  BatchRunner& runner() { return runner_; }
  // The dialog; the path may be empty.
  void ask(const QString& corpus);

 private:
  QWidget& window_;
  Workspace& workspace_;
  const ViewSet& views_;
  QSettings& settings_;
  BatchRunner runner_;
};

}  // namespace mog::gui
