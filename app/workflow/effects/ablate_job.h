// What a part of a layer does: it is cut (or scaled), and the change of the encoder's output and of the tags
// is measured, beside what the model itself says of that part (its gate, its share of the norms). With
// translations it is the decoder's output that is compared, at every target token. The work behind `mog
// ablate`.
//
// A model that reads a graph reads the one of the unchanged model; of a parser the tree that comes out is
// compared too, as tags of its words are.
//
// A cut part is gone before the gate is computed, so the gate answers to the cut as it would to such an
// input. Effects are those of single cuts; they need not add up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/effects/mean_effect.h"
#include "analysis/metrics/tagging.h"
#include "analysis/statistics/rank_correlation.h"
#include "analysis/statistics/table.h"
#include "app/workflow/common/progress.h"
#include "app/workflow/evaluate/evaluate_job.h"
#include "app/workflow/record/capture.h"
#include "app/workflow/record/live_run.h"
#include "app/workflow/tasks/shard.h"
#include "io/recording/part.h"
#include "io/recording/sentence_recording.h"
#include "io/statistics/number_ranges.h"
#include "model/intervention.h"

namespace mog::app {

// What is cut: a part of a layer (its attention, what it carries on, what a recurrent step takes of the layer
// below or of the step before, a whole direction), or what `kind` says.
struct Cut {
  enum class Kind : std::uint8_t {
    part,
    fresh,         // all parts that attend, together: what the weight gate weighs against what is carried
    block,         // all that the attention block adds (its Z)
    feed_forward,  // all that the feed-forward block adds
    layer,         // of a recurrent encoder: it hands its input on
    gate,          // sets a weight gate, or the share of the new value of a recurrent layer, to a constant
    // Of a global representation, with translations:
    global,    // what it adds to the decoder's states; of all layers
    capsules,  // each capsule of a layer by itself
  };
  Kind kind = Kind::part;
  Part part{};  // of Kind::part

