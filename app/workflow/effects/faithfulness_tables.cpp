// What is measured of every sentence, as tables of means and of single values.
#include <algorithm>
#include <utility>

#include "analysis/effects/mean_effect.h"
#include "app/workflow/effects/faithfulness_job.h"

namespace mog::app {
namespace {

// Every measure of one attribution.
std::vector<analysis::MeasureSeries> series_of(const FaithfulnessResult& result, std::size_t attribution) {
  std::vector<SentenceFaithfulness> sentences;
  for (const FaithfulnessResult::Row& row : result.rows) {
    sentences.push_back(row.found[attribution]);
  }
  return analysis::measure_series(sentences, result.options.fractions);
}

}  // namespace

analysis::Table FaithfulnessResult::table() const {
  analysis::Table table;
  table.columns = {"model",   "corpus",   "target",    "erasure", "special", "unit", "attribution",
                   "measure", "fraction", "sentences", "mean",    "low",     "high"};
  std::vector<analysis::MeasureSeries> base;
  if (!options.against.empty()) {
    table.columns.insert(table.columns.end(), {"against", "difference", "difference_low", "difference_high"});
    const auto at = std::find(attributions.begin(), attributions.end(), options.against);
    base = series_of(*this, static_cast<std::size_t>(at - attributions.begin()));
  }
  for (std::size_t index = 0; index < attributions.size(); ++index) {
    const std::vector<analysis::MeasureSeries> all = series_of(*this, index);
    for (std::size_t at = 0; at < all.size(); ++at) {
      const analysis::MeasureSeries& series = all[at];
      const analysis::MeanEffect own = analysis::mean_where_defined(series.values, options.bootstrap);
      std::vector<analysis::Cell> row = {header.model.name,
                                         header.provenance.corpus_name,
                                         target,
                                         std::string(name(options.erasure)),
                                         std::string(name(options.special)),
                                         unit,
                                         attributions[index],
                                         series.measure,
                                         series.fraction,
                                         own.sentences,
                                         own.mean,
                                         own.interval.low,
                                         own.interval.high};
      if (!options.against.empty()) {
        const analysis::MeanEffect paired =
            analysis::paired_mean_difference(series.values, base[at].values, options.bootstrap);
        row.insert(row.end(), {options.against, paired.mean, paired.interval.low, paired.interval.high});
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
      for (const analysis::FaithfulnessMeasure& measure :
           analysis::faithfulness_measures(row.found[index], options.fractions)) {
        table.add({row.sentence, row.tokens, row.units, attributions[index], std::string(measure.name),
                   measure.fraction, measure.value});
      }
    }
  }
  return table;
}

}  // namespace mog::app
