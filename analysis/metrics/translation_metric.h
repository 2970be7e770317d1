// Metrics of translations and summaries as functions of sums over segments: what resampling needs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metrics/bleu.h"
#include "analysis/metrics/chrf.h"
#include "analysis/metrics/rouge.h"

namespace mog::analysis {

// Immutable; safe from several threads.
class TranslationMetric {
 public:
  virtual ~TranslationMetric() = default;
  virtual std::string name() const = 0;  // "BLEU", "chrF2", "chrF2++", "ROUGE-1"
  // The part of sacreBLEU's signature that names the options.
  virtual std::string signature() const = 0;
  // What a segment adds, always as many numbers: counts, or its own score where the corpus has the mean.
  virtual std::vector<double> statistics(std::string_view hypothesis,
                                         std::span<const std::string> references) const = 0;
  // 0 … 100.
  virtual double score(std::span<const double> sums) const = 0;
  // More to say about the score, or nothing: BLEU's precisions, brevity penalty and lengths; ROUGE's
  // precision and recall.
  virtual std::string details(std::span<const double> sums) const = 0;
};

// `lowercase` is for the signature only: the caller lower-cases the lines.
std::unique_ptr<TranslationMetric> make_metric(const BleuOptions& options, bool lowercase = false);
std::unique_ptr<TranslationMetric> make_metric(const ChrfOptions& options, bool lowercase = false);
// The mean over segments of their F1 (rouge-score's aggregation); ROUGE always lower-cases.
std::unique_ptr<TranslationMetric> make_metric(const RougeOptions& options);

// [segment] statistics, and their sums.
struct SegmentStatistics {
  std::vector<std::vector<double>> segments;
  std::vector<double> sums;
  std::size_t size() const noexcept { return segments.size(); }
};
// references[r][i] translates what hypotheses[i] translates. Throws UsageError when the numbers of lines
// differ, or there is no reference or no line.
SegmentStatistics segment_statistics(const TranslationMetric& metric, std::span<const std::string> hypotheses,
                                     std::span<const std::vector<std::string>> references);

}  // namespace mog::analysis
