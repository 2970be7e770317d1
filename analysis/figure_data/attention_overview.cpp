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

Block read_block(const RecordingSource& source, std::int64_t index, std::int64_t layer, Part part) {
  const QuantityName name(source.header().stack().stack, layer, part, map_quantity(part));
  if (has_carry(part)) {
    return {source.read(index, name).to_floats(), 1, true};
  }
  if (source.header().find(name) != nullptr) {
    const HostTensor tensor = source.read(index, name);
    return {tensor.to_floats(), tensor.shape().empty() ? 0 : tensor.shape().front(), false};
  }
  return {source.read(index, name.with(Reduction::mean_heads)).to_floats(), 1, true};
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

// Which tokens share a cell of a thumbnail.
struct Cells {
  std::int64_t tokens = 0;
  std::int64_t side = 0;
  std::vector<std::int64_t> first;  // [cell], and the end

  Cells(std::int64_t all_tokens, std::int64_t cells) : tokens(all_tokens), side(cells) {
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

// The sums of one map's cells: whole rows first, then along them. [cell of queries, cell of keys]
std::vector<double> cell_sums(const float* values, const Cells& cells) {
  const auto tokens = static_cast<std::size_t>(cells.tokens);
  const auto side = static_cast<std::size_t>(cells.side);
  if (cells.of_one_token()) {
    return {values, values + side * side};
  }
  std::vector<double> sums(side * side);
  std::vector<double> rows(tokens);
  for (std::size_t cell = 0; cell < side; ++cell) {
    std::fill(rows.begin(), rows.end(), 0.0);
    for (auto row = static_cast<std::size_t>(cells.first[cell]);
         row < static_cast<std::size_t>(cells.first[cell + 1]); ++row) {
      for (std::size_t column = 0; column < tokens; ++column) {
        rows[column] += static_cast<double>(values[row * tokens + column]);
      }
    }
    for (std::size_t along = 0; along < side; ++along) {
      sums[cell * side + along] =
          std::accumulate(rows.begin() + cells.first[along], rows.begin() + cells.first[along + 1], 0.0);
    }
  }
  return sums;
}

// Cell sums of every map of the block. [head]
std::vector<std::vector<double>> cell_sums(const Block& block, const Cells& cells) {
  std::vector<std::vector<double>> sums;
  for (std::int64_t head = 0; head < block.heads; ++head) {
    sums.push_back(cell_sums(block.values.data() + head * cells.tokens * cells.tokens, cells));
  }
  return sums;
}

void add(const std::vector<double>& sums, double factor, std::vector<double>& to) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    to[i] += factor * sums[i];
  }
}

// Of sums over cells the means over them.
void divide_by_width(const Cells& cells, std::vector<double>& values) {
  if (cells.of_one_token()) {
    return;
  }
  for (std::int64_t row = 0; row < cells.side; ++row) {
    for (std::int64_t column = 0; column < cells.side; ++column) {
      values[static_cast<std::size_t>(row * cells.side + column)] /= cells.wide(row) * cells.wide(column);
    }
  }
}

// What stands at both sides of every thumbnail.
struct Sides {
  std::vector<WordLabel> labels;
  bool special_in_scale = false;
};

// A cell has the text of its first special token, so that the scale can name those that are out of it.
Sides sides_of(const Sentence& sentence, const Cells& cells, Pieces pieces, bool special_in_scale) {
  Sides sides{std::vector<WordLabel>(static_cast<std::size_t>(cells.side)), special_in_scale};
  for (std::size_t cell = 0; cell < sides.labels.size(); ++cell) {
    WordLabel& label = sides.labels[cell];
    for (auto token = cells.first[cell]; token < cells.first[cell + 1] && !label.special; ++token) {
      const Token& one = sentence.tokens[static_cast<std::size_t>(token)];
      label.special = one.word < 0;
      label.text = label.special ? shown_text(one, pieces) : "";
    }
  }
  return sides;
}

// What no query of a cell sees of its keys is no cell.
void leave_out_unseen(std::vector<double>& values, const Cells& cells, const SeenKeys& seen) {
  if (seen.all()) {
    return;
  }
  const auto sees = [&](std::size_t row, std::size_t column) {
    for (std::int64_t query = cells.first[row]; query < cells.first[row + 1]; ++query) {
      for (std::int64_t key = cells.first[column]; key < cells.first[column + 1]; ++key) {
        if (seen(query, key)) {
          return true;
        }
      }
    }
    return false;
  };
  const auto side = static_cast<std::size_t>(cells.side);
  for (std::size_t row = 0; row < side; ++row) {
    for (std::size_t column = 0; column < side; ++column) {
      if (!sees(row, column)) {
        values[row * side + column] = kUnseen;
      }
    }
  }
}

FigureData thumbnail(std::vector<double> values, const Sides& sides) {
  HeatMap picture;
  picture.thumbnail = true;
  picture.special_in_scale = sides.special_in_scale;
  picture.rows = sides.labels;
  picture.columns = sides.labels;
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
  const std::int64_t side = std::min(tokens, options.cells);
  const Cells cells(tokens, side);
  const Sides sides = sides_of(sentence, cells, pieces_of(source.header()), options.special_in_scale);
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
      blocks.push_back(read_block(source, index, layer, one));
      sums.push_back(cell_sums(blocks.back(), cells));
    }
    auto& row = overview.maps.emplace_back();
    if (blocks.empty()) {
      continue;
    }
    const std::int64_t heads = blocks.front().mean_only ? 0 : blocks.front().heads;
    overview.heads = std::max(overview.heads, heads);
    const double share = 1.0 / static_cast<double>(blocks.size());
    for (std::int64_t head = 0; head <= heads; ++head) {
      std::vector<double> values(static_cast<std::size_t>(side * side));
      for (std::size_t block = 0; block < blocks.size(); ++block) {
        const auto of = head > 0 ? std::vector{head} : heads_of_mean(blocks[block], options.heads);
        for (const std::int64_t one : of) {
          add(sums[block].at(static_cast<std::size_t>(one - 1)), share / static_cast<double>(of.size()),
              values);
        }
      }
      divide_by_width(cells, values);
      leave_out_unseen(values, cells, SeenKeys(source.header(), source.header().stack().stack, layer));
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
  figure.title = fmt::format("Attention by layer and head, {}{}, one scale {}",
                             options.part == Part::none ? std::string_view("all parts") : name(options.part),
                             of_mean, scale_text(overview));
  std::string of = fmt::format("sentence {}", source.number(index));
  const std::size_t tokens = source.sentence(index).tokens.size();
  const std::size_t side = side_of(overview);
  if (side > 0 && side < tokens) {
    of += fmt::format("; each cell is the mean of neighbours, {} tokens in {} cells a side", tokens, side);
  }
  figure.caption = caption(source.header().model, source.header().provenance.corpus_name, of, "summary");
  figure.body = std::move(panels);
  return figure;
}

}  // namespace mog::analysis
