// A rank correlation is no sum: the means of sentences stay, and the table is computed from those of all
// parts as from a recording.
#include <utility>

#include "analysis/statistics/kept_sentences.h"
#include "analysis/statistics/running_table.h"

namespace mog::analysis {
namespace {

class RunningTrends final : public RunningTable {
 public:
  RunningTrends(const LengthOptions& options, const TrendOptions& trend, const RecordingHeader& header)
      : reader_(options), trend_(trend) {
    reader_.begin(header);
    facts_ = reader_.facts();
    kept_ = KeptSentences(facts_.series.size());
  }

  void expect(std::int64_t sentences) override { kept_.expect(sentences, name(facts_.measure)); }
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
