#include "app/gui/figure_data_tasks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/figure_data/builders.h"
#include "analysis/statistics/table.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

using analysis::FigureData;
using analysis::HeatMap;

constexpr double kSmallestArc = 0.01;
constexpr std::int64_t kMostArcs = 20'000;

bool holds(const RecordingHeader& header, std::int64_t layer, Part part) {
  const QuantityName name(Stack::encoder, layer, part, map_quantity(part));
  return header.find(name) != nullptr || header.find(name.with(Reduction::mean_heads)) != nullptr;
}

// [head, query, key] of one map as recorded; heads is 1 where only their mean was kept, and of carry weights.
struct Block {
  std::vector<float> values;
  std::int64_t heads = 0;
  bool mean_only = false;
};

Block read_block(const RecordingSource& source, std::int64_t index, std::int64_t layer, Part part) {
  const QuantityName name(Stack::encoder, layer, part, map_quantity(part));
  if (part == Part::recurrent) {
    return {source.read(index, name).to_floats(), 1, true};
  }
  if (source.header().find(name) != nullptr) {
    const HostTensor tensor = source.read(index, name);
    return {tensor.to_floats(), tensor.shape().empty() ? 0 : tensor.shape().front(), false};
  }
  return {source.read(index, name.with(Reduction::mean_heads)).to_floats(), 1, true};
}

// A square map of `tokens` a side, averaged into at most `cells` cells a side.
FigureData thumbnail(const std::vector<float>& map, std::int64_t tokens, std::int64_t cells) {
  const std::int64_t side = std::min(tokens, cells);
  HeatMap picture;
  picture.thumbnail = true;
  picture.rows.resize(static_cast<std::size_t>(side));
  picture.columns.resize(static_cast<std::size_t>(side));
  std::vector<double> sums(static_cast<std::size_t>(side * side));
  std::vector<std::int64_t> counts(sums.size());
  for (std::int64_t row = 0; row < tokens; ++row) {
    for (std::int64_t column = 0; column < tokens; ++column) {
      const auto cell = static_cast<std::size_t>((row * side / tokens) * side + column * side / tokens);
      sums[cell] += static_cast<double>(map[static_cast<std::size_t>(row * tokens + column)]);
      ++counts[cell];
    }
  }
  for (std::size_t cell = 0; cell < sums.size(); ++cell) {
    sums[cell] /= static_cast<double>(std::max<std::int64_t>(1, counts[cell]));
  }
  picture.values = std::move(sums);
  picture.scale.quantity.quantity = "attention weight";
  return FigureData{{}, {}, std::move(picture)};
}

// Adds map `head` of the block (0: the mean over heads) to `sum`.
void add_head(const Block& block, std::int64_t head, std::int64_t tokens, std::vector<float>& sum) {
  const auto cells = static_cast<std::size_t>(tokens * tokens);
  const std::int64_t first = head == 0 ? 0 : head - 1;
  const std::int64_t last = head == 0 ? block.heads : head;
  const float scale = head == 0 ? 1.0F / static_cast<float>(block.heads) : 1.0F;
  for (std::int64_t h = first; h < last; ++h) {
    const float* from = block.values.data() + static_cast<std::size_t>(h) * cells;
    for (std::size_t cell = 0; cell < cells; ++cell) {
      sum[cell] += scale * from[cell];
    }
  }
}

}  // namespace

std::vector<Part> parts_of_layer(const RecordingHeader& header, std::int64_t layer) {
  std::vector<Part> parts;
  for (const Part part : {Part::high, Part::middle1, Part::middle2, Part::low, Part::full, Part::recurrent}) {
    if (holds(header, layer, part)) {
      parts.push_back(part);
    }
  }
  return parts;
}

MapFigures load_map(const RecordingSource& source, const MapQuestion& question) {
  std::vector<Part> parts = parts_of_layer(source.header(), question.layer);
  if (question.part != Part::none) {
    if (std::find(parts.begin(), parts.end(), question.part) == parts.end()) {
      throw UsageError("Layer " + std::to_string(question.layer) + " has no " +
                       std::string(name(question.part)) +
                       " attention in this recording: choose another layer, or all parts (0).");
    }
    parts = {question.part};
  }
  if (parts.empty()) {
    throw UsageError("This recording holds no attention maps of layer " + std::to_string(question.layer) +
                     ". Record the corpus again with --capture attention.");
  }
  const Part part = parts.size() == 1 ? parts.front() : Part::none;
  MapFigures figures;
  figures.matrix = std::make_shared<const FigureData>(
      analysis::attention_figure(source, question.index, question.layer, part, question.head));
  analysis::ArcOptions options;
  options.threshold = kSmallestArc;
  options.at_most = kMostArcs;
  figures.arcs = std::make_shared<const FigureData>(
      analysis::attention_arcs(source, question.index, question.layer, parts, question.head, options));
  const Sentence sentence = source.sentence(question.index);
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    if (sentence.tokens[token].word >= 0) {
      figures.arc_tokens.push_back(static_cast<std::int64_t>(token));
    }
  }
  return figures;
}

