// The attention of one layer and part as numbers: which recorded maps it is made of, and their mean.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/map_sides.h"
#include "analysis/figure_data/sentence_figures.h"
#include "io/recording/errors.h"
#include "io/recording/top_keys.h"

namespace mog::analysis {
namespace {

// The heads, from 1, whose mean is asked for; `heads` are recorded.
std::vector<std::int64_t> heads_asked(const QuantitySchema& schema, std::int64_t heads, std::int64_t head,
                                      std::span<const std::int64_t> chosen) {
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
  if (head > 0) {
    return {head};
  }
  std::vector<std::int64_t> taken(chosen.begin(), chosen.end());
  for (std::int64_t h = 1; chosen.empty() && h <= heads; ++h) {
    taken.push_back(h);
  }
  return taken;
}

// Adds the mean of the heads that are asked for to `map`. They alone are read: neighbours together, as long
// as they are not much.
void add_map(AttentionMap& map, const QuantitySchema& schema, const RecordingSource& source,
             std::int64_t index, std::int64_t head, std::span<const std::int64_t> chosen, double share) {
  constexpr std::int64_t kAtOnce = std::int64_t{4} << 20;  // values
  const bool by_head = schema.axes.size() == 3;
  const auto taken = heads_asked(schema, by_head ? schema.extents.front() : 1, head, chosen);
  const std::int64_t cells = map.rows * map.columns;
  const double weight = share / static_cast<double>(taken.size());
  for (std::size_t first = 0; first < taken.size();) {
    std::size_t end = first + 1;
    while (end < taken.size() && taken[end] == taken[end - 1] + 1 &&
           static_cast<std::int64_t>(end - first + 1) * cells <= kAtOnce) {
      ++end;
    }
    TensorBlock block{{map.first_row, map.first_column}, {map.rows, map.columns}};
    if (by_head) {
      block.first.insert(block.first.begin(), taken[first] - 1);
      block.extents.insert(block.extents.begin(), static_cast<std::int64_t>(end - first));
    }
    const std::vector<float> values = source.read_block(index, schema.name, block).to_floats();
    for (std::size_t at = 0; at < values.size(); at += map.values.size()) {
      for (std::size_t cell = 0; cell < map.values.size(); ++cell) {
        map.values[cell] += weight * static_cast<double>(values[at + cell]);
      }
    }
    first = end;
  }
}

}  // namespace

const StackDescription& stack_of(const RecordingHeader& header, Part part) {
  if (part != Part::none) {
    for (const StackDescription& stack : header.system.stacks) {
      if (std::find(stack.parts.begin(), stack.parts.end(), part) != stack.parts.end()) {
        return stack;
      }
    }
  }
  return header.stack();
}

MapText map_text(const RecordingHeader& header, Part part) {
  const StackDescription& stack = stack_of(header, part);
  const bool target = stack.input == StackInput::target;
  const bool cross = std::any_of(stack.parts.begin(), stack.parts.end(), [part](Part other) {
    return other == part && other.role() == PartRole::cross;
  });
  return {target, target && !cross};
}

bool is_attention(const QuantityName& name, std::int64_t head) {
  return name.quantity() == map_quantity(name.part()) && !name.of_task() &&
         (name.reduction() == Reduction::full || (head == 0 && name.reduction() == Reduction::mean_heads));
}

namespace {

// "high (layers 1 to 6), middle1 (layers 2 to 6)": what there is of the maps; empty: none.
std::string maps_text(const RecordingHeader& header) {
  std::map<Part, std::set<std::int64_t>> layers;
  for (const QuantitySchema& schema : header.quantities) {
    if (is_attention(schema.name, 0)) {
      layers[schema.name.part()].insert(schema.name.layer());
    }
  }
  std::string text;
  for (const auto& [part, of_part] : layers) {
    const std::int64_t first = *of_part.begin();
    const std::int64_t last = *of_part.rbegin();
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ",
                        part == Part::none ? "attention without parts" : mog::name(part),
                        first == last ? fmt::format("layer {}", first)
                        : last - first + 1 == static_cast<std::int64_t>(of_part.size())
                            ? fmt::format("layers {} to {}", first, last)
                            : fmt::format("layers {}", fmt::join(of_part, ", ")));
  }
  return text;
}

}  // namespace

std::vector<const QuantitySchema*> attention_schemas(const RecordingHeader& header, std::int64_t layer,
                                                     Part part, std::int64_t head) {
  std::vector<const QuantitySchema*> result;
  for (const QuantitySchema& schema : header.quantities) {
    const QuantityName& name = schema.name;
    const bool wanted = (layer == 0 || name.layer() == layer) &&
                        (part == Part::none ? name.stack() == header.stack().stack : name.part() == part);
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
  const StackDescription& stack = stack_of(header, part);
  const char* const what = stack.recurrent() ? "a carry map" : "an attention map";
  if (result.empty() && layer > stack.layers) {
    throw UsageError(fmt::format(
        "{} of {}layer {}: {} has {} of them, counted from 1", what,
        stack.stack == header.stack().stack ? std::string() : fmt::format("{} ", mog::name(stack.stack)),
        layer, header.model.name, stack.layers));
  }
  if (result.empty()) {
    const std::string held = maps_text(header);
    throw UsageError(fmt::format(
        "{} of {}, {}, {}: the recording of {} does not hold it; {}{}", what,
        layer == 0 ? std::string("all layers") : fmt::format("layer {}", layer),
        part == Part::none ? std::string("all parts") : fmt::format("part {}", mog::name(part)),
        head == 0 ? std::string("mean over heads") : fmt::format("head {}", head), header.model.name,
        held.empty() ? std::string("record with --capture attention") : fmt::format("it holds {}", held),
        only_top_keys(header)));
  }
  return result;
}

std::vector<Part> attention_parts(const RecordingHeader& header) {
  std::set<Part> parts;
  for (const QuantitySchema& schema : header.quantities) {
    if (schema.name.stack() == header.stack().stack && is_attention(schema.name, 0)) {
      parts.insert(schema.name.part());
    }
  }
  return {parts.begin(), parts.end()};
}

std::vector<std::int64_t> attention_layers(const RecordingHeader& header) {
  std::set<std::int64_t> layers;
  for (const QuantitySchema& schema : header.quantities) {
    if (schema.name.stack() == header.stack().stack && is_attention(schema.name, 0)) {
      layers.insert(schema.name.layer());
    }
  }
  return {layers.begin(), layers.end()};
}

AttentionMap attention_map(const RecordingSource& source, std::int64_t index, std::int64_t layer, Part part,
                           std::int64_t head, std::span<const std::int64_t> heads, const Stretch& queries,
                           const Stretch& keys) {
  check_index(source, index);
  const auto schemas = attention_schemas(source.header(), layer, part, head);
  const Sentence sentence = source.sentence(index);
  const MapText text = map_text(source.header(), part);
  const auto tokens_of = [&](bool target) {
    return std::ssize(target ? sentence.target_tokens : sentence.tokens);
  };
  const TokenRange rows = token_range(queries, tokens_of(text.target_rows), "queries");
  const TokenRange columns = token_range(keys, tokens_of(text.target_columns), "keys");
  AttentionMap map{.rows = rows.count,
                   .columns = columns.count,
                   .values = std::vector<double>(static_cast<std::size_t>(rows.count * columns.count)),
                   .first_row = rows.first,
                   .first_column = columns.first};
  for (const QuantitySchema* const schema : schemas) {
    add_map(map, *schema, source, index, head, heads, 1.0 / static_cast<double>(schemas.size()));
  }
  return map;
}

}  // namespace mog::analysis
