#include "tests/unit/figures/examples.h"

#include <algorithm>
#include <cmath>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/corpus_difference.h"

namespace mog::test {
namespace {

using namespace analysis;

double noise(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) {
  return static_cast<double>(keyed_random(7, a, b, c) >> 11U) / 9007199254740992.0;
}

std::uint64_t u(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

HeatMap attention(std::int64_t tokens, std::uint64_t seed) {
  HeatMap map;
  map.row_title = "query";
  map.column_title = "key";
  map.rows = example_tokens(tokens);
  map.columns = map.rows;
  const auto n = static_cast<std::int64_t>(map.rows.size());
  for (std::int64_t row = 0; row < n; ++row) {
    double sum = 0;
    std::vector<double> line;
    for (std::int64_t column = 0; column < n; ++column) {
      const double near = -0.35 * static_cast<double>(std::abs(row - column - 1));
      line.push_back(std::exp(near + 3.5 * noise(seed, u(row), u(column))));
      sum += line.back();
    }
    for (const double value : line) {
      map.values.push_back(value / sum);
    }
  }
  map.scale.high = 0.8;
  map.scale.quantity.quantity = "attention weight";
  return map;
}

const char* const kCaption =
    "model ewt-graph-halfdim-gate; corpus UD English EWT test; sentence 12; level of the claim: summary";

}  // namespace

LengthStatistics example_statistics(std::int64_t layers, bool with_empty_bin) {
  LengthStatistics result;
  result.model.name = "ewt-graph-halfdim-gate-" + std::to_string(layers);
  result.model.layers = layers;
  result.corpus_name = "UD English EWT test + PUD";
  result.first_bin = 0;
  const std::vector<std::int64_t> counts = {812, 967, 611, 302, with_empty_bin ? 0 : 98, 31, 9};
  result.bin_sentences.resize(counts.size());
  std::int64_t number = 0;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    for (std::int64_t i = 0; i < counts[bin]; ++i) {
      const std::int64_t index = number++;
      result.bin_sentences[bin].push_back({index + 1, index, 0, static_cast<std::int64_t>(bin) * 10 + 5});
    }
    result.sentences += counts[bin];
  }
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    result.series.push_back({layer, Part::none, 0});
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
      LengthCell cell;
      cell.series = result.series.back();
      cell.bin = static_cast<std::int64_t>(bin);
      cell.sentences = counts[bin];
      cell.tokens = counts[bin] * static_cast<std::int64_t>(bin * 10 + 5);
      const double length = static_cast<double>(bin);
      const double wave = std::sin(static_cast<double>(layer) * 1.9) * 0.03;
      const double mean = 0.43 + 0.012 * static_cast<double>(layer) + wave +
                          (layer == 1 ? 0.03 : 0.012 * (noise(31, u(layer)) - 0.4)) * std::sqrt(length);
      const double half = 0.06 / std::sqrt(static_cast<double>(std::max<std::int64_t>(counts[bin], 1)));
      cell.mean = counts[bin] == 0 ? kAbsent : mean;
      cell.low = cell.mean - half;
      cell.high = cell.mean + half;
      const double first =
          result.cells.empty() || bin == 0 ? mean : result.cells[result.cells.size() - bin].mean;
      cell.difference = cell.mean - first;
      cell.difference_low = bin == 0 ? 0 : cell.difference - half;
      cell.difference_high = bin == 0 ? 0 : cell.difference + half;
      result.cells.push_back(cell);
    }
  }
  return result;
}

std::vector<std::string> example_words(std::int64_t count) {
  static const std::vector<std::string> kWords = {"The",
                                                  "committee",
                                                  "responsible",
                                                  "for",
                                                  "interdisciplinary",
                                                  "research",
                                                  "has",
                                                  "not",
                                                  "yet",
                                                  "published",
                                                  "its",
                                                  "final",
                                                  "recommendations",
                                                  ",",
                                                  "which",
                                                  "many",
                                                  "of",
                                                  "the",
                                                  "participants",
                                                  "in",
                                                  "last",
                                                  "year's",
                                                  "consultation",
                                                  "had",
                                                  "hoped",
                                                  "to",
                                                  "see",
                                                  "before",
                                                  "summer",
                                                  "."};
  std::vector<std::string> result;
  for (std::int64_t i = 0; i < count; ++i) {
    result.push_back(kWords[static_cast<std::size_t>(i) % kWords.size()]);
  }
  return result;
}

