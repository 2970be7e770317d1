// All goals of a sentence share what is expensive: the grammar, the tables of the search in use, and the
// distributions of leaves are made at the first question and kept (Finder). Asking for all words then costs
// little more than for one. A search that is told beforehand what will be asked (expect) needs tables for
// that only.
//
// Each result says in words what it guarantees: exact, exact among some trees, or a lower bound, because the
// same weight means something else in each mode.
//
// Traps: posteriors are of one goal and computed for each. Searches hold the grammar by reference, results
// hold it by shared pointer: a result outlives the Finder, a search does not.
#include "app/workflow/trees/trees_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/mog/graph_files/forest.h"
#include "analysis/mog/search/best_simple.h"
#include "app/workflow/common/text_format.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {

std::optional<std::int64_t> find_sentence(const RecordingSource& source, std::int64_t number) {
  // Numbers ascend with the index.
  std::int64_t low = 0;
  std::int64_t high = source.size();
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (source.number(middle) < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < source.size() && source.number(low) == number ? std::optional(low) : std::nullopt;
}

std::int64_t sentence_index(const RecordingSource& source, std::int64_t number) {
  if (const std::optional<std::int64_t> found = find_sentence(source, number)) {
    return *found;
  }
  if (source.size() == 0) {
    throw UsageError(fmt::format("sentence {}: the recording holds no sentence", number));
  }
  throw UsageError(fmt::format("sentence {}: the recording holds {}, numbered from {} to {}, not this one",
                               number, counted(source.size(), "sentence"), source.number(0),
                               source.number(source.size() - 1)));
}

namespace {

// "\n     its words: the@1 dog@2", after what was wrong with an owner.
std::string words_with_positions(std::span<const std::string> words) {
  constexpr std::size_t kMost = 100;
  const std::size_t shown = std::min(words.size(), kMost);
  std::string text = "\n     its words: ";
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format("{}{}@{}", i == 0 ? "" : " ", printable(words[i]), i + 1);
  }
  if (shown < words.size()) {
    text += fmt::format(" and {} more", words.size() - shown);
  }
  return text;
}

}  // namespace

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
      throw UsageError(fmt::format("--owner {}: the sentence has words 1 to {}, there is no word {}{}", text,
                                   words.size(), position, words_with_positions(words)));
    }
    const std::string& found = words[static_cast<std::size_t>(position - 1)];
    if (!form.empty() && form != found) {
      throw UsageError(
          fmt::format("--owner {}: word {} is \"{}\"{}", text, position, found, words_with_positions(words)));
    }
    return static_cast<std::int32_t>(position - 1);
  }
  const auto first = std::find(words.begin(), words.end(), form);
  if (first == words.end()) {
    throw UsageError(
        fmt::format("--owner {}: the sentence has no such word; give WORD, WORD@POSITION or @POSITION{}",
                    text, words_with_positions(words)));
  }
  const auto place = first - words.begin();
  if (std::find(first + 1, words.end(), form) != words.end()) {
    throw UsageError(
        fmt::format("--owner {}: the word occurs more than once; give its position, for example {}@{}{}",
                    text, form, place + 1, words_with_positions(words)));
  }
  return static_cast<std::int32_t>(place);
}

std::string_view name(TreesMode mode) noexcept {
  static constexpr std::string_view kNames[] = {"free", "by-leaves", "projective", "beam", "exact"};
  return kNames[static_cast<std::size_t>(mode)];
}

TreesMode parse_trees_mode(std::string_view text) {
  for (const TreesMode mode :
       {TreesMode::free, TreesMode::by_leaves, TreesMode::projective, TreesMode::beam, TreesMode::exact}) {
    if (name(mode) == text) {
      return mode;
    }
  }
  throw unknown_choice("--mode", text, {"free", "by-leaves", "projective", "beam", "exact"});
}

std::int64_t leaves_to_show(std::size_t words) {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(words), 1, 6);
}

namespace {

analysis::SimpleSearch search_of(TreesMode mode) {
  return mode == TreesMode::exact  ? analysis::SimpleSearch::exact
         : mode == TreesMode::beam ? analysis::SimpleSearch::beam
                                   : analysis::SimpleSearch::projective;
}

bool finds_whole_trees(TreesMode mode) {
  return mode == TreesMode::exact || mode == TreesMode::beam || mode == TreesMode::projective;
}

// All goals of one sentence.
class Finder {
 public:
  Finder(const RecordingSource& source, std::int64_t index, const TreesOptions& options)
      : options_(possible(options)), searches_(source, index, options.grammar, control()) {}

