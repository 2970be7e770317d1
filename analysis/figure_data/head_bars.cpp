#include "analysis/figure_data/head_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/attribution/word_units.h"
#include "analysis/figure_data/attention_overview.h"
#include "analysis/figure_data/builders.h"
#include "io/recording/errors.h"
#include "io/recording/top_keys.h"

namespace mog::analysis {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

WordUnits units_of(const Sentence& sentence, bool by_word) {
  if (by_word) {
    return word_units(sentence);
  }
  WordUnits units;
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    units.of_token.push_back(static_cast<std::int64_t>(token));
    units.first.push_back(static_cast<std::int64_t>(token));
  }
  return units;
}

void require(const Sentence& sentence, const WordUnits& units, std::int64_t number, const char* what) {
  if (number < 1 || number > units.count()) {
    throw UsageError(
        fmt::format("heads of a pair: sentence {} has {} places, counted from 1 with the special "
                    "tokens; {} {} is not one of them",
                    sentence.number, units.count(), what, number));
  }
}

Part part_of(const RecordingHeader& header, const HeadBarOptions& options) {
  const std::vector<Part> parts = parts_of_layer(header, options.layer);
  const bool one = options.part == Part::none && parts.size() == 1;
  const Part part = one ? parts.front() : options.part;
  if (std::find(parts.begin(), parts.end(), part) == parts.end()) {
    std::string known;
    for (const Part there : parts) {
      known += (known.empty() ? "" : ", ") + std::string(mog::name(there));
    }
    throw UsageError(fmt::format("heads of a pair: layer {} has {}; give one of them (--part)", options.layer,
                                 known.empty() ? "no attention maps in this recording" : known));
  }
  return part;
}

std::string label_of(const Sentence& sentence, Pieces pieces, const WordUnits& units, std::int64_t number,
                     bool by_word) {
  const std::int64_t first = units.first[at(number - 1)];
  const Token& token = sentence.tokens[at(first)];
  return by_word && token.word >= 0 ? sentence.words[at(token.word)].text
                                    : token_labels(sentence, pieces)[at(first)].text;
}

FigureData bars(const std::vector<double>& values, AxisText axis, std::string title, Part part, bool labels) {
  BarPlot plot;
  plot.x = std::move(axis);
  plot.x_low = 0;
  plot.labels = labels;
  for (std::size_t head = 0; head < values.size(); ++head) {
    BarRow row;
    row.label = fmt::format("head {}", head + 1);
    row.value = values[head];
    row.colour = ColourKey::of_part(part);
    plot.rows.push_back(std::move(row));
  }
  FigureData figure;
  figure.title = std::move(title);
  figure.body = std::move(plot);
  return figure;
}

// [head]: the share of each head in the norms of what the heads add to the tokens of the query.
std::vector<double> norm_shares(const RecordingSource& source, std::int64_t index, const QuantityName& map,
                                std::int64_t heads, const std::vector<std::int64_t>& tokens,
                                std::int64_t token_count) {
  const QuantityName name = map.with(Reduction::norm);
  if (source.header().find(name) == nullptr) {
    return {};
  }
  const std::vector<float> norms = source.read(index, name).to_floats();
  std::vector<double> shares(at(heads), 0.0);
  for (const std::int64_t token : tokens) {
    double sum = 0;
    for (std::int64_t head = 0; head < heads; ++head) {
      sum += static_cast<double>(norms.at(at(head * token_count + token)));
    }
    for (std::int64_t head = 0; head < heads && sum > 0; ++head) {
      shares[at(head)] += static_cast<double>(norms[at(head * token_count + token)]) / sum /
                          static_cast<double>(tokens.size());
    }
  }
  return shares;
}

