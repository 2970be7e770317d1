// A page of all maps of a sentence: 12 × 12 heads of three parts and 512 tokens would be 113 million
// numbers, and a thumbnail has a few dozen pixels a side. So every map is summed into cells as soon as it is
// read, rows first and then along them, and only the cells stay. One layer's maps are in memory at a time;
// time is one pass over what was recorded.
//
// Means over heads, parts and layers are linear: they are made of the cell sums, and divided by the width of
// the cells once at the end. Cells hold whole tokens, neighbours by number, so that some are one token wider
// than others.
//
// One scale for the whole page, found in a last pass, else the eye would compare colours that do not mean
// the same. Special tokens are out of it, as in a map by itself.
#include "analysis/figure_data/attention_overview.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/map_sides.h"
#include "analysis/figure_data/weight_scale.h"
#include "io/recording/errors.h"
#include "io/recording/seen_keys.h"

namespace mog::analysis {
namespace {

bool holds(const RecordingHeader& header, std::int64_t layer, Part part) {
  const QuantityName name(header.stack().stack, layer, part, map_quantity(part));
  return header.find(name) != nullptr || header.find(name.with(Reduction::mean_heads)) != nullptr;
}

// [head, query, key] of one map as recorded; heads is 1 where only their mean was kept, and of carry weights.
struct Block {
  std::vector<float> values;
  std::int64_t heads = 0;
  bool mean_only = false;
};

Block read_block(const RecordingSource& source, std::int64_t index, std::int64_t layer, Part part,
                 const TokenRange& rows, const TokenRange& columns) {
  const QuantityName name(source.header().stack().stack, layer, part, map_quantity(part));
  const QuantitySchema* const by_head = has_carry(part) ? nullptr : source.header().find(name);
  const std::int64_t heads = by_head == nullptr ? 1 : by_head->extents.front();
  TensorBlock block{{rows.first, columns.first}, {rows.count, columns.count}};
  if (by_head != nullptr) {
    block.first.insert(block.first.begin(), 0);
    block.extents.insert(block.extents.begin(), heads);
  }
  const bool reduced = by_head == nullptr && !has_carry(part);
  return {source.read_block(index, reduced ? name.with(Reduction::mean_heads) : name, block).to_floats(),
          heads, by_head == nullptr};
}

std::vector<std::int64_t> heads_of_mean(const Block& block, const std::vector<std::int64_t>& chosen) {
  if (chosen.empty() || block.mean_only) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(block.heads));
    std::iota(all.begin(), all.end(), 1);
    return all;
  }
  for (const std::int64_t head : chosen) {
    if (head < 1 || head > block.heads) {
      throw UsageError(fmt::format(
          "heads of an overview: head {} was asked for, {} are recorded, counted from 1", head, block.heads));
    }
  }
  return chosen;
}

// Which tokens share a cell along one side of a thumbnail.
struct Cells {
  std::int64_t tokens = 0;
  std::int64_t side = 0;
  std::vector<std::int64_t> first;  // [cell], and the end; counted from the first token that is shown
  std::int64_t begin = 0;           // that token

  Cells(const TokenRange& range, std::int64_t cells)
      : tokens(range.count), side(std::min(range.count, cells)), begin(range.first) {
    for (std::int64_t token = 0; token < tokens; ++token) {
      if (token * side / tokens == static_cast<std::int64_t>(first.size())) {
        first.push_back(token);
      }
    }
    first.push_back(tokens);
  }
  bool of_one_token() const { return side == tokens; }
  double wide(std::int64_t cell) const {
    return static_cast<double>(first[static_cast<std::size_t>(cell + 1)] -
                               first[static_cast<std::size_t>(cell)]);
  }
};

struct Grid {
  Cells rows;
  Cells columns;
  std::size_t cells() const { return static_cast<std::size_t>(rows.side * columns.side); }
  std::size_t at(std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(row * columns.side + column);
  }
  bool of_one_token() const { return rows.of_one_token() && columns.of_one_token(); }
};

