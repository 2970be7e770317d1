// Arc-standard builds a tree from below: a word leaves the stack when it has all of its own dependents. That
// reaches projective trees only. SWAP puts the second word of the stack back, so that words are read in
// another order than they are written, and every tree has an order in which it is projective: each word
// between its left and its right dependents (Nivre 2009). The oracle swaps two words of the stack that stand
// against that order, and else does what arc-standard would: arcs as soon as the dependent is complete,
// otherwise a shift.
//
// Two words are swapped at most once, since a swap needs the lower of them to come first in the sentence and
// leaves them the other way round. So any sequence of legal actions ends, after 2n + n(n - 1) at most.
//
// The buffer is one array and a place in it: a swapped word goes into a cell that a shift has left, so
// nothing moves.
//
// The root is vertex 0 and is in no pair that is swapped. Its arcs may come before the end of the buffer, so
// that forests of several roots, which some treebanks hold, need no rule of their own.
#include "analysis/parsing/transition_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

// Words in the order of reading each one between its dependents, the root first. Empty entries are not
// reached.
std::vector<std::int32_t> in_order(const std::vector<std::vector<std::int32_t>>& dependents) {
  struct Visit {
    std::int32_t word = 0;
    std::size_t next = 0;  // dependent
    bool read = false;
  };
  std::vector<std::int32_t> order;
  std::vector<Visit> open = {{0, 0, false}};
  while (!open.empty()) {
    Visit& visit = open.back();
    const std::vector<std::int32_t>& below = dependents[at(visit.word)];
    if (!visit.read && (visit.next == below.size() || below[visit.next] > visit.word)) {
      order.push_back(visit.word);
      visit.read = true;
    } else if (visit.next == below.size()) {
      open.pop_back();
    } else {
      const std::int32_t dependent = below[visit.next++];
      open.push_back({dependent, 0, false});
    }
  }
  return order;
}

}  // namespace

std::string_view name(ParserAction action) noexcept {
  switch (action) {
    case ParserAction::left_arc:
      return "LEFTARC";
    case ParserAction::right_arc:
      return "RIGHTARC";
    case ParserAction::shift:
      return "SHIFT";
    case ParserAction::swap:
      return "SWAP";
  }
  return "";
}

ParserState::ParserState(std::int32_t words) : stack_{0} {
  if (words < 0) {
    throw UsageError(fmt::format("parsing a sentence of {} words", words));
  }
  buffer_.resize(at(words));
  std::iota(buffer_.begin(), buffer_.end(), 1);
  heads_.assign(at(words), kNoHead);
  labels_.assign(at(words), kNoLabel);
  dependents_.assign(at(words) + 1, 0);
}

bool ParserState::is_legal(ParserAction action) const noexcept {
  if (action == ParserAction::shift) {
    return shifted_ < buffer_.size();
  }
  if (stack_.size() < 2) {
    return false;
  }
  const std::int32_t top = stack_.back();
  const std::int32_t below = stack_[stack_.size() - 2];
  switch (action) {
    case ParserAction::left_arc:
      return below != 0;
    case ParserAction::right_arc:
      return top != 0;
    default:
      return below > 0 && below < top;
  }
}

ParserAction ParserState::best_legal(std::span<const float, kParserActions> scores) const {
  std::size_t best = kParserActions;
  for (std::size_t action = 0; action < kParserActions; ++action) {
    if (is_legal(static_cast<ParserAction>(action)) &&
        (best == kParserActions || scores[action] > scores[best])) {
      best = action;
    }
  }
  if (best == kParserActions) {
    throw UsageError("parsing: the sentence is parsed, no action is left");
  }
  return static_cast<ParserAction>(best);
}

void ParserState::attach(std::int32_t head, std::int32_t dependent, std::int32_t label) {
  heads_[at(dependent - 1)] = head;
  labels_[at(dependent - 1)] = label;
  ++dependents_[at(head)];
  removed_.push_back(dependent);
}