  const analysis::AttentionGrammar& grammar() const { return *searches_.grammar(); }
  // What will be asked for; nothing: every word.
  void expect(std::vector<analysis::Goal> goals) { goals_ = std::move(goals); }
  SentenceTrees trees(const analysis::Goal& goal);

 private:
  static const TreesOptions& possible(const TreesOptions& options);
  FoundTrees search(const analysis::Goal& goal);
  // Why there is no tree over all words.
  std::string no_whole_tree(const SentenceTrees& trees) const;
  std::string guarantee() const;
  std::string beam_guarantee() const;
  analysis::SearchControl control() const;
  analysis::SimpleTreesOptions simple_options() const;

  const TreesOptions& options_;
  TreeSearch searches_;
  std::vector<analysis::Goal> goals_;
};

const TreesOptions& Finder::possible(const TreesOptions& options) {
  if (options.each_order && !finds_whole_trees(options.mode)) {
    throw UsageError(
        fmt::format("--each-order goes with the modes exact, projective and beam; --mode {} has it for "
                    "leaves: by-leaves",
                    name(options.mode)));
  }
  return options;
}

std::string Finder::guarantee() const {
  const std::string whole = options_.each_order ? "the greatest weight for each number of words"
                            : options_.top == 1 ? "the greatest weight"
                                                : fmt::format("the {} greatest weights", options_.top);
  switch (options_.mode) {
    case TreesMode::free:
      return fmt::format(
          "exact: {} of all expressions, ties included; masses are sums over all derivations",
          options_.top == 1 ? "the greatest weight" : fmt::format("the {} greatest weights", options_.top));
    case TreesMode::by_leaves:
      return "exact: the greatest weight for each number of leaves (words with repeats)";
    case TreesMode::projective:
      return fmt::format(
          "exact among the trees whose every step joins neighbouring stretches: {} of them{}; other trees "
          "may "
          "weigh more",
          whole, options_.each_order ? "" : " over all words");
    case TreesMode::exact:
      return fmt::format("exact: {} of all trees without overlap{}", whole,
                         options_.each_order ? "" : " over all words");
    case TreesMode::beam:
      break;
  }
  return beam_guarantee();
}

// What a beam keeps, and what its weights are worth.
std::string Finder::beam_guarantee() const {
  using Seeds = analysis::BeamPlan::Seeds;
  const analysis::BeamPlan plan = analysis::SimpleTrees::beam_plan(grammar(), simple_options());
  const bool capped =
      plan.most_order < grammar().word_count() && (!options_.each_order || plan.most_order < options_.top);
  std::string text =
      fmt::format("inexact: a beam of {} sets of words for each symbol and number of words", options_.beam);
  if (capped) {
    text +=
        fmt::format(" up to {}, of more words those of the seeds alone (the sentence is too long for more)",
                    plan.most_order);
  }
  text += "; weights are lower bounds of those of mode exact";
  if (options_.each_order && options_.top < grammar().word_count()) {
    return text;
  }
  const std::string seeds =
      plan.seeds == Seeds::projective ? "the best projective tree"
      : plan.seeds == Seeds::chains
          ? "the best tree that joins word after word"
          : fmt::format(
                "the best tree whose steps join neighbouring stretches inside blocks of {} words, or "
                "of whole blocks",
                plan.block_words);
  return text + ", never below " + seeds;
}

analysis::SearchControl Finder::control() const {
  analysis::SearchControl control{.stop = options_.stop};
  if (options_.progress) {
    control.progress = [this](std::string_view what, std::int64_t done, std::int64_t total) {
      options_.progress({done, total, "symbols", std::string(what)});
    };
  }
  return control;
}

analysis::SimpleTreesOptions Finder::simple_options() const {
  return {.beam = options_.beam,
          .most_order = options_.each_order ? static_cast<std::int32_t>(std::min<std::int64_t>(
                                                  options_.top, grammar().word_count()))
                                            : 0,
          .goals = goals_};
}

FoundTrees Finder::search(const analysis::Goal& goal) {
  switch (options_.mode) {
    case TreesMode::free:
      return searches_.best(goal, options_.top);
    case TreesMode::by_leaves:
      return searches_.best_by_leaves(goal, options_.top);
    case TreesMode::projective:
    case TreesMode::beam:
    case TreesMode::exact:
      break;
  }
  return searches_.best_whole(search_of(options_.mode), simple_options(), goal, options_.top,
                              options_.each_order);
}

std::string Finder::no_whole_tree(const SentenceTrees& trees) const {
  const std::int32_t words = grammar().word_count();
  const bool too_many =
      !grammar().recurrent() && grammar().layers() < 31 && words > std::int64_t{1} << grammar().layers();
  return too_many ? fmt::format(
                        "no tree of {} joins all {} words: {} layers join {} at most; --each-order "
                        "gives the best of fewer words",
                        trees.goal, words, grammar().layers(), std::int64_t{1} << grammar().layers())
         : options_.mode == TreesMode::projective
             ? fmt::format("no derivation of {} joins all {} words by neighbouring steps", trees.goal, words)
             : fmt::format("no derivation of {} {}joins all {} words", trees.goal,
                           options_.mode == TreesMode::exact ? "" : "that was found ", words);
}

SentenceTrees Finder::trees(const analysis::Goal& goal) {
  SentenceTrees trees;
  trees.sentence = searches_.about();
  trees.grammar = searches_.grammar();
  trees.number = trees.sentence->number;
  trees.text = trees.sentence->text;
  trees.model = trees.sentence->model;
  trees.goal = analysis::goal_text(goal);
  trees.goal_in_words = analysis::goal_in_words(goal, grammar().names());
  trees.last_layer = goal.last_layer(grammar().layers());
  trees.mode = options_.mode;
  trees.each_order = options_.each_order;
  trees.guarantee = guarantee();
  FoundTrees found = search(goal);
  trees.derivations = std::move(found.derivations);
  trees.ended_by_limit = found.ended_by_limit;
  if (trees.derivations.empty() && finds_whole_trees(options_.mode)) {
    trees.notes.push_back(no_whole_tree(trees));
  }
  if (options_.distributions) {
    TreeSearch::Distributions distributions = searches_.distributions(goal);
    trees.expected_leaves = distributions.expected_leaves;
    trees.leaves = std::move(distributions.leaves);
    trees.posteriors = std::move(distributions.posteriors);
  }
  return trees;
}

}  // namespace

