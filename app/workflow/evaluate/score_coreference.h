// `mog evaluate` of coreference: chains of files in CoNLL-2012 against gold ones, with bootstrap intervals
// over documents, and paired tests of several systems against the first.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analysis/metrics/coreference.h"
#include "app/workflow/evaluate/score_job.h"

namespace mog::app {

// What is scored where nothing is said.
inline constexpr std::string_view kCoreferenceMetrics = "muc,b3,ceafe,conll";
// "muc,b3", in any order; throws UsageError naming the piece and what is allowed.
std::vector<analysis::CoreferenceMetric> parse_coreference_metrics(std::string_view text);
// Whether a metric of coreference is among them.
bool names_coreference(std::string_view metrics);

// `options.hypotheses` and the one reference are files or folders; documents belong together by name and
// part. One document is not resampled: it has neither intervals nor tests, and a note says so. Throws
// FormatError naming file and line for a document that the other side lacks and for another word;
// UsageError for no system and for another number of references than one.
ScoreResult score_coreference(const ScoreOptions& options,
                              std::span<const analysis::CoreferenceMetric> metrics);

}  // namespace mog::app
