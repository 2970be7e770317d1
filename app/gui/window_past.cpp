#include "app/gui/window_past.h"

#include <QLineEdit>
#include <utility>

#include "app/gui/guide_page.h"
#include "app/gui/item_models/job_list_model.h"
#include "app/gui/jobs_view.h"
#include "app/gui/main_window.h"
#include "app/gui/message_bar.h"
#include "app/gui/selection_history.h"
#include "app/gui/sentence_view.h"

namespace mog::gui {
namespace {

std::unique_ptr<UndoStep> step_of(MainWindow& window, const UndoValue& value) {
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
}

}  // namespace

WindowPast past_of(MainWindow& window) {
  std::optional<WindowPast::Guide> guide;
  if (const GuidePage* page = window.guide()) {
    guide = {page->shown(), page->related(), page->saveGeometry(), page->isActiveWindow()};
  }
  return {.session = window.session().handover(),
          .undo = history_of(window.state().history()),
          .jobs = window.jobList().model().ended(),
          .can_go_on = window.batches().canGoOn(),
          .found = window.modelPage().contents(),
          .typing = window.sentences().typing().text(),
          .said = window.messages().all(),
          .guide = std::move(guide)};
}

void take_past(MainWindow& window, WindowPast past) {
  window.session().adopt(std::move(past.session));
  // The session forgets what could be undone, so the steps come after it. Items and models have the numbers
  // that the steps know.
  take_history(window.state().history(), past.undo,
               [&window](const UndoValue& value) { return step_of(window, value); });
  const std::map<int, int> numbers = window.jobList().model().addEnded(std::move(past.jobs));
  for (const auto& [job, request] : past.can_go_on) {
    if (const auto at = numbers.find(job); at != numbers.end()) {
      window.batches().addStopped(at->second, request);
    }
  }
  window.modelPage().replace(std::move(past.found));
  window.sentences().typing().setText(past.typing);
  for (const QString& message : past.said) {
    window.messages().add(message);
  }
  if (past.guide) {
    GuidePage& page = window.raiseGuide();
    page.restoreGeometry(past.guide->place);
    page.showEntry(past.guide->entry, past.guide->related);
    if (!past.guide->active) {
      window.activateWindow();  // the keys stay with it
    }
  }
}

}  // namespace mog::gui
