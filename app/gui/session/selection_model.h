// The one selection that all views share: which sentence, layer, part, head and token is looked at.
//
// Layers and heads count from 1, 0 means "all, averaged"; Part::none means all parts, averaged. Tokens are
// indices from 0. The selection never points outside its extent: setExtent() brings it back inside and the
// setters clamp. Lives in the window's thread.
#pragma once

#include <QObject>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/workflow/trees/join_facts.h"
#include "io/recording/quantity_name.h"
#include "io/recording/sentence_recording.h"

namespace mog::gui {

// A sentence of an open item of the workspace.
struct SentenceRef {
  int item = 0;             // WorkspaceItem::id; 0: none
  std::int64_t index = -1;  // from 0
  bool valid() const noexcept { return item > 0 && index >= 0; }
  friend bool operator==(const SentenceRef&, const SentenceRef&) = default;
};

// Keys that choose parts: 1 to 9.
inline constexpr int kPartKeys = 9;

// What there is to choose from in the selected sentence.
struct SelectionExtent {
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t tokens = 0;
  std::vector<Part> parts;  // that have maps, in the system's order
  std::int64_t mapped = 0;  // the highest layer with a map; 0: none
  // What the keys 1, 2, … choose: the parts of the system that can have maps or are carried.
  std::vector<Part> keys = {};
  int key_of(Part part) const;  // from 1; 0: none
  friend bool operator==(const SelectionExtent&, const SelectionExtent&) = default;
};

// In a sentence of `tokens` tokens of this recording.
SelectionExtent extent_of(const RecordingHeader& header, std::int64_t tokens);

// Sentences of low <= words < high; no high: open. A bin of a length plot that leads to its sentences.
struct LengthRange {
  std::int64_t low = 0;
  std::optional<std::int64_t> high;
  bool holds(std::int64_t words) const { return words >= low && (!high || words < *high); }
  friend bool operator==(const LengthRange&, const LengthRange&) = default;
};

class SelectionModel : public QObject {
  Q_OBJECT
 public:
  explicit SelectionModel(QObject* parent = nullptr);

  SentenceRef sentence() const { return sentence_; }
  const SelectionExtent& extent() const { return extent_; }
  std::int64_t layer() const { return layer_; }  // 0 only when there are no layers
  Part part() const { return part_; }
  std::int64_t head() const { return head_; }
  std::optional<std::int64_t> token() const { return token_; }
  // The other word of a pair: what `token` attends to. Only together with it.
  std::optional<std::int64_t> key() const { return key_; }
  // The token under the pointer in some view.
  std::optional<std::int64_t> hovered() const { return hovered_; }
  // What views light: the token under the pointer, else the selected one.
  std::optional<std::int64_t> lit() const { return hovered_ ? hovered_ : token_; }

  // The sentence that others are compared with.
  const std::optional<SentenceRef>& held() const { return held_; }
  void setHeld(const std::optional<SentenceRef>& sentence);  // one that is not valid is none

  // Which sentences are looked at; empty: all.
  const std::optional<LengthRange>& lengthRange() const { return length_range_; }
  void setLengthRange(const std::optional<LengthRange>& range);

  // Another sentence drops the token and the hover; layer, part and head stay where the new extent has them.
  void setSentence(SentenceRef sentence, const SelectionExtent& extent);
  void clear();
  void setLayer(std::int64_t layer);
  void setPart(Part part);  // a part that the extent lacks is ignored
  void setHead(std::int64_t head);
  void setMap(std::int64_t layer, Part part, std::int64_t head);
  void setToken(std::optional<std::int64_t> token);  // another one drops the key
  void setKey(std::optional<std::int64_t> key);
  void setHovered(std::optional<std::int64_t> token);
  // The join that is selected in the graph that is shown; nullptr: none. It goes with its sentence and token.
  const std::shared_ptr<const app::JoinFacts>& join() const { return join_; }
  void setJoin(std::shared_ptr<const app::JoinFacts> join);
  // Selects the token under the pointer; lets go of the selected one when nothing, or the same, is there.
  void togglePin();
  // One step along layers, heads; stops at the ends.
  void stepLayer(int by);
  void stepHead(int by);

 Q_SIGNALS:
  void sentenceChanged();
  void mapChanged();  // layer, part or head
  void tokenChanged();
  void keyChanged();
  void hoveredChanged();
  void lengthRangeChanged();
  void heldChanged();
  void joinChanged();

 private:
  SentenceRef sentence_;
  SelectionExtent extent_;
  std::int64_t layer_ = 0;
  Part part_ = Part::none;
  std::int64_t head_ = 0;
  std::optional<std::int64_t> token_;
  std::optional<std::int64_t> key_;
  std::optional<std::int64_t> hovered_;
  std::optional<LengthRange> length_range_;
  std::optional<SentenceRef> held_;
  std::shared_ptr<const app::JoinFacts> join_;
};

}  // namespace mog::gui
