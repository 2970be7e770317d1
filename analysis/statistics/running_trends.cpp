// A rank correlation is no sum: it needs every sentence. So the means of sentences stay, 8 bytes each and
// 16 for the sentence, and the table is computed from those of all parts as from a recording.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "analysis/statistics/running_table.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// Number, words and means [series] of sentences.
class KeptSentences final : public Additive {
 public:
  KeptSentences() = default;
  explicit KeptSentences(std::size_t series) : series_(series) {}

  void add(std::int64_t number, std::int64_t words, std::span<const double> means) {
    numbers_.push_back(number);
    lengths_.push_back(words);
    means_.insert(means_.end(), means.begin(), means.end());
  }
  std::int64_t number(std::size_t at) const { return numbers_[at]; }
  std::int64_t length(std::size_t at) const { return lengths_[at]; }
  std::span<const double> means(std::size_t at) const {
    return std::span(means_).subspan(at * series_, series_);
  }
  // By number.
  std::vector<std::size_t> sorted() const {
    std::vector<std::size_t> order(numbers_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [this](std::size_t a, std::size_t b) { return numbers_[a] < numbers_[b]; });
    return order;
  }

  std::vector<std::int64_t> words() const override {
    std::vector<std::int64_t> result;
    result.reserve(numbers_.size() * (2 + series_));
    for (const std::size_t at : sorted()) {
      result.push_back(numbers_[at]);
      result.push_back(lengths_[at]);
      for (const double mean : means(at)) {
        result.push_back(std::bit_cast<std::int64_t>(mean));
      }
    }
    return result;
  }
  void add_words(std::span<const std::int64_t> words) override {
    const std::size_t width = 2 + series_;
    if (words.size() % width != 0) {
      throw FormatError(fmt::format("{} numbers are no sentences of {} each", words.size(), width));
    }
    std::vector<double> means(series_);
    for (std::int64_t before = 0; !words.empty(); words = words.subspan(width)) {
      if (words[0] <= before || words[1] < 1) {
        throw FormatError(
            fmt::format("sentence {} of {} words stands behind sentence {}", words[0], words[1], before));
      }
      before = words[0];
      std::transform(words.begin() + 2, words.begin() + static_cast<std::ptrdiff_t>(width), means.begin(),
                     [](std::int64_t bits) { return std::bit_cast<double>(bits); });
      add(words[0], words[1], means);
    }
  }

 private:
  std::size_t series_ = 0;
  std::vector<std::int64_t> numbers_;
  std::vector<std::int64_t> lengths_;
  std::vector<double> means_;  // [sentence, series]
};

class RunningTrends final : public RunningTable {
 public:
  RunningTrends(const LengthOptions& options, const TrendOptions& trend, const RecordingHeader& header)
      : reader_(options), trend_(trend) {
    reader_.begin(header);
    facts_ = reader_.facts();
    kept_ = KeptSentences(facts_.series.size());
  }

  void expect(std::int64_t sentences) override {
    constexpr double kMostBytes = 4e9;
    const double bytes = 8 * static_cast<double>(sentences) * static_cast<double>(2 + facts_.series.size());
    if (bytes > kMostBytes) {
      throw UsageError(fmt::format(
          "--trend: rank correlations of {} sentences in {} layers, parts and heads take {:.0f} GB of their "
          "means; count parts of the corpus that are that much smaller, or a sample (mog record --sample)",
          sentences, facts_.series.size(), bytes / 1e9));
    }
  }
  void add(const RecordingSource& block) override {
    reader_.add(block);
    reader_.take([&](const LengthAccumulator::Row& row) { kept_.add(row.number, row.words, row.means); });
  }
  Table table() const override {
    LengthStatistics all = facts_;
    all.bin_sentences.resize(static_cast<std::size_t>(all.bins.size()));
    all.bin_means.resize(all.bin_sentences.size());
    for (const std::size_t at : kept_.sorted()) {
      const auto bin = static_cast<std::size_t>(all.bins.bin(kept_.length(at)));
      if (bin >= all.bin_means.size()) {
        continue;  // below the first bin
      }
      all.bin_sentences[bin].push_back({.number = kept_.number(at), .words = kept_.length(at)});
      const std::span<const double> means = kept_.means(at);
      all.bin_means[bin].insert(all.bin_means[bin].end(), means.begin(), means.end());
      ++all.sentences;
    }
    return trend_table(all, trends(all, trend_));
  }
  std::vector<Additive*> sums() override { return {&kept_}; }

 private:
  LengthAccumulator reader_;
  TrendOptions trend_;
  LengthStatistics facts_;  // all but sentences
  KeptSentences kept_;
};

}  // namespace

std::unique_ptr<RunningTable> running_trends(const LengthOptions& options, const TrendOptions& trend,
                                             const RecordingHeader& header) {
  return std::make_unique<RunningTrends>(options, trend, header);
}

}  // namespace mog::analysis
