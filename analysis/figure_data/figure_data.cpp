#include "analysis/figure_data/figure_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/figure_data/no_cell.h"

namespace mog::analysis {
namespace {

Cell optional_number(std::int64_t value, bool there) {
  return there ? Cell(value) : Cell();
}

Cell part_cell(Part part) {
  return part == Part::none ? Cell() : Cell(std::string(mog::name(part)));
}

std::string word_text(const std::vector<WordLabel>& words, std::int64_t index) {
  const auto place = static_cast<std::size_t>(index);
  return index >= 0 && place < words.size() ? words[place].text : std::string();
}

// "sure", "sure found".
std::string marks_of(const HeatMap& map, std::int64_t row, std::int64_t column) {
  std::string text;
  for (const CellMark& mark : map.marks) {
    if (mark.row == row && mark.column == column) {
      text += (text.empty() ? "" : " ") + std::string(name(mark.kind));
    }
  }
  return text;
}

struct Numbers {
  Table operator()(const LinePlot& plot) const {
    Table table;
    table.columns = {"series", "x", "x_label", "y", "low", "high", "sentences", "tokens"};
    if (plot.significant) {
      table.columns.back() = "p";  // of sentences, not of tokens
    }
    const bool binned = !plot.x_lengths.empty() ||
                        std::any_of(plot.series.begin(), plot.series.end(),
                                    [](const LineSeries& series) { return series.lengths.has_value(); });
    if (binned) {
      table.columns.insert(table.columns.end(), {"length_low", "length_high"});
    }
    for (const LineSeries& series : plot.series) {
      for (const LinePoint& point : series.points) {
        const auto category = static_cast<std::size_t>(point.x < 0 ? 0 : point.x);
        const bool labelled = category < plot.x_categories.size();
        std::vector<Cell> row = {series.label,
                                 point.x,
                                 labelled ? Cell(plot.x_categories[category]) : Cell(),
                                 point.y,
                                 point.low,
                                 point.high,
                                 point.sentences,
                                 plot.significant ? Cell(point.p) : Cell(point.tokens)};
        if (binned) {
          const bool by_category = category < plot.x_lengths.size();
          const auto span = by_category ? std::optional(plot.x_lengths[category]) : series.lengths;
          row.resize(table.columns.size());
          Cell* bound = &row[row.size() - 2];
          if (span) {
            *bound++ = span->low;
          }
          if (span && span->high >= 0) {
            *bound = span->high;
          }
        }
        table.add(std::move(row));
      }
    }
    return table;
  }

  Table operator()(const HeatMap& map) const {
    Table table;
    table.columns = {"row", "column", "row_label", "column_label", "value"};
    if (!map.texts.empty()) {
      table.columns.emplace_back("text");
    }
    if (!map.marks.empty()) {
      table.columns.emplace_back("marks");
    }
    for (std::size_t row = 0; row < map.rows.size(); ++row) {
      for (std::size_t column = 0; column < map.columns.size(); ++column) {
        const auto r = static_cast<std::int64_t>(row);
        const auto c = static_cast<std::int64_t>(column);
        std::vector<Cell> cells = {r + 1, c + 1, map.rows[row].text, map.columns[column].text,
                                   value_in_files(map.value(r, c))};
        if (!map.texts.empty()) {
          cells.emplace_back(map.texts[row * map.columns.size() + column]);
        }
        if (!map.marks.empty()) {
          cells.emplace_back(marks_of(map, r, c));
        }
        table.add(std::move(cells));
      }
    }
    return table;
  }

  Table operator()(const TreeFigure& tree) const {
    Table table;
    table.columns = {"node",   "root", "layer", "word", "word_text", "part",
                     "weight", "kind", "order", "left", "right",     "tuple"};
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const TreeNode& node = tree.nodes[i];
      const auto number = static_cast<std::int64_t>(i);
      const auto root = std::find(tree.roots.begin(), tree.roots.end(), number);
      table.add({number + 1, optional_number(root - tree.roots.begin() + 1, root != tree.roots.end()),
                 node.layer, node.word + 1, word_text(tree.words, node.word), part_cell(node.part),
                 node.weight, node.kind, node.order, optional_number(node.left + 1, node.left >= 0),
                 optional_number(node.right + 1, node.right >= 0), node.tuple});
    }
    return table;
  }

