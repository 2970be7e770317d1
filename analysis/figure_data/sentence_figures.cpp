#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/internal_map_sides.h"
#include "analysis/figure_data/ticks.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

void check_index(const RecordingSource& source, std::int64_t index) {
  if (index < 0 || index >= source.size()) {
    throw UsageError(fmt::format("a figure of sentence {}: the recording holds {} sentences, counted from 1",
                                 index + 1, source.size()));
  }
}

constexpr std::int64_t kCarryColumns = 4;  // of a grid with one map a layer

bool of_decoder(Part part) {
  return part == Part::self || part == Part::cross;
}

std::vector<WordLabel> labels_of(std::span<const Token> tokens) {
  std::vector<WordLabel> result;
  for (const Token& token : tokens) {
    result.push_back({shown_text(token.text), token.word < 0, token.word});
  }
  return result;
}

std::string heads_text(std::int64_t head, std::span<const std::int64_t> heads) {
  return head > 0 ? fmt::format("head {}", head)
         : heads.empty()
             ? std::string("mean over heads")
             : fmt::format("mean over head{} {}", heads.size() > 1 ? "s" : "", fmt::join(heads, ", "));
}

// Indices of the tokens that are shown.
std::vector<std::size_t> kept(std::span<const Token> tokens, bool special_tokens) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (special_tokens || tokens[i].word >= 0) {
      result.push_back(i);
    }
  }
  return result;
}

// Adds the mean over heads, or one head, of `values` to `map`.
void add_map(AttentionMap& map, const QuantitySchema& schema, std::span<const float> values,
             std::int64_t head, std::span<const std::int64_t> chosen, double share) {
  const auto cells = static_cast<std::size_t>(map.rows * map.columns);
  const auto heads = static_cast<std::int64_t>(cells == 0 ? 1 : values.size() / cells);
  if (values.size() != cells * static_cast<std::size_t>(heads)) {
    throw FormatError(fmt::format("{} has {} values, not a whole number of maps of {} × {}",
                                  schema.name.text(), values.size(), map.rows, map.columns));
  }
  if (head > heads || head < 0) {
    throw UsageError(
        fmt::format("{} has {} heads, counted from 1 (0 is their mean), but head {} was asked for",
                    schema.name.text(), heads, head));
  }
  for (const std::int64_t one : chosen) {
    if (one < 1 || one > heads) {
      throw UsageError(fmt::format("heads of {}: head {} was asked for, {} are recorded, counted from 1",
                                   schema.name.text(), one, heads));
    }
  }
  std::vector<std::int64_t> taken(chosen.begin(), chosen.end());
  if (head > 0) {
    taken = {head};
  } else if (taken.empty()) {
    for (std::int64_t h = 1; h <= heads; ++h) {
      taken.push_back(h);
    }
  }
  for (const std::int64_t h : taken) {
    for (std::size_t cell = 0; cell < cells; ++cell) {
      map.values[cell] += share / static_cast<double>(taken.size()) *
                          static_cast<double>(values[static_cast<std::size_t>(h - 1) * cells + cell]);
    }
  }
}

bool is_recurrent(const RecordingHeader& header) {
  return header.model.encoder_kind == "gru" || header.model.encoder_kind == "lstm";
}

// Maps of words on words: attention, and the carry weights of a recurrent encoder.
bool is_attention(const QuantityName& name, std::int64_t head) {
  return name.quantity() == map_quantity(name.part()) && name.stack() != Stack::heads &&
         (name.reduction() == Reduction::full || (head == 0 && name.reduction() == Reduction::mean_heads));
}

