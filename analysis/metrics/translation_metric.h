// Metrics of translations and summaries: what a line adds to the sums that they are functions of.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metrics/bleu.h"
#include "analysis/metrics/chrf.h"
#include "analysis/metrics/rouge.h"
#include "analysis/metrics/summed_metric.h"

namespace mog::analysis {

class TranslationMetric : public SummedMetric {
 public:
  // What a segment adds, always as many numbers: counts, or its own score where the corpus has the mean.
  virtual std::vector<double> statistics(std::string_view hypothesis,
                                         std::span<const std::string> references) const = 0;
};

// `lowercase` is for the signature only: the caller lower-cases the lines.
std::unique_ptr<TranslationMetric> make_metric(const BleuOptions& options, bool lowercase = false);
std::unique_ptr<TranslationMetric> make_metric(const ChrfOptions& options, bool lowercase = false);
// The mean over segments of their F1 (rouge-score's aggregation); ROUGE always lower-cases.
std::unique_ptr<TranslationMetric> make_metric(const RougeOptions& options);

// references[r][i] translates what hypotheses[i] translates. Throws UsageError when the numbers of lines
// differ, or there is no reference or no line.
SegmentStatistics segment_statistics(const TranslationMetric& metric, std::span<const std::string> hypotheses,
                                     std::span<const std::vector<std::string>> references);

}  // namespace mog::analysis
