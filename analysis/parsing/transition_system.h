// The arc-standard transition system with SWAP (Nivre 2009), its states, its static oracle and traces of it:
// what a transition parser does word by word (Graph-to-Graph Transformer, Mohammadshahi and Henderson 2020).
//
// Words count from 1, 0 is the root. A head or label that is not known yet is kNoHead or kNoLabel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace mog::analysis {

inline constexpr std::int32_t kNoHead = -1;
inline constexpr std::int32_t kNoLabel = -1;

// The numbers are those of the authors' classifiers.
enum class ParserAction : std::uint8_t {
  left_arc = 0,   // the top becomes the head of the word below it, which leaves the stack
  right_arc = 1,  // the word below becomes the head of the top, which leaves the stack
  shift = 2,      // the first word of the buffer goes onto the stack
  swap = 3,       // the word below the top goes back to the front of the buffer
};
inline constexpr std::size_t kParserActions = 4;
std::string_view name(ParserAction action) noexcept;  // "LEFTARC", "RIGHTARC", "SHIFT", "SWAP"

struct ParserTransition {
  ParserAction action = ParserAction::shift;
  std::int32_t label = kNoLabel;  // of the arc; none for shift and swap
  friend bool operator==(const ParserTransition&, const ParserTransition&) = default;
};

// Of one sentence: stack, buffer, and the arcs so far. A value; every operation is O(1) but the lists.
class ParserState {
 public:
  // The root on the stack, words 1 … `words` in the buffer. Throws UsageError for a negative number.
  explicit ParserState(std::int32_t words);

  std::int32_t words() const noexcept { return static_cast<std::int32_t>(heads_.size()); }
  std::span<const std::int32_t> stack() const noexcept { return stack_; }  // the top last
  std::span<const std::int32_t> buffer() const noexcept { return std::span(buffer_).subspan(shifted_); }
  std::span<const std::int32_t> removed() const noexcept { return removed_; }  // in the order of their arcs
  std::span<const std::int32_t> heads() const noexcept { return heads_; }      // [word - 1]
  std::span<const std::int32_t> labels() const noexcept { return labels_; }    // [word - 1]
  // Dependents that a word (0: the root) has been given.
  std::int32_t dependents(std::int32_t word) const { return dependents_[static_cast<std::size_t>(word)]; }

  bool is_legal(ParserAction action) const noexcept;
  // The root alone on the stack, no word in the buffer: heads() is a tree, or a forest of several roots,
  // since a right arc from the root is legal before the buffer is empty.
  bool is_final() const noexcept { return stack_.size() == 1 && buffer().empty(); }
  // The legal action with the greatest score, of equal ones the first; `scores` [action]. Throws UsageError
  // in a final state.
  ParserAction best_legal(std::span<const float, kParserActions> scores) const;
  // Throws UsageError naming the action and what stands on the stack when it is not legal.
  void apply(const ParserTransition& transition);

  friend bool operator==(const ParserState&, const ParserState&) = default;

 private:
  void attach(std::int32_t head, std::int32_t dependent, std::int32_t label);

  std::vector<std::int32_t> stack_;
  std::vector<std::int32_t> buffer_;  // those from shifted_ on
  std::size_t shifted_ = 0;
  std::vector<std::int32_t> removed_;
  std::vector<std::int32_t> heads_;
  std::vector<std::int32_t> labels_;
  std::vector<std::int32_t> dependents_;  // [word], the root first
};

// A derivation as a value: any of its states can be had again.
struct ParserTrace {
  std::int32_t words = 0;
  std::vector<ParserTransition> transitions;

  // After so many transitions; O(words + transitions). Throws UsageError beyond the last, or for a transition
  // that is not legal.
  ParserState after(std::size_t transitions_done) const;
  ParserState final_state() const { return after(transitions.size()); }
};

// What a parser should do in the states of the one derivation that leads to a gold tree.
class StaticOracle {
 public:
  // Gold heads and labels [word - 1]; without labels every arc has kNoLabel. Throws FormatError when the
  // heads are no tree or forest over the words, or the numbers of heads and labels differ.
  explicit StaticOracle(std::span<const std::int32_t> heads, std::span<const std::int32_t> labels = {});

  // In a state of that derivation; elsewhere a legal transition that need not lead to the tree. Throws
  // UsageError in a final state or one of another number of words.
  ParserTransition next(const ParserState& state) const;
  // Rank of a word (0: the root) when every word is read between its left and its right dependents; of a
  // projective tree the word itself.
  std::int32_t projective_rank(std::int32_t word) const { return rank_[static_cast<std::size_t>(word)]; }

 private:
  bool complete(const ParserState& state, std::int32_t word) const {
    return state.dependents(word) == dependents_[static_cast<std::size_t>(word)];
  }

  std::vector<std::int32_t> heads_;       // [word], the root's is kNoHead
  std::vector<std::int32_t> labels_;      // [word]
  std::vector<std::int32_t> dependents_;  // [word]
  std::vector<std::int32_t> rank_;        // [word]
};

// The whole derivation of a gold tree: 2n transitions for n words, and two more for each swap. Throws as the
// oracle.
ParserTrace oracle_trace(std::span<const std::int32_t> heads, std::span<const std::int32_t> labels = {});

}  // namespace mog::analysis
