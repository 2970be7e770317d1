// Trees of a sentence as text, DOT and GraphML; JSON and CoNLL-U are trees_json.cpp's and trees_conllu.cpp's.
#include "app/workflow/trees_print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/mog/forest.h"
#include "app/workflow/text_format.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

constexpr double kWeakPosterior = 0.01;  // expected joins below it are not listed

}  // namespace

std::vector<PosteriorRow> strongest_joins(const SentenceTrees& trees) {
  std::vector<PosteriorRow> rows;
  const std::size_t words = trees.grammar->words().size();
  for (std::size_t l = 0; l < trees.posteriors.size(); ++l) {
    for (std::size_t p = 0; p < trees.posteriors[l].size(); ++p) {
      const std::vector<double>& values = trees.posteriors[l][p];
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] >= kWeakPosterior) {
          rows.push_back(
              {static_cast<std::int64_t>(l + 1), trees.grammar->parts()[p], i / words, i % words, values[i]});
        }
      }
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const PosteriorRow& left, const PosteriorRow& right) {
    return left.expected > right.expected;
  });
  return rows;
}

UnlistedJoins unlisted_joins(const SentenceTrees& trees) {
  UnlistedJoins rest{kWeakPosterior, 0, 0};
  for (const auto& layer : trees.posteriors) {
    for (const std::vector<double>& values : layer) {
      for (const double value : values) {
        if (value > 0 && value < kWeakPosterior) {
          ++rest.joins;
          rest.expected += value;
        }
      }
    }
  }
  return rest;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += value / static_cast<double>(values.size());
  }
  return sum;
}

namespace {

std::string mode_text(const SentenceTrees& trees) {
  const std::string_view each = ", the best for each number of words";
  switch (trees.mode) {
    case TreesMode::by_order:
      return ", the best for each number of leaves";
    case TreesMode::projective:
      return fmt::format("{} whose steps join neighbours",
                         trees.each_order ? each : ", the best whole trees");
    case TreesMode::exact:
    case TreesMode::beam:
      return fmt::format("{} without overlap ({})", trees.each_order ? each : ", the best whole trees",
                         name(trees.mode));
    case TreesMode::free:
      break;
  }
  return "";
}

std::string orders_text(const SentenceTrees& trees) {
  std::string text =
      fmt::format("orders of {} (leaves): expected {:.3f}\n", trees.goal, trees.expected_order);
  for (std::size_t k = 0; k < trees.orders.probability.size(); ++k) {
    if (trees.orders.probability[k] >= 5e-4) {
      text += fmt::format("  {:>3}  {:.4f}\n", k + 1, trees.orders.probability[k]);
    }
  }
  if (trees.orders.tail >= 5e-4) {
    text += fmt::format("  >{:>2}  {:.4f}\n", trees.orders.probability.size(), trees.orders.tail);
  }
  return text;
}

std::string posteriors_text(const SentenceTrees& trees) {
  std::string text = fmt::format("expected joins of {} (strongest)\n", trees.goal);
  std::size_t shown = 0;
  for (const PosteriorRow& row : strongest_joins(trees)) {
    if (++shown > 10) {
      break;
    }
    text +=
        fmt::format("  {:.4f}  {} -> {}  layer {}, {}\n", row.expected, trees.grammar->names()[row.source],
                    trees.grammar->names()[row.target], row.layer, mog::name(row.part));
  }
  return text;
}

std::string choices_text(const SentenceTrees& trees) {
  std::string text;
  for (const auto& [key, value] : trees.sentence->choices) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, value);
  }
  return text;
}

std::string dropped_text(const SentenceTrees& trees) {
  std::string text;
  each_dropped(trees, [&](std::size_t layer, Part part, const std::vector<double>& mass) {
    text += fmt::format("  layer {:>2}, {:<7}  {:.4f}  {:.4f}\n", layer, mog::name(part), mean_of(mass),
                        *std::max_element(mass.begin(), mass.end()));
  });
  return text.empty() ? "" : "attention on special tokens, dropped (mean over words, maximum)\n" + text;
}