// The sums of one map's cells: whole rows first, then along them. [cell of queries, cell of keys]
std::vector<double> cell_sums(const float* values, const Grid& grid) {
  if (grid.of_one_token()) {
    return {values, values + grid.cells()};
  }
  const auto tokens = static_cast<std::size_t>(grid.columns.tokens);
  std::vector<double> sums(grid.cells());
  std::vector<double> rows(tokens);
  const auto& first = grid.columns.first;
  for (std::int64_t cell = 0; cell < grid.rows.side; ++cell) {
    std::fill(rows.begin(), rows.end(), 0.0);
    const auto own = static_cast<std::size_t>(cell);
    for (auto row = static_cast<std::size_t>(grid.rows.first[own]);
         row < static_cast<std::size_t>(grid.rows.first[own + 1]); ++row) {
      for (std::size_t column = 0; column < tokens; ++column) {
        rows[column] += static_cast<double>(values[row * tokens + column]);
      }
    }
    for (std::int64_t along = 0; along < grid.columns.side; ++along) {
      const auto to = static_cast<std::size_t>(along);
      sums[grid.at(cell, along)] =
          std::accumulate(rows.begin() + first[to], rows.begin() + first[to + 1], 0.0);
    }
  }
  return sums;
}

// Cell sums of every map of the block. [head]
std::vector<std::vector<double>> cell_sums(const Block& block, const Grid& grid) {
  std::vector<std::vector<double>> sums;
  for (std::int64_t head = 0; head < block.heads; ++head) {
    sums.push_back(cell_sums(block.values.data() + head * grid.rows.tokens * grid.columns.tokens, grid));
  }
  return sums;
}

void add(const std::vector<double>& sums, double factor, std::vector<double>& to) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    to[i] += factor * sums[i];
  }
}

// Of sums over cells the means over them.
void divide_by_width(const Grid& grid, std::vector<double>& values) {
  if (grid.of_one_token()) {
    return;
  }
  for (std::int64_t row = 0; row < grid.rows.side; ++row) {
    for (std::int64_t column = 0; column < grid.columns.side; ++column) {
      values[grid.at(row, column)] /= grid.rows.wide(row) * grid.columns.wide(column);
    }
  }
}

// What stands at the sides of every thumbnail.
struct Sides {
  std::vector<WordLabel> rows;
  std::vector<WordLabel> columns;
  bool special_in_scale = false;
};

// A cell has the text of its first special token, so that the scale can name those that are out of it.
std::vector<WordLabel> labels_of(const Sentence& sentence, const Cells& cells, Pieces pieces) {
  std::vector<WordLabel> labels(static_cast<std::size_t>(cells.side));
  for (std::size_t cell = 0; cell < labels.size(); ++cell) {
    WordLabel& label = labels[cell];
    for (auto token = cells.first[cell]; token < cells.first[cell + 1] && !label.special; ++token) {
      const Token& one = sentence.tokens[static_cast<std::size_t>(cells.begin + token)];
      label.special = one.word < 0;
      label.text = label.special ? shown_text(one, pieces) : "";
    }
  }
  return labels;
}

// What no query of a cell sees of its keys is no cell.
void leave_out_unseen(std::vector<double>& values, const Grid& grid, const SeenKeys& seen) {
  if (seen.all()) {
    return;
  }
  const auto sees = [&](std::int64_t row, std::int64_t column) {
    const auto& rows = grid.rows.first;
    const auto& columns = grid.columns.first;
    for (std::int64_t query = rows[static_cast<std::size_t>(row)];
         query < rows[static_cast<std::size_t>(row + 1)]; ++query) {
      for (std::int64_t key = columns[static_cast<std::size_t>(column)];
           key < columns[static_cast<std::size_t>(column + 1)]; ++key) {
        if (seen(grid.rows.begin + query, grid.columns.begin + key)) {
          return true;
        }
      }
    }
    return false;
  };
  for (std::int64_t row = 0; row < grid.rows.side; ++row) {
    for (std::int64_t column = 0; column < grid.columns.side; ++column) {
      if (!sees(row, column)) {
        values[grid.at(row, column)] = kUnseen;
      }
    }
  }
}

