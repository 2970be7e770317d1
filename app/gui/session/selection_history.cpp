#include "app/gui/session/selection_history.h"

#include <QElapsedTimer>
#include <QUndoCommand>
#include <QUndoStack>

#include "app/gui/session/workspace.h"

namespace mog::gui {
namespace {
constexpr int kMergeMs = 1000;
constexpr int kPinId = 2;
}  // namespace

// Tokens passed within a second of each other (an arrow key held down) are one step.
class PinCommand : public QUndoCommand {
 public:
  PinCommand(SelectionHistory& owner, SentenceRef sentence, std::optional<std::int64_t> before,
             std::optional<std::int64_t> after)
      : QUndoCommand(SelectionHistory::tr("pin")),
        owner_(owner),
        sentence_(sentence),
        before_(before),
        after_(after) {
    clock_.start();
  }
  int id() const override { return kPinId; }
  bool mergeWith(const QUndoCommand* other) override {
    const auto* next = static_cast<const PinCommand*>(other);
    if (!(next->sentence_ == sentence_) || clock_.elapsed() > kMergeMs) {
      return false;
    }
    after_ = next->after_;
    clock_.restart();
    setObsolete(after_ == before_);
    return true;
  }
  void undo() override { owner_.applyPin(sentence_, before_); }
  void redo() override { owner_.applyPin(sentence_, after_); }

 private:
  SelectionHistory& owner_;
  SentenceRef sentence_;
  std::optional<std::int64_t> before_;
  std::optional<std::int64_t> after_;
  QElapsedTimer clock_;
};

class LengthCommand : public QUndoCommand {
 public:
  LengthCommand(SelectionHistory& owner, const std::optional<LengthRange>& before,
                const std::optional<LengthRange>& after)
      : QUndoCommand(SelectionHistory::tr("lengths")), owner_(owner), before_(before), after_(after) {}
  void undo() override { owner_.applyRange(before_); }
  void redo() override { owner_.applyRange(after_); }

 private:
  SelectionHistory& owner_;
  std::optional<LengthRange> before_;
  std::optional<LengthRange> after_;
};

class HoldCommand : public QUndoCommand {
 public:
  HoldCommand(SelectionHistory& owner, const std::optional<SentenceRef>& before,
              const std::optional<SentenceRef>& after)
      : QUndoCommand(SelectionHistory::tr("held sentence")), owner_(owner), before_(before), after_(after) {}
  void undo() override { owner_.applyHeld(before_); }
  void redo() override { owner_.applyHeld(after_); }

 private:
  SelectionHistory& owner_;
  std::optional<SentenceRef> before_;
  std::optional<SentenceRef> after_;
};

SelectionHistory::SelectionHistory(Workspace& workspace, SelectionModel& selection, QUndoStack& history,
                                   QObject* parent)
    : QObject(parent), workspace_(workspace), selection_(selection), history_(history) {
  connect(&selection_, &SelectionModel::sentenceChanged, this, &SelectionHistory::followSentence);
  connect(&selection_, &SelectionModel::tokenChanged, this, &SelectionHistory::followToken);
  connect(&selection_, &SelectionModel::lengthRangeChanged, this, &SelectionHistory::followRange);
  connect(&selection_, &SelectionModel::heldChanged, this, &SelectionHistory::followHeld);
}

void SelectionHistory::followSentence() {
  sentence_ = selection_.sentence();
  item_ = sentence_.item;
  token_ = selection_.token();
}

void SelectionHistory::followToken() {
  const auto before = token_;
  token_ = selection_.token();
  if (paused_ == 0 && token_ != before && selection_.sentence() == sentence_) {
    history_.push(new PinCommand(*this, sentence_, before, token_));
  }
}

void SelectionHistory::followRange() {
  const auto before = range_;
  range_ = selection_.lengthRange();
  // Another recording lists all its lengths: the views drop the range before this object hears of it.
  if (paused_ == 0 && selection_.sentence().item == item_ && range_ != before) {
    history_.push(new LengthCommand(*this, before, range_));
  }
}

void SelectionHistory::followHeld() {
  const auto before = held_;
  held_ = selection_.held();
  // One whose recording was closed is let go of without a hand.
  const bool closed = before && workspace_.item(before->item) == nullptr;
  if (paused_ == 0 && held_ != before && !closed) {
    history_.push(new HoldCommand(*this, before, held_));
  }
}

void SelectionHistory::resume() {
  --paused_;
  followSentence();
  range_ = selection_.lengthRange();
  held_ = selection_.held();
}

// The first redo() of a command is its push: everything is there already.
void SelectionHistory::applyPin(SentenceRef sentence, std::optional<std::int64_t> token) {
  if (workspace_.item(sentence.item) == nullptr) {
    sayClosed();
    return;
  }
  pause();
  workspace_.select(sentence);
  if (selection_.sentence() == sentence) {
    selection_.setToken(token);
  }
  resume();
}

void SelectionHistory::applyRange(const std::optional<LengthRange>& range) {
  pause();
  selection_.setLengthRange(range);
  resume();
}

void SelectionHistory::applyHeld(const std::optional<SentenceRef>& sentence) {
  pause();
  const WorkspaceItem* item = sentence ? workspace_.item(sentence->item) : nullptr;
  const bool there = item != nullptr && sentence->index < static_cast<std::int64_t>(item->tokens.size());
  selection_.setHeld(there ? sentence : std::nullopt);
  resume();
  if (sentence && item == nullptr) {
    sayClosed();
  }
}

void SelectionHistory::sayClosed() {
  workspace_.report(tr("This step was made in a recording that is closed: nothing has changed."));
}

}  // namespace mog::gui
