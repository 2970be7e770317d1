// Attention as matrices, grids and arcs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/map_sides.h"
#include "analysis/figure_data/sentence_figures.h"
#include "analysis/figure_data/weight_scale.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::int64_t kCarryColumns = 4;  // of a grid with one map a layer
constexpr std::int64_t kMostCells = 9'000'000;

// The options with the stretches that are shown: by word, whole words. Throws UsageError for more cells than
// can be seen.
TokenOptions shown_stretches(const Sentence& sentence, const MapText& text, TokenOptions options) {
  const auto& rows = text.target_rows ? sentence.target_tokens : sentence.tokens;
  const auto& columns = text.target_columns ? sentence.target_tokens : sentence.tokens;
  const std::int64_t queries = token_range(options.queries, std::ssize(rows), "queries").count;
  const std::int64_t keys = token_range(options.keys, std::ssize(columns), "keys").count;
  if (queries > 0 && keys > kMostCells / queries) {
    throw UsageError(fmt::format(
        "a map of {} queries on {} keys has more cells than can be seen; choose a part of it: queries and "
        "keys FIRST-LAST (--queries 1-200 --keys 1-200; of arcs --tokens 1-200)",
        queries, keys));
  }
  if (options.by_word) {
    options.queries = whole_words(options.queries, rows);
    options.keys = whole_words(options.keys, columns);
  }
  return options;
}

std::string heads_text(std::int64_t head, std::span<const std::int64_t> heads) {
  return head > 0 ? fmt::format("head {}", head)
         : heads.empty()
             ? std::string("mean over heads")
             : fmt::format("mean over head{} {}", heads.size() > 1 ? "s" : "", fmt::join(heads, ", "));
}

// Of carry maps: ", forward", or nothing where there is one direction only.
std::string direction_text(const RecordingHeader& header, Part part) {
  if (!header.stack().has(PartRole::direction)) {
    return "";
  }
  return part == Part::none ? ", mean over directions" : fmt::format(", {}", mog::name(part));
}

std::string place_text(const RecordingHeader& header, std::int64_t layer, Part part, std::int64_t head,
                       std::span<const std::int64_t> heads) {
  std::string result = layer == 0 ? "mean over layers" : fmt::format("layer {}", layer);
  const StackDescription& stack = stack_of(header, part);
  if (stack.recurrent()) {
    return result + direction_text(header, part);
  }
  const bool only_part = stack.stack == header.stack().stack && stack.with(PartRole::attention).size() == 1;
  if (part == Part::none && !only_part) {
    result += ", mean over parts";
  } else if (!only_part) {
    result += fmt::format(", {}", mog::name(part));
  }
  return result + ", " + heads_text(head, heads);
}

// Of arcs of several parts: "layer 3, high, middle1, head 2".
std::string places_text(const RecordingHeader& header, std::int64_t layer, std::span<const Part> parts,
                        std::int64_t head, std::span<const std::int64_t> heads) {
  if (parts.size() == 1) {
    return place_text(header, layer, parts.front(), head, heads);
  }
  std::string result = layer == 0 ? "mean over layers" : fmt::format("layer {}", layer);
  for (const Part part : parts) {
    result += fmt::format(", {}", mog::name(part));
  }
  return stack_of(header, parts.empty() ? Part::none : parts.front()).recurrent()
             ? result
             : result + ", " + heads_text(head, heads);
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
  if (!options.queries.all() || !options.keys.all()) {
    const auto side = [](const Stretch& stretch) {
      return stretch.all() ? std::string("all") : fmt::format("tokens {} to {}", stretch.first, stretch.last);
    };
    result += options.queries == options.keys
                  ? ", " + side(options.queries)
                  : fmt::format(", {} on {}", side(options.queries), side(options.keys));
  }
  return result;
}

