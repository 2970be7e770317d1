// Effects are of the caller: the sets of units that have to be erased go out, one effect a set comes back.
// Sets of several attributions, or of leave-one-out, are often the same, so who runs the model can run each
// once. Of n units and f fractions: O(n log n + f n).
#include "analysis/effects/faithfulness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "analysis/effects/mean_effect.h"
#include "analysis/statistics/rank_correlation.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double pearson(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) {
    throw UsageError(
        fmt::format("a correlation of {} and {} values: expected equally many", x.size(), y.size()));
  }
  const double mx = mean_over_sentences(x);
  const double my = mean_over_sentences(y);
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    xy += (x[i] - mx) * (y[i] - my);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : kNone;
}

std::vector<std::size_t> units_by_value(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t left, std::size_t right) { return values[left] > values[right]; });
  return order;
}

std::size_t units_of_fraction(double fraction, std::size_t units) {
  constexpr double kRounding = 1e-9;  // 0.1 * 30 is 3 units, not 4
  if (!(fraction > 0 && fraction < 1) || units < 2) {
    throw UsageError(fmt::format("{} of {} units: expected a fraction between 0 and 1 and at least two units",
                                 fraction, units));
  }
  const double count = std::ceil(fraction * static_cast<double>(units) - kRounding);
  return std::clamp(static_cast<std::size_t>(count), std::size_t{1}, units - 1);
}

std::vector<std::vector<bool>> erasure_sets(std::span<const double> values,
                                            std::span<const double> fractions) {
  const std::vector<std::size_t> order = units_by_value(values);
  std::vector<std::vector<bool>> sets;
  for (const double fraction : fractions) {
    std::vector<bool> first(values.size(), false);
    for (std::size_t rank = 0; rank < units_of_fraction(fraction, values.size()); ++rank) {
      first[order[rank]] = true;
    }
    std::vector<bool> others = first;
    others.flip();
    sets.push_back(std::move(first));
    sets.push_back(std::move(others));
  }
  return sets;
}

SentenceFaithfulness sentence_faithfulness(std::span<const double> values,
                                           std::span<const double> leave_one_out,
                                           std::span<const double> effects) {
  if (values.size() != leave_one_out.size() || effects.size() % 2 != 0) {
    throw UsageError(fmt::format(
        "agreement of {} values with {} effects of single units, and {} effects of sets: expected "
        "equally many units and two sets a fraction",
        values.size(), leave_one_out.size(), effects.size()));
  }
  SentenceFaithfulness found;
  const bool defined =
      values.size() >= kFewestForAgreement &&
      std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  found.spearman = defined ? spearman(values, leave_one_out) : kNone;
  found.pearson = defined ? pearson(values, leave_one_out) : kNone;
  for (std::size_t set = 0; set < effects.size(); set += 2) {
    found.comprehensiveness.push_back(effects[set]);
    found.sufficiency.push_back(effects[set + 1]);
  }
  return found;
}

SentenceFaithfulness mean_faithfulness(std::span<const SentenceFaithfulness> outputs) {
  const auto same_curves = [&](const SentenceFaithfulness& one) {
    return one.comprehensiveness.size() == outputs.front().comprehensiveness.size() &&
           one.sufficiency.size() == outputs.front().sufficiency.size();
  };
  if (outputs.empty() || !std::all_of(outputs.begin(), outputs.end(), same_curves)) {
    throw UsageError(
        fmt::format("the mean of the faithfulness of {} outputs: expected one at least, with "
                    "curves of equal lengths",
                    outputs.size()));
  }
  const auto mean_of = [&](const auto& read) {
    std::vector<double> values;
    for (const SentenceFaithfulness& one : outputs) {
      if (const double value = read(one); std::isfinite(value)) {
        values.push_back(value);
      }
    }
    return values.empty() ? kNone : mean_over_sentences(values);
  };
  SentenceFaithfulness mean;
  mean.spearman = mean_of([](const auto& one) { return one.spearman; });
  mean.pearson = mean_of([](const auto& one) { return one.pearson; });
  for (std::size_t at = 0; at < outputs.front().comprehensiveness.size(); ++at) {
    mean.comprehensiveness.push_back(mean_of([at](const auto& one) { return one.comprehensiveness[at]; }));
    mean.sufficiency.push_back(mean_of([at](const auto& one) { return one.sufficiency[at]; }));
  }
  return mean;
}

std::vector<FaithfulnessMeasure> faithfulness_measures(const SentenceFaithfulness& found,
                                                       std::span<const double> fractions) {
  if (found.comprehensiveness.size() != fractions.size() || found.sufficiency.size() != fractions.size()) {
    throw UsageError(fmt::format("{} fractions of curves with {} and {} effects", fractions.size(),
                                 found.comprehensiveness.size(), found.sufficiency.size()));
  }
  std::vector<FaithfulnessMeasure> all = {{"spearman", kNone, found.spearman},
                                          {"pearson", kNone, found.pearson}};
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    all.push_back({"comprehensiveness", fractions[i], found.comprehensiveness[i]});
  }
  all.push_back({"comprehensiveness_area", kNone, mean_over_sentences(found.comprehensiveness)});
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    all.push_back({"sufficiency", fractions[i], found.sufficiency[i]});
  }
  all.push_back({"sufficiency_area", kNone, mean_over_sentences(found.sufficiency)});
  return all;
}

std::vector<MeasureSeries> measure_series(std::span<const SentenceFaithfulness> sentences,
                                          std::span<const double> fractions) {
  std::vector<MeasureSeries> all;
  for (const SentenceFaithfulness& sentence : sentences) {
    const std::vector<FaithfulnessMeasure> measures = faithfulness_measures(sentence, fractions);
    all.resize(measures.size());
    for (std::size_t at = 0; at < measures.size(); ++at) {
      all[at].measure = measures[at].name;
      all[at].fraction = measures[at].fraction;
      all[at].values.push_back(measures[at].value);
    }
  }
  return all;
}

}  // namespace mog::analysis
