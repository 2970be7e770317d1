// How close trees from a recording come to gold syntax: the work behind `mog syntax`.
//
// A tree hangs each word of a sentence on another one. Every source below gives one tree a sentence:
// attention   maximum spanning arborescence (or the best projective tree) of one map of words: each layer,
//             part and head, and the mean of the heads
// joins       of the expected joins of the attention grammar (edge posteriors): all summed, each layer, each
//             layer and part
// presence    of the probabilities that the grammar joins two words at all, in any layer and part
// k-best      of the joins of the k best graphs of every word, each list's weights scaled to sum 1
// by-leaves    of the joins of every word's best graph of 2, 3 … k leaves, each counted once
// mog-tree    the heads of the best projective multi-order graph over the whole sentence
// mog-beam    the heads of the best one that a beam search finds, crossing or not, at least as good
// The weight of a tree is the product of its edges' weights; joins and queries are heads of what they join
// and attend to, or the other way round (`key_is_head`).
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "analysis/mog/grammar/from_recording.h"
#include "analysis/random/bootstrap.h"
#include "analysis/statistics/table.h"
#include "app/workflow/common/progress.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

enum class SyntaxSource : std::uint8_t {
  attention,
  joins,
  presence,
  k_best,
  by_leaves,
  mog_tree,
  mog_beam,
  // What to compare with. Fixed offsets reach from 10 words to the left to 10 to the right; a word without
  // such a neighbour has no head, in the chains of direct neighbours it is the root.
  random_tree,      // trees of random weights, the mean of several draws
  left_neighbour,   // each word's head is the one before it
  right_neighbour,  // … after it
  best_offset,      // the fixed offset that is best on these very sentences: by UAS; another one by UUAS
  // Chosen on the sentences with odd numbers and scored on the others, and the other way round: what the best
  // of so many heads (offsets) is worth when it is not chosen on the sentences it is scored on.
  chosen_head,
  chosen_offset,
};
std::string_view name(SyntaxSource source) noexcept;  // "attention", "k-best", "best-offset", …

// What a tree comes from.
struct SyntaxRow {
  SyntaxSource source = SyntaxSource::attention;
  std::int64_t layer = 0;  // from 1; 0: all layers
  Part part = Part::none;  // none: all parts of the layer
  std::int64_t head = 0;   // from 1; 0: the mean of the heads
  bool key_is_head = false;
  std::int64_t offset = 0;  // best_offset: of the head from its dependent
  bool is_baseline() const noexcept { return source >= SyntaxSource::random_tree; }
  // "attention:3:high:2:query", "joins:query", "joins:2:m1:key"; a head 0 and what is none are left out.
  std::string name() const;
  friend bool operator==(const SyntaxRow&, const SyntaxRow&) = default;
};

enum class MismatchPolicy : std::uint8_t { error, skip };
enum class RootChoice : std::uint8_t {
  tree,  // the tree's own
  gold,  // given; the root does not count as a word then
};
enum class DirectionChoice : std::uint8_t { query, key, both };

struct SyntaxOptions {
  std::filesystem::path treebank;  // CoNLL-U; sentence n of the recording is its sentence n
  std::vector<SyntaxSource> sources = {SyntaxSource::attention, SyntaxSource::joins};
  bool projective = false;  // trees without crossing edges (Eisner) in place of any tree (Edmonds)
  bool punctuation = true;  // words with UPOS PUNCT count as dependents; they are in the trees anyhow
  RootChoice root = RootChoice::tree;
  DirectionChoice direction = DirectionChoice::both;
  MismatchPolicy mismatch = MismatchPolicy::error;
  bool relations = false;                     // the best head of each relation too
  std::int64_t top = 10;                      // k-best: graphs of each word; by-leaves: the most leaves
  std::int64_t beam = 16;                     // mog-beam: sets of words of each symbol and number of words
  std::int32_t draws = 10;                    // random trees of a sentence
  int threads = 0;                            // 0: one a core
  analysis::WordGrammarOptions grammar = {};  // behind all sources but attention
  analysis::BootstrapOptions bootstrap;
};
// "attention,joins"; …: throw UsageError naming what is allowed.
std::vector<SyntaxSource> parse_syntax_sources(std::string_view text);
RootChoice parse_root_choice(std::string_view text);            // tree, gold
DirectionChoice parse_direction_choice(std::string_view text);  // query, key, both
MismatchPolicy parse_mismatch_policy(std::string_view text);    // error, skip

