// Gates of one sentence: token × layer, token × dimension.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/gate_median.h"
#include "analysis/figure_data/map_sides.h"
#include "analysis/figure_data/sentence_figures.h"
#include "analysis/figure_data/ticks.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// The gate of one layer, [token, dimension] or [token, 1] where only means were recorded.
std::vector<float> gate_values(const RecordingSource& source, std::int64_t index, std::int64_t layer,
                               bool need_dimensions) {
  const QuantityName gate(source.header().stack().stack, layer, Part::none, Quantity::gate);
  const RecordingHeader& header = source.header();
  if (!need_dimensions && header.find(gate.with(Reduction::mean)) != nullptr) {
    return source.read(index, gate.with(Reduction::mean)).to_floats();
  }
  if (header.find(gate) == nullptr) {
    throw UsageError(
        fmt::format("a gate heat map of layer {}: the recording of {} does not hold {}; record a model with "
                    "a weight gate, a GRU or an LSTM with --capture {}",
                    layer, header.model.name, gate.text(), need_dimensions ? "gates" : "summary"));
  }
  return source.read(index, gate).to_floats();
}

std::set<std::int64_t> gate_layers(const RecordingHeader& header) {
  std::set<std::int64_t> layers;
  for (const QuantitySchema& schema : header.quantities) {
    if (schema.name.stack() == header.stack().stack && schema.name.part() == Part::none &&
        schema.name.quantity() == Quantity::gate && schema.name.layer() > 0 &&
        (schema.name.reduction() == Reduction::full || schema.name.reduction() == Reduction::mean)) {
      layers.insert(schema.name.layer());
    }
  }
  if (layers.empty()) {
    throw UsageError(
        fmt::format("a gate heat map: the recording of {} holds no gate; record a Graph-Transformer with a "
                    "weight gate, a GRU or an LSTM with --capture summary or gates",
                    header.model.name));
  }
  return layers;
}

// The colours part at the median; the scale's title says of what.
void part_at_median(ColourScale& scale, const std::optional<GateMiddle>& middle) {
  scale.kind = ColourScale::Kind::gate;
  if (!middle) {  // no word: special tokens alone
    scale.middle = (scale.low + scale.high) / 2;
    return;
  }
  scale.middle = middle->median;
  scale.quantity.averaged += fmt::format("{}median of {} {:.2f}", scale.quantity.averaged.empty() ? "" : "; ",
                                         middle->read(), middle->median);
}

}  // namespace

FigureData gate_figure(const RecordingSource& source, std::int64_t index, const TokenOptions& options,
                       const std::stop_token& stop) {
  check_index(source, index);
  const auto layers = gate_layers(source.header());
  const Sentence sentence = source.sentence(index);
  const MapSide side =
      map_side(sentence.tokens, pieces_of(source.header()), sentence.words,
               TokenOptions{.special_tokens = options.special_tokens, .by_word = options.by_word});
  HeatMap map;
  map.row_title = "layer";
  map.column_title = "word";
  map.columns = options.by_word ? side.labels : token_labels(sentence, pieces_of(source.header()), options);
  double low = 1;
  double high = 0;
  // The highest layer on top, as in graphs.
  for (auto at = layers.rbegin(); at != layers.rend(); ++at) {
    const std::int64_t layer = *at;
    map.rows.push_back({fmt::format("{}", layer), false, -1});
    const auto values = gate_values(source, index, layer, false);
    const std::size_t width = values.size() / std::max<std::size_t>(sentence.tokens.size(), 1);
    for (const std::vector<std::int64_t>& pieces : side.tokens) {
      double sum = 0;
      for (const std::int64_t piece : pieces) {
        for (std::size_t i = 0; i < width; ++i) {
          sum += static_cast<double>(values[static_cast<std::size_t>(piece) * width + i]);
        }
      }
      map.values.push_back(sum / static_cast<double>(pieces.size() * width));
      low = std::min(low, map.values.back());
      high = std::max(high, map.values.back());
    }
  }
  // Means over d_model differ little: the scale covers what occurs, its ends are printed.
  const RoundRange range = low <= high ? round_range(low, high, 4) : RoundRange{0, 1};
  map.scale.low = std::max(0.0, range.low);
  map.scale.high = std::min(1.0, range.high);
  const bool recurrent = source.header().stack().recurrent();
  map.scale.quantity = {
      recurrent ? "share of the new value" : "gate weight w", "",
      options.by_word ? "mean over dimensions and the pieces of a word" : "mean over dimensions"};
  part_at_median(map.scale, gate_middle(source, index, stop));
  map.square_cells = false;
  FigureData figure;
  figure.title = recurrent ? "Share of the new value (gate), by word and layer"
                           : "Gate weight of high + middle order, by word and layer";
  figure.caption = sentence_caption(source, sentence, "summary");
  figure.body = std::move(map);
  return figure;
}

FigureData gate_dimensions_figure(const RecordingSource& source, std::int64_t index, std::int64_t layer,
                                  const TokenOptions& options, const std::stop_token& stop) {
  check_index(source, index);
  const auto values = gate_values(source, index, layer, true);
  const Sentence sentence = source.sentence(index);
  HeatMap map;
  map.row_title = "word";
  map.column_title = "dimension";
  const MapSide side =
      map_side(sentence.tokens, pieces_of(source.header()), sentence.words,
               TokenOptions{.special_tokens = options.special_tokens, .by_word = options.by_word});
  map.rows = options.by_word ? side.labels : token_labels(sentence, pieces_of(source.header()), options);
  const std::size_t width = values.size() / std::max<std::size_t>(sentence.tokens.size(), 1);
  for (std::size_t i = 0; i < width; ++i) {
    map.columns.push_back({fmt::format("{}", i + 1), false, -1});
  }
  for (const std::vector<std::int64_t>& pieces : side.tokens) {
    for (std::size_t i = 0; i < width; ++i) {
      double sum = 0;
      for (const std::int64_t piece : pieces) {
        sum += static_cast<double>(values[static_cast<std::size_t>(piece) * width + i]);
      }
      map.values.push_back(sum / static_cast<double>(pieces.size()));
    }
  }
  const bool recurrent = source.header().stack().recurrent();
  map.scale.quantity.quantity = recurrent ? "share of the new value" : "gate weight w";
  map.scale.quantity.averaged = options.by_word ? "mean over the pieces of a word" : "";
  part_at_median(map.scale, gate_middle(source, index, stop));
  map.square_cells = false;
  FigureData figure;
  figure.title =
      fmt::format("{}, layer {}, by word and dimension",
                  recurrent ? "Share of the new value (gate)" : "Gate weight of high + middle order", layer);
  figure.caption = sentence_caption(source, sentence, "summary");
  figure.body = std::move(map);
  return figure;
}

}  // namespace mog::analysis