std::vector<WordLabel> example_tokens(std::int64_t count) {
  std::vector<WordLabel> result;
  std::int64_t word = 0;
  for (const std::string& text : example_words(count)) {
    if (static_cast<std::int64_t>(result.size()) >= count) {
      break;
    }
    if (text == "interdisciplinary") {
      for (const char* const piece : {"inter", "disciplin", "ary"}) {
        result.push_back({piece, false, word});
      }
    } else {
      result.push_back({text, false, word});
    }
    ++word;
  }
  result.push_back({"</s>", true, -1});
  return result;
}

FigureData example_attention(std::int64_t tokens, bool with_absent) {
  FigureData figure;
  figure.title = "Attention, layer 3, middle1, head 2";
  figure.caption = kCaption;
  HeatMap map = attention(tokens, 1);
  if (with_absent) {
    for (std::size_t i = 0; i < map.columns.size(); ++i) {
      map.values[2 * map.columns.size() + i] = kAbsent;
      map.values[i * map.columns.size() + 4] = kAbsent;
    }
    map.values[map.columns.size() + 1] = 0;
  }
  figure.body = std::move(map);
  return figure;
}

FigureData example_difference(std::int64_t tokens) {
  FigureData figure;
  figure.title = "Difference of two models, layer 3, high, mean over heads";
  figure.caption = kCaption;
  HeatMap map = attention(tokens, 1);
  const HeatMap other = attention(tokens, 2);
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    map.values[i] -= other.values[i];
  }
  map.scale = {ColourScale::Kind::diverging, -0.4, 0.4, {"Δ attention weight", "", "second − first"}};
  figure.body = std::move(map);
  return figure;
}

FigureData example_gates(std::int64_t tokens, std::int64_t layers) {
  FigureData figure;
  figure.title = "Gate weight of high + middle order, by word and layer";
  figure.caption = kCaption;
  HeatMap map;
  map.row_title = "layer";
  map.column_title = "word";
  map.columns = example_tokens(tokens);
  map.square_cells = false;
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    map.rows.push_back({std::to_string(layer), false, -1});
    for (std::size_t token = 0; token < map.columns.size(); ++token) {
      map.values.push_back(0.4 + 0.02 * static_cast<double>(layer) + 0.1 * noise(3, u(layer), token));
    }
  }
  map.scale = {ColourScale::Kind::sequential, 0.4, 0.7, {"gate weight w", "", "mean over dimensions"}};
  figure.body = std::move(map);
  return figure;
}

FigureData example_dimensions(std::int64_t tokens, std::int64_t dimensions) {
  FigureData figure;
  figure.title = "Gate weight of high + middle order, layer 2, by word and dimension";
  figure.caption = kCaption;
  HeatMap map;
  map.row_title = "word";
  map.column_title = "dimension";
  map.rows = example_tokens(tokens);
  map.square_cells = false;
  for (std::int64_t i = 1; i <= dimensions; ++i) {
    map.columns.push_back({std::to_string(i), false, -1});
  }
  for (std::size_t token = 0; token < map.rows.size(); ++token) {
    for (std::int64_t i = 0; i < dimensions; ++i) {
      const double base = 1 / (1 + std::exp(4 - 8 * noise(5, u(i))));
      map.values.push_back(std::clamp(base + 0.2 * (noise(6, token, u(i)) - 0.5), 0.0, 1.0));
    }
  }
  map.scale.quantity.quantity = "gate weight w";
  figure.body = std::move(map);
  return figure;
}

