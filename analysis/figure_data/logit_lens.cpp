#include "analysis/figure_data/logit_lens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "analysis/figure_data/sentence_figures.h"
#include "analysis/figure_data/ticks.h"
#include "io/recording/errors.h"
#include "io/recording/named_values.h"
#include "io/recording/nearest_name.h"
#include "io/recording/pieces.h"

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
    std::string missing;
    for (const Reduction needed : {Reduction::best, reduction}) {
      const QuantityName name = named(header, 1, needed);
      if (header.find(name) == nullptr) {
        missing += (missing.empty() ? "" : " and ") + name.text();
      }
    }
    throw UsageError(fmt::format(
        "a logit lens: the recording of {} does not hold {}; record a model that predicts the next "
        "token with --quantity 'encoder.*.next_token.*'",
        header.model.name, missing.empty() ? "both of one layer" : missing));
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

// “▁old” 0.21, “▁new” 0.10, …; follows “▁astronomer”: p 0.0031, rank 312, surprisal 5.8 nats; entropy 4.2
// nats.
std::string detail_text(const NextTokens& said, std::size_t at, const std::string& follows,
                        const LensOptions& options) {
  std::string text;
  for (const NextTokens::Best& best : said.best[at]) {
    text += (text.empty() ? "" : ", ") + fmt::format("\u201C{}\u201D", options.token(best.id));
    text += std::isfinite(best.probability) ? fmt::format(" {:.2g}", best.probability) : std::string();
  }
  if (!follows.empty() && std::isfinite(said.surprisal[at])) {
    text += fmt::format("; follows \u201C{}\u201D: p {:.2g}", follows, std::exp(-said.surprisal[at]));
    text += std::isfinite(said.rank[at]) ? fmt::format(", rank {:.0f}", said.rank[at]) : std::string();
    text += fmt::format(", surprisal {:.2f} nats", said.surprisal[at]);
  }
  text += std::isfinite(said.entropy[at]) ? fmt::format("; entropy {:.2f} nats", said.entropy[at])
                                          : std::string();
  return text;
}

}  // namespace

std::vector<std::int64_t> next_token_layers(const RecordingHeader& header) {
  std::vector<std::int64_t> layers;
  for (const QuantitySchema& schema : header.quantities) {
    const bool holds =
        schema.name.stack() == header.stack().stack && schema.name.quantity() == Quantity::next_token &&
        (schema.name.reduction() == Reduction::best || schema.name.reduction() == Reduction::surprisal);
    if (holds && std::find(layers.begin(), layers.end(), schema.name.layer()) == layers.end()) {
      layers.push_back(schema.name.layer());
    }
  }
  std::sort(layers.begin(), layers.end());
  return layers;
}

NextTokens next_tokens(const RecordingSource& source, std::int64_t index, std::int64_t layer) {
  check_index(source, index);
  const RecordingHeader& header = source.header();
  const std::size_t count = source.sentence(index).tokens.size();
  const auto read = [&](Reduction reduction) {
    const QuantityName name = named(header, layer, reduction);
    return header.find(name) == nullptr ? std::vector<float>() : source.read(index, name).to_floats();
  };
  NextTokens result;
  const std::vector<float> ids = read(Reduction::best);
  const std::vector<float> probabilities = read(Reduction::best_probability);
  const std::size_t width = count == 0 ? 0 : ids.size() / count;
  result.best.resize(ids.empty() ? 0 : count);
  for (std::size_t at = 0; at < ids.size(); ++at) {
    result.best[at / width].push_back(
        {static_cast<std::int64_t>(ids[at]),
         at < probabilities.size() ? static_cast<double>(probabilities[at]) : kAbsent});
  }
  // What follows this token stands at the next one.
  const auto of_next = [&](Reduction reduction) {
    const std::vector<float> values = read(reduction);
    std::vector<double> shifted(count, kAbsent);
    for (std::size_t at = 0; at + 1 < count && at + 1 < values.size(); ++at) {
      shifted[at] = static_cast<double>(values[at + 1]);
    }
    return shifted;
  };
  result.surprisal = of_next(Reduction::surprisal);
  result.rank = of_next(Reduction::rank);
  const std::vector<float> entropy = read(Reduction::entropy);
  result.entropy.assign(count, kAbsent);
  std::copy(entropy.begin(), entropy.end(), result.entropy.begin());
  return result;
}

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
  HeatMap map;
  map.row_title = "layer";
  map.column_title = "token read";
  map.text_title = "best next token";
  map.square_cells = false;
  map.columns = token_labels(sentence, pieces_of(header), tokens);
  const auto follows = [&](std::int64_t column) {
    const auto next = static_cast<std::size_t>(column) + 1;
    return next < sentence.tokens.size() ? shown_piece(sentence.tokens[next].text, pieces_of(header))
                                         : std::string();
  };
  double greatest = 0.0;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    map.rows.push_back({.text = std::to_string(*layer)});
    const NextTokens said = next_tokens(source, index, *layer);
    for (const std::int64_t column : columns) {
      const auto at = static_cast<std::size_t>(column);
      const double value = options.colour == LensColour::surprisal ? said.surprisal[at]
                           : options.colour == LensColour::entropy ? said.entropy[at]
                                                                   : said.best[at].front().probability;
      map.values.push_back(value);
      map.texts.push_back(options.token(said.best[at].front().id));
      map.details.push_back(detail_text(said, at, follows(column), options));
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
