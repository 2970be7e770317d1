// The best trees in which every word is a leaf once at most (simple expressions), by three searches.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/search/k_best.h"
#include "analysis/mog/search/search_control.h"

namespace mog::analysis {

enum class SimpleSearch : std::uint8_t {
  exact,       // all of them: at most 12 words
  projective,  // all whose steps join neighbouring stretches of words
  beam,        // the best `beam` sets of words of each symbol and number of words, and those of the best
               // projective trees: may miss the best, is never below the projective one
};

struct SimpleTreesOptions {
  std::int64_t beam = 64;
  std::int64_t limit = 100'000;  // derivations looked at for ranks beyond the first; a limit is reported
  std::int32_t most_order = 0;   // beam: sets of more words are not asked for; 0: all
  std::vector<Goal> goals = {};  // beam of long sentences: what will be asked for; empty: everything
  SearchControl control = {};
};

// What a beam search of a sentence keeps.
struct BeamPlan {
  // Of each symbol and number of words up to this any set may be kept; of more words those of the best
  // trees of `seeds` alone.
  std::int32_t most_order = 0;
  enum class Seeds : std::uint8_t {
    projective,  // whose steps join neighbouring stretches
    blocks,      // whose steps join neighbouring stretches inside blocks of `block_words` words, or of blocks
    chains,      // recurrent encoders: whose steps join a word to all before it
  } seeds = Seeds::projective;
  std::int32_t block_words = 0;
};

// Searches one grammar, which must outlive it. Not for several threads at once.
class SimpleTrees {
 public:
  // exact: 3^T steps a layer and word; projective: L T^4; beam: as beam_plan() bounds it. Throws UsageError
  // naming the limit and the searches that have none where the sentence is too long, or beam < 1;
  // Interrupted.
  SimpleTrees(const AttentionGrammar& grammar, SimpleSearch search, SimpleTreesOptions options = {});
  ~SimpleTrees();
  SimpleTrees(SimpleTrees&&) noexcept;
  SimpleTrees& operator=(SimpleTrees&&) noexcept;

  // Words that the search takes; `layers` and kind decide the memory of a chart.
  static std::int32_t most_words(SimpleSearch search, const AttentionGrammar& grammar,
                                 const SimpleTreesOptions& options = {});

  // Long sentences: what the memory (512 MB) and time (some seconds) of one search allow.
  static BeamPlan beam_plan(const AttentionGrammar& grammar, const SimpleTreesOptions& options = {});

  // The k best different trees over all words, ties in the order of the definitions; none where T > 2^L.
  // Ranks and ties as in k-best lists. Throws UsageError when k < 1.
  struct List {
    std::vector<Derivation> derivations;
    bool ended_by_limit = false;  // the last group of ties may be incomplete
  };
  List best(Goal goal, std::int64_t k);
  // The best tree of every number of words 1..most (over any set of so many words); `rank` is the number.
  std::vector<std::optional<Derivation>> each_order(Goal goal, std::int64_t most);
  // Of a projective search: over words first..last, from 0.
  std::optional<Derivation> over(Goal goal, std::int32_t first, std::int32_t last);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::string_view name(SimpleSearch search) noexcept;

}  // namespace mog::analysis
