// How faithful an attribution is: tokens are erased, the model is run again, and what changes is compared
// with what the attribution said of these tokens. The work behind `mog faithfulness` (docs/command-line.md).
//
// A model that reads a graph reads the one of the whole sentence in every run; where tokens are removed, what
// is left of it.
//
// All numbers are of one sentence first; what is printed are means over sentences with bootstrap intervals.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/effects/attributions.h"
#include "analysis/effects/faithfulness.h"
#include "analysis/effects/readout.h"
#include "analysis/effects/units.h"
#include "analysis/random/bootstrap.h"
#include "analysis/statistics/table.h"
#include "app/workflow/common/progress.h"
#include "app/workflow/record/live_run.h"
#include "app/workflow/tasks/shard.h"
#include "io/recording/sentence_recording.h"
#include "io/statistics/number_ranges.h"

namespace mog::app {

// What becomes of an erased token. `mask`: no other token attends to it and it is not in the mean of the
// output; `remove`: the sentence without it (later tokens move up); `zero`: its word embedding is zeros; the
// others put that token of the vocabulary in its place.
enum class Erasure : std::uint8_t { mask, remove, zero, pad, unknown, mask_token };
// "mask", "remove", "zero", "pad", "unk", "mask-token"; throws UsageError.
Erasure parse_erasure(std::string_view text);
std::string_view name(Erasure erasure) noexcept;

using analysis::SpecialTokens;
SpecialTokens parse_special_tokens(std::string_view text);
std::string_view name(SpecialTokens choice) noexcept;

using analysis::ErasedUnit;
ErasedUnit parse_unit(std::string_view text);
std::string_view name(ErasedUnit unit) noexcept;

// What is looked at. The effect is 1 - cosine with the output before, or the probability of the word's tag
// (of a parser: of its head) before less that after. The tokens of a target word are never erased.
struct FaithTarget {
  using Kind = analysis::TargetKind;
  Kind kind = Kind::pooled;
  std::string task;       // tag
  std::int64_t word = 0;  // of all but pooled; from 1; negative: from the end of the sentence
  std::string text() const;
};
// "pooled", "word:3", "word:-1", "tag:upos:3", "head:3"; throws UsageError.
FaithTarget parse_target(std::string_view text);

using analysis::Attribution;
std::string_view name(Attribution attribution) noexcept;
// One attribution, or the geometric mean of several (values below 0 count as 0).
using AttributionChoice = std::vector<Attribution>;
std::string text(const AttributionChoice& choice);  // "alti", "removal*alti"
// "alti,removal*alti"; throws UsageError naming the piece and what is allowed.
std::vector<AttributionChoice> parse_attributions(std::string_view text);

struct FaithfulnessOptions {
  std::filesystem::path input;  // UTF-8, one sentence a line; "-": standard input
  FaithTarget target;
  Erasure erasure = Erasure::mask;
  SpecialTokens special = SpecialTokens::keep;
  ErasedUnit unit = ErasedUnit::token;
  std::vector<AttributionChoice> attributions;           // empty: all that the model has, but flow
  std::vector<double> fractions = {0.1, 0.2, 0.3, 0.5};  // of the units, each in (0, 1)
  std::int64_t steps = 16;                               // of an integral over gradients
  std::int64_t sentences = 0;                            // at most so many, from the first; 0: all
  std::int64_t longest = 0;                              // sentences of more tokens are left out; 0: none is
  std::int64_t batch_tokens = 4000;
  std::int64_t streams = 1;  // sentences at a time
  std::uint64_t seed = 1;    // of random
  Shard shard;
  model::Precision precision = model::Precision::float32;  // that `loaded` has
  analysis::BootstrapOptions bootstrap;
  // The text of one of `attributions`: the others are also given as differences to it, paired by sentence.
  std::string against;
};

using analysis::SentenceFaithfulness;

struct FaithfulnessResult {
  RecordingHeader header;         // of the run, without quantities
  io::NumberRanges part_numbers;  // of a part of a corpus: its sentences, also those that are left out
  std::string target;             // "pooled", "word:3"; of a translator "translation" or "reference"
  std::string unit;               // "token", "word"; of a prefix "prefix token"
  FaithfulnessOptions options;
  std::vector<std::string> attributions;  // texts
  struct Row {
    std::int64_t sentence = 0;                // number in the corpus
    std::int64_t tokens = 0;                  // special ones too
    std::int64_t units = 0;                   // that can be erased
    std::vector<SentenceFaithfulness> found;  // [attribution]
  };
  std::vector<Row> rows;
  std::int64_t left_out = 0;  // sentences that are longer than `longest`, or have fewer than two units

  // A row for every attribution, measure and fraction. Columns: model, corpus, target, erasure, special,
  // unit, attribution, measure (spearman, pearson, comprehensiveness, sufficiency, comprehensiveness_area,
  // sufficiency_area: means over the fractions), fraction (empty where there is none), sentences, mean, low,
  // high; and with `against` its name, difference, difference_low, difference_high.
  analysis::Table table() const;
  // The same of every sentence: sentence, tokens, units, attribution, measure, fraction, value.
  analysis::Table sentence_table() const;
};

// Fractions, steps and streams; --against. Throw UsageError.
void check_numbers(const FaithfulnessOptions& options);
void check_against(const FaithfulnessOptions& options, const std::vector<std::string>& attributions);

// Throws UsageError (a target, erasure or attribution that the model does not have), FormatError for the
// file, ModelError for a sentence that is too long, Interrupted.
FaithfulnessResult run_faithfulness(const LoadedModel& loaded, const FaithfulnessOptions& options,
                                    std::stop_token stop = {}, const ProgressCallback& progress = {});

}  // namespace mog::app
