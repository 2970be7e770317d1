// The k best multi-order graphs of one recorded sentence: the work behind `mog trees`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/grammar/from_recording.h"
#include "analysis/mog/graph_files/export.h"
#include "app/workflow/common/progress.h"
#include "app/workflow/trees/tree_search.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

enum class TreesMode : std::uint8_t {
  free,        // the k best of all expressions; products favour small ones
  by_leaves,   // the best derivation for each number of leaves (words with repeats), from 1
  projective,  // the k best over the whole sentence in which every step joins neighbours
  beam,        // of all trees over the whole sentence, as far as a beam search finds them
  exact,       // the k best of all trees over the whole sentence; at most 12 words
};
std::string_view name(TreesMode mode) noexcept;
// "free", "by-leaves", "projective", "beam", "exact"; throws UsageError.
TreesMode parse_trees_mode(std::string_view text);

struct TreesOptions {
  TreesMode mode = TreesMode::free;
  std::int64_t top = 5;     // distinct expressions, or the greatest number of leaves (words); at least 1
  std::int64_t layer = 0;   // of the owner's symbol R[layer, word]; 0: the last
  std::string owner = {};   // "WORD", "WORD@POS", "@POS"; "all": every word; empty: the whole sentence (TOP)
  bool each_order = false;  // projective, beam, exact: the best for each number of words up to `top` instead
  std::int64_t beam = 64;   // sets of words kept for each symbol and number of words
  bool distributions = true;  // distribution of leaves and edge posteriors too
  analysis::WordGrammarOptions grammar = {};
  std::stop_token stop = {};  // asked between small pieces of work; then Interrupted is thrown
  ProgressCallback progress = {};
};

enum class TreesFormat : std::uint8_t { text, json, dot, graphml, conllu };
// Throws UsageError naming what is allowed.
TreesFormat parse_trees_format(std::string_view text);

// Everything that is said about one goal of one sentence. Movable.
struct SentenceTrees {
  std::int64_t number = 0;  // of the sentence in its corpus
  std::string text;
  std::string model;
  std::string goal;             // "TOP" or "R[6,2]"
  std::string goal_in_words;    // what that is
  std::int64_t last_layer = 0;  // where the graphs end: the goal's layer; of TOP the model's last
  std::shared_ptr<const analysis::AttentionGrammar> grammar;
  std::shared_ptr<const TreesOfSentence> sentence;
  TreesMode mode = TreesMode::free;
  bool each_order = false;
  std::string guarantee;                          // what the search promises about its weights
  bool ended_by_limit = false;                    // the last group of ties may be incomplete
  std::vector<analysis::Derivation> derivations;  // best first; by_leaves, each_order: ascending
  analysis::LeavesDistribution leaves;            // of the goal
  double expected_leaves = 0;
  analysis::EdgePosteriors posteriors;  // of the goal
  std::vector<std::string> notes;       // of this goal

  // Choices, notes and distributions surround the trees in text and JSON; DOT and GraphML hold the trees
  // alone.
  std::string print(analysis::GraphFormat format) const;
};

// Index of sentence `number` (its place in the corpus). Throws UsageError naming what the recording has.
std::int64_t sentence_index(const RecordingSource& source, std::int64_t number);
// The same; nullopt where it is not there.
std::optional<std::int64_t> find_sentence(const RecordingSource& source, std::int64_t number);

// `index` from 0. Throws UsageError (owner, layer, missing quantity, a sentence too long for the mode: the
// message names one that takes it), FormatError (values that are no probabilities).
SentenceTrees find_trees(const RecordingSource& source, std::int64_t index, const TreesOptions& options = {});
// One entry; with owner "all" one a word.
std::vector<SentenceTrees> find_all_trees(const RecordingSource& source, std::int64_t index,
                                          const TreesOptions& options = {});

// A document a graph; dot and graphml.
std::vector<std::string> print_trees_apart(std::span<const SentenceTrees> trees, TreesFormat format);
// What `mog trees` prints first. Short: weights and expressions alone. The overview: of each goal the best
// graph over all words (`whole`; it may have none) and the best of each number of leaves.
std::string print_in_short(std::span<const SentenceTrees> trees);
std::string print_overview(std::span<const SentenceTrees> whole, std::span<const SentenceTrees> by_leaves);
// Trees of one sentence in one document. conllu: HEAD from the joins, DEPREL dep, layer, part and weight of
// each join in MISC; throws UsageError when the best expression is no tree over the words.
std::string print_trees(std::span<const SentenceTrees> trees, TreesFormat format);

// The best one as a binary tree: of the trees found, or (free, by leaves) with at most 6 leaves.
analysis::FigureData draw_best_tree(const RecordingSource& source, std::int64_t index,
                                    const TreesOptions& options, const SentenceTrees& trees);

// Leaves of the derivation that a figure of one tree shows when nothing else is asked for: as many as there
// are words, at most 6.
std::int64_t leaves_to_show(std::size_t words);

// The word (from 0) that "WORD", "WORD@POS" or "@POS" means. Throws UsageError.
std::int32_t parse_owner(std::string_view text, std::span<const std::string> words);

}  // namespace mog::app