FigureData example_tree(std::int64_t words, std::int64_t layers) {
  // Neighbours are joined in rounds, so that every layer has joins; some words stay outside.
  TreeFigure tree;
  tree.layers = layers;
  for (const std::string& text : example_words(words)) {
    tree.words.push_back({text, false, static_cast<std::int64_t>(tree.words.size())});
  }
  std::vector<std::int64_t> open;
  for (std::int64_t word = 0; word < words; ++word) {
    TreeNode leaf;
    leaf.x = static_cast<double>(word);
    leaf.word = word;
    tree.nodes.push_back(leaf);
    open.push_back(word);
  }
  const std::vector<Part> parts = {Part::high, Part::middle1, Part::middle2};
  for (std::int64_t layer = 1; layer <= layers && open.size() > 1; ++layer) {
    std::vector<std::int64_t> next;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const bool join = i + 1 < open.size() && noise(11, u(layer), i) < 0.75;
      if (!join) {
        next.push_back(open[i]);
        continue;
      }
      const bool swap = noise(12, u(layer), i) < 0.4;
      TreeNode node;
      node.left = open[swap ? i + 1 : i];
      node.right = open[swap ? i : i + 1];
      node.layer = layer;
      node.word = tree.nodes[static_cast<std::size_t>(node.left)].word;
      node.part = layer == 1 ? Part::high : parts[static_cast<std::size_t>(noise(13, u(layer), i) * 3)];
      node.weight = 0.05 + 0.6 * noise(14, u(layer), i);
      node.order = tree.nodes[static_cast<std::size_t>(node.left)].order +
                   tree.nodes[static_cast<std::size_t>(node.right)].order;
      node.kind = noise(15, u(layer), i) < 0.15 ? 2 : 1;
      node.x = (tree.nodes[static_cast<std::size_t>(node.left)].x +
                tree.nodes[static_cast<std::size_t>(node.right)].x) /
               2;
      node.tuple = "(source, target, …)";
      next.push_back(static_cast<std::int64_t>(tree.nodes.size()));
      tree.nodes.push_back(node);
      ++i;
    }
    open = next;
  }
  tree.roots = {static_cast<std::int64_t>(tree.nodes.size()) - 1};
  FigureData figure;
  figure.title = "Derivation 1 of 10, weight 0.0321, order " + std::to_string(words);
  figure.caption = kCaption;
  figure.body = std::move(tree);
  return figure;
}

FigureData example_arcs(std::int64_t words) {
  ArcFigure arcs;
  arcs.words = example_tokens(words);
  const std::vector<Part> parts = {Part::high, Part::middle1, Part::middle2};
  const auto size = static_cast<std::int64_t>(arcs.words.size());
  for (std::int64_t i = 0; i < size; ++i) {
    const auto other =
        std::clamp<std::int64_t>(i + static_cast<std::int64_t>(noise(21, u(i)) * 9) - 4, 0, size - 1);
    Arc arc;
    arc.source = i;
    arc.target = other;
    arc.weight = 0.1 + 0.8 * noise(22, u(i));
    arc.part = parts[static_cast<std::size_t>(i) % 3];
    arc.layer = 1 + i % 6;
    arcs.arcs.push_back(arc);
    if (i % 4 == 1 && other != i) {  // parallel edges
      arc.part = Part::middle2;
      arc.weight = 0.5;
      arcs.arcs.push_back(arc);
      std::swap(arc.source, arc.target);
      arc.part = Part::high;
      arcs.arcs.push_back(arc);
    }
  }
  arcs.weight_of_full_width = 0.9;
  arcs.weight = {"attention weight", "", "mean over heads"};
  FigureData figure;
  figure.title = "Attention of at least 0.1, layer 3";
  figure.caption = kCaption;
  figure.body = std::move(arcs);
  return figure;
}

