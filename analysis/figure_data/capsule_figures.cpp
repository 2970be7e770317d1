#include "analysis/figure_data/capsule_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/attribution/word_units.h"
#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/map_sides.h"
#include "analysis/figure_data/ticks.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::int64_t kPanelColumns = 2;

// The columns of the map: which of them a token is in, -1 where it is not shown.
struct Columns {
  std::vector<WordLabel> labels;
  std::vector<std::int64_t> of_token;
};

Columns columns_of(const Sentence& sentence, Pieces pieces, const TokenOptions& options) {
  const std::vector<WordLabel> tokens = token_labels(sentence, pieces);
  const WordUnits units = word_units(sentence);
  Columns columns;
  std::int64_t last = -1;  // unit of the column before
  for (std::size_t i = 0; i < sentence.tokens.size(); ++i) {
    const std::int64_t word = sentence.tokens[i].word;
    if (word < 0 && !options.special_tokens) {
      columns.of_token.push_back(-1);
      continue;
    }
    const std::int64_t unit = units.of_token[i];
    if (!options.by_word || unit != last) {
      columns.labels.push_back(tokens[i]);
      if (options.by_word && word >= 0) {
        columns.labels.back() = {sentence.words[static_cast<std::size_t>(word)].text, false, -1};
      }
    }
    last = unit;
    columns.of_token.push_back(static_cast<std::int64_t>(columns.labels.size()) - 1);
  }
  return columns;
}

const QuantitySchema& schema_of(const RecordingHeader& header, const QuantityName& name) {
  const QuantitySchema* const schema = header.find(name);
  if (schema == nullptr || !is_capsule_map(*schema)) {
    throw UsageError(fmt::format(
        "a map of {}: {}", name.text(),
        schema == nullptr
            ? "the recording of " + header.model.name + " does not hold it"
            : std::string("it has no value for every capsule and token (encoder.1.routing has)")));
  }
  return *schema;
}

// [capsule, column]
std::vector<double> weights_of(const std::vector<float>& flat, std::size_t capsules, const Columns& columns) {
  const std::size_t tokens = columns.of_token.size();
  const std::size_t width = columns.labels.size();
  std::vector<double> weights(capsules * width, 0.0);
  for (std::size_t capsule = 0; capsule < capsules; ++capsule) {
    for (std::size_t token = 0; token < tokens; ++token) {
      if (columns.of_token[token] >= 0) {
        weights[capsule * width + static_cast<std::size_t>(columns.of_token[token])] +=
            static_cast<double>(flat.at(capsule * tokens + token));
      }
    }
  }
  return weights;
}

std::vector<QuantityName> pooling_of(const RecordingHeader& header) {
  std::vector<QuantityName> names;
  for (const QuantitySchema& schema : header.quantities) {
    if (schema.name.quantity() == Quantity::pooling && schema.name.reduction() == Reduction::full) {
      names.push_back(schema.name);
    }
  }
  std::sort(names.begin(), names.end(),
            [](const QuantityName& left, const QuantityName& right) { return left.layer() < right.layer(); });
  return names;
}

const QuantitySchema* global_gate_of(const RecordingHeader& header) {
  const auto at =
      std::find_if(header.quantities.begin(), header.quantities.end(), [](const QuantitySchema& schema) {
        return schema.name.quantity() == Quantity::global_gate && schema.name.reduction() == Reduction::mean;
      });
  return at == header.quantities.end() ? nullptr : &*at;
}

std::string caption_of(const RecordingHeader& header, const Sentence& sentence,
                       const QuantitySchema& schema) {
  return caption(header.model, header.provenance.corpus_name, fmt::format("sentence {}", sentence.number),
                 schema.description);
}

}  // namespace

bool is_capsule_map(const QuantitySchema& schema) {
  return schema.axes == std::vector<Axis>{Axis::capsule, Axis::token};
}

