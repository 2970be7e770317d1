#include "analysis/figure_data/logit_lens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "analysis/figure_data/sentence_figures.h"
#include "analysis/figure_data/ticks.h"
#include "io/recording/errors.h"
#include "io/recording/named_values.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

constexpr std::array kColours = {std::pair{LensColour::probability, std::string_view("probability")},
                                 std::pair{LensColour::entropy, std::string_view("entropy")},
                                 std::pair{LensColour::surprisal, std::string_view("surprisal")}};

QuantityName named(const RecordingHeader& header, std::int64_t layer, Reduction reduction) {
  return {header.stack().stack, layer, Part::none, Quantity::next_token, reduction};
}

Reduction reduction_of(LensColour colour) {
  switch (colour) {
    case LensColour::entropy:
      return Reduction::entropy;
    case LensColour::surprisal:
      return Reduction::surprisal;
    case LensColour::probability:
      break;
  }
  return Reduction::best_probability;
}

std::vector<std::int64_t> lens_layers(const RecordingHeader& header, Reduction reduction) {
  std::vector<std::int64_t> layers;
  for (const QuantitySchema& schema : header.quantities) {
    if (schema.name.quantity() == Quantity::next_token && schema.name.reduction() == Reduction::best &&
        schema.name.layer() > 0 && header.find(named(header, schema.name.layer(), reduction)) != nullptr) {
      layers.push_back(schema.name.layer());
    }
  }
  if (layers.empty()) {
    throw UsageError(fmt::format(
        "a logit lens: the recording of {} does not hold {} and {}; record a model that predicts the next "
        "token "
        "with --quantity 'encoder.*.next_token.*'",
        header.model.name, named(header, 1, Reduction::best).text(), named(header, 1, reduction).text()));
  }
  std::sort(layers.begin(), layers.end());
  return layers;
}

AxisText scale_text(LensColour colour) {
  switch (colour) {
    case LensColour::entropy:
      return {"entropy of the prediction", "nats", ""};
    case LensColour::surprisal:
      return {"surprisal of what follows", "nats", ""};
    case LensColour::probability:
      break;
  }
  return {"probability of the best token", "1", ""};
}

}  // namespace

LensColour parse_lens_colour(std::string_view text) {
  const auto found = find_in(kColours, text);
  if (!found) {
    throw unknown_choice("--colour", text, {"probability", "entropy", "surprisal"});
  }
  return *found;
}

FigureData logit_lens_figure(const RecordingSource& source, std::int64_t index, const LensOptions& options) {
  check_index(source, index);
  const RecordingHeader& header = source.header();
  const Reduction shown = reduction_of(options.colour);
  const std::vector<std::int64_t> layers = lens_layers(header, shown);
  const Sentence sentence = source.sentence(index);
  const TokenOptions tokens{.special_tokens = options.special_tokens};
  std::vector<std::int64_t> columns;
  for (const std::vector<std::int64_t>& one : shown_tokens(sentence, tokens)) {
    columns.push_back(one.front());
  }
  const auto count = static_cast<std::int64_t>(sentence.tokens.size());
  HeatMap map;
  map.row_title = "layer";
  map.column_title = "token read";
  map.text_title = "best next token";
  map.square_cells = false;
  map.columns = token_labels(sentence, pieces_of(header), tokens);
  double greatest = 0.0;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    map.rows.push_back({.text = std::to_string(*layer)});
    const std::vector<float> ids = source.read(index, named(header, *layer, Reduction::best)).to_floats();
    const std::vector<float> values = source.read(index, named(header, *layer, shown)).to_floats();
    const std::size_t best = ids.size() / static_cast<std::size_t>(count);
    const std::size_t width = values.size() / static_cast<std::size_t>(count);
    for (const std::int64_t column : columns) {
      const auto at = static_cast<std::size_t>(column);
      // Surprisal stands at the token that it is of: what follows this one is the next one's.
      const std::size_t own = options.colour == LensColour::surprisal ? at + 1 : at;
      const double value =
          own < static_cast<std::size_t>(count) ? static_cast<double>(values[own * width]) : kAbsent;
      map.values.push_back(value);
      map.texts.push_back(options.token(static_cast<std::int64_t>(ids[at * best])));
      greatest = std::isfinite(value) ? std::max(greatest, value) : greatest;
    }
  }
  map.scale.quantity = scale_text(options.colour);
  map.scale.high = options.colour == LensColour::probability ? 1.0 : std::max(greatest, 1e-6);
  FigureData figure;
  figure.caption =
      caption(header.model, header.provenance.corpus_name, fmt::format("sentence {}", sentence.number),
              "level 2: what the last norm and the output map make of each layer's states; the model's own "
              "prediction is that of the last layer");
  figure.body = std::move(map);
  return figure;
}

}  // namespace mog::analysis