FigureData thumbnail(std::vector<double> values, const Sides& sides) {
  HeatMap picture;
  picture.thumbnail = true;
  picture.special_in_scale = sides.special_in_scale;
  picture.rows = sides.rows;
  picture.columns = sides.columns;
  picture.values = std::move(values);
  picture.scale.quantity.quantity = "attention weight";
  return FigureData{{}, {}, std::move(picture)};
}

// The mean over the layers that have the map.
void add_mean_of_layers(AttentionOverview& overview, const Sides& sides) {
  std::vector<FigureData> means;
  for (std::int64_t head = 0; head <= overview.heads; ++head) {
    std::vector<double> sum;
    std::int64_t count = 0;
    for (const auto& row : overview.maps) {
      if (head < static_cast<std::int64_t>(row.size())) {
        const auto& values = std::get<HeatMap>(row[static_cast<std::size_t>(head)].body).values;
        sum.resize(values.size(), kUnseen);
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (values[i] != kUnseen) {  // where one layer sees, those that do not have 0
            sum[i] = number_of_value(sum[i]) + values[i];
          }
        }
        ++count;
      }
    }
    for (double& value : sum) {
      value /= static_cast<double>(count);
    }
    if (count > 0) {
      means.push_back(thumbnail(std::move(sum), sides));
    }
  }
  overview.maps.push_back(std::move(means));
}

// One scale for all, so that they can be compared.
void share_scale(AttentionOverview& overview) {
  std::vector<double> weights;
  for (const auto& row : overview.maps) {
    for (const FigureData& map : row) {
      add_scaled_weights(std::get<HeatMap>(map.body), weights);
    }
  }
  overview.high = weight_scale_end(std::move(weights));
  for (const auto& row : overview.maps) {
    for (const FigureData& map : row) {
      overview.more |= exceeds(std::get<HeatMap>(map.body), overview.high);
    }
  }
  for (auto& row : overview.maps) {
    for (FigureData& map : row) {
      ColourScale& scale = std::get<HeatMap>(map.body).scale;
      scale.high = overview.high;
      scale.more = overview.more;
    }
  }
}

}  // namespace

std::vector<Part> parts_of_layer(const RecordingHeader& header, std::int64_t layer) {
  std::vector<Part> parts;
  for (const Part part : header.stack().parts) {
    if (holds(header, layer, part)) {
      parts.push_back(part);
    }
  }
  return parts;
}

AttentionOverview attention_overview(const RecordingSource& source, std::int64_t index,
                                     const OverviewOptions& options, const std::stop_token& stop) {
  AttentionOverview overview;
  const Part part = options.part;
  const Sentence sentence = source.sentence(index);
  const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
  const TokenRange queries = token_range(options.queries, tokens, "queries");
  const TokenRange keys = token_range(options.keys, tokens, "keys");
  const Grid grid{Cells(queries, options.cells), Cells(keys, options.cells)};
  const Pieces pieces = pieces_of(source.header());
  const Sides sides{labels_of(sentence, grid.rows, pieces), labels_of(sentence, grid.columns, pieces),
                    options.special_in_scale};
  const auto layers = attention_layers(source.header());
  overview.layers = layers.empty() ? 0 : layers.back();
  for (std::int64_t layer = 1; layer <= overview.layers; ++layer) {
    if (stop.stop_requested()) {
      throw Interrupted("cancelled");
    }
    std::vector<Part> parts = parts_of_layer(source.header(), layer);
    if (part != Part::none) {
      std::erase_if(parts, [part](Part other) { return other != part; });
    }
    std::vector<Block> blocks;
    std::vector<std::vector<std::vector<double>>> sums;  // [block][head]
    for (const Part one : parts) {
      blocks.push_back(read_block(source, index, layer, one, queries, keys));
      sums.push_back(cell_sums(blocks.back(), grid));
    }
    auto& row = overview.maps.emplace_back();
    if (blocks.empty()) {
      continue;
    }
    const std::int64_t heads = blocks.front().mean_only ? 0 : blocks.front().heads;
    overview.heads = std::max(overview.heads, heads);
    const double share = 1.0 / static_cast<double>(blocks.size());
    for (std::int64_t head = 0; head <= heads; ++head) {
      std::vector<double> values(grid.cells());
      for (std::size_t block = 0; block < blocks.size(); ++block) {
        const auto of = head > 0 ? std::vector{head} : heads_of_mean(blocks[block], options.heads);
        for (const std::int64_t one : of) {
          add(sums[block].at(static_cast<std::size_t>(one - 1)), share / static_cast<double>(of.size()),
              values);
        }
      }
      divide_by_width(grid, values);
      leave_out_unseen(values, grid, SeenKeys(source.header(), source.header().stack().stack, layer));
      row.push_back(thumbnail(std::move(values), sides));
    }
  }
  if (overview.layers > 1) {
    add_mean_of_layers(overview, sides);
  }
  share_scale(overview);
  return overview;
}