FigurePointer narrow_arcs(const FigureData& arcs, std::optional<std::int64_t> word, double threshold,
                          std::int64_t at_most) {
  FigureData narrowed = arcs;
  auto& list = std::get<analysis::ArcFigure>(narrowed.body).arcs;
  std::erase_if(list, [&](const analysis::Arc& arc) {
    return arc.weight < threshold || (word && arc.source != *word);
  });
  std::stable_sort(list.begin(), list.end(),
                   [](const analysis::Arc& a, const analysis::Arc& b) { return a.weight > b.weight; });
  if (static_cast<std::int64_t>(list.size()) > at_most) {
    list.resize(static_cast<std::size_t>(at_most));
  }
  // "Attention of at least 0.01, layer 3, high": the threshold is now another one.
  const std::size_t comma = narrowed.title.find(", ");
  const std::string place = comma == std::string::npos ? std::string() : narrowed.title.substr(comma);
  const auto& words = std::get<analysis::ArcFigure>(narrowed.body).words;
  narrowed.title = narrowed.title.substr(0, narrowed.title.find(" of at least ")) + " of at least " +
                   analysis::shortest(threshold) + place;
  if (word && *word < static_cast<std::int64_t>(words.size())) {
    narrowed.title += ", from " + words[static_cast<std::size_t>(*word)].text;
  }
  return std::make_shared<const FigureData>(std::move(narrowed));
}

MapGrid load_grid(const RecordingSource& source, std::int64_t index, Part part, std::int64_t cells,
                  const std::stop_token& stop) {
  MapGrid grid;
  double greatest = 0;
  const std::int64_t tokens = static_cast<std::int64_t>(source.sentence(index).tokens.size());
  std::int64_t layers = 0;
  for (const QuantitySchema& schema : source.header().quantities) {
    if (schema.name.stack() == Stack::encoder && schema.name.quantity() == map_quantity(schema.name.part())) {
      layers = std::max(layers, schema.name.layer());
    }
  }
  grid.layers = layers;
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    if (stop.stop_requested()) {
      throw Interrupted("cancelled");
    }
    std::vector<Part> parts = parts_of_layer(source.header(), layer);
    if (part != Part::none) {
      std::erase_if(parts, [part](Part other) { return other != part; });
    }
    std::vector<Block> blocks;
    for (const Part one : parts) {
      blocks.push_back(read_block(source, index, layer, one));
    }
    auto& row = grid.maps.emplace_back();
    if (blocks.empty()) {
      continue;
    }
    const std::int64_t heads = blocks.front().mean_only ? 0 : blocks.front().heads;
    grid.heads = std::max(grid.heads, heads);
    for (std::int64_t head = 0; head <= heads; ++head) {
      std::vector<float> sum(static_cast<std::size_t>(tokens * tokens));
      for (const Block& block : blocks) {
        add_head(block, head, tokens, sum);
      }
      for (float& value : sum) {
        value /= static_cast<float>(blocks.size());
      }
      row.push_back(thumbnail(sum, tokens, cells));
      const auto& values = std::get<HeatMap>(row.back().body).values;
      greatest = std::max(greatest, *std::max_element(values.begin(), values.end()));
    }
  }
  // One scale for all, so that they can be compared.
  for (auto& row : grid.maps) {
    for (FigureData& map : row) {
      std::get<HeatMap>(map.body).scale.high = greatest > 0 ? greatest : 1;
    }
  }
  grid.greatest = greatest;
  return grid;
}

TreeSearch::TreeSearch(const RecordingSource& source, std::int64_t index)
    : TreeSearch(source, index, analysis::build_word_grammar(source, index)) {}

TreeSearch::TreeSearch(const RecordingSource& source, std::int64_t index, analysis::WordGrammar grammar)
    : sentence_(source.sentence(index)),
      model_(source.header().model),
      corpus_(source.header().provenance.corpus_name),
      notes_(std::move(grammar.notes)),
      grammar_(std::move(grammar.input)),
      search_(grammar_) {}

TreeSearch::Answer TreeSearch::best(analysis::Goal goal, std::int64_t k) {
  const std::lock_guard lock(mutex_);
  const analysis::KBestList list = search_.list(goal, k);
  return {goal, search_.derivations(list), list.ended_by_limit};
}

TreeSearch::Answer TreeSearch::best_by_order(analysis::Goal goal, std::int64_t most_leaves) {
  const std::lock_guard lock(mutex_);
  if (by_order_ == nullptr || by_order_->most_leaves() != most_leaves) {
    by_order_ = std::make_unique<analysis::BestByOrder>(grammar_, most_leaves);
  }
  Answer answer{goal, {}, false};
  for (auto& derivation : by_order_->all(goal)) {
    if (derivation) {
      answer.derivations.push_back(std::move(*derivation));
    }
  }
  return answer;
}

std::int64_t TreeSearch::word_of(std::int64_t token) const {
  if (token < 0 || token >= static_cast<std::int64_t>(sentence_.tokens.size())) {
    return -1;
  }
  return sentence_.tokens[static_cast<std::size_t>(token)].word;
}

std::int64_t TreeSearch::token_of(std::int64_t word) const {
  for (std::size_t token = 0; token < sentence_.tokens.size(); ++token) {
    if (sentence_.tokens[token].word == word) {
      return static_cast<std::int64_t>(token);
    }
  }
  return -1;
}

}  // namespace mog::gui
