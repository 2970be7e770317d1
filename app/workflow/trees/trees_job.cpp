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

#include "analysis/mog/grammar/from_recording.h"
#include "analysis/mog/graph_files/forest.h"
#include "analysis/mog/search/best_by_leaves.h"
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

// All goals of one sentence: the grammar and the searches are made once.
class Finder {
 public:
  Finder(const RecordingSource& source, std::int64_t index, const TreesOptions& options) : options_(options) {
    const Sentence sentence = source.sentence(index);
    if (sentence.words.empty()) {
      throw UsageError(fmt::format("trees of sentence {}: it has no words", sentence.number));
    }
    if (options.each_order && !finds_whole_trees(options.mode)) {
      throw UsageError(
          fmt::format("--each-order goes with the modes exact, projective and beam; --mode {} has it for "
                      "leaves: by-leaves",
                      name(options.mode)));
    }
    analysis::WordGrammar built = analysis::build_word_grammar(source, index, options.grammar);
    auto about = std::make_shared<TreesOfSentence>();
    about->number = sentence.number;
    about->text = sentence.text;
    about->model = source.header().model.name;
    about->dropped = std::move(built.dropped);
    about->dropped_top = built.dropped_top;
    about->head_weights = std::move(built.head_weights);
    about->choices = std::move(built.choices);
    about->notes = std::move(built.notes);
    about_ = std::move(about);
    grammar_ = std::make_shared<const analysis::AttentionGrammar>(std::move(built.input));
  }

  const analysis::AttentionGrammar& grammar() const { return *grammar_; }
  // What will be asked for; nothing: every word.
  void expect(std::vector<analysis::Goal> goals) { goals_ = std::move(goals); }
  SentenceTrees trees(const analysis::Goal& goal);

 private:
  void search(const analysis::Goal& goal, SentenceTrees& trees);
  void search_whole_trees(const analysis::Goal& goal, SentenceTrees& trees);
  void distributions(const analysis::Goal& goal, SentenceTrees& trees);
  std::string guarantee() const;
  std::string beam_guarantee() const;
  analysis::SearchControl control() const;
  analysis::SimpleTreesOptions simple_options() const;

  const TreesOptions& options_;
  std::vector<analysis::Goal> goals_;
  std::shared_ptr<const TreesOfSentence> about_;
  std::shared_ptr<const analysis::AttentionGrammar> grammar_;
  std::unique_ptr<analysis::KBest> k_best_;
  std::unique_ptr<analysis::BestByLeaves> by_leaves_;
  std::unique_ptr<analysis::SimpleTrees> simple_;
  std::optional<analysis::LeavesDistributions> leaves_;
  std::vector<double> expected_;
};

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
  const analysis::BeamPlan plan = analysis::SimpleTrees::beam_plan(*grammar_, simple_options());
  const bool capped =
      plan.most_order < grammar_->word_count() && (!options_.each_order || plan.most_order < options_.top);
  std::string text =
      fmt::format("inexact: a beam of {} sets of words for each symbol and number of words", options_.beam);
  if (capped) {
    text +=
        fmt::format(" up to {}, of more words those of the seeds alone (the sentence is too long for more)",
                    plan.most_order);
  }
  text += "; weights are lower bounds of those of mode exact";
  if (options_.each_order && options_.top < grammar_->word_count()) {
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
                                                  options_.top, grammar_->word_count()))
                                            : 0,
          .goals = goals_,
          .control = control()};
}

void Finder::search_whole_trees(const analysis::Goal& goal, SentenceTrees& trees) {
  if (!simple_) {
    simple_ = std::make_unique<analysis::SimpleTrees>(*grammar_, search_of(options_.mode), simple_options());
  }
  if (options_.each_order) {
    for (std::optional<analysis::Derivation>& best : simple_->each_order(goal, options_.top)) {
      if (best) {
        trees.derivations.push_back(std::move(*best));
      }
    }
  } else {
    analysis::SimpleTrees::List list = simple_->best(goal, options_.top);
    trees.derivations = std::move(list.derivations);
    trees.ended_by_limit = list.ended_by_limit;
  }
  if (trees.derivations.empty()) {
    const std::int32_t words = grammar_->word_count();
    const bool too_many =
        !grammar_->recurrent() && grammar_->layers() < 31 && words > std::int64_t{1} << grammar_->layers();
    trees.notes.push_back(
        too_many ? fmt::format("no tree of {} joins all {} words: {} layers join {} at most; --each-order "
                               "gives the best of fewer words",
                               trees.goal, words, grammar_->layers(), std::int64_t{1} << grammar_->layers())
        : options_.mode == TreesMode::projective
            ? fmt::format("no derivation of {} joins all {} words by neighbouring steps", trees.goal, words)
            : fmt::format("no derivation of {} {}joins all {} words", trees.goal,
                          options_.mode == TreesMode::exact ? "" : "that was found ", words));
  }
}

void Finder::search(const analysis::Goal& goal, SentenceTrees& trees) {
  if (options_.mode == TreesMode::by_leaves) {
    if (!by_leaves_) {
      by_leaves_ = std::make_unique<analysis::BestByLeaves>(*grammar_, options_.top, control());
    }
    for (std::optional<analysis::Derivation>& best : by_leaves_->all(goal)) {
      if (best) {
        trees.derivations.push_back(std::move(*best));
      }
    }
  } else if (options_.mode == TreesMode::free) {
    if (!k_best_) {
      k_best_ = std::make_unique<analysis::KBest>(*grammar_,
                                                  analysis::KBestOptions{.control = {.stop = options_.stop}});
    }
    const analysis::KBestList list = k_best_->list(goal, options_.top);
    trees.derivations = k_best_->derivations(list);
    trees.ended_by_limit = list.ended_by_limit;
  } else {
    search_whole_trees(goal, trees);
  }
}

void Finder::distributions(const analysis::Goal& goal, SentenceTrees& trees) {
  const std::int32_t symbol =
      goal.is_top() ? grammar_->top_symbol() : grammar_->r_symbol(goal.layer, goal.word);
  if (!leaves_) {
    leaves_ = analysis::leaves_distributions(*grammar_, 64, {.stop = options_.stop});
    expected_ = analysis::expected_leaves(*grammar_);
  }
  trees.expected_leaves = expected_.at(static_cast<std::size_t>(symbol));
  trees.leaves = goal.is_top() ? leaves_->top
                               : leaves_->words.at(static_cast<std::size_t>(goal.layer - 1))
                                     .at(static_cast<std::size_t>(goal.word));
  trees.posteriors = analysis::edge_posteriors(*grammar_, goal, {.stop = options_.stop});
}

SentenceTrees Finder::trees(const analysis::Goal& goal) {
  SentenceTrees trees;
  trees.number = about_->number;
  trees.text = about_->text;
  trees.model = about_->model;
  trees.goal = analysis::goal_text(goal);
  trees.goal_in_words = analysis::goal_in_words(goal, grammar_->names());
  trees.last_layer = goal.last_layer(grammar_->layers());
  trees.grammar = grammar_;
  trees.sentence = about_;
  trees.mode = options_.mode;
  trees.each_order = options_.each_order;
  trees.guarantee = guarantee();
  search(goal, trees);
  if (options_.distributions) {
    distributions(goal, trees);
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
