#include "analysis/figure_data/capsule_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/attribution/word_units.h"
#include "analysis/figure_data/captions.h"
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

Columns columns_of(const Sentence& sentence, const TokenOptions& options) {
  const std::vector<WordLabel> tokens = token_labels(sentence);
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
  const Columns columns = columns_of(sentence, options);
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
  figure.caption =
      caption(header.model, header.provenance.corpus_name, fmt::format("sentence {}", sentence.number),
              schema_of(header, names.front()).description);
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

}  // namespace mog::analysis