// carry: a recurrent encoder's map.
HeatMap heat_map_of(const AttentionMap& map, const Sentence& sentence, Pieces pieces, const MapText& text,
                    const TokenOptions& options, bool carry, const SeenKeys& seen) {
  const auto& row_tokens = text.target_rows ? sentence.target_tokens : sentence.tokens;
  const auto& column_tokens = text.target_columns ? sentence.target_tokens : sentence.tokens;
  const MapSide rows =
      map_side(row_tokens, pieces, text.target_rows ? std::span<const Word>() : sentence.words, options,
               /*keys=*/false);
  const MapSide columns =
      map_side(column_tokens, pieces, text.target_columns ? std::span<const Word>() : sentence.words, options,
               /*keys=*/true);
  HeatMap result;
  result.row_title = text.target_rows ? "target" : "query";
  result.column_title = text.target_columns ? "target" : text.target_rows ? "source" : "key";
  if (carry) {
    result.row_title = "state at";
    result.column_title = "weight of";
  }
  result.rows = rows.labels;
  result.columns = columns.labels;
  result.values = map_values(map, rows, columns);
  leave_out_unseen(result, seen, rows.tokens, columns.tokens);
  result.special_in_scale = options.special_in_scale;
  result.scale.quantity = {carry ? "carry weight" : "attention weight", "", out_of_scale_text(result)};
  scale_weights(result);
  return result;
}

// Which keys the queries of a map see; a map across two texts shows all.
SeenKeys seen_keys(const RecordingHeader& header, std::int64_t layer, Part part) {
  const MapText text = map_text(header, part);
  return text.target_rows == text.target_columns ? SeenKeys(header, stack_of(header, part).stack, layer)
                                                 : SeenKeys();
}

// Frames the cells of the pairs that the recorded graph joins.
void frame_graph(HeatMap& map, const RecordingSource& source, std::int64_t index, const Sentence& sentence,
                 const TokenOptions& options) {
  const QuantityName name(source.header().stack().stack, 0, Part::none, Quantity::graph);
  if (source.header().find(name) == nullptr) {
    throw UsageError(fmt::format(
        "a map with its graph: the recording of {} does not hold {}; record a model that reads a graph with "
        "mog record --quantity {}",
        source.header().model.name, name.text(), name.text()));
  }
  const std::vector<float> relations = source.read(index, name).to_floats();
  const auto rows = shown_tokens(sentence, options);
  const auto columns = shown_tokens(sentence, options, /*keys=*/true);
  const std::size_t tokens = sentence.tokens.size();
  const auto joined = [&](const std::vector<std::int64_t>& queries, const std::vector<std::int64_t>& keys) {
    return std::ranges::any_of(queries, [&](std::int64_t query) {
      return std::ranges::any_of(keys, [&](std::int64_t key) {
        return relations[static_cast<std::size_t>(query) * tokens + static_cast<std::size_t>(key)] > 0;
      });
    });
  };
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if (joined(rows[row], columns[column])) {
        map.marks.push_back({static_cast<std::int64_t>(row), static_cast<std::int64_t>(column)});
      }
    }
  }
}

}  // namespace

FigureData attention_figure(const RecordingSource& source, std::int64_t index, std::int64_t layer, Part part,
                            std::int64_t head, const TokenOptions& options) {
  check_index(source, index);
  const Sentence sentence = source.sentence(index);
  const TokenOptions shown = shown_stretches(sentence, map_text(source.header(), part), options);
  const AttentionMap map =
      attention_map(source, index, layer, part, head, options.heads, shown.queries, shown.keys);
  FigureData figure;
  const bool carry = stack_of(source.header(), part).recurrent();
  figure.title = (carry ? "Carry weights, " : "Attention, ") +
                 place_text(source.header(), layer, part, head, options.heads) + choice_text(shown);
  figure.caption = sentence_caption(source, sentence, "summary");
  figure.body = heat_map_of(map, sentence, pieces_of(source.header()), map_text(source.header(), part),
                            options, carry, seen_keys(source.header(), layer, part));
  if (options.graph) {
    frame_graph(std::get<HeatMap>(figure.body), source, index, sentence, options);
    figure.caption = caption(
        source.header().model, source.header().provenance.corpus_name,
        fmt::format("sentence {}; framed: pairs with a relation in the graph that is read", sentence.number),
        "summary");
  }
  return figure;
}

