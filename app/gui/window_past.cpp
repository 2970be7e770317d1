#include "app/gui/window_past.h"

#include <QFileInfo>

#include "app/gui/item_models/job_list_model.h"
#include "app/gui/jobs_view.h"
#include "app/gui/main_window.h"
#include "app/gui/selection_history.h"

namespace mog::gui {
namespace {

using Named = std::vector<std::pair<int, QString>>;

// A recording by its path, typed sentences by that of their model.
Named items_of(const Workspace& workspace) {
  Named result;
  for (const WorkspaceItem& item : workspace.items()) {
    const WorkspaceModel* const model = workspace.model(item.model);
    result.emplace_back(item.id,
                        item.kind == WorkspaceItem::Kind::recording
                            ? QFileInfo(item.path).absoluteFilePath()
                            : QStringLiteral("typed ") +
                                  (model == nullptr ? QString() : QFileInfo(model->path).absoluteFilePath()));
  }
  return result;
}

Named models_of(const Workspace& workspace) {
  Named result;
  for (const WorkspaceModel& model : workspace.models()) {
    result.emplace_back(model.id, QFileInfo(model.path).absoluteFilePath());
  }
  return result;
}

// A session opens things in their order and leaves out what is not there: each goes to the next of its name.
std::map<int, int> new_numbers(const Named& before, const Named& now) {
  std::map<int, int> result;
  std::size_t next = 0;
  for (const auto& [number, name] : before) {
    for (std::size_t at = next; at < now.size(); ++at) {
      if (now[at].second == name) {
        result[number] = now[at].first;
        next = at + 1;
        break;
      }
    }
  }
  return result;
}

}  // namespace

WindowPast past_of(MainWindow& window) {
  return {.undo = history_of(window.state().history()),
          .jobs = window.jobList().model().ended(),
          .can_go_on = window.batches().canGoOn(),
          .items = items_of(window.workspace()),
          .models = models_of(window.workspace())};
}

void take_jobs(MainWindow& window, WindowPast& past) {
  const std::map<int, int> numbers = window.jobList().model().addEnded(std::move(past.jobs));
  past.jobs.clear();
  std::map<int, BatchRequest> can_go_on;
  for (auto& [job, request] : past.can_go_on) {
    if (const auto at = numbers.find(job); at != numbers.end()) {
      can_go_on[at->second] = std::move(request);
    }
  }
  past.can_go_on = std::move(can_go_on);
}

void take_steps(MainWindow& window, const WindowPast& past) {
  const std::map<int, int> items = new_numbers(past.items, items_of(window.workspace()));
  take_history(window.state().history(), with_items(past.undo, items),
               [&window](const UndoValue& value) -> std::unique_ptr<UndoStep> {
                 if (const auto* setting = std::get_if<SettingStep>(&value)) {
                   return window.state().stepOf(*setting);
                 }
                 if (const auto* pin = std::get_if<PinStep>(&value)) {
                   return window.pins().stepOf(*pin);
                 }
                 if (const auto* lengths = std::get_if<LengthStep>(&value)) {
                   return window.pins().stepOf(*lengths);
                 }
                 return window.pins().stepOf(std::get<HoldStep>(value));
               });
  const std::map<int, int> models = new_numbers(past.models, models_of(window.workspace()));
  for (const auto& [job, request] : past.can_go_on) {
    if (const auto at = models.find(request.model); at != models.end()) {
      BatchRequest again = request;
      again.model = at->second;
      window.batches().addStopped(job, again);
    }
  }
}

}  // namespace mog::gui