std::vector<SentenceTrees> find_all_trees(const RecordingSource& source, std::int64_t index,
                                          const TreesOptions& options) {
  Finder finder(source, index, options);
  const analysis::AttentionGrammar& grammar = finder.grammar();
  if (options.layer < 0 || options.layer > grammar.layers()) {
    throw UsageError(
        fmt::format("--layer {}: the recording has layers 1 to {}", options.layer, grammar.layers()));
  }
  std::vector<SentenceTrees> result;
  if (options.owner.empty()) {
    if (options.layer != 0) {
      throw UsageError(fmt::format(
          "--layer {}: a layer goes with a word (--owner); the whole sentence is derived from the last layer",
          options.layer));
    }
    finder.expect({analysis::Goal::top()});
    result.push_back(finder.trees(analysis::Goal::top()));
    return result;
  }
  if (options.grammar.target != analysis::TargetWeights::uniform) {
    throw UsageError(fmt::format(
        "--target {} weighs the words of the whole sentence; it does not go with one word (--owner)",
        name(options.grammar.target)));
  }
  const std::int64_t layer = options.layer == 0 ? grammar.layers() : options.layer;
  if (options.owner != "all") {
    const analysis::Goal goal = analysis::Goal::of_word(layer, parse_owner(options.owner, grammar.words()));
    finder.expect({goal});
    result.push_back(finder.trees(goal));
    return result;
  }
  for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
    result.push_back(finder.trees(analysis::Goal::of_word(layer, word)));
  }
  return result;
}

SentenceTrees find_trees(const RecordingSource& source, std::int64_t index, const TreesOptions& options) {
  std::vector<SentenceTrees> all = find_all_trees(source, index, options);
  if (all.size() != 1) {
    throw UsageError(fmt::format("--owner {}: expected one word", options.owner));
  }
  return std::move(all.front());
}

}  // namespace mog::app
