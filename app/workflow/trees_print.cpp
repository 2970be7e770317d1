// Trees of a sentence as text, JSON, DOT, GraphML and CoNLL-U.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/mog/dependency_trees.h"
#include "analysis/mog/escape.h"
#include "analysis/mog/forest.h"
#include "app/workflow/trees_job.h"
#include "io/recording/errors.h"
#include "io/text/conllu.h"

namespace mog::app {
namespace {

constexpr double kWeakPosterior = 0.01;  // expected joins below it are not listed

struct PosteriorRow {
  std::int64_t layer = 0;
  Part part = Part::none;
  std::size_t source = 0;
  std::size_t target = 0;
  double expected = 0;
};

// Strongest first; ties by layer, part, words.
std::vector<PosteriorRow> strongest(const SentenceTrees& trees) {
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
  for (const PosteriorRow& row : strongest(trees)) {
    if (++shown > 10) {
      break;
    }
    text +=
        fmt::format("  {:.4f}  {} -> {}  layer {}, {}\n", row.expected, trees.grammar->names()[row.source],
                    trees.grammar->names()[row.target], row.layer, mog::name(row.part));
  }
  return text;
}

std::string json_numbers(const std::vector<double>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i == 0 ? "" : ", ") + analysis::json_number(values[i]);
  }
  return text + "]";
}

std::string distributions_json(const SentenceTrees& trees) {
  std::string text =
      fmt::format(R"("order_distribution": {{"expected": {}, "probability": {}, "tail": {}}})",
                  analysis::json_number(trees.expected_order), json_numbers(trees.orders.probability),
                  analysis::json_number(trees.orders.tail));
  text += ",\n \"edge_posteriors\": [";
  bool first = true;
  for (const PosteriorRow& row : strongest(trees)) {
    text += fmt::format(R"({}{{"layer": {}, "part": "{}", "source": {}, "target": {}, "expected": {}}})",
                        first ? "" : ",\n  ", row.layer, mog::name(row.part), row.source + 1, row.target + 1,
                        analysis::json_number(row.expected));
    first = false;
  }
  return text + "]";
}

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// Calls visit(layer, part, mass [word]) for every map that counts.
template <class Visit>
void each_dropped(const SentenceTrees& trees, const Visit& visit) {
  const auto& dropped = trees.sentence->dropped;
  for (std::size_t layer = 0; layer < dropped.size(); ++layer) {
    for (std::size_t part = 0; part < dropped[layer].size(); ++part) {
      if (!dropped[layer][part].empty()) {
        visit(layer + 1, trees.grammar->parts()[part], dropped[layer][part]);
      }
    }
  }
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += value / static_cast<double>(values.size());
  }
  return sum;
}