// What the trees of all goals have in common, before and after them.
std::string head_text(const SentenceTrees& trees) {
  return fmt::format("sentence {}: {}\nmodel {}{}\nguarantee: {}\n", trees.number, printable(trees.text),
                     printable(trees.model), mode_text(trees), trees.guarantee);
}
std::string foot_text(const SentenceTrees& trees) {
  std::string text = dropped_text(trees) + "choices: " + choices_text(trees) + "\n";
  for (const std::string& note : trees.sentence->notes) {
    text += "note: " + note + "\n";
  }
  return text;
}

std::string goal_text(const SentenceTrees& trees) {
  const analysis::Forest forest = analysis::make_forest(*trees.grammar, trees.goal, trees.derivations);
  std::string text = analysis::export_forest(forest, analysis::GraphFormat::text);
  if (!trees.orders.probability.empty()) {
    text += "\n" + orders_text(trees) + "\n" + posteriors_text(trees);
  }
  for (const std::string& note : trees.notes) {
    text += "note: " + note + "\n";
  }
  if (trees.ended_by_limit) {
    text += "note: the search ended at its limit; the last group of equal weights may be incomplete\n";
  }
  return text;
}

// DOT and GraphML: all trees in one document.
std::string as_graphs(std::span<const SentenceTrees> all, analysis::GraphFormat format) {
  std::vector<analysis::Derivation> derivations;
  std::vector<analysis::GraphFacts> facts;
  for (const SentenceTrees& trees : all) {
    derivations.insert(derivations.end(), trees.derivations.begin(), trees.derivations.end());
    facts.resize(derivations.size(), facts_of(trees));
  }
  if (derivations.empty()) {
    throw UsageError(
        fmt::format("trees of sentence {} as a graph: there is none{}; --format json states that, too",
                    all.front().number, all.front().notes.empty() ? "" : ": " + all.front().notes.back()));
  }
  analysis::Forest forest = analysis::make_forest(
      *all.front().grammar, all.size() == 1 ? all.front().goal : "all words", derivations);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    forest[boost::graph_bundle].trees[i].facts = std::move(facts[i]);
  }
  return analysis::export_forest(forest, format);
}

}  // namespace

analysis::GraphFacts facts_of(const SentenceTrees& trees) {
  return {{"model", printable(trees.model)},
          {"number", fmt::format("{}", trees.number)},
          {"goal", trees.goal},
          {"mode", std::string(name(trees.mode)) + (trees.each_order ? ", each order" : "")},
          {"guarantee", trees.guarantee},
          {"choices", choices_text(trees)}};
}

std::string trees_as_text(std::span<const SentenceTrees> all) {
  std::string text = head_text(all.front());
  for (const SentenceTrees& trees : all) {
    text += "\n" + goal_text(trees);
  }
  // Words are a file's: harmless for a terminal.
  return terminal_text(text + "\n" + foot_text(all.front()));
}

TreesFormat parse_trees_format(std::string_view text) {
  static constexpr std::string_view kNames[] = {"text", "json", "dot", "graphml", "conllu"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), text);
  if (found == std::end(kNames)) {
    throw unknown_choice("format", text, {"text", "json", "dot", "graphml", "conllu"});
  }
  return static_cast<TreesFormat>(found - std::begin(kNames));
}

std::string print_trees(std::span<const SentenceTrees> trees, TreesFormat format) {
  switch (format) {
    case TreesFormat::text:
      return trees_as_text(trees);
    case TreesFormat::json:
      return trees_as_json(trees);
    case TreesFormat::dot:
      return as_graphs(trees, analysis::GraphFormat::dot);
    case TreesFormat::graphml:
      return as_graphs(trees, analysis::GraphFormat::graphml);
    case TreesFormat::conllu:
      break;
  }
  return trees_as_conllu(trees);
}

std::string SentenceTrees::print(analysis::GraphFormat format) const {
  return print_trees({this, 1}, static_cast<TreesFormat>(format));
}

}  // namespace mog::app