  constexpr Cut() = default;
  constexpr Cut(Part of) : part(of) {}        // NOLINT(google-explicit-constructor): a part is a cut
  constexpr Cut(Kind whole) : kind(whole) {}  // NOLINT(google-explicit-constructor)
  friend bool operator==(const Cut&, const Cut&) = default;
};
std::string_view name(
    Cut cut) noexcept;  // "high", …, "new", "block", "feed_forward", "layer", "gate", "global", "capsules"
// "high,low,new"; throws UsageError naming the piece and what is allowed.
std::vector<Cut> parse_cuts(std::string_view text);

// Terms of attention scores that are cut together.
using TermSet = std::set<model::LogitTerm>;
std::string text(const TermSet& terms);  // "pp+ii"
// "pp,pi,pp+ii", "all" for each term by itself; throws UsageError naming the piece and what is allowed.
std::vector<TermSet> parse_terms(std::string_view text);

// Terms of attention that reads a graph, cut together.
using GraphTermSet = std::set<model::GraphTerm>;
std::string text(const GraphTermSet& terms);  // "relation_key+relation_value"
struct GraphTermChoice {
  GraphTermSet terms;
  bool where_there_are = false;  // what the model's form does not have is left out, not refused
};
// "content,relation_key+relation_query", "graph" for all of relations together, "all" for each term by
// itself; throws UsageError naming the piece and what is allowed.
std::vector<GraphTermChoice> parse_graph_terms(std::string_view text);
// Why a model has no such terms; empty: it has.
std::string why_no_graph_terms(const model::ModelConfig& config);
// What it has: all of relations together, then each term by itself. Empty: none.
std::vector<GraphTermSet> graph_term_sets(const model::ModelConfig& config);

struct AblateOptions {
  std::filesystem::path input;   // UTF-8, one sentence a line; or gold below
  std::filesystem::path target;  // translations of `input`, line by line: the decoder's output is compared
  DataSplit gold;                // conllu and/or iob2: its words are run, its tags scored
  std::filesystem::path data_root;
  std::vector<LayerRange> layers;  // empty: all
  std::vector<Cut> cuts;           // empty: all that a layer has, or none beside heads and terms of any kind
  bool heads = false;              // every head of every part with attention, by itself
  std::vector<TermSet> terms;      // of a plain Transformer's attention scores
  std::vector<GraphTermChoice> graph_terms;  // of attention that reads a graph
  bool each_head = false;                    // graph_terms of every head by itself
  bool together = false;       // each cut in all its layers at once, in the place of one layer at a time
  double factor = 0.0;         // on the part, or on its distance from the mean; 0 cuts it
  std::filesystem::path mean;  // text whose means take the place of zeros (ablate_means.h); empty: zeros
  double gate = 0.5;           // what `gate` is set to, in [0, 1]
  std::int64_t sentences = 0;  // at most so many, from the first; 0: all
  std::int64_t batch_tokens = 2000;
  Shard shard;                                             // of `input`; of gold so many of its sentences
  model::Precision precision = model::Precision::float32;  // that `loaded` has
  analysis::BootstrapOptions bootstrap;
};

struct CutPlace {
  std::int64_t layer = 0;
  std::int64_t last_layer = 0;  // = layer, but for cuts of several layers together
  Cut cut;                      // where terms of both kinds are empty
  std::int64_t head = 0;        // from 1, of `capsules` the capsule; 0: the part as a whole
  TermSet terms;
  GraphTermSet graph_terms;
  double factor = 0;  // on the part; of `gate` the constant
  bool mean = false;  // scaled towards its mean over a text, not towards 0
};

// One cut. Sentence means are over words' tokens (special ones left out).
struct CutEffect : CutPlace {
  double gate = 0;  // mean weight of the layer's gate before the cut; NaN without a weight gate
  double share =
      0;  // of the part's norm (of `new`: of its three parts together), before the cut; NaN for `block`
  analysis::MeanEffect change;  // ‖x' - x‖ / ‖x‖ of the encoder's output, or the decoder's
  analysis::MeanEffect cosine;  // 1 - cosine of x' and x
  analysis::MeanEffect pooled;  // 1 - cosine of the means of x' and x over all tokens, special ones too
  std::map<std::string, analysis::MeanEffect>
      tags_divergence;  // [task]: KL(before || after) of the tags, nats a word
  std::map<std::string, analysis::MeanEffect> tags_changed;  // [task]: share of words with another tag
  // Of a reader from left to right, over sentences with a token that has one: mean surprisal, nats a token,
  // before and after, and what the cut adds.
  double surprisal_before = 0;
  double surprisal_after = 0;
  analysis::MeanEffect surprisal;
  std::map<std::string, analysis::Comparison> scores;  // [task]: accuracy or span F1, before and after
  analysis::RankCorrelation gate_rank;                 // over sentences: gate against change
  analysis::RankCorrelation share_rank;                // share against change
};

struct AblateResult {
  std::string model;
  std::string corpus;
  std::int64_t sentences = 0;
  std::int64_t words = 0;
  analysis::BootstrapOptions bootstrap;
  bool next_token = false;         // effects have surprisals
  std::vector<CutEffect> effects;  // by layer, then cut
  // Columns: model, corpus, layer, part, factor, sentences, words, gate, share, change, change_low,
  // change_high, cosine, cosine_low, cosine_high, rho_gate, rho_gate_low, rho_gate_high, rho_share,
  // rho_share_low, rho_share_high, last_layer, head, pooled, pooled_low, pooled_high, and for every task, of
  // a parser also for "arcs" (head and label) and "heads", TASK_changed, TASK_changed_low, TASK_changed_high,
  // TASK_kl, TASK_kl_low, TASK_kl_high and, with gold tags, TASK_before, TASK_after, TASK_difference,
  // TASK_difference_low, TASK_difference_high; then toward (zero, mean; empty
  // where nothing is scaled) and, of a reader from left to right, surprisal_before, surprisal_after,
  // surprisal_difference, surprisal_difference_low, surprisal_difference_high.
  analysis::Table table() const;
};

// What is measured of one cut, a number a sentence.
struct CutSeries {
  CutPlace place;
  std::vector<double> change;
  std::vector<double> cosine;
  std::vector<double> pooled;
  std::vector<double> gate;
  std::vector<double> share;
  std::vector<double> surprisal;                       // after the cut; NaN where no token has one
  std::map<std::string, std::vector<double>> changed;  // [task]
  std::map<std::string, std::vector<double>> divergence;
  std::map<std::string, std::vector<std::optional<analysis::TagCounts>>> scored;  // [task], of gold tags
};

// The text that means are of (ablate_means.h).
struct MeanText {
  std::string name;  // of the file; empty: nothing gives way to a mean
  std::string sha256;
  std::int64_t sentences = 0;
  std::int64_t tokens = 0;  // of words: special ones are in no mean
};

// Everything that a result is made of, sentence by sentence.
struct AblateMeasured {
  RecordingHeader header;             // of the run, without quantities
  io::NumberRanges part_numbers;      // of a part of a corpus: its sentences, also those without a word
  std::vector<std::int64_t> numbers;  // of the sentences
  std::vector<std::int64_t> words;
  MeanText mean_text;                                     // that cuts give way to the means of
  bool next_token = false;                                // the model foresees tokens: there are surprisals
  std::vector<double> surprisal;                          // [sentence] before any cut
  std::vector<std::string> tasks;                         // whose tags are compared with those before a cut
  std::map<std::string, analysis::TaggingMetric> scored;  // [task] that has gold tags
  std::map<std::string, std::vector<std::optional<analysis::TagCounts>>> before;  // [task][sentence]
  std::vector<CutSeries> cuts;
  AblateResult result(const analysis::BootstrapOptions& bootstrap) const;
};

// Throws UsageError (no text or both kinds, a layer or part that the model does not have), FormatError for
// the files, ModelError for a sentence that is too long, Interrupted.
AblateMeasured measure_ablation(const LoadedModel& loaded, const AblateOptions& options,
                                std::stop_token stop = {}, const ProgressCallback& progress = {});
// Its result with the options' bootstrap.
AblateResult run_ablation(const LoadedModel& loaded, const AblateOptions& options, std::stop_token stop = {},
                          const ProgressCallback& progress = {});

}  // namespace mog::app
