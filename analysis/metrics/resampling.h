// How sure a score of a corpus is: bootstrap intervals and paired tests, as sacreBLEU computes them. With
// the same seed the draws are sacreBLEU's, and so are intervals and p values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/metrics/summed_metric.h"

namespace mog::analysis {

inline constexpr std::uint64_t kSacrebleuSeed = 12345;

// The score, and the middle 95 % of the scores of resampled corpora.
struct ScoreInterval {
  double score = 0;
  double mean = 0;        // of the resamples
  double low = 0;         // the resample at n/40 from below
  double high = 0;        // and from above
  double half_width = 0;  // what sacreBLEU prints behind "±"
  std::int64_t resamples = 0;
};
// With resamples = 0 there is the score only, as mean, low and high too. Throws UsageError for a negative
// number.
ScoreInterval bootstrap_score(const SummedMetric& metric, const SegmentStatistics& statistics,
                              std::int64_t resamples = 1000, std::uint64_t seed = kSacrebleuSeed);

enum class PairedTest : std::uint8_t {
  bootstrap,      // "bs": paired bootstrap resampling (Koehn 2004, as the script of Moses has it)
  randomization,  // "ar": approximate randomization (Riezler and Maxwell 2005)
};
// "bs", "ar"; throws UsageError.
PairedTest parse_paired_test(std::string_view text);
std::string_view name(PairedTest test) noexcept;
// sacreBLEU's: 1,000 resamples, 10,000 trials.
std::int64_t default_trials(PairedTest test) noexcept;

// Whether a trial with the very difference that was found counts as one at least as extreme. In sacreBLEU and
// MultEval it does not, so two equal systems have the least p there is; where scores are shares of few words
// such ties are common, and they must count.
enum class Ties : std::uint8_t { not_extreme, extreme };

struct PairedResult {
  double baseline = 0;
  double system = 0;
  double difference = 0;  // system - baseline
  double p_value = 1;     // two-sided: (more extreme trials + 1) / (trials + 1)
  std::int64_t trials = 0;
};
// Both systems on the same segments. Throws UsageError when the numbers of segments differ or trials < 1.
PairedResult paired_test(const SummedMetric& metric, const SegmentStatistics& baseline,
                         const SegmentStatistics& system, PairedTest test, std::int64_t trials,
                         std::uint64_t seed = kSacrebleuSeed, Ties ties = Ties::not_extreme);

}  // namespace mog::analysis
