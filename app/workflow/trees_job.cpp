#include "app/workflow/trees_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/mog/best_by_order.h"
#include "analysis/mog/best_projective.h"
#include "analysis/mog/escape.h"
#include "analysis/mog/forest.h"
#include "analysis/mog/from_recording.h"
#include "io/recording/errors.h"

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

std::string_view mode_text(TreesMode mode) {
  switch (mode) {
    case TreesMode::by_order:
      return ", the best for each number of leaves";
    case TreesMode::projective:
      return ", the best whole tree whose steps join neighbours";
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

}  // namespace

std::int64_t sentence_index(const RecordingSource& source, std::int64_t number) {
  // Numbers ascend with the index.
  std::int64_t low = 0;
  std::int64_t high = source.size();
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (source.sentence(middle).number < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low < source.size() && source.sentence(low).number == number) {
    return low;
  }
  if (source.size() == 0) {
    throw UsageError(fmt::format("sentence {}: the recording holds no sentence", number));
  }
  throw UsageError(fmt::format(
      "sentence {}: the recording holds {} sentences, numbered from {} to {}, not this one", number,
      source.size(), source.sentence(0).number, source.sentence(source.size() - 1).number));
}

std::int32_t parse_owner(std::string_view text, std::span<const std::string> words) {
  std::string_view form = text;
  std::int64_t position = 0;
  if (const auto at = text.rfind('@'); at != std::string_view::npos) {
    const std::string_view digits = text.substr(at + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), position);
    if (error == std::errc() && end == digits.data() + digits.size() && !digits.empty()) {
      form = text.substr(0, at);
    } else {
      position = 0;
    }
  }
  if (position != 0) {
    if (position < 1 || position > static_cast<std::int64_t>(words.size())) {
      throw UsageError(fmt::format("--owner {}: the sentence has words 1 to {}, there is no word {}", text,
                                   words.size(), position));
    }
    const std::string& found = words[static_cast<std::size_t>(position - 1)];
    if (!form.empty() && form != found) {
      throw UsageError(fmt::format("--owner {}: word {} is \"{}\"", text, position, found));
    }
    return static_cast<std::int32_t>(position - 1);
  }
  const auto first = std::find(words.begin(), words.end(), form);
  if (first == words.end()) {
    throw UsageError(fmt::format(
        "--owner {}: the sentence has no such word; give WORD, WORD@POSITION or @POSITION", text));
  }
  const auto place = first - words.begin();
  if (std::find(first + 1, words.end(), form) != words.end()) {
    throw UsageError(
        fmt::format("--owner {}: the word occurs more than once; give its position, for example {}@{}", text,
                    form, place + 1));
  }
  return static_cast<std::int32_t>(place);
}

std::string_view name(TreesMode mode) noexcept {
  switch (mode) {
    case TreesMode::by_order:
      return "by-order";
    case TreesMode::projective:
      return "projective";
    case TreesMode::free:
      break;
  }
  return "free";
}

TreesMode parse_trees_mode(std::string_view text) {
  for (const TreesMode mode : {TreesMode::free, TreesMode::by_order, TreesMode::projective}) {
    if (name(mode) == text) {
      return mode;
    }
  }
  throw UsageError(fmt::format("--mode {}: allowed are free, by-order and projective", text));
}

std::int64_t leaves_to_show(std::size_t words) {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(words), 1, 6);
}

