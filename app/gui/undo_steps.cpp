#include "app/gui/undo_steps.h"

#include <QUndoStack>
#include <utility>

namespace mog::gui {
namespace {

// False: its item is gone.
bool rename_item(SentenceRef& sentence, const std::map<int, int>& new_ids) {
  const auto at = new_ids.find(sentence.item);
  if (at == new_ids.end()) {
    return false;
  }
  sentence.item = at->second;
  return true;
}

bool rename_items(UndoValue& value, const std::map<int, int>& new_ids) {
  if (auto* pin = std::get_if<PinStep>(&value)) {
    return rename_item(pin->sentence, new_ids);
  }
  if (auto* hold = std::get_if<HoldStep>(&value)) {
    return (!hold->before || rename_item(*hold->before, new_ids)) &&
           (!hold->after || rename_item(*hold->after, new_ids));
  }
  return true;
}

}  // namespace

void UndoStep::undo() {
  if (!resting_) {
    backward();
  }
}

void UndoStep::redo() {
  if (!resting_) {
    forward();
  }
}

UndoHistory history_of(const QUndoStack& stack) {
  UndoHistory history;
  for (int i = 0; i < stack.count(); ++i) {
    if (const auto* step = dynamic_cast<const UndoStep*>(stack.command(i))) {
      history.steps.push_back(step->value());
      history.done += i < stack.index() ? 1 : 0;
    }
  }
  return history;
}

UndoHistory with_items(UndoHistory history, const std::map<int, int>& new_ids) {
  UndoHistory result;
  for (std::size_t i = 0; i < history.steps.size(); ++i) {
    if (rename_items(history.steps[i], new_ids)) {
      result.steps.push_back(std::move(history.steps[i]));
      result.done += static_cast<int>(i) < history.done ? 1 : 0;
    }
  }
  return result;
}

void take_history(QUndoStack& stack, const UndoHistory& history,
                  const std::function<std::unique_ptr<UndoStep>(const UndoValue&)>& make) {
  stack.clear();
  std::vector<UndoStep*> steps;
  for (const UndoValue& value : history.steps) {
    steps.push_back(make(value).release());
    steps.back()->rest(true);
    stack.push(steps.back());
  }
  stack.setIndex(history.done);
  for (UndoStep* step : steps) {
    step->rest(false);
  }
}

}  // namespace mog::gui