std::vector<const QuantitySchema*> attention_schemas(const RecordingHeader& header, std::int64_t layer,
                                                     Part part, std::int64_t head) {
  std::vector<const QuantitySchema*> result;
  for (const QuantitySchema& schema : header.quantities) {
    const QuantityName& name = schema.name;
    const bool wanted = (layer == 0 || name.layer() == layer) &&
                        (part == Part::none ? name.stack() == Stack::encoder : name.part() == part);
    if (!wanted || !is_attention(name, head)) {
      continue;
    }
    // The full maps come first; their mean over heads adds nothing.
    const bool doubled =
        name.reduction() == Reduction::mean_heads && header.find(name.with(Reduction::full)) != nullptr;
    if (!doubled) {
      result.push_back(&schema);
    }
  }
  if (result.empty()) {
    throw UsageError(fmt::format(
        "{} of {}, {}, {}: the recording of {} does not hold it; record with --capture attention",
        is_recurrent(header) ? "a carry map" : "an attention map",
        layer == 0 ? std::string("all layers") : fmt::format("layer {}", layer),
        part == Part::none ? std::string("all parts") : fmt::format("part {}", mog::name(part)),
        head == 0 ? std::string("mean over heads") : fmt::format("head {}", head), header.model.name));
  }
  return result;
}

// Of carry maps: ", forward", or nothing where there is one direction only.
std::string direction_text(const RecordingHeader& header, Part part) {
  if (!header.model.bidirectional) {
    return "";
  }
  return part == Part::none ? ", mean over directions" : fmt::format(", {}", mog::name(part));
}

std::string place_text(const RecordingHeader& header, std::int64_t layer, Part part, std::int64_t head,
                       std::span<const std::int64_t> heads) {
  std::string result = layer == 0 ? "mean over layers" : fmt::format("layer {}", layer);
  if (is_recurrent(header) && !of_decoder(part)) {
    return result + direction_text(header, part);
  }
  const bool only_part = header.model.encoder_kind == "transformer" && !of_decoder(part);
  if (part == Part::none && !only_part) {
    result += ", mean over parts";
  } else if (!only_part) {
    result += fmt::format(", {}", mog::name(part));
  }
  return result + ", " + heads_text(head, heads);
}

// What was chosen of the sentence, behind the place in a title.
std::string choice_text(const TokenOptions& options) {
  std::string result = options.by_word ? ", pieces merged to words" : "";
  if (!options.block.all()) {
    const auto side = [](std::int64_t text) {
      return text == 0 ? std::string("all") : fmt::format("text {}", text);
    };
    result += fmt::format(", {} on {}", side(options.block.query), side(options.block.key));
  }
  return result;
}

std::string sentence_caption(const RecordingSource& source, const Sentence& sentence,
                             const std::string& level) {
  return caption(source.header().model, source.header().provenance.corpus_name,
                 fmt::format("sentence {}", sentence.number), level);
}

// carry: a recurrent encoder's map.
HeatMap heat_map_of(const AttentionMap& map, const Sentence& sentence, Part part, const TokenOptions& options,
                    bool carry) {
  const auto& row_tokens = of_decoder(part) ? sentence.target_tokens : sentence.tokens;
  const auto& column_tokens = part == Part::self ? sentence.target_tokens : sentence.tokens;
  const MapSide rows = map_side(row_tokens, of_decoder(part) ? std::span<const Word>() : sentence.words,
                                options, options.block.query);
  const MapSide columns =
      map_side(column_tokens, part == Part::self ? std::span<const Word>() : sentence.words, options,
               options.block.key);
  HeatMap result;
  result.row_title = of_decoder(part) ? "target" : "query";
  result.column_title = part == Part::cross ? "source" : part == Part::self ? "target" : "key";
  if (carry) {
    result.row_title = "state at";
    result.column_title = "weight of";
  }
  result.rows = rows.labels;
  result.columns = columns.labels;
  result.values = map_values(map, rows, columns);
  double greatest = 0;
  for (const double value : result.values) {
    greatest = std::max(greatest, value);
  }
  result.scale.high = greatest > 0 ? round_range(0, greatest, 4).high : 1.0;
  result.scale.quantity.quantity = carry ? "carry weight" : "attention weight";
  return result;
}

