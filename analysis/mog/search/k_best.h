// The k best expressions of a symbol of the attention grammar (Huang & Chiang, Better k-best parsing,
// IWPT 2005, algorithm 3), duplicates merged, with their exact masses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/mog/expressions/expression.h"
#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/search/search_control.h"

namespace mog::analysis {

struct KBestOptions {
  // Distinct expressions (with merge = false: derivations) that one search may extract. A group of ties is
  // extracted completely before it is cut at k, unless this ends the search: then the result says so.
  std::int64_t limit = 20'000;
  // false: every derivation by itself, equal expressions not merged.
  bool merge = true;
  SearchControl control = {};  // asked while a list is made
};

// What the derivations are of: TOP, or R[layer, word].
struct Goal {
  std::int64_t layer = 0;  // 1..L; 0 with word -1: TOP
  std::int32_t word = -1;  // from 0
  static Goal top() { return {}; }
  static Goal of_word(std::int64_t layer, std::int32_t word) { return {layer, word}; }
  bool is_top() const noexcept { return word < 0; }
  // Where its graphs end: a word's in the layer that it owns them in, the whole sentence's in the last one.
  std::int64_t last_layer(std::int64_t layers) const noexcept { return is_top() ? layers : layer; }
};

// One row of a k-best list.
struct KBestEntry {
  std::int32_t rank = 0;  // from 1
  std::int32_t tie = 0;   // entries with the same number have equal weights (up to 1e-12)
  double weight = 0;      // of the best derivation
  double log_weight = 0;  // natural logarithm (weights may be too small for a double)
  double mass = 0;        // sum over all derivations of the expression
  double log_mass = 0;
  double derivations = 0;   // how many there are
  std::int32_t order = 0;   // distinct words
  std::int64_t leaves = 0;  // words with repeats
  std::int32_t depth = 0;
  std::int32_t kind = 0;  // 0..4, of the root join
  bool simple = false;
  std::int32_t owner = 0;   // word from 0
  std::int32_t handle = 0;  // for KBest::derivation and KBest::expression
};

struct KBestList {
  Goal goal;
  std::vector<KBestEntry> entries{};
  bool ended_by_limit = false;  // the last group of ties may be incomplete
  bool exhausted = false;       // there are no other expressions
};

// A node of a derivation tree, for drawing and export.
struct DerivationNode {
  std::int32_t word = 0;    // a leaf's word; a join's source (owner); from 0
  std::int32_t target = 0;  // a join's target; a leaf's word
  std::int32_t left = -1;   // index into Derivation::nodes; -1 for leaves
  std::int32_t right = -1;
  std::int32_t layer = 0;     // where the join was made, from 1; 0 for leaves
  Part part = Part::none;     // none for leaves
  double weight = 1;          // of the join's rule: attention times part share; 1 for leaves
  std::int32_t subgraph = 0;  // index into Derivation::expression.subgraphs()
  bool is_leaf() const noexcept { return left < 0; }
};

// The best derivation of one expression, spelled out.
struct Derivation {
  KBestEntry entry;
  Expression expression;
  std::string text;                   // canonical
  std::string annotated;              // with [l=..;part=..] at each join
  std::vector<DerivationNode> nodes;  // post-order, root last; a tree: repeated subgraphs are repeated
  const DerivationNode& root() const noexcept { return nodes.back(); }
};

// Searches one grammar, which must outlive it; what one search finds is kept for the next. Not for several
// threads at once.
class KBest {
 public:
  explicit KBest(const AttentionGrammar& grammar, KBestOptions options = {});
  ~KBest();
  KBest(KBest&&) noexcept;
  KBest& operator=(KBest&&) noexcept;

  // The k best, best first; ties in the order of the definitions. Throws UsageError when k < 1 or the goal
  // is not in the grammar, Interrupted.
  KBestList list(Goal goal, std::int64_t k);
  // Of a list of this object.
  Expression expression(const KBestEntry& entry) const;
  std::string text(const KBestEntry& entry) const;
  Derivation derivation(const KBestEntry& entry) const;
  std::vector<Derivation> derivations(const KBestList& list) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mog::analysis