FigureData attention_grid(const RecordingSource& source, std::int64_t index, Part part) {
  check_index(source, index);
  const Sentence sentence = source.sentence(index);
  PanelFigure grid;
  grid.label_panels = false;
  shown_stretches(sentence, map_text(source.header(), part), {});  // refuses what cannot be seen
  const bool carry = stack_of(source.header(), part).recurrent();
  for (const QuantitySchema* const schema : attention_schemas(source.header(), 0, part, 0)) {
    const bool by_head = schema->name.reduction() == Reduction::full && !carry;
    const std::int64_t heads = by_head ? schema->extents.front() : 1;
    grid.columns = std::max(grid.columns, heads);
    if (carry) {
      grid.columns = std::min<std::int64_t>(source.header().stack().layers, kCarryColumns);
      if (source.header().stack().has(PartRole::direction) && part == Part::none) {
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
      HeatMap map = heat_map_of(
          attention_map(source, index, schema->name.layer(), schema->name.part(), asked), sentence,
          pieces_of(source.header()), map_text(source.header(), part), {.special_in_scale = true}, carry,
          seen_keys(source.header(), schema->name.layer(), part));
      map.thumbnail = true;
      map.scale.high = 1;
      map.scale.more = false;
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

FigureData attention_arcs(const RecordingSource& source, std::int64_t index, std::int64_t layer,
                          std::span<const Part> parts, std::int64_t head, const ArcOptions& options) {
  check_index(source, index);
  if (parts.empty()) {
    attention_schemas(source.header(), layer, Part::none, head);  // says what there is
  }
  const Sentence sentence = source.sentence(index);
  const bool of_target = std::any_of(
      parts.begin(), parts.end(), [&](Part part) { return map_text(source.header(), part).target_columns; });
  const bool across = std::any_of(parts.begin(), parts.end(), [&](Part part) {
    const MapText text = map_text(source.header(), part);
    return text.target_rows != text.target_columns;
  });
  if (across || (of_target && parts.size() > 1)) {
    throw UsageError(
        "attention as arcs: the ends of an arc are words of one text, which part cross and part self beside "
        "others do not have; draw the map (figure attention)");
  }
  if (options.tokens.queries != options.tokens.keys) {
    throw UsageError(
        "attention as arcs: they join words of one stretch of the text; queries and keys of different "
        "stretches are a map (figure attention)");
  }
  const std::vector<Token>& text = of_target ? sentence.target_tokens : sentence.tokens;
  const TokenOptions shown =
      shown_stretches(sentence, map_text(source.header(), parts.front()), options.tokens);
  TokenOptions of_all = shown;
  of_all.block = {};
  const MapSide side =
      map_side(text, pieces_of(source.header()), of_target ? std::span<const Word>() : sentence.words, of_all,
               /*keys=*/false);
  const auto texts = text_numbers(text);
  const auto inside = [&](std::size_t place, std::int64_t wanted) {
    return wanted == 0 || texts[static_cast<std::size_t>(side.tokens[place].front())] == wanted;
  };
  ArcFigure arcs;
  arcs.words = side.labels;
  const bool carry = source.header().stack().recurrent() && !of_target;
  arcs.weight = {carry ? "carry weight" : "attention weight", "",
                 head == 0 && !carry ? heads_text(head, options.tokens.heads) : ""};
  for (const Part part : parts) {
    const AttentionMap map =
        attention_map(source, index, layer, part, head, shown.heads, shown.queries, shown.keys);
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
  figure.title = (carry ? "Carry weights" : "Attention") + std::string(" of at least , ") +
                 places_text(source.header(), layer, parts, head, options.tokens.heads) + choice_text(shown);
  figure.caption = sentence_caption(source, sentence, "summary");
  figure.body = std::move(arcs);
  return narrowed_arcs(figure, options);
}

}  // namespace mog::analysis
