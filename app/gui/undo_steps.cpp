#include "app/gui/undo_steps.h"

#include <QUndoStack>
#include <utility>

namespace mog::gui {

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