struct SyntaxScore {
  double value = 0;
  analysis::Interval interval;
};
struct SyntaxRowScore {
  SyntaxRow row;
  std::int64_t sentences = 0;  // that the source has a tree for
  SyntaxScore uas{};           // words with their gold head
  SyntaxScore uuas{};          // gold edges found in either direction
};
// Recall of one relation (words with it that have their gold head).
struct SyntaxRelation {
  std::string relation;
  std::int64_t words = 0;
  SyntaxRow best_head;  // of attention; with a mean where no head was recorded
  // Intervals over the sentences that have the relation; the choice is made once, not in every resample.
  SyntaxScore recall;
  SyntaxScore chosen;  // chosen on one half, scored on the other
  std::int64_t best_offset = 0;
  SyntaxScore offset_recall;
  SyntaxScore offset_chosen;
};
struct SkippedSentence {
  std::int64_t number = 0;  // in the treebank, from 1
  std::int64_t line = 0;
  std::string reason;
};

struct SyntaxResult {
  SyntaxOptions options;
  std::string recording;  // names, for people
  std::string model;
  std::string grammar;  // the choices behind it; empty: no source needs it
  std::int64_t sentences = 0;
  std::int64_t words = 0;                 // that count
  std::vector<SyntaxRowScore> rows;       // in the order of the sources, baselines last
  std::vector<SyntaxRelation> relations;  // most frequent first
  std::vector<SkippedSentence> skipped;
  std::vector<std::string> notes;
};

// Throws UsageError (no maps; a source that the recording has not enough for), FormatError naming file,
// sentence and line (the treebank; a tree with several roots; under `error` words that differ from the
// recording's, or a treebank that ends before the recording; no sentence that agrees), Interrupted. Memory:
// some sentences' maps a thread, and about 1 kB a sentence.
SyntaxResult compare_syntax(const RecordingSource& source, const SyntaxOptions& options,
                            std::stop_token stop = {}, const ProgressCallback& progress = {});

// What a grammar says of --sink drop, and maps without one.
inline constexpr std::string_view kSinkDropped = "sink dropped";

// What the search behind the trees of a row promises; empty for what is compared with.
std::string guarantee_of(const SyntaxRow& row, const SyntaxOptions& options);

// source · layer · part · head (empty: the mean) · head_is (query or key) · offset · sentences · uas ·
// uas_low · uas_high · uuas · uuas_low · uuas_high · guarantee · grammar (the choices behind it; empty: the
// source needs none). Shares, not percent.
analysis::Table score_table(const SyntaxResult& result);
// deprel · words · layer · part · head · head_is · recall · recall_chosen · offset · offset_recall ·
// offset_recall_chosen · low and high of each recall
analysis::Table relation_table(const SyntaxResult& result);
std::string to_text(const SyntaxResult& result);  // for people, percent
std::string to_json(const SyntaxResult& result);

// Scores by layer as lines with the baselines as level ones, above a map of layers and heads.
analysis::FigureData syntax_figure(const SyntaxResult& result);

// The treebank's sentences with the trees of one row: HEAD and DEPREL (root, dep) replaced, DEPS emptied, a
// comments "# tree = NAME", guarantee, choices of the grammar and settings added. Sentences that were
// skipped, or have no tree, are left out. Throws as compare_syntax, StorageError. Returns how many sentences
// were written.
std::int64_t write_trees(const RecordingSource& source, const SyntaxOptions& options, const SyntaxRow& row,
                         const std::filesystem::path& output, std::stop_token stop = {});
// The row that `text` names: the name of a row, or "best" (the greatest UUAS among trees of the recording; of
// equal ones the greatest UAS).
// Throws UsageError.
SyntaxRow find_row(const SyntaxResult& result, std::string_view text);
// Throws the same before any tree is made.
void check_row(const RecordingSource& source, const SyntaxOptions& options, std::string_view text);

}  // namespace mog::app
