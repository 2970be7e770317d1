// Trees of a sentence as JSON.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/mog/expressions/escape.h"
#include "analysis/mog/graph_files/forest.h"
#include "app/workflow/trees/trees_print.h"

namespace mog::app {
namespace {

std::string json_numbers(const std::vector<double>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i == 0 ? "" : ", ") + analysis::json_number(values[i]);
  }
  return text + "]";
}

std::string distributions_json(const SentenceTrees& trees) {
  std::string text =
      fmt::format(R"("leaves_distribution": {{"expected": {}, "probability": {}, "tail": {}}})",
                  analysis::json_number(trees.expected_leaves), json_numbers(trees.leaves.probability),
                  analysis::json_number(trees.leaves.tail));
  text += ",\n \"edge_posteriors\": [";
  bool first = true;
  for (const PosteriorRow& row : strongest_joins(trees)) {
    text += fmt::format(R"({}{{"layer": {}, "part": "{}", "source": {}, "target": {}, "expected": {}}})",
                        first ? "" : ",\n  ", row.layer, mog::name(row.part), row.source + 1, row.target + 1,
                        analysis::json_number(row.expected));
    first = false;
  }
  text += "]";
  const UnlistedJoins rest = unlisted_joins(trees);
  return text + fmt::format(R"(,
 "unlisted_edge_posteriors": {{"below": {}, "joins": {}, "expected": {}}})",
                            analysis::json_number(rest.below), rest.joins,
                            analysis::json_number(rest.expected));
}

std::string strings_json(const std::vector<std::string>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i == 0 ? "" : ", ") + analysis::json_string(values[i]);
  }
  return text + "]";
}

std::string choices_json(const SentenceTrees& trees) {
  std::string text;
  for (const auto& [key, value] : trees.sentence->choices) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", analysis::json_string(key),
                        analysis::json_string(value));
  }
  return "{" + text + "}";
}

std::string dropped_json(const SentenceTrees& trees) {
  std::string text;
  each_dropped(trees, [&](std::size_t layer, Part part, const std::vector<double>& mass) {
    text +=
        fmt::format(R"({}{{"layer": {}, "part": "{}", "mean": {}, "max": {}, "masses": {}}})",
                    text.empty() ? "" : ",\n  ", layer, mog::name(part), analysis::json_number(mean_of(mass)),
                    analysis::json_number(*std::max_element(mass.begin(), mass.end())), json_numbers(mass));
  });
  return "[" + text + "]";
}

std::string heads_json(const SentenceTrees& trees) {
  std::string text;
  const auto& weights = trees.sentence->head_weights;
  for (std::size_t layer = 0; layer < weights.size(); ++layer) {
    for (std::size_t part = 0; part < weights[layer].size(); ++part) {
      if (!weights[layer][part].empty()) {
        text += fmt::format(R"({}{{"layer": {}, "part": "{}", "weights": {}}})", text.empty() ? "" : ",\n  ",
                            layer + 1, mog::name(trees.grammar->parts()[part]),
                            json_numbers(weights[layer][part]));
      }
    }
  }
  return "[" + text + "]";
}

// The fields of one goal, without braces.
std::string goal_json(const SentenceTrees& trees) {
  const analysis::Forest forest = analysis::make_forest(*trees.grammar, trees.goal, trees.derivations);
  std::string body = analysis::export_forest(forest, analysis::GraphFormat::json);
  while (!body.empty() && body.back() == '\n') {
    body.pop_back();
  }
  std::string text = fmt::format("\"goal\": {},\n \"forest\": {},\n \"ended_by_limit\": {}",
                                 analysis::json_string(trees.goal), body, trees.ended_by_limit);
  if (!trees.leaves.probability.empty()) {
    text += ",\n " + distributions_json(trees);
  }
  return text;
}

std::string head_json(const SentenceTrees& trees) {
  return fmt::format(
      "\"sentence\": {}, \"text\": {}, \"model\": {}, \"mode\": \"{}\", \"each_order\": {},\n \"guarantee\": "
      "{},\n ",
      trees.number, analysis::json_string(trees.text), analysis::json_string(trees.model),
      app::name(trees.mode), trees.each_order, analysis::json_string(trees.guarantee));
}

std::string foot_json(const SentenceTrees& trees, const std::vector<std::string>& notes) {
  const auto& top = trees.sentence->dropped_top;
  return fmt::format(
      ",\n \"choices\": {},\n \"head_weights\": {},\n \"dropped\": {},\n \"dropped_target\": {},\n "
      "\"target_weights\": {},\n \"notes\": {}",
      choices_json(trees), heads_json(trees), dropped_json(trees), top ? analysis::json_number(*top) : "null",
      json_numbers({trees.grammar->top().begin(), trees.grammar->top().end()}), strings_json(notes));
}

}  // namespace

std::string trees_as_json(std::span<const SentenceTrees> all) {
  const SentenceTrees& first = all.front();
  std::vector<std::string> notes = first.sentence->notes;
  if (all.size() == 1) {
    notes.insert(notes.end(), first.notes.begin(), first.notes.end());
    return "{" + head_json(first) + goal_json(first) + foot_json(first, notes) + "}\n";
  }
  std::string goals;
  for (const SentenceTrees& trees : all) {
    goals += fmt::format("{}{{{},\n \"notes\": {}}}", goals.empty() ? "" : ",\n", goal_json(trees),
                         strings_json(trees.notes));
  }
  return "{" + head_json(first) + "\"goals\": [\n" + goals + "]" + foot_json(first, notes) + "}\n";
}

}  // namespace mog::app
