// What a window holds: everything that is open, its settings and steps of undo, its jobs that are over, what
// was typed, found and said. A window that follows it takes all of it over as values: nothing is opened anew,
// so nothing can fail, be cancelled or get lost.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

#include "app/gui/batch_runner.h"
#include "app/gui/job_runner.h"
#include "app/gui/model_page.h"
#include "app/gui/session_keeper.h"
#include "app/gui/undo_steps.h"

namespace mog::gui {

class MainWindow;

struct WindowPast {
  SessionKeeper::Handover session;
  UndoHistory undo;
  std::vector<JobStatus> jobs;            // newest first
  std::map<int, BatchRequest> can_go_on;  // of these jobs
  ModelPage::Contents found;
  QString typing;
  QStringList said;
  struct Guide {
    QString entry;
    QStringList related;
    QByteArray place;  // geometry
    bool active = false;
  };
  std::optional<Guide> guide;  // where it was open
};

// Of a window whose jobs have all ended.
WindowPast past_of(MainWindow& window);
void take_past(MainWindow& window, WindowPast past);

}  // namespace mog::gui
