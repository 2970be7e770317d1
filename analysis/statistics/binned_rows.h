// What tables of means in bins have in common: columns and their values.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/random/bootstrap.h"
#include "analysis/statistics/quantile_sketch.h"
#include "analysis/statistics/table.h"

namespace mog::analysis {

inline Table binned_table(bool quantiles) {
  Table table;
  table.columns = {
      "model",     "corpus", "measure",    "units",       "average",        "layer",           "part",
      "head",      "bin",    "length_low", "length_high", "sentences",      "tokens",          "mean",
      "variance",  "low",    "high",       "difference",  "difference_low", "difference_high", "confidence",
      "resamples", "seed",   "by",         "words"};
  if (quantiles) {
    add_quartile_columns(table);
  }
  return table;
}

// From "sentences" to "seed"; `tokens`: what the mean is over.
template <class BinnedCell>
void add_means(std::vector<Cell>& row, const BinnedCell& cell, std::int64_t tokens,
               const BootstrapOptions& bootstrap) {
  row.insert(row.end(), {cell.sentences, tokens, cell.mean, cell.variance, cell.low, cell.high,
                         cell.difference, cell.difference_low, cell.difference_high, bootstrap.confidence,
                         bootstrap.resamples, static_cast<std::int64_t>(bootstrap.seed)});
}

}  // namespace mog::analysis
