// `mog align`: the words of given translations with the source words that the translator's decoder takes
// them from, and how well these links are those of a gold file.
//
// Words are what white space separates in both files, as gold files count them. Each target word gets the
// source word of the greatest value, summed over the pieces of a source word and averaged over those of the
// target word.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/attribution/word_alignment.h"
#include "analysis/metrics/alignment.h"
#include "app/workflow/common/progress.h"
#include "app/workflow/record/live_run.h"
#include "io/text/alignments.h"
#include "io/text/corpus.h"

namespace mog::app {

using AlignSource = analysis::AlignmentMap;
// "cross-attention", "contribution", "alti"; throws UsageError.
AlignSource parse_align_source(std::string_view text);
std::string_view name(AlignSource source) noexcept;

struct AlignOptions {
  std::filesystem::path source;  // UTF-8, one sentence a line
  std::filesystem::path target;  // line by line its translations
  std::filesystem::path gold;    // empty: no scores
  io::AlignmentFormat gold_format = io::AlignmentFormat::automatic;
  std::optional<AlignSource> from = {};  // none: contribution, or cross-attention where
  // a layer, head or step is chosen and of a model without contributions
  std::int64_t layer =
      0;  // of the decoder, from 1; 0: with cross-attention the mean over all, with alti the last
  std::int64_t head = 0;  // of cross-attention, from 1; 0: the mean over all
  analysis::AlignmentStep step = analysis::AlignmentStep::predicted;
  int streams = 0;  // 0: one a core on a CPU, two on a GPU
  std::int64_t batch_tokens = 1000;
  io::InvalidUtf8 invalid_utf8 = io::InvalidUtf8::error;  // error or replace
  analysis::BootstrapOptions bootstrap = {};
};

struct AlignedPair {
  std::int64_t number = 0;  // line of the two files, from 1
  std::vector<analysis::WordLink> links;
};

struct AlignResult {
  AlignSource from = AlignSource::cross_attention;
  std::int64_t layer = 0;
  std::int64_t head = 0;
  analysis::AlignmentStep step = analysis::AlignmentStep::predicted;
  std::vector<AlignedPair> pairs;
  std::optional<analysis::AlignmentScore> score;  // with a gold file
};

// `loaded` as load_for_running gives it; its words do not matter. Where an encoder has no exact
// decompositions, positions of its output stand for source tokens. Throws UsageError for a layer or head that
// the decoder does not have, and for the step that reads with contributions to logits, which are of the one
// that predicts; ModelError for a model without a decoder and for a sentence that is too long; FormatError
// for files of different length and for gold links to words that a sentence does not have (naming file, line,
// link and the number of words); Interrupted.
AlignResult run_align_job(LoadedModel loaded, const AlignOptions& options, std::stop_token stop = {},
                          const ProgressCallback& progress = {});

// One line a pair. Not of naacl.
std::string alignment_text(const AlignResult& result, io::AlignmentFormat format);
// The scores, for people.
std::string align_score_text(const AlignResult& result);
std::string to_json(const AlignResult& result);

}  // namespace mog::app
