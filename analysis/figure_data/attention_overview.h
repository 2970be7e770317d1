// Every attention map of a sentence as a thumbnail, with the means over heads and over layers at the margins.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "io/recording/sentence_recording.h"

namespace mog::analysis {

struct AttentionOverview {
  std::int64_t layers = 0;
  std::int64_t heads = 0;  // 0: only the mean over heads was recorded
  double greatest = 0;     // weight at the upper end of the scale that all share
  // [layer][0: mean over heads, head 1 …]; an empty row: the layer has no such part. The last row is the mean
  // over the layers that have it; it is missing where there is one layer only.
  std::vector<std::vector<FigureData>> maps;
};

struct OverviewOptions {
  Part part = Part::none;                // none: the mean over the parts of each layer
  std::vector<std::int64_t> heads = {};  // of the mean over heads, from 1; empty: all
  std::int64_t cells = 64;               // at most so many a side; a cell of several tokens is their mean
  friend bool operator==(const OverviewOptions&, const OverviewOptions&) = default;
};
// Throws Interrupted, UsageError for a head that is not there, and as RecordingSource::read.
AttentionOverview attention_overview(const RecordingSource& source, std::int64_t index,
                                     const OverviewOptions& options = {}, const std::stop_token& stop = {});

// As one figure: a row a layer, the mean over heads first, the mean over layers last.
FigureData overview_figure(const AttentionOverview& overview, const RecordingSource& source,
                           std::int64_t index, const OverviewOptions& options = {});

// Parts of the encoder whose maps the recording holds for this layer (a first layer may have one only).
std::vector<Part> parts_of_layer(const RecordingHeader& header, std::int64_t layer);

}  // namespace mog::analysis