FigureData example_grid(std::int64_t layers, std::int64_t heads, std::int64_t tokens) {
  PanelFigure grid;
  grid.columns = heads;
  grid.label_panels = false;
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    for (std::int64_t head = 1; head <= heads; ++head) {
      FigureData panel;
      panel.title = "layer " + std::to_string(layer) + ", head " + std::to_string(head);
      HeatMap map = attention(tokens, u(layer * 100 + head));
      map.thumbnail = true;
      map.scale.high = 1;
      panel.body = std::move(map);
      grid.panels.push_back(std::move(panel));
    }
  }
  FigureData figure;
  figure.title = "Attention of every layer and head, high";
  figure.caption = kCaption;
  figure.body = std::move(grid);
  return figure;
}

// Scripts from right to left, without spaces, with marks above marks; a word that is far too long; control
// characters.
FigureData example_bars(std::int64_t categories) {
  analysis::LinePlot plot;
  plot.stacked = true;
  plot.x.quantity = "key";
  plot.y.quantity = "logit_terms";
  plot.legend_title = "term";
  plot.x_categories = example_words(categories);
  const std::vector<std::string> terms = {"pp", "pi", "ip", "ii"};
  for (std::size_t term = 0; term < terms.size(); ++term) {
    analysis::LineSeries series;
    series.label = terms[term];
    series.colour = analysis::ColourKey::of_entry(static_cast<std::int64_t>(term));
    for (std::int64_t i = 0; i < categories; ++i) {
      const double sign = (i + static_cast<std::int64_t>(term)) % 3 == 0 ? -1 : 1;
      series.points.push_back({.x = static_cast<double>(i), .y = sign * (0.5 + static_cast<double>(term))});
    }
    plot.series.push_back(std::move(series));
  }
  FigureData figure;
  figure.title = "\"cat\" (token 3), encoder.3.full.logit_terms, head 4";
  figure.caption = "level 0: algebra, true for any input";
  figure.body = std::move(plot);
  return figure;
}

FigureData example_scripts() {
  FigureData figure = example_attention(5);
  auto& map = std::get<HeatMap>(figure.body);
  const std::vector<std::string> words = {
      "שָׁלוֹם", "العربية",     "東京都は", "наука", "Donaudampfschifffahrtsgesellschaft",
      "ẫ̂",    "tab\tline\n", "</s>"};
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    map.rows[i] =
        map.columns[i] = {words[i % words.size()], i + 1 == map.rows.size(), static_cast<std::int64_t>(i)};
  }
  return figure;
}

FigureData example_flow(std::int64_t words, std::int64_t layers) {
  analysis::FlowFigure flow;
  flow.words = example_tokens(words);
  const auto size = static_cast<std::int64_t>(flow.words.size());
  const std::vector<Part> parts = {Part::high, Part::middle1, Part::middle2};
  flow.rows.push_back({"input", 0, Part::none});
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    flow.rows.push_back({"layer " + std::to_string(layer), layer, Part::none});
    for (std::int64_t word = 0; word < size; ++word) {
      flow.edges.push_back({layer - 1, word, layer, word, Part::low, true, 0.3 + 0.2 * noise(51, u(word))});
      for (std::size_t part = 0; part < 3; ++part) {
        const double drawn = noise(52, u((layer * size + word) * 3 + static_cast<std::int64_t>(part)));
        const auto other =
            std::clamp<std::int64_t>(word + static_cast<std::int64_t>(drawn * 9) - 4, 0, size - 1);
        flow.edges.push_back({layer - 1, other, layer, word, parts[part], false, 0.05 + 0.2 * drawn});
      }
    }
  }
  if (size > 1) {
    flow.edges.push_back({layers, 0, layers, 1, Part::recurrent, false, 0.2});
    flow.edges.push_back({layers, 0, layers, 1, Part::low, true, 0.4});
  }
  flow.weight = {"weight of a step", "", "carried 1 − g, parts g·π·A; A: mean over heads"};
  flow.weight_of_full_width = 0.5;
  flow.state = flow.node(layers, size / 2);
  FigureData figure;
  figure.title = "Information flow of at least 0.05";
  figure.caption = kCaption;
  figure.body = std::move(flow);
  return figure;
}

FigureData example_script_arcs() {
  FigureData figure = example_arcs(5);
  figure.title = "كلمات בעברית 東京";
  std::get<ArcFigure>(figure.body).words = std::get<HeatMap>(example_scripts().body).columns;
  return figure;
}

