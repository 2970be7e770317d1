// What a window has behind it and no session holds: its steps of undo, and its jobs that are over. A window
// that follows it with the same session takes them over.
#pragma once

#include <QStringList>
#include <map>
#include <utility>
#include <vector>

#include "app/gui/batch_runner.h"
#include "app/gui/job_runner.h"
#include "app/gui/undo_steps.h"

namespace mog::gui {

class MainWindow;

struct WindowPast {
  UndoHistory undo;
  std::vector<JobStatus> jobs;            // newest first
  std::map<int, BatchRequest> can_go_on;  // of these jobs
  // What the numbers in the steps and requests stand for, in the order of the window.
  std::vector<std::pair<int, QString>> items;
  std::vector<std::pair<int, QString>> models;
};

WindowPast past_of(MainWindow& window);
// At once; the jobs have the numbers of the window then.
void take_jobs(MainWindow& window, WindowPast& past);
// When the session is open again: what is about items and models that are not there is left out.
void take_steps(MainWindow& window, const WindowPast& past);

}  // namespace mog::gui
