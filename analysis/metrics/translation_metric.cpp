#include "analysis/metrics/translation_metric.h"

#include <fmt/format.h>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

class Bleu final : public TranslationMetric {
 public:
  Bleu(const BleuOptions& options, bool lowercase) : options_(options), lowercase_(lowercase) {}
  std::string name() const override { return "BLEU"; }
  std::string signature() const override { return analysis::signature(options_, lowercase_); }
  std::vector<double> statistics(std::string_view hypothesis,
                                 std::span<const std::string> references) const override {
    const BleuCounts counts = count_bleu(hypothesis, references, options_.tokenizer);
    std::vector<double> result = {static_cast<double>(counts.hypothesis_length),
                                  static_cast<double>(counts.reference_length)};
    result.insert(result.end(), counts.correct.begin(), counts.correct.end());
    result.insert(result.end(), counts.total.begin(), counts.total.end());
    return result;
  }
  double score(std::span<const double> sums) const override { return bleu(sums).score; }
  std::string details(std::span<const double> sums) const override { return bleu(sums).details(); }

 private:
  BleuScore bleu(std::span<const double> sums) const {
    BleuCounts counts;
    counts.hypothesis_length = static_cast<std::int64_t>(sums[0]);
    counts.reference_length = static_cast<std::int64_t>(sums[1]);
    for (std::size_t n = 0; n < kBleuOrder; ++n) {
      counts.correct[n] = static_cast<std::int64_t>(sums[2 + n]);
      counts.total[n] = static_cast<std::int64_t>(sums[2 + kBleuOrder + n]);
    }
    return bleu_of(counts, options_);
  }

  BleuOptions options_;
  bool lowercase_;
};

class Chrf final : public TranslationMetric {
 public:
  Chrf(const ChrfOptions& options, bool lowercase) : options_(options), lowercase_(lowercase) {}
  std::string name() const override { return analysis::name(options_); }
  std::string signature() const override { return analysis::signature(options_, lowercase_); }
  std::vector<double> statistics(std::string_view hypothesis,
                                 std::span<const std::string> references) const override {
    std::vector<double> result;
    for (const ChrfCounts& counts : count_chrf(hypothesis, references, options_)) {
      result.insert(result.end(), {static_cast<double>(counts.hypothesis),
                                   static_cast<double>(counts.reference), static_cast<double>(counts.match)});
    }
    return result;
  }
  double score(std::span<const double> sums) const override {
    std::vector<ChrfCounts> counts;
    for (std::size_t at = 0; at + 2 < sums.size(); at += 3) {
      counts.push_back({static_cast<std::int64_t>(sums[at]), static_cast<std::int64_t>(sums[at + 1]),
                        static_cast<std::int64_t>(sums[at + 2])});
    }
    return chrf_of(counts, options_);
  }
  std::string details(std::span<const double>) const override { return {}; }

 private:
  ChrfOptions options_;
  bool lowercase_;
};

class Rouge final : public TranslationMetric {
 public:
  explicit Rouge(const RougeOptions& options) : options_(options) {}
  std::string name() const override { return std::string(analysis::name(options_.measure)); }
  std::string signature() const override { return analysis::signature(options_); }
  std::vector<double> statistics(std::string_view hypothesis,
                                 std::span<const std::string> references) const override {
    const RougeScore score = rouge_of(hypothesis, references, options_);
    return {1, score.precision, score.recall, score.f1};
  }
  double score(std::span<const double> sums) const override { return 100 * sums[3] / sums[0]; }
  std::string details(std::span<const double> sums) const override {
    return fmt::format("P = {:.2f} R = {:.2f}", 100 * sums[1] / sums[0], 100 * sums[2] / sums[0]);
  }

 private:
  RougeOptions options_;
};

}  // namespace

std::unique_ptr<TranslationMetric> make_metric(const BleuOptions& options, bool lowercase) {
  return std::make_unique<Bleu>(options, lowercase);
}

std::unique_ptr<TranslationMetric> make_metric(const ChrfOptions& options, bool lowercase) {
  return std::make_unique<Chrf>(options, lowercase);
}

std::unique_ptr<TranslationMetric> make_metric(const RougeOptions& options) {
  return std::make_unique<Rouge>(options);
}

SegmentStatistics segment_statistics(const TranslationMetric& metric, std::span<const std::string> hypotheses,
                                     std::span<const std::vector<std::string>> references) {
  if (references.empty() || hypotheses.empty()) {
    throw UsageError(
        fmt::format("scoring translations: {} lines and {} references, at least one of each is "
                    "needed",
                    hypotheses.size(), references.size()));
  }
  for (std::size_t r = 0; r < references.size(); ++r) {
    if (references[r].size() != hypotheses.size()) {
      throw UsageError(fmt::format("scoring translations: {} hypotheses but {} lines in reference {}",
                                   hypotheses.size(), references[r].size(), r + 1));
    }
  }
  SegmentStatistics result;
  std::vector<std::string> of_segment;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    of_segment.clear();
    for (const std::vector<std::string>& reference : references) {
      of_segment.push_back(reference[i]);
    }
    result.add(metric.statistics(hypotheses[i], of_segment));
  }
  return result;
}

}  // namespace mog::analysis