void ParserState::apply(const ParserTransition& transition) {
  if (!is_legal(transition.action)) {
    throw UsageError(
        fmt::format("parsing: {} is not legal with {} on the stack (the top is {}) and {} in the buffer",
                    name(transition.action), stack_.size(), stack_.back(), buffer().size()));
  }
  const std::int32_t top = stack_.back();
  if (transition.action == ParserAction::shift) {
    stack_.push_back(buffer_[shifted_++]);
    return;
  }
  const std::int32_t below = stack_[stack_.size() - 2];
  stack_.pop_back();
  if (transition.action == ParserAction::right_arc) {
    attach(below, top, transition.label);
    return;
  }
  stack_.back() = top;
  if (transition.action == ParserAction::left_arc) {
    attach(top, below, transition.label);
  } else {
    buffer_[--shifted_] = below;
  }
}

ParserState ParserTrace::after(std::size_t transitions_done) const {
  if (transitions_done > transitions.size()) {
    throw UsageError(fmt::format("a derivation of {} transitions: {} were asked for", transitions.size(),
                                 transitions_done));
  }
  ParserState state(words);
  for (const ParserTransition& transition : std::span(transitions).first(transitions_done)) {
    state.apply(transition);
  }
  return state;
}

StaticOracle::StaticOracle(std::span<const std::int32_t> heads, std::span<const std::int32_t> labels) {
  const auto words = static_cast<std::int32_t>(heads.size());
  if (!labels.empty() && labels.size() != heads.size()) {
    throw FormatError(fmt::format("a tree of {} heads has {} labels", heads.size(), labels.size()));
  }
  heads_ = {kNoHead};
  heads_.insert(heads_.end(), heads.begin(), heads.end());
  labels_.assign(heads_.size(), kNoLabel);
  std::copy(labels.begin(), labels.end(), labels_.begin() + 1);
  std::vector<std::vector<std::int32_t>> dependents(heads_.size());
  dependents_.assign(heads_.size(), 0);
  for (std::int32_t word = 1; word <= words; ++word) {
    const std::int32_t head = heads_[at(word)];
    if (head < 0 || head > words || head == word) {
      throw FormatError(fmt::format("a tree of {} words: the head of word {} is {}", words, word, head));
    }
    dependents[at(head)].push_back(word);
    ++dependents_[at(head)];
  }
  const std::vector<std::int32_t> order = in_order(dependents);
  if (order.size() != heads_.size()) {
    throw FormatError(fmt::format("a tree of {} words: {} of them are in or below a cycle", words,
                                  heads_.size() - order.size()));
  }
  rank_.resize(heads_.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    rank_[at(order[rank])] = static_cast<std::int32_t>(rank);
  }
}

ParserTransition StaticOracle::next(const ParserState& state) const {
  if (at(state.words()) + 1 != heads_.size() || state.is_final()) {
    throw UsageError(fmt::format("oracle of a tree of {} words: a state of {} words{}", heads_.size() - 1,
                                 state.words(), state.is_final() ? " that is parsed" : ""));
  }
  const std::span<const std::int32_t> stack = state.stack();
  if (stack.size() < 2) {
    return {ParserAction::shift, kNoLabel};
  }
  const std::int32_t top = stack.back();
  const std::int32_t below = stack[stack.size() - 2];
  if (heads_[at(below)] == top && complete(state, below)) {
    return {ParserAction::left_arc, labels_[at(below)]};
  }
  if (heads_[at(top)] == below && complete(state, top)) {
    return {ParserAction::right_arc, labels_[at(top)]};
  }
  if (below > 0 && below < top && projective_rank(top) < projective_rank(below)) {
    return {ParserAction::swap, kNoLabel};
  }
  if (state.is_legal(ParserAction::shift)) {
    return {ParserAction::shift, kNoLabel};
  }
  // Off the derivation: what is left is attached.
  return {ParserAction::right_arc, labels_[at(top)]};
}

ParserTrace oracle_trace(std::span<const std::int32_t> heads, std::span<const std::int32_t> labels) {
  const StaticOracle oracle(heads, labels);
  ParserTrace trace{static_cast<std::int32_t>(heads.size()), {}};
  ParserState state(trace.words);
  while (!state.is_final()) {
    trace.transitions.push_back(oracle.next(state));
    state.apply(trace.transitions.back());
  }
  return trace;
}

}  // namespace mog::analysis
