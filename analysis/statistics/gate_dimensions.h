// The weight gate dimension by dimension: what the mean over d_model hides.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "analysis/statistics/weight_by_length.h"

namespace mog::analysis {

struct DimensionOptions {
  LengthBins bins;
  WordRange words;
  std::int64_t minimum_sentences = 10;  // of a bin that may be an end
  std::function<bool(std::int64_t layer)> keeps_layer;
  std::int64_t block_sentences = 256;  // read at a time
  std::stop_token stop;
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

// One layer. A dimension's mean is over sentences (every sentence the same: the mean over its words).
// It rises with length when its mean in the longest bin with enough sentences is greater than in the shortest
// by more than 1.96 standard errors of that difference, and falls likewise.
struct DimensionLayer {
  std::int64_t layer = 0;
  std::int64_t dimensions = 0;
  double mean = 0;
  double sd_dimensions = 0;       // of the dimensions' means
  double sd_sentences = 0;        // of a dimension over sentences, root mean square over dimensions
  std::vector<double> quantiles;  // of the dimensions' means at kQuantiles
  double rising = 0;              // shares of the dimensions; NaN without two ends
  double falling = 0;
  double above_previous = 0;  // share whose mean is above that of the layer before; NaN in the first
};
inline constexpr double kDimensionQuantiles[] = {0.05, 0.25, 0.5, 0.75, 0.95};

struct DimensionStatistics {
  ModelCard model;
  std::string corpus_name;
  WordRange words;
  std::int64_t sentences = 0;
  std::string first;  // labels of the bins that are the two ends; empty without
  std::string last;
  std::int64_t first_low = -1;   // of these bins; -1: there are none
  std::int64_t first_high = -1;  // first length beyond it; -1: open, or there is none
  std::int64_t last_low = -1;
  std::int64_t last_high = -1;
  std::vector<DimensionLayer> layers;
  // Columns: model, corpus, words, layer, dimensions, sentences, mean, sd_dimensions, sd_sentences, q05, q25,
  // q50, q75, q95, above_previous, first, last, rising, falling, first_low, first_high, last_low, last_high.
  Table table() const;
};

// Sources are parts of one recording. Throws UsageError when they hold no gate of every dimension
// (`--capture gates`), Interrupted, FormatError.
DimensionStatistics gate_dimensions(const std::vector<const RecordingSource*>& sources,
                                    const DimensionOptions& options = {});

}  // namespace mog::analysis
