// Undo for what is pinned, which lengths are listed and which sentence is held to compare. Moving through
// sentences, layers and heads is looking, not changing: it is no step of its own, but undoing a pin goes back
// to the sentence where it was set.
#pragma once

#include <QObject>
#include <memory>
#include <optional>

#include "app/gui/session/selection_model.h"

class QUndoStack;

namespace mog::gui {

class Workspace;

class SelectionHistory : public QObject {
  Q_OBJECT
 public:
  // Made after the views: what they change of the lengths when another recording comes is no step.
  SelectionHistory(Workspace& workspace, SelectionModel& selection, QUndoStack& history,
                   QObject* parent = nullptr);
  // What comes until end() is no step: a session that is opened.
  void pause() { ++paused_; }
  void resume();

 private:
  friend class PinCommand;
  friend class LengthCommand;
  friend class HoldCommand;
  void followSentence();
  void followToken();
  void followRange();
  void followHeld();
  void applyPin(SentenceRef sentence, std::optional<std::int64_t> token);
  void applyRange(const std::optional<LengthRange>& range);
  void applyHeld(const std::optional<SentenceRef>& sentence);
  void sayClosed();
  Workspace& workspace_;
  SelectionModel& selection_;
  QUndoStack& history_;
  int paused_ = 0;
  SentenceRef sentence_;
  int item_ = 0;
  std::optional<std::int64_t> token_;
  std::optional<LengthRange> range_;
  std::optional<SentenceRef> held_;
};

}  // namespace mog::gui