FigureData example_corpus_difference(std::int64_t layers) {
  analysis::PairedDifference difference;
  difference.measure = analysis::Measure::share;
  difference.first.name = "tagger-en-plain";
  difference.second.name = "tagger-en-graph";
  difference.first_corpus = difference.second_corpus = "wsj";
  difference.sentences = 1200;
  difference.permutations = 1999;
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    double at = -0.2;
    for (const Part part : {Part::high, Part::middle2, Part::low}) {
      const bool differs = layer % 2 == 1;
      const double wave = 0.02 * std::sin(static_cast<double>(layer));
      difference.cells.push_back({.series = {.layer = layer, .part = part},
                                  .difference = at + wave,
                                  .low = at + wave - 0.03,
                                  .high = at + wave + 0.03,
                                  .p = differs ? 0.0005 : 0.05});
      at += 0.2;
    }
  }
  return corpus_difference_figure(difference);
}

std::vector<std::pair<std::string, FigureData>> example_figures() {
  std::vector<std::pair<std::string, FigureData>> result;
  result.emplace_back("corpus_difference", example_corpus_difference(6));
  result.emplace_back("bars", example_bars(12));
  result.emplace_back("bars-many", example_bars(30));
  const auto six = example_statistics(6);
  const auto twelve = example_statistics(12, true);
  result.emplace_back("weight_by_layer_6", weight_figure(six));
  result.emplace_back("weight_by_layer_12", weight_figure(twelve));
  result.emplace_back("weight_by_length_6", weight_figure(six, {.view = WeightPlot::by_length}));
  result.emplace_back("weight_by_length_12", weight_figure(twelve, {.view = WeightPlot::by_length}));
  result.emplace_back("difference_6", weight_figure(six, {.view = WeightPlot::difference_by_length}));
  result.emplace_back("difference_12", weight_figure(twelve, {.view = WeightPlot::difference_by_length}));
  std::vector<LengthStatistics> depths;
  for (std::int64_t layers = 5; layers <= 12; ++layers) {
    depths.push_back(example_statistics(layers));
  }
  result.emplace_back("panels_by_depth", weight_panels(depths));
  result.emplace_back("panels_difference",
                      weight_panels(std::span(depths).first(3), {.view = WeightPlot::difference_by_length}));
  result.emplace_back("attention_5", example_attention(5));
  result.emplace_back("attention_20", example_attention(20, true));
  result.emplace_back("attention_60", example_attention(60));
  result.emplace_back("attention_120", example_attention(120));
  result.emplace_back("difference_map", example_difference(14));
  result.emplace_back("gates_20", example_gates(20, 6));
  result.emplace_back("gates_60", example_gates(60, 12));
  result.emplace_back("dimensions", example_dimensions(14, 128));
  result.emplace_back("tree_5", example_tree(5, 6));
  result.emplace_back("tree_14", example_tree(14, 6));
  result.emplace_back("tree_60", example_tree(60, 12));
  result.emplace_back("arcs_5", example_arcs(5));
  result.emplace_back("arcs_14", example_arcs(14));
  result.emplace_back("arcs_60", example_arcs(60));
  auto gold = example_arcs(8);
  auto& gold_arcs = std::get<ArcFigure>(gold.body);
  gold_arcs.gold = {{-1, 2, "root"}, {2, 0, "nsubj"}, {0, 1, "det"},
                    {2, 6, "obl"},   {6, 5, "case"},  {6, 4, "amod"}};
  gold_arcs.gold_text = "best tree of this map, 8 words: queries as heads UAS 41 %, either way 52 %";
  result.emplace_back("arcs_gold", gold);
  result.emplace_back("flow_8", example_flow(8, 3));
  result.emplace_back("flow_60", example_flow(60, 12));
  result.emplace_back("scripts", example_scripts());
  result.emplace_back("script_arcs", example_script_arcs());
  result.emplace_back("grid", example_grid(6, 4, 20));
  return result;
}

}  // namespace mog::test