SentenceTrees find_trees(const RecordingSource& source, std::int64_t index, const TreesOptions& options) {
  const Sentence sentence = source.sentence(index);
  SentenceTrees trees;
  trees.number = sentence.number;
  trees.text = sentence.text;
  trees.model = source.header().model.name;
  if (sentence.words.empty()) {
    throw UsageError(fmt::format("trees of sentence {}: it has no words", sentence.number));
  }
  analysis::WordGrammarOptions words;
  words.keep_pieces = options.keep_pieces;
  analysis::WordGrammar built = analysis::build_word_grammar(source, index, words);
  trees.notes = std::move(built.notes);
  trees.grammar = std::make_unique<analysis::AttentionGrammar>(std::move(built.input));
  const analysis::AttentionGrammar& grammar = *trees.grammar;

  analysis::Goal goal = analysis::Goal::top();
  if (options.layer < 0 || options.layer > grammar.layers()) {
    throw UsageError(
        fmt::format("--layer {}: the recording has layers 1 to {}", options.layer, grammar.layers()));
  }
  if (!options.owner.empty()) {
    const std::int64_t layer = options.layer == 0 ? grammar.layers() : options.layer;
    goal = analysis::Goal::of_word(layer, parse_owner(options.owner, grammar.words()));
  } else if (options.layer != 0) {
    throw UsageError(fmt::format(
        "--layer {}: a layer goes with a word (--owner); the whole sentence is derived from the last layer",
        options.layer));
  }
  const std::int32_t symbol = goal.is_top() ? grammar.top_symbol() : grammar.r_symbol(goal.layer, goal.word);
  trees.goal = grammar.symbol_text(symbol);
  trees.mode = options.mode;
  if (options.mode == TreesMode::by_order) {
    for (std::optional<analysis::Derivation>& best : analysis::BestByOrder(grammar, options.top).all(goal)) {
      if (best) {
        trees.derivations.push_back(std::move(*best));
      }
    }
  } else if (options.mode == TreesMode::projective) {
    if (std::optional<analysis::Derivation> best = analysis::BestProjective(grammar).best(goal)) {
      trees.derivations.push_back(std::move(*best));
    } else {
      trees.notes.push_back(fmt::format("no derivation of {} joins all {} words by neighbouring steps",
                                        trees.goal, grammar.word_count()));
    }
  } else {
    analysis::KBest search(grammar);
    const analysis::KBestList list = search.list(goal, options.top);
    trees.derivations = search.derivations(list);
    trees.ended_by_limit = list.ended_by_limit;
  }
  if (options.distributions) {
    trees.expected_order = analysis::expected_leaves(grammar).at(static_cast<std::size_t>(symbol));
    analysis::OrderDistributions orders = analysis::order_distributions(grammar);
    trees.orders = goal.is_top() ? std::move(orders.top)
                                 : std::move(orders.words.at(static_cast<std::size_t>(goal.layer - 1))
                                                 .at(static_cast<std::size_t>(goal.word)));
    trees.posteriors = analysis::edge_posteriors(grammar, goal);
  }
  return trees;
}

std::string SentenceTrees::print(analysis::GraphFormat format) const {
  const analysis::Forest forest = analysis::make_forest(*grammar, goal, derivations);
  const std::string body = analysis::export_forest(forest, format);
  if (format == analysis::GraphFormat::text) {
    std::string result =
        fmt::format("sentence {}: {}\nmodel {}{}\n\n{}", number, text, model, mode_text(mode), body);
    if (!orders.probability.empty()) {
      result += "\n" + orders_text(*this) + "\n" + posteriors_text(*this);
    }
    for (const std::string& note : notes) {
      result += "note: " + note + "\n";
    }
    if (ended_by_limit) {
      result += "note: the search ended at its limit; the last group of equal weights may be incomplete\n";
    }
    return result;
  }
  if (format != analysis::GraphFormat::json) {
    return body;
  }
  std::string result =
      fmt::format("{{\"sentence\": {}, \"text\": {}, \"model\": {}, \"goal\": {}, \"mode\": \"{}\",\n",
                  number, analysis::json_string(text), analysis::json_string(model),
                  analysis::json_string(goal), app::name(mode));
  result += " \"forest\": " + body;
  while (!result.empty() && result.back() == '\n') {
    result.pop_back();
  }
  if (!orders.probability.empty()) {
    result += ",\n " + distributions_json(*this);
  }
  result += ",\n \"notes\": [";
  for (std::size_t i = 0; i < notes.size(); ++i) {
    result += (i == 0 ? "" : ", ") + analysis::json_string(notes[i]);
  }
  return result + "]}\n";
}

}  // namespace mog::app
