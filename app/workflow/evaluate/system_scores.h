// Scores of several systems on the same sentences by one metric: intervals, and paired tests against the
// first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/metrics/resampling.h"

namespace mog::app {

struct SystemScore {
  std::string system;  // name of its file, or of the model
  std::string metric;
  analysis::ScoreInterval score;
  std::string details;
  std::string signature;  // as sacreBLEU's: "nrefs:1|bs:1000|seed:12345|case:mixed|…|version:…"
  std::optional<analysis::PairedResult> test;  // against the first system; its own is absent
};

// How sure scores are made.
struct ScoreResampling {
  std::int64_t resamples = 1000;  // of the intervals; 0: none
  analysis::PairedTest test = analysis::PairedTest::bootstrap;
  std::int64_t trials = 0;  // 0: default_trials(test)
  std::uint64_t seed = analysis::kSacrebleuSeed;
  analysis::Ties ties = analysis::Ties::not_extreme;
};

// `statistics` [system] are those of some sentences. Throws as bootstrap_score and paired_test.
std::vector<SystemScore> system_scores(const analysis::SummedMetric& metric,
                                       const std::vector<std::string>& systems,
                                       const std::vector<analysis::SegmentStatistics>& statistics,
                                       std::int64_t references, const ScoreResampling& resampling);

// The statistics of some sentences alone, by index.
analysis::SegmentStatistics chosen(const analysis::SegmentStatistics& all,
                                   const std::vector<std::size_t>& sentences);

}  // namespace mog::app
