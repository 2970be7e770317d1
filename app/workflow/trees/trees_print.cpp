// Trees of a sentence as text, DOT and GraphML; JSON and CoNLL-U are trees_json.cpp's and trees_conllu.cpp's.
#include "app/workflow/trees/trees_print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/mog/graph_files/forest.h"
#include "app/workflow/common/text_format.h"
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
    case TreesMode::by_leaves:
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

std::string leaves_text(const SentenceTrees& trees) {
  std::string text =
      fmt::format("leaves of {} (words with repeats): expected {:.3f}\n", trees.goal, trees.expected_leaves);
  for (std::size_t k = 0; k < trees.leaves.probability.size(); ++k) {
    if (trees.leaves.probability[k] >= 5e-4) {
      text += fmt::format("  {:>3}  {:.4f}\n", k + 1, trees.leaves.probability[k]);
    }
  }
  if (trees.leaves.tail >= 5e-4) {
    text += fmt::format("  >{:>2}  {:.4f}\n", trees.leaves.probability.size(), trees.leaves.tail);
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

// Where TOP or R[6,5] is first printed, what it is.
std::string goal_line(const SentenceTrees& trees) {
  if (trees.goal == "TOP") {
    return fmt::format("TOP: the whole sentence, what its words own after layer {} together\n",
                       trees.last_layer);
  }
  const std::string behind = fmt::format(" after layer {} ({})", trees.last_layer, trees.goal);
  return fmt::format("{}: what {} owns after layer {}\n", trees.goal,
                     trees.goal_in_words.substr(0, trees.goal_in_words.size() - behind.size()),
                     trees.last_layer);
}

std::string notes_of(const SentenceTrees& trees) {
  std::string text;
  for (const std::string& note : trees.notes) {
    text += "note: " + note + "\n";
  }
  if (trees.ended_by_limit) {
    text += "note: the search ended at its limit; the last group of equal weights may be incomplete\n";
  }
  return text;
}

std::string goal_text(const SentenceTrees& trees) {
  const analysis::Forest forest = analysis::make_forest(*trees.grammar, trees.goal, trees.derivations);
  std::string text = goal_line(trees) + analysis::export_forest(forest, analysis::GraphFormat::text);
  if (!trees.leaves.probability.empty()) {
    text += "\n" + leaves_text(trees) + "\n" + posteriors_text(trees);
  }
  return text + notes_of(trees);
}

// Weights and expressions, best first, or by leaves from the least that joins something.
std::string short_table(const SentenceTrees& trees) {
  const analysis::Forest forest = analysis::make_forest(*trees.grammar, trees.goal, trees.derivations);
  const std::vector<analysis::TreeInfo>& found = forest[boost::graph_bundle].trees;
  const bool by_leaves = trees.mode == TreesMode::by_leaves;
  std::string text =
      by_leaves ? "leaves  order  weight      expression\n" : "rank  leaves  order  weight      expression\n";
  for (const analysis::TreeInfo& tree : found) {
    const bool atom = by_leaves && tree.leaves == 1 && found.size() > 1;
    if (!atom) {
      text += (by_leaves ? "" : fmt::format("{:>4}  ", tree.rank)) +
              fmt::format("{:>6}  {:>5}  {:<10}  {}\n", tree.leaves, tree.order,
                          analysis::weight_text(tree.weight, tree.log_weight), tree.annotated);
    }
  }
  return text;
}

constexpr std::string_view kMore =
    "--verbose: masses, derivations, how the leaves are distributed, expected joins, dropped attention, "
    "choices\n";

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

std::string print_in_short(std::span<const SentenceTrees> all) {
  std::string text = head_text(all.front());
  for (const SentenceTrees& trees : all) {
    text += "\n" + goal_line(trees) + short_table(trees) + notes_of(trees);
  }
  return terminal_text(text + "\n" + std::string(kMore));
}

std::string print_overview(std::span<const SentenceTrees> whole, std::span<const SentenceTrees> by_leaves) {
  const SentenceTrees& first = by_leaves.front();
  std::string text =
      fmt::format("sentence {}: {}\nmodel {}\n", first.number, printable(first.text), printable(first.model));
  for (std::size_t i = 0; i < by_leaves.size(); ++i) {
    text += "\n" + goal_line(by_leaves[i]);
    const SentenceTrees& best = whole[i];
    if (!best.derivations.empty() && best.grammar->word_count() > 1) {
      text +=
          fmt::format("the best graph over all {} words without overlap ({}):\n", best.grammar->word_count(),
                      best.mode == TreesMode::exact ? "exact" : "a beam search: there may be a better one");
      text += short_table(best);
    }
    text += notes_of(best) +
            "the best graph of each number of leaves (words with repeats; order: distinct words):\n" +
            short_table(by_leaves[i]);
  }
  text += "\n(a)->x U[l=2;part=h] (b)->y: word x of a is joined to word y of b in layer 2, by part h\n";
  return terminal_text(text + std::string(kMore));
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

std::vector<std::string> print_trees_apart(std::span<const SentenceTrees> all, TreesFormat format) {
  std::vector<std::string> documents;
  for (const SentenceTrees& trees : all) {
    SentenceTrees one = trees;
    for (const analysis::Derivation& derivation : trees.derivations) {
      one.derivations = {derivation};
      documents.push_back(print_trees({&one, 1}, format));
    }
  }
  if (documents.empty()) {
    print_trees(all, format);  // says why there is none
  }
  return documents;
}

std::string SentenceTrees::print(analysis::GraphFormat format) const {
  return print_trees({this, 1}, static_cast<TreesFormat>(format));
}

}  // namespace mog::app