namespace {

// Cells a side of its maps; 0: it has none.
std::size_t side_of(const AttentionOverview& overview) {
  for (const auto& row : overview.maps) {
    if (!row.empty()) {
      return std::get<HeatMap>(row.front().body).rows.size();
    }
  }
  return 0;
}

// ", queries 1 to 200, keys 401 to 600"; empty where all are shown.
std::string stretch_text(const OverviewOptions& options) {
  const auto side = [](std::string_view what, const Stretch& stretch) {
    return stretch.all() ? std::string() : fmt::format(", {} {} to {}", what, stretch.first, stretch.last);
  };
  return options.queries == options.keys ? side("tokens", options.queries)
                                         : side("queries", options.queries) + side("keys", options.keys);
}

}  // namespace

std::string scale_text(const AttentionOverview& overview) {
  std::string text = fmt::format("0 to {:.4g}{}", overview.high, overview.more ? " and more" : "");
  for (const auto& row : overview.maps) {
    if (!row.empty()) {
      const std::string out = out_of_scale_text(std::get<HeatMap>(row.front().body));
      return out.empty() ? text : fmt::format("{}; {}", text, out);
    }
  }
  return text;
}

FigureData overview_figure(const AttentionOverview& overview, const RecordingSource& source,
                           std::int64_t index, const OverviewOptions& options) {
  PanelFigure panels;
  panels.columns = overview.heads + 1;
  panels.label_panels = false;
  for (std::size_t place = 0; place < overview.maps.size(); ++place) {
    const std::size_t layer = overview.at_row(place);
    const auto& row = overview.maps[layer];
    for (std::int64_t head = 0; head < panels.columns; ++head) {
      FigureData panel;
      if (head < static_cast<std::int64_t>(row.size())) {
        panel = row[static_cast<std::size_t>(head)];
      } else {
        HeatMap absent;
        absent.thumbnail = true;
        absent.rows.resize(1);
        absent.columns.resize(1);
        absent.values = {kAbsent};
        panel.body = std::move(absent);
      }
      const std::string where =
          static_cast<std::int64_t>(layer) < overview.layers ? fmt::format("{}", layer + 1) : "mean";
      panel.title = head == 0 ? where + " mean" : fmt::format("{}.{}", where, head);
      panels.panels.push_back(std::move(panel));
    }
  }
  FigureData figure;
  const std::string of_mean =
      options.heads.empty() ? "" : fmt::format(", mean of heads {}", fmt::join(options.heads, ", "));
  figure.title = fmt::format("Attention by layer and head, {}{}{}, one scale {}",
                             options.part == Part::none ? std::string_view("all parts") : name(options.part),
                             of_mean, stretch_text(options), scale_text(overview));
  std::string of = fmt::format("sentence {}", source.number(index));
  const auto tokens = static_cast<std::size_t>(
      token_range(options.queries, std::ssize(source.sentence(index).tokens), "queries").count);
  const std::size_t side = side_of(overview);
  if (side > 0 && side < tokens) {
    of += fmt::format("; each cell is the mean of neighbours, {} tokens in {} cells a side", tokens, side);
  }
  figure.caption = caption(source.header().model, source.header().provenance.corpus_name, of, "summary");
  figure.body = std::move(panels);
  return figure;
}

}  // namespace mog::analysis
