// Every attention map of a sentence as a thumbnail, with the means over heads and over layers at the margins.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/figure_data.h"
#include "io/recording/sentence_recording.h"

namespace mog::analysis {

struct AttentionOverview {
  std::int64_t layers = 0;
  std::int64_t heads = 0;  // 0: only the mean over heads was recorded
  double high = 1;         // weight at the upper end of the scale that all share
  bool more = false;       // whether weights exceed it
  // [layer][0: mean over heads, head 1 …]; an empty row: the layer has no such part. The last row is the mean
  // over the layers that have it; it is missing where there is one layer only.
  std::vector<std::vector<FigureData>> maps;

  // Which of `maps` stands in a row of the page, from the top: the highest layer first, as in graphs, the
  // mean last. Its own inverse.
  std::size_t at_row(std::size_t row) const {
    const auto all = static_cast<std::size_t>(layers);
    return row < all ? all - 1 - row : row;
  }
};

struct OverviewOptions {
  Part part = Part::none;                // none: the mean over the parts of each layer
  std::vector<std::int64_t> heads = {};  // of the mean over heads, from 1; empty: all
  std::int64_t cells = 64;               // at most so many a side; a cell of several tokens is their mean
  bool special_in_scale = false;         // a cell with a special token among others counts as one
  Stretch queries = {};                  // of a long text: the rows and columns of every map that are read
  Stretch keys = {};
  friend bool operator==(const OverviewOptions&, const OverviewOptions&) = default;
};
// Throws Interrupted, UsageError for a head that is not there, and as RecordingSource::read.
AttentionOverview attention_overview(const RecordingSource& source, std::int64_t index,
                                     const OverviewOptions& options = {}, const std::stop_token& stop = {});

// "0 to 0.4 and more; [CLS], [SEP] out of the scale": what the colours of all mean.
std::string scale_text(const AttentionOverview& overview);

// As one figure: a row a layer, the highest on top, the mean over layers last; the mean over heads first.
FigureData overview_figure(const AttentionOverview& overview, const RecordingSource& source,
                           std::int64_t index, const OverviewOptions& options = {});

// Parts of the encoder whose maps the recording holds for this layer (a first layer may have one only).
std::vector<Part> parts_of_layer(const RecordingHeader& header, std::int64_t layer);

}  // namespace mog::analysis
