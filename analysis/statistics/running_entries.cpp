// Columns: [series] numerators, [series] denominators; tokens.
#include <cmath>
#include <limits>

#include "analysis/statistics/entry_rows.h"
#include "analysis/statistics/running_sums.h"
#include "analysis/statistics/running_table.h"

namespace mog::analysis {
namespace {

class RunningEntries final : public RunningTable {
 public:
  RunningEntries(const QuantityName& name, const EntryOptions& options, const RecordingHeader& header)
      : header_(header),
        options_(options),
        layout_(entry_layout(header, name, options)),
        series_(static_cast<std::int64_t>(options.by_head ? layout_.series() : layout_.entries.size())),
        sums_(options.bins.size(), 2 * series_ + 1, 2 * series_, options.bootstrap.resamples),
        sketches_(options.quantiles ? options.bins.size() : 0, series_) {}

  void add(const RecordingSource& block) override {
    for (std::int64_t index = 0; index < block.size(); ++index) {
      const Sentence sentence = block.sentence(index);
      if (sentence.words.empty()) {
        continue;
      }
      const auto weights =
          poisson_weights(sentence.number, options_.bootstrap.seed, options_.bootstrap.resamples);
      const HostTensor values = block.read(index, layout_.schema.name);
      for (auto& [bin, row] : entry_rows(layout_, sentence, values, options_)) {
        std::vector<double> columns = std::move(row.sum);
        columns.insert(columns.end(), row.weight.begin(), row.weight.end());
        columns.push_back(static_cast<double>(row.tokens));
        sums_.add(bin, columns, weights);
        sketches_.add(bin, row.values);
      }
    }
  }

  Table table() const override {
    Table result = entry_table(options_.quantiles);
    for (std::int64_t series = 0; series < series_; ++series) {
      for (std::int64_t bin = 0; bin < sums_.bins(); ++bin) {
        if (sums_.rows(bin) > 0) {
          add_entry_cell(result, header_, layout_, options_, cell_of(series, bin));
        }
      }
    }
    return result;
  }
  std::vector<Additive*> sums() override {
    return options_.quantiles ? std::vector<Additive*>{&sums_, &sketches_} : std::vector<Additive*>{&sums_};
  }

 private:
  EntryCell cell_of(std::int64_t series, std::int64_t bin) const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const auto quotient = [](const ExactSum& sum, const ExactSum& weight) {
      return weight.value() != 0 ? static_cast<double>(sum.value() / weight.value()) : kNone;
    };
    EntryCell cell;
    cell.head = static_cast<std::size_t>(series) / layout_.entries.size();
    cell.entry = static_cast<std::size_t>(series) % layout_.entries.size();
    cell.bin = bin;
    cell.sentences = sums_.rows(bin);
    cell.tokens = std::llround(sums_.sum(bin, 2 * series_).value());
    cell.mean = quotient(sums_.sum(bin, series), sums_.sum(bin, series_ + series));
    cell.interval = {kNone, kNone};
    if (options_.bootstrap.resamples > 0 && cell.sentences >= kFewestResampled && !std::isnan(cell.mean)) {
      std::vector<double> drawn;
      const std::span<const ExactSum> weights = sums_.resampled(bin, series_ + series);
      for (std::size_t i = 0; i < weights.size(); ++i) {
        drawn.push_back(quotient(sums_.resampled(bin, series)[i], weights[i]));
      }
      cell.interval = percentile_interval(std::move(drawn), options_.bootstrap.confidence);
    }
    if (options_.quantiles) {
      cell.quartiles = quartiles(sketches_.at(bin, series), options_.bootstrap);
    }
    return cell;
  }

  RecordingHeader header_;
  EntryOptions options_;
  EntryLayout layout_;
  std::int64_t series_ = 0;
  RunningSums sums_;
  QuantileSketches sketches_;  // [bin, series]; none without quantiles
};

}  // namespace

std::unique_ptr<RunningTable> running_entries(const QuantityName& name, const EntryOptions& options,
                                              const RecordingHeader& header) {
  return std::make_unique<RunningEntries>(name, options, header);
}

}  // namespace mog::analysis
