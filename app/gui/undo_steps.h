// Steps of undo as values. A window that is opened anew, in another language, goes on with the steps of the
// one before it: its commands are made again, with the texts of its language, and do nothing until they are
// undone or redone.
#pragma once

#include <QString>
#include <QUndoCommand>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "app/gui/selection_model.h"
#include "app/workflow/session.h"

class QUndoStack;

namespace mog::gui {

struct SettingStep {
  QString name;
  app::SessionValue before;
  app::SessionValue after;
};
struct PinStep {
  SentenceRef sentence;
  std::optional<std::int64_t> before;
  std::optional<std::int64_t> after;
};
struct LengthStep {
  std::optional<LengthRange> before;
  std::optional<LengthRange> after;
};
struct HoldStep {
  std::optional<SentenceRef> before;
  std::optional<SentenceRef> after;
};
using UndoValue = std::variant<SettingStep, PinStep, LengthStep, HoldStep>;

struct UndoHistory {
  std::vector<UndoValue> steps;
  int done = 0;  // of them; the others were undone
};

// Every command of the window's history is one of these.
class UndoStep : public QUndoCommand {
 public:
  using QUndoCommand::QUndoCommand;
  virtual UndoValue value() const = 0;
  void undo() final;
  void redo() final;
  // While it rests it does nothing and merges with nothing.
  void rest(bool resting) { resting_ = resting; }

 protected:
  virtual void backward() = 0;
  virtual void forward() = 0;
  bool resting() const { return resting_; }

 private:
  bool resting_ = false;
};

UndoHistory history_of(const QUndoStack& stack);
// Replaces what the stack holds; everything stays as it is.
void take_history(QUndoStack& stack, const UndoHistory& history,
                  const std::function<std::unique_ptr<UndoStep>(const UndoValue&)>& make);

}  // namespace mog::gui
