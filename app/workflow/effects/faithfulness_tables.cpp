// What is measured of every sentence, as tables of means and of single values.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "app/workflow/effects/faithfulness_job.h"

namespace mog::app {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Calls use(measure, fraction or NaN, value) for everything measured of one sentence and attribution.
template <class Use>
void for_each_measure(const SentenceFaithfulness& found, const std::vector<double>& fractions,
                      const Use& use) {
  use("spearman", kNone, found.spearman);
  use("pearson", kNone, found.pearson);
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    use("comprehensiveness", fractions[i], found.comprehensiveness[i]);
  }
  use("comprehensiveness_area", kNone, mean_of(found.comprehensiveness));
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    use("sufficiency", fractions[i], found.sufficiency[i]);
  }
  use("sufficiency_area", kNone, mean_of(found.sufficiency));
}

struct Series {
  std::string measure;
  double fraction = 0;
  std::vector<double> values;  // [row]; NaN: not defined there
};

// Every measure of one attribution.
std::vector<Series> series_of(const FaithfulnessResult& result, std::size_t attribution) {
  std::vector<Series> all;
  for (const FaithfulnessResult::Row& row : result.rows) {
    std::size_t at = 0;
    for_each_measure(row.found[attribution], result.options.fractions,
                     [&](const char* measure, double fraction, double value) {
                       if (at == all.size()) {
                         all.push_back({measure, fraction, {}});
                       }
                       all[at++].values.push_back(value);
                     });
  }
  return all;
}

struct Mean {
  std::int64_t sentences = 0;  // with a value
  double mean = kNone;
  analysis::Interval interval{kNone, kNone};
};

// Over the values that are finite.
Mean mean_with_interval(std::vector<double> values, const analysis::BootstrapOptions& options) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  Mean result{.sentences = static_cast<std::int64_t>(values.size())};
  if (values.empty()) {
    return result;
  }
  result.mean = mean_of(values);
  result.interval = analysis::bootstrap_interval(
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

// Paired: sentence by sentence, where both are defined. What sentences have in common falls out, so the
// interval is much narrower than those of the two means would suggest.
Mean difference(const Series& series, const Series& base, const analysis::BootstrapOptions& options) {
  std::vector<double> differences(series.values.size());
  std::transform(series.values.begin(), series.values.end(), base.values.begin(), differences.begin(),
                 std::minus<>());
  return mean_with_interval(std::move(differences), options);
}

}  // namespace

analysis::Table FaithfulnessResult::table() const {
  analysis::Table table;
  table.columns = {"model",   "corpus",   "target",    "erasure", "special", "unit", "attribution",
                   "measure", "fraction", "sentences", "mean",    "low",     "high"};
  std::vector<Series> base;
  if (options.against) {
    table.columns.insert(table.columns.end(), {"against", "difference", "difference_low", "difference_high"});
    const auto at = std::find(attributions.begin(), attributions.end(), *options.against);
    base = series_of(*this, static_cast<std::size_t>(at - attributions.begin()));
  }
  for (std::size_t index = 0; index < attributions.size(); ++index) {
    const std::vector<Series> all = series_of(*this, index);
    for (std::size_t at = 0; at < all.size(); ++at) {
      const Series& series = all[at];
      const Mean own = mean_with_interval(series.values, options.bootstrap);
      std::vector<analysis::Cell> row = {model,
                                         corpus,
                                         options.target.text(),
                                         std::string(name(options.erasure)),
                                         std::string(name(options.special)),
                                         std::string(name(options.unit)),
                                         text(attributions[index]),
                                         series.measure,
                                         series.fraction,
                                         own.sentences,
                                         own.mean,
                                         own.interval.low,
                                         own.interval.high};
      if (options.against) {
        const Mean paired = difference(series, base[at], options.bootstrap);
        row.insert(row.end(),
                   {text(*options.against), paired.mean, paired.interval.low, paired.interval.high});
      }
      table.add(std::move(row));
    }
  }
  return table;
}

analysis::Table FaithfulnessResult::sentence_table() const {
  analysis::Table table;
  table.columns = {"sentence", "tokens", "units", "attribution", "measure", "fraction", "value"};
  for (const Row& row : rows) {
    for (std::size_t index = 0; index < attributions.size(); ++index) {
      for_each_measure(row.found[index], options.fractions,
                       [&](const char* measure, double fraction, double value) {
                         table.add({row.sentence, row.tokens, row.units, text(attributions[index]),
                                    std::string(measure), fraction, value});
                       });
    }
  }
  return table;
}

}  // namespace mog::app