// Whether letters of scripts that run from right to left are in it (Hebrew to Arabic Extended, presentation
// forms, those beyond U+10800), by the first bytes of their UTF-8.
bool runs_leftwards(std::string_view text) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned first = byte(i);
    const unsigned second = byte(i + 1);
    if ((first >= 0xD6 && first <= 0xDF) || (first == 0xE0 && second >= 0xA0 && second <= 0xA3) ||
        (first == 0xEF && second >= 0xAC && second <= 0xBB) ||
        (first == 0xF0 &&
         ((second == 0x90 && byte(i + 2) >= 0xA0) || (second == 0x9E && byte(i + 2) >= 0xA0)))) {
      return true;
    }
  }
  return false;
}

// A word that stands for itself (Unicode's first strong isolate): else two of these would change places
// around the arrow.
std::string apart(const std::string& word) {
  return runs_leftwards(word) ? fmt::format("\u2068{}\u2069", word) : word;
}

}  // namespace

FigureData head_bars(const RecordingSource& source, std::int64_t index, const HeadBarOptions& options) {
  const Part part = part_of(source.header(), options);
  const QuantityName name(source.header().stack().stack, options.layer, part, map_quantity(part));
  const QuantitySchema* const schema = source.header().find(name);
  if (schema == nullptr || schema->axes.front() != Axis::head) {
    throw UsageError(fmt::format(
        "heads of a pair: the recording of {} holds no maps of the heads of layer {}, "
        "part {}; record with --capture attention{}",
        source.header().model.name, options.layer, mog::name(part), only_top_keys(source.header())));
  }
  const Sentence sentence = source.sentence(index);
  const WordUnits units = units_of(sentence, options.by_word);
  require(sentence, units, options.query, "token");
  require(sentence, units, options.key, "key");
  const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
  const std::int64_t heads = schema->extents.front();
  const std::vector<float> flat = source.read(index, name).to_floats();
  std::vector<double> weights;
  for (std::int64_t head = 0; head < heads; ++head) {
    const auto begin = flat.begin() + static_cast<std::ptrdiff_t>(head * tokens * tokens);
    const std::vector<double> map(begin, begin + static_cast<std::ptrdiff_t>(tokens * tokens));
    const std::vector<double> merged = merge_pieces(map, tokens, units);
    weights.push_back(merged[at((options.query - 1) * units.count() + options.key - 1)]);
  }
  std::vector<std::int64_t> query;
  for (std::int64_t token = 0; token < tokens; ++token) {
    if (units.of_token[at(token)] == options.query - 1) {
      query.push_back(token);
    }
  }
  const std::vector<double> shares = norm_shares(source, index, name, heads, query, tokens);
  const AxisText weight{"map weight", "", ""};
  FigureData figure;
  if (shares.empty()) {
    figure = bars(weights, weight, "", part, true);
  } else {
    std::vector<double> given;
    for (std::size_t head = 0; head < shares.size(); ++head) {
      given.push_back(weights[head] * shares[head]);
    }
    PanelFigure panels;
    panels.columns = 2;
    panels.label_panels = false;
    panels.panels = {
        bars(weights, weight, "Weight of the map", part, true),
        bars(given, {"weight × share of norm", "", ""}, "Share in what the part adds", part, false)};
    figure.body = std::move(panels);
  }
  figure.title = fmt::format(
      "“{}” → “{}”, {}layer {}, by head",
      apart(label_of(sentence, pieces_of(source.header()), units, options.key, options.by_word)),
      apart(label_of(sentence, pieces_of(source.header()), units, options.query, options.by_word)),
      source.header().stack().with(PartRole::attention).size() == 1 ? ""
                                                                    : std::string(mog::name(part)) + ", ",
      options.layer);
  figure.caption =
      caption(source.header().model, source.header().provenance.corpus_name,
              fmt::format("sentence {}", sentence.number),
              shares.empty() ? "summary: the map of each head"
                             : "summary: the map of each head, and times its share of the norms of "
                               "what the heads add to the query");
  return figure;
}

}  // namespace mog::analysis