FigureData capsule_map_figure(const RecordingSource& source, std::int64_t index,
                              std::span<const QuantityName> names, const TokenOptions& options) {
  if (names.empty()) {
    throw UsageError("a map of capsules: give the name of a recorded quantity (encoder.1.routing)");
  }
  const RecordingHeader& header = source.header();
  const Sentence sentence = source.sentence(index);
  const Columns columns = columns_of(sentence, pieces_of(header), options);
  std::vector<FigureData> panels;
  double most = 0;
  for (const QuantityName& name : names) {
    const QuantitySchema& schema = schema_of(header, name);
    HeatMap map;
    map.row_title = "capsule";
    map.column_title = options.by_word ? "word" : "token";
    map.columns = columns.labels;
    for (std::int64_t capsule = 1; capsule <= schema.extents.front(); ++capsule) {
      map.rows.push_back({std::to_string(capsule), false, -1});
    }
    map.values = weights_of(source.read(index, name).to_floats(), map.rows.size(), columns);
    for (const double value : map.values) {
      most = std::max(most, value);
    }
    map.scale.quantity.quantity = names.size() == 1 ? name.text() : "routing weight";
    map.scale.quantity.units = "1";
    FigureData panel;
    panel.title = names.size() == 1 ? "" : fmt::format("layer {}", name.layer());
    panel.body = std::move(map);
    panels.push_back(std::move(panel));
  }
  for (FigureData& panel : panels) {
    std::get<HeatMap>(panel.body).scale.high = round_range(0, most > 0 ? most : 1.0, 4).high;
  }
  FigureData figure;
  figure.title = names.size() == 1 ? names.front().text() : "what each capsule collects";
  figure.caption = caption_of(header, sentence, schema_of(header, names.front()));
  if (panels.size() == 1) {
    figure.body = std::move(panels.front().body);
  } else {
    PanelFigure all;
    all.columns = kPanelColumns;
    all.panels = std::move(panels);
    figure.body = std::move(all);
  }
  return figure;
}

bool has_pooling(const RecordingHeader& header) {
  return !pooling_of(header).empty();
}

FigureData pooling_figure(const RecordingSource& source, std::int64_t index) {
  const RecordingHeader& header = source.header();
  const std::vector<QuantityName> names = pooling_of(header);
  if (names.empty()) {
    throw UsageError(fmt::format(
        "pooling of capsules: the recording of {} holds no encoder.L.pooling; record a model whose gret has "
        "pooling = attentive with --capture summary",
        header.model.name));
  }
  HeatMap map;
  map.row_title = "layer";
  map.column_title = "capsule";
  for (const QuantityName& name : names) {
    const std::vector<float> weights = source.read(index, name).to_floats();
    for (std::size_t capsule = map.columns.size(); capsule < weights.size(); ++capsule) {
      map.columns.push_back({std::to_string(capsule + 1), false, -1});
    }
    map.rows.push_back({std::to_string(name.layer()), false, -1});
    map.values.insert(map.values.end(), weights.begin(), weights.end());
  }
  map.scale.quantity = {"pooling weight", "1", ""};
  map.scale.high = round_range(0, *std::max_element(map.values.begin(), map.values.end()), 4).high;
  FigureData figure;
  figure.title = "what each capsule weighs";
  figure.caption = caption_of(header, source.sentence(index), *header.find(names.front()));
  figure.body = std::move(map);
  return figure;
}

bool has_global_gate(const RecordingHeader& header) {
  return global_gate_of(header) != nullptr;
}

FigureData global_gate_figure(const RecordingSource& source, std::int64_t index,
                              const TokenOptions& options) {
  const RecordingHeader& header = source.header();
  const QuantitySchema* const schema = global_gate_of(header);
  const Sentence sentence = source.sentence(index);
  if (schema == nullptr || sentence.target_tokens.empty()) {
    throw UsageError(fmt::format(
        "gate of the global state: {}; record a model with a global representation (gret) with --capture "
        "summary and --target FILE or --target translate",
        schema == nullptr
            ? fmt::format("the recording of {} holds no decoder.global_gate.mean", header.model.name)
            : fmt::format("sentence {} was recorded without a translation", sentence.number)));
  }
  const std::vector<float> gates = source.read(index, schema->name).to_floats();
  const MapSide side = map_side(predicted_tokens(sentence), pieces_of(header), {}, options);
  LinePlot plot;
  plot.x = {"predicted", "", ""};
  plot.y = {"gate", "1", "mean over dimensions"};
  LineSeries series;  // the only one: it needs no name
  for (std::size_t place = 0; place < side.tokens.size(); ++place) {
    double sum = 0;
    for (const std::int64_t token : side.tokens[place]) {
      sum += static_cast<double>(gates.at(static_cast<std::size_t>(token)));
    }
    plot.x_categories.push_back(side.labels[place].text);
    series.points.push_back({.x = static_cast<double>(place),
                             .y = sum / static_cast<double>(side.tokens[place].size()),
                             .tokens = static_cast<std::int64_t>(side.tokens[place].size())});
  }
  plot.series.push_back(std::move(series));
  FigureData figure;
  figure.title = "how much of the global state each word takes";
  figure.caption = caption_of(header, sentence, *schema);
  figure.body = std::move(plot);
  return figure;
}

}  // namespace mog::analysis