std::string choices_text(const SentenceTrees& trees) {
  std::string text = "choices:";
  for (const auto& [key, value] : trees.sentence->choices) {
    text += fmt::format("{} {} {}", text.back() == ':' ? "" : ",", key, value);
  }
  return text + "\n";
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
  return fmt::format("sentence {}: {}\nmodel {}{}\nguarantee: {}\n", trees.number, trees.text, trees.model,
                     mode_text(trees), trees.guarantee);
}
std::string foot_text(const SentenceTrees& trees) {
  std::string text = dropped_text(trees) + choices_text(trees);
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
        fmt::format(R"({}{{"layer": {}, "part": "{}", "mean": {}, "maximum": {}, "words": {}}})",
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
  if (!trees.orders.probability.empty()) {
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

std::string as_text(std::span<const SentenceTrees> all) {
  std::string text = head_text(all.front());
  for (const SentenceTrees& trees : all) {
    text += "\n" + goal_text(trees);
  }
  return text + "\n" + foot_text(all.front());
}

std::string as_json(std::span<const SentenceTrees> all) {
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

// DOT and GraphML: all trees in one document.
std::string as_graphs(std::span<const SentenceTrees> all, analysis::GraphFormat format) {
  std::vector<analysis::Derivation> derivations;
  for (const SentenceTrees& trees : all) {
    derivations.insert(derivations.end(), trees.derivations.begin(), trees.derivations.end());
  }
  return analysis::export_forest(
      analysis::make_forest(*all.front().grammar, all.size() == 1 ? all.front().goal : "all words",
                            derivations),
      format);
}

// ---- CoNLL-U ----------------------------------------------------------------------------------------------

[[noreturn]] void refuse_conllu(const SentenceTrees& trees, const std::string& why) {
  throw UsageError(
      fmt::format("CoNLL-U of sentence {}: {}; a tree over all words comes from --mode exact (up to 12 "
                  "words), projective "
                  "or beam",
                  trees.number, why));
}

// "3"; further trees of a sentence have ids of their own: "3-R[6,2]", "3-rank2".
std::string sentence_id(const SentenceTrees& trees, std::int32_t rank) {
  return fmt::format("{}{}{}", trees.number, trees.goal == "TOP" ? "" : "-" + trees.goal,
                     rank > 1 ? fmt::format("-rank{}", rank) : "");
}

std::string conllu_of(const SentenceTrees& trees, const analysis::Derivation& derivation) {
  const std::vector<std::string>& words = trees.grammar->words();
  const analysis::KBestEntry& entry = derivation.entry;
  if (!entry.simple || entry.order != trees.grammar->word_count()) {
    refuse_conllu(trees, fmt::format("graph {} of {} is no tree over the words: it has {} of {} words{}",
                                     entry.rank, trees.goal, entry.order, words.size(),
                                     entry.simple ? "" : ", some of them more than once"));
  }
  io::TreebankSentence sentence;
  sentence.comments = {"# sent_id = " + sentence_id(trees, entry.rank),
                       "# text = " + trees.text,
                       "# model = " + trees.model,
                       fmt::format("# goal = {}", trees.goal),
                       fmt::format("# mode = {}", name(trees.mode)),
                       "# guarantee = " + trees.guarantee,
                       fmt::format("# rank = {}", entry.rank),
                       "# weight = " + analysis::json_number(entry.weight),
                       "# mog = " + derivation.annotated};
  for (const std::string& word : words) {
    if (word.find_first_of("\t\n\r") != std::string::npos) {
      refuse_conllu(trees, "a word holds a tab or a line end");
    }
    sentence.words.push_back({.form = word,
                              .lemma = "_",
                              .upos = "_",
                              .xpos = "_",
                              .feats = "_",
                              .head = 0,
                              .deprel = "root",
                              .misc = "_"});
  }
  for (std::string& comment : sentence.comments) {
    std::replace_if(
        comment.begin(), comment.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  }
  for (const analysis::DerivationNode& node : derivation.nodes) {
    if (!node.is_leaf()) {
      io::TreebankWord& word = sentence.words.at(at(node.target));
      word.head = node.word + 1;
      word.deprel = "dep";
      word.misc =
          fmt::format("Layer={}|Part={}|Weight={:.6g}", node.layer, mog::name(node.part), node.weight);
    }
  }
  return io::to_conllu(sentence);
}

std::string as_conllu(std::span<const SentenceTrees> all) {
  std::string text;
  for (const SentenceTrees& trees : all) {
    if (trees.derivations.empty()) {
      refuse_conllu(trees, trees.notes.empty() ? "there is no tree" : trees.notes.back());
    }
    for (const analysis::Derivation& derivation : trees.derivations) {
      text += conllu_of(trees, derivation);
    }
  }
  return text;
}

}  // namespace

TreesFormat parse_trees_format(std::string_view text) {
  static constexpr std::string_view kNames[] = {"text", "json", "dot", "graphml", "conllu"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), text);
  if (found == std::end(kNames)) {
    throw UsageError(fmt::format("format \"{}\": expected text, json, dot, graphml or conllu", text));
  }
  return static_cast<TreesFormat>(found - std::begin(kNames));
}

std::string print_trees(std::span<const SentenceTrees> trees, TreesFormat format) {
  switch (format) {
    case TreesFormat::text:
      return as_text(trees);
    case TreesFormat::json:
      return as_json(trees);
    case TreesFormat::dot:
      return as_graphs(trees, analysis::GraphFormat::dot);
    case TreesFormat::graphml:
      return as_graphs(trees, analysis::GraphFormat::graphml);
    case TreesFormat::conllu:
      break;
  }
  return as_conllu(trees);
}

std::string SentenceTrees::print(analysis::GraphFormat format) const {
  return print_trees({this, 1}, static_cast<TreesFormat>(format));
}

}  // namespace mog::app
