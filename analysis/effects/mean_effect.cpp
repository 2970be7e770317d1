#include "analysis/effects/mean_effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double mean_over_sentences(std::span<const double> values) {
  return values.empty()
             ? kNone
             : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

MeanEffect mean_effect(std::span<const double> values, const BootstrapOptions& options) {
  MeanEffect result;
  result.sentences = static_cast<std::int64_t>(values.size());
  result.mean = mean_over_sentences(values);
  result.interval = bootstrap_interval(
      result.sentences,
      [&](std::span<const std::int64_t> drawn) {
        double sum = 0;
        for (const std::int64_t sentence : drawn) {
          sum += values[static_cast<std::size_t>(sentence)];
        }
        return sum / static_cast<double>(drawn.size());
      },
      options);
  return result;
}

MeanEffect mean_where_defined(std::vector<double> values, const BootstrapOptions& options) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return mean_effect(values, options);
}

MeanEffect paired_mean_difference(std::span<const double> values, std::span<const double> base,
                                  const BootstrapOptions& options) {
  if (values.size() != base.size()) {
    throw UsageError(fmt::format("a paired difference of {} and {} sentences: expected equally many",
                                 values.size(), base.size()));
  }
  std::vector<double> differences(values.size());
  std::transform(values.begin(), values.end(), base.begin(), differences.begin(), std::minus<>());
  return mean_where_defined(std::move(differences), options);
}

RankCorrelation rank_against_change(std::span<const double> said, std::span<const double> change,
                                    const BootstrapOptions& options) {
  if (std::any_of(said.begin(), said.end(), [](double value) { return !std::isfinite(value); })) {
    return {kNone, {kNone, kNone}, 0};
  }
  std::vector<std::int64_t> groups(said.size());
  std::iota(groups.begin(), groups.end(), std::int64_t{0});
  return grouped_spearman(said, change, groups, static_cast<std::int64_t>(said.size()), options);
}

}  // namespace mog::analysis
