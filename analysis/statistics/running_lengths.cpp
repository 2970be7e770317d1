// Columns: [series] sums, their weight (words' tokens or sentences); [series] sums of squares, tokens.
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/statistics/length_cells.h"
#include "analysis/statistics/length_reader.h"
#include "analysis/statistics/running_sums.h"
#include "analysis/statistics/running_table.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Σ (x - mean)² / (n - 1), of Σ x, Σ x² and n.
double variance_of(long double sum, long double squares, long double count) {
  return count < 2 ? 0 : static_cast<double>(std::max(0.0L, squares - sum * sum / count) / (count - 1));
}

class RunningLengths final : public RunningTable {
 public:
  RunningLengths(const LengthOptions& options, const RecordingHeader& header) : reader_(options) {
    reader_.begin(header);
    facts_ = reader_.facts();
    const auto series = static_cast<std::int64_t>(facts_.series.size());
    sums_ = {facts_.bins.size(), 2 * series + 2, series + 1, facts_.bootstrap.resamples};
  }
  void add(const RecordingSource& block) override;
  Table table() const override { return finish().table(); }
  std::vector<Additive*> sums() override {
    return facts_.quantiles ? std::vector<Additive*>{&sums_, &reader_.sketches()}
                            : std::vector<Additive*>{&sums_};
  }

 private:
  LengthStatistics finish() const;
  void fill_bin(LengthStatistics& result, std::int64_t bin, std::vector<double>& resampled) const;

  LengthAccumulator reader_;
  LengthStatistics facts_;  // all but cells
  RunningSums sums_;
};

void RunningLengths::add(const RecordingSource& block) {
  reader_.add(block);
  const std::size_t width = facts_.series.size();
  const bool micro = facts_.averaging == Averaging::micro;
  std::vector<double> values(2 * width + 2);
  reader_.take([&](const LengthAccumulator::Row& row) {
    const auto tokens = static_cast<double>(row.tokens);
    const double share = micro ? tokens : 1;
    for (std::size_t s = 0; s < width; ++s) {
      const double mean = row.means[s];
      values[s] = share * mean;
      values[width + 1 + s] = micro ? row.m2s[s] + tokens * mean * mean : mean * mean;
    }
    values[width] = share;
    values[2 * width + 1] = tokens;
    sums_.add(row.bin, values,
              poisson_weights(row.number, facts_.bootstrap.seed, facts_.bootstrap.resamples));
  });
}

// Means and intervals of one bin. resampled: [series, resample].
void RunningLengths::fill_bin(LengthStatistics& result, std::int64_t bin,
                              std::vector<double>& resampled) const {
  const auto width = static_cast<std::int64_t>(facts_.series.size());
  const auto resamples = static_cast<std::size_t>(facts_.bootstrap.resamples);
  const bool there = sums_.rows(bin) > 0;
  resampled.assign(there ? static_cast<std::size_t>(width) * resamples : 0, kNone);
  const long double weight = sums_.sum(bin, width).value();
  for (std::int64_t s = 0; s < width; ++s) {
    const long double sum = sums_.sum(bin, s).value();
    LengthCell& cell = result.cells[static_cast<std::size_t>(s * facts_.bins.size() + bin)];
    cell.series = facts_.series[static_cast<std::size_t>(s)];
    cell.bin = bin;
    cell.sentences = sums_.rows(bin);
    cell.tokens = std::llround(sums_.sum(bin, 2 * width + 1).value());
    cell.mean = there ? static_cast<double>(sum / weight) : kNone;
    cell.variance = there ? variance_of(sum, sums_.sum(bin, width + 1 + s).value(), weight) : kNone;
    if (facts_.quantiles) {
      cell.quartiles = quartiles(reader_.sketches().at(bin, s), facts_.bootstrap);
    }
    const std::span<double> own = std::span(resampled).subspan(
        there ? static_cast<std::size_t>(s) * resamples : 0, there ? resamples : 0);
    if (!std::isnan(cell.mean)) {
      for (std::size_t i = 0; i < own.size(); ++i) {
        own[i] =
            static_cast<double>(sums_.resampled(bin, s)[i].value() / sums_.resampled(bin, width)[i].value());
      }
    }
    fill_interval(cell, own, result.bootstrap);
  }
}

LengthStatistics RunningLengths::finish() const {
  LengthStatistics result = facts_;
  const std::int64_t bins = facts_.bins.size();
  result.cells.resize(facts_.series.size() * static_cast<std::size_t>(bins));
  std::vector<std::vector<double>> resampled(static_cast<std::size_t>(bins));
  for (std::int64_t bin = 0; bin < bins; ++bin) {
    if (sums_.rows(bin) > 0 && result.first_bin < 0) {
      result.first_bin = bin;
    }
    fill_bin(result, bin, resampled[static_cast<std::size_t>(bin)]);
  }
  fill_differences(result, resampled);
  return result;
}

}  // namespace

std::unique_ptr<RunningTable> running_lengths(const LengthOptions& options, const RecordingHeader& header) {
  return std::make_unique<RunningLengths>(options, header);
}

std::vector<QuantityName> quantities_of_lengths(const LengthOptions& options,
                                                const RecordingHeader& offered) {
  std::vector<QuantityName> names;
  for (const MeasuredQuantity& quantity :
       measured_quantities(offered, options.measure, options.by_head, options.keeps_layer)) {
    names.push_back(quantity.schema.name);
  }
  return names;
}

}  // namespace mog::analysis