// The gate of one layer, [token, dimension] or [token, 1] where only means were recorded.
std::vector<float> gate_values(const RecordingSource& source, std::int64_t index, std::int64_t layer,
                               bool need_dimensions) {
  const QuantityName gate(Stack::encoder, layer, Part::none, Quantity::gate);
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

std::vector<std::int64_t> gate_layers(const RecordingHeader& header) {
  std::set<std::int64_t> layers;
  for (const QuantitySchema& schema : header.quantities) {
    if (schema.name.stack() == Stack::encoder && schema.name.quantity() == Quantity::gate &&
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
  return {layers.begin(), layers.end()};
}

}  // namespace

std::vector<WordLabel> token_labels(const Sentence& sentence, const TokenOptions& options) {
  const auto all = labels_of(sentence.tokens);
  std::vector<WordLabel> result;
  for (const std::size_t index : kept(sentence.tokens, options.special_tokens)) {
    result.push_back(all[index]);
  }
  return result;
}

std::vector<WordLabel> word_labels(const Sentence& sentence) {
  std::vector<WordLabel> result;
  for (std::size_t i = 0; i < sentence.words.size(); ++i) {
    result.push_back({sentence.words[i].text, false, static_cast<std::int64_t>(i)});
  }
  return result;
}

std::vector<Part> attention_parts(const RecordingHeader& header) {
  std::set<Part> parts;
  for (const QuantitySchema& schema : header.quantities) {
    if (schema.name.stack() == Stack::encoder && is_attention(schema.name, 0)) {
      parts.insert(schema.name.part());
    }
  }
  return {parts.begin(), parts.end()};
}

std::vector<std::int64_t> attention_layers(const RecordingHeader& header) {
  std::set<std::int64_t> layers;
  for (const QuantitySchema& schema : header.quantities) {
    if (schema.name.stack() == Stack::encoder && is_attention(schema.name, 0)) {
      layers.insert(schema.name.layer());
    }
  }
  return {layers.begin(), layers.end()};
}

AttentionMap attention_map(const RecordingSource& source, std::int64_t index, std::int64_t layer, Part part,
                           std::int64_t head, std::span<const std::int64_t> heads) {
  check_index(source, index);
  const auto schemas = attention_schemas(source.header(), layer, part, head);
  const Sentence sentence = source.sentence(index);
  AttentionMap map;
  map.rows =
      static_cast<std::int64_t>(of_decoder(part) ? sentence.target_tokens.size() : sentence.tokens.size());
  map.columns =
      static_cast<std::int64_t>(part == Part::self ? sentence.target_tokens.size() : sentence.tokens.size());
  map.values.assign(static_cast<std::size_t>(map.rows * map.columns), 0.0);
  for (const QuantitySchema* const schema : schemas) {
    add_map(map, *schema, source.read(index, schema->name).to_floats(), head, heads,
            1.0 / static_cast<double>(schemas.size()));
  }
  return map;
}

FigureData attention_figure(const RecordingSource& source, std::int64_t index, std::int64_t layer, Part part,
                            std::int64_t head, const TokenOptions& options) {
  const AttentionMap map = attention_map(source, index, layer, part, head, options.heads);
  const Sentence sentence = source.sentence(index);
  FigureData figure;
  const bool carry = is_recurrent(source.header()) && !of_decoder(part);
  figure.title = (carry ? "Carry weights, " : "Attention, ") +
                 place_text(source.header(), layer, part, head, options.heads) + choice_text(options);
  figure.caption = sentence_caption(source, sentence, "summary");
  figure.body = heat_map_of(map, sentence, part, options, carry);
  return figure;
}

FigureData attention_grid(const RecordingSource& source, std::int64_t index, Part part) {
  check_index(source, index);
  const Sentence sentence = source.sentence(index);
  PanelFigure grid;
  grid.label_panels = false;
  const bool carry = is_recurrent(source.header()) && !of_decoder(part);
  for (const QuantitySchema* const schema : attention_schemas(source.header(), 0, part, 0)) {
    const bool by_head = schema->name.reduction() == Reduction::full && !carry;
    const std::int64_t heads = by_head ? schema->extents.front() : 1;
    grid.columns = std::max(grid.columns, heads);
    if (carry) {
      grid.columns = std::min<std::int64_t>(source.header().model.layers, kCarryColumns);
      if (source.header().model.bidirectional && part == Part::none) {
        grid.columns = 2;  // forward beside backward, layer by layer
      }
    }
    for (std::int64_t head = 1; head <= heads; ++head) {
      const std::int64_t asked = by_head ? head : 0;
      FigureData panel;
      panel.title = fmt::format("layer {}", schema->name.layer());
      if (carry) {
        panel.title += direction_text(source.header(), schema->name.part());
      } else {
        panel.title += by_head ? fmt::format(", head {}", head) : std::string(", mean");
      }
      HeatMap map =
          heat_map_of(attention_map(source, index, schema->name.layer(), schema->name.part(), asked),
                      sentence, part, {}, carry);
      map.thumbnail = true;
      map.scale.high = 1;
      panel.body = std::move(map);
      grid.panels.push_back(std::move(panel));
    }
  }
  FigureData figure;
  figure.title = carry ? std::string("Carry weights of every layer")
                       : fmt::format("Attention of every layer and head, {}",
                                     part == Part::none ? "all parts" : mog::name(part));
  figure.caption = sentence_caption(source, sentence, "summary");
  figure.body = std::move(grid);
  return figure;
}

FigureData gate_figure(const RecordingSource& source, std::int64_t index, const TokenOptions& options) {
  check_index(source, index);
  const auto layers = gate_layers(source.header());
  const Sentence sentence = source.sentence(index);
  const auto tokens = kept(sentence.tokens, options.special_tokens);
  HeatMap map;
  map.row_title = "layer";
  map.column_title = "word";
  map.columns = token_labels(sentence, options);
  double low = 1;
  double high = 0;
  for (const std::int64_t layer : layers) {
    map.rows.push_back({fmt::format("{}", layer), false, -1});
    const auto values = gate_values(source, index, layer, false);
    const std::size_t width = values.size() / std::max<std::size_t>(sentence.tokens.size(), 1);
    for (const std::size_t token : tokens) {
      double sum = 0;
      for (std::size_t i = 0; i < width; ++i) {
        sum += static_cast<double>(values[token * width + i]);
      }
      map.values.push_back(sum / static_cast<double>(width));
      low = std::min(low, map.values.back());
      high = std::max(high, map.values.back());
    }
  }
  // Means over d_model differ little: the scale covers what occurs, its ends are printed.
  const RoundRange range = low <= high ? round_range(low, high, 4) : RoundRange{0, 1};
  map.scale.low = std::max(0.0, range.low);
  map.scale.high = std::min(1.0, range.high);
  const bool recurrent = is_recurrent(source.header());
  map.scale.quantity = {recurrent ? "share of the new value" : "gate weight w", "", "mean over dimensions"};
  map.square_cells = false;
  FigureData figure;
  figure.title = recurrent ? "Share of the new value (gate), by word and layer"
                           : "Gate weight of high + middle order, by word and layer";
  figure.caption = sentence_caption(source, sentence, "summary");
  figure.body = std::move(map);
  return figure;
}

FigureData gate_dimensions_figure(const RecordingSource& source, std::int64_t index, std::int64_t layer,
                                  const TokenOptions& options) {
  check_index(source, index);
  const auto values = gate_values(source, index, layer, true);
  const Sentence sentence = source.sentence(index);
  HeatMap map;
  map.row_title = "word";
  map.column_title = "dimension";
  map.rows = token_labels(sentence, options);
  const std::size_t width = values.size() / std::max<std::size_t>(sentence.tokens.size(), 1);
  for (std::size_t i = 0; i < width; ++i) {
    map.columns.push_back({fmt::format("{}", i + 1), false, -1});
  }
  for (const std::size_t token : kept(sentence.tokens, options.special_tokens)) {
    for (std::size_t i = 0; i < width; ++i) {
      map.values.push_back(static_cast<double>(values[token * width + i]));
    }
  }
  const bool recurrent = is_recurrent(source.header());
  map.scale.quantity.quantity = recurrent ? "share of the new value" : "gate weight w";
  map.square_cells = false;
  FigureData figure;
  figure.title =
      fmt::format("{}, layer {}, by word and dimension",
                  recurrent ? "Share of the new value (gate)" : "Gate weight of high + middle order", layer);
  figure.caption = sentence_caption(source, sentence, "summary");
  figure.body = std::move(map);
  return figure;
}

FigureData attention_arcs(const RecordingSource& source, std::int64_t index, std::int64_t layer,
                          std::span<const Part> parts, std::int64_t head, const ArcOptions& options) {
  check_index(source, index);
  const Sentence sentence = source.sentence(index);
  const bool of_target = std::find(parts.begin(), parts.end(), Part::self) != parts.end();
  if (std::find(parts.begin(), parts.end(), Part::cross) != parts.end() || (of_target && parts.size() > 1)) {
    throw UsageError(
        "attention as arcs: the ends of an arc are words of one text, which part cross and part self beside "
        "others do not have; draw the map (figure attention)");
  }
  const std::vector<Token>& text = of_target ? sentence.target_tokens : sentence.tokens;
  const MapSide side =
      map_side(text, of_target ? std::span<const Word>() : sentence.words, options.tokens, 0);
  const auto texts = text_numbers(text);
  const auto inside = [&](std::size_t place, std::int64_t wanted) {
    return wanted == 0 || texts[static_cast<std::size_t>(side.tokens[place].front())] == wanted;
  };
  ArcFigure arcs;
  arcs.words = side.labels;
  const bool carry = is_recurrent(source.header()) && !of_target;
  arcs.weight = {carry ? "carry weight" : "attention weight", "",
                 head == 0 && !carry ? heads_text(head, options.tokens.heads) : ""};
  for (const Part part : parts) {
    const AttentionMap map = attention_map(source, index, layer, part, head, options.tokens.heads);
    const std::vector<double> values = map_values(map, side, side);
    for (std::size_t row = 0; row < side.tokens.size(); ++row) {
      for (std::size_t column = 0; column < side.tokens.size(); ++column) {
        const double weight = values[row * side.tokens.size() + column];
        if (weight >= options.threshold && inside(row, options.tokens.block.query) &&
            inside(column, options.tokens.block.key)) {
          Arc arc;
          arc.source = static_cast<std::int64_t>(row);
          arc.target = static_cast<std::int64_t>(column);
          arc.weight = weight;
          arc.part = part;
          arc.layer = layer;
          arcs.arcs.push_back(std::move(arc));
        }
      }
    }
  }
  FigureData figure;
  const char* const all_parts = source.header().model.encoder_kind == "transformer" ? "mean over heads"
                                : carry                                             ? "mean over directions"
                                                                                    : "mean over parts";
  std::string part_text;
  for (const Part part : parts) {
    part_text += ", " + std::string(part == Part::none ? all_parts : mog::name(part));
  }
  figure.title = fmt::format("{} of at least {}, {}{}", carry ? "Carry weights" : "Attention", "",
                             layer == 0 ? std::string("mean over layers") : fmt::format("layer {}", layer),
                             carry && !source.header().model.bidirectional ? std::string() : part_text) +
                 choice_text(options.tokens);
  figure.caption = sentence_caption(source, sentence, "summary");
  figure.body = std::move(arcs);
  return narrowed_arcs(figure, options);
}

}  // namespace mog::analysis
