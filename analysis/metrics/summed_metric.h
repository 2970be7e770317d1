// Metrics of a corpus as functions of sums over its segments (lines, documents): what resampling needs.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace mog::analysis {

// Immutable; safe from several threads.
class SummedMetric {
 public:
  virtual ~SummedMetric() = default;
  virtual std::string name() const = 0;  // "BLEU", "chrF2", "ROUGE-1", "MUC"
  // The part of sacreBLEU's signature that names the options.
  virtual std::string signature() const = 0;
  // 0 … 100.
  virtual double score(std::span<const double> sums) const = 0;
  // More to say about the score, or nothing: BLEU's precisions, brevity penalty and lengths; precision and
  // recall of the others.
  virtual std::string details(std::span<const double> sums) const = 0;
};

// [segment] what each adds, always as many numbers, and their sums.
struct SegmentStatistics {
  std::vector<std::vector<double>> segments;
  std::vector<double> sums;
  std::size_t size() const noexcept { return segments.size(); }
  void add(std::vector<double> segment);
};

}  // namespace mog::analysis