  Table operator()(const ArcFigure& figure) const {
    Table table;
    table.columns = {"source", "source_text", "target", "target_text", "part",
                     "layer",  "weight",      "label",  "tuple"};
    for (const Arc& arc : figure.arcs) {
      table.add({arc.source + 1, word_text(figure.words, arc.source), arc.target + 1,
                 word_text(figure.words, arc.target), part_cell(arc.part),
                 optional_number(arc.layer, arc.layer > 0), arc.weight, arc.label, arc.tuple});
    }
    for (const GoldArc& arc : figure.gold) {
      table.add({arc.head + 1, word_text(figure.words, arc.head), arc.dependent + 1,
                 word_text(figure.words, arc.dependent), Cell(), Cell(), Cell(), arc.relation,
                 figure.gold_name.empty() ? std::string("gold") : figure.gold_name});
    }
    return table;
  }

  Table operator()(const GraphFigure& figure) const {
    const auto text = [&](std::int64_t node) {
      const auto place = static_cast<std::size_t>(node);
      return node >= 0 && place < figure.nodes.size() ? figure.nodes[place].text : std::string();
    };
    Table table;
    table.columns = {"source", "source_text", "target", "target_text", "part",
                     "label",  "strong",      "order",  "tuple"};
    for (const GraphEdge& edge : figure.edges) {
      table.add({edge.source + 1, text(edge.source), edge.target + 1, text(edge.target), part_cell(edge.part),
                 edge.label, static_cast<std::int64_t>(edge.strong), edge.order, edge.tuple});
    }
    return table;
  }

  Table operator()(const BarPlot& plot) const {
    Table table;
    table.columns = {"row", "row_label", "value", "low", "high", "sentences"};
    for (std::size_t row = 0; row < plot.rows.size(); ++row) {
      const BarRow& bar = plot.rows[row];
      table.add({static_cast<std::int64_t>(row + 1), bar.label, bar.value, bar.low, bar.high, bar.sentences});
    }
    return table;
  }

  Table operator()(const FlowFigure& figure) const {
    const auto row_text = [&](std::int64_t row) {
      const auto place = static_cast<std::size_t>(row);
      return row >= 0 && place < figure.rows.size() ? figure.rows[place].label : std::string();
    };
    Table table;
    table.columns = {"from_state", "from", "from_text", "to_state", "to",
                     "to_text",    "part", "carried",   "weight"};
    for (const FlowEdge& edge : figure.edges) {
      table.add({row_text(edge.from_row), edge.from_word + 1, word_text(figure.words, edge.from_word),
                 row_text(edge.to_row), edge.to_word + 1, word_text(figure.words, edge.to_word),
                 part_cell(edge.part), static_cast<std::int64_t>(edge.carried), edge.weight});
    }
    return table;
  }

  Table operator()(const PanelFigure& figure) const {
    std::vector<Table> tables;
    Table result;
    result.columns = {"panel", "panel_title"};
    for (const FigureData& panel : figure.panels) {
      tables.push_back(panel.table());
      for (const std::string& column : tables.back().columns) {
        if (std::find(result.columns.begin() + 2, result.columns.end(), column) == result.columns.end()) {
          result.columns.push_back(column);
        }
      }
    }
    for (std::size_t i = 0; i < tables.size(); ++i) {
      std::vector<std::size_t> place;
      for (const std::string& column : tables[i].columns) {
        place.push_back(static_cast<std::size_t>(
            std::find(result.columns.begin() + 2, result.columns.end(), column) - result.columns.begin()));
      }
      for (const auto& row : tables[i].rows) {
        std::vector<Cell> wide(result.columns.size());
        wide[0] = static_cast<std::int64_t>(i + 1);
        wide[1] = figure.panels[i].title;
        for (std::size_t column = 0; column < row.size(); ++column) {
          wide[place[column]] = row[column];
        }
        result.add(std::move(wide));
      }
    }
    return result;
  }
};

}  // namespace

std::string_view name(CellMark::Kind kind) noexcept {
  switch (kind) {
    case CellMark::Kind::sure:
      return "sure";
    case CellMark::Kind::possible:
      return "possible";
    case CellMark::Kind::found:
      return "found";
    case CellMark::Kind::forced:
      return "forced";
    case CellMark::Kind::forbidden:
      break;
  }
  return "forbidden";
}

std::string AxisText::text() const {
  const std::string unit = units == "1" ? "" : units;
  const std::string inside = averaged + (averaged.empty() || unit.empty() ? "" : ", ") + unit;
  return inside.empty() ? quantity : fmt::format("{} ({})", quantity, inside);
}

Table FigureData::table() const {
  return std::visit(Numbers{}, body);
}

std::string FigureData::to_csv() const {
  return analysis::to_csv(table());
}

std::string FigureData::kind() const {
  constexpr const char* kKinds[] = {"line", "heat_map", "tree", "arcs", "panels", "graph", "bars", "flow"};
  return kKinds[body.index()];
}

}  // namespace mog::analysis
