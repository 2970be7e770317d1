// A batch is encoded; its sentences then go on action by action, all at once, each as far as that encoding is
// true of it: to its next arc where the encoder reads the graph, else to its end. What is not parsed then is
// encoded again with its new graph. Of n words the encoder runs n times or once, and the heads 2n times, more
// with swaps. Where the encoder reads states, each of them is an encoding of its own.
#include "app/workflow/graphs/transition_parser.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "app/workflow/common/best_tags.h"
#include "app/workflow/common/state_sequences.h"
#include "app/workflow/common/state_tokens.h"
#include "app/workflow/graphs/score_observer.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

using analysis::kParserActions;
using analysis::ParserAction;

constexpr float kNever = -std::numeric_limits<float>::infinity();

// One sentence on its way.
class Derivation {
 public:
  Derivation(const model::ModelConfig& config, const Sentence& sentence, bool projective, Parse& parse)
      : graph_(*config.graph),
        sentence_(sentence),
        projective_(projective),
        tokens_(model::vertex_tokens(sentence)),
        state_(static_cast<std::int32_t>(sentence.words.size())),
        parse_(parse) {
    if (graph_.reads_states()) {
      source_ = state_source(config, sentence);
      trace_.words = state_.words();
    }
    for (const Token& token : sentence.tokens) {
      ids_.push_back(token.id);
    }
    parse.best.head_probabilities.assign(sentence.words.size(), 0.0);
    parse.best.label_probabilities.assign(sentence.words.size(), 0.0);
  }

  bool done() const noexcept { return state_.is_final(); }
  const Sentence& sentence() const noexcept { return sentence_; }
  Parse& parse() noexcept { return parse_; }
  std::span<const std::int64_t> ids() const noexcept { return ids_; }
  std::vector<model::GraphArc> arcs() const { return model::dependency_arcs(graph_, sentence_, tree()); }
  model::StateTokens tokens() const { return state_tokens(state_, tokens_); }
  // The state as a sentence of its own.
  model::StateTokens append_to(model::PackedBatch& batch) const {
    const std::size_t done = trace_.transitions.size();
    return append_states(source_, trace_, done, done, batch).front();
  }
  model::DependencyTree tree() const {
    return {{state_.heads().begin(), state_.heads().end()}, {state_.labels().begin(), state_.labels().end()}};
  }

  // Takes the best action; whether it made an arc.
  bool go_on(std::span<const float, kParserActions> actions, std::span<const float> labels) {
    std::array<float, kParserActions> scores = {};
    for (std::size_t action = 0; action < kParserActions; ++action) {
      scores[action] = kNever;
      if (allowed(static_cast<ParserAction>(action))) {
        scores[action] = actions[action];
      }
    }
    ParseStep step;
    step.transition.action = state_.best_legal(scores);
    step.probabilities = softmax(scores);
    const bool arc =
        step.transition.action == ParserAction::left_arc || step.transition.action == ParserAction::right_arc;
    if (arc) {
      std::tie(step.transition.label, step.label_probability) = best_label(step.transition.action, labels);
    }
    state_.apply(step.transition);
    if (graph_.reads_states()) {
      trace_.transitions.push_back(step.transition);
    }
    if (arc) {
      const auto word = static_cast<std::size_t>(state_.removed().back()) - 1;
      parse_.best.head_probabilities[word] =
          step.probabilities[static_cast<std::size_t>(step.transition.action)];
      parse_.best.label_probabilities[word] = step.label_probability;
    }
    parse_.steps.push_back(step);
    return arc;
  }

 private:
  std::int32_t below() const { return state_.stack()[state_.stack().size() - 2]; }
  bool allowed(ParserAction action) const {
    const bool early_root = action == ParserAction::right_arc && state_.stack().size() > 1 && below() == 0 &&
                            !state_.buffer().empty();
    return state_.is_legal(action) && !early_root && !(projective_ && action == ParserAction::swap);
  }
  static std::array<double, kParserActions> softmax(const std::array<float, kParserActions>& scores) {
    const float greatest = *std::max_element(scores.begin(), scores.end());
    std::array<double, kParserActions> shares = {};
    double sum = 0.0;
    for (std::size_t action = 0; action < kParserActions; ++action) {
      shares[action] = std::exp(static_cast<double>(scores[action]) - static_cast<double>(greatest));
      sum += shares[action];
    }
    for (double& share : shares) {
      share /= sum;
    }
    return shares;
  }
  std::pair<std::int32_t, double> best_label(ParserAction action, std::span<const float> scores) const {
    const bool of_root = action == ParserAction::right_arc && below() == 0;
    const auto root = std::find(graph_.labels.begin(), graph_.labels.end(), "root") - graph_.labels.begin();
    const auto count = static_cast<std::ptrdiff_t>(graph_.labels.size());
    const auto score = [&](std::ptrdiff_t label) {
      return static_cast<double>(scores[static_cast<std::size_t>(label)]);
    };
    std::ptrdiff_t best = -1;
    double sum = 0.0;  // of exp(score − that of the best so far), over the labels that may be
    for (std::ptrdiff_t label = 0; label < count; ++label) {
      if (root != count && count > 1 && (label == root) != of_root) {
        continue;
      }
      if (best < 0 || score(label) > score(best)) {
        sum = best < 0 ? 1.0 : 1.0 + sum * std::exp(score(best) - score(label));
        best = label;
      } else {
        sum += std::exp(score(label) - score(best));
      }
    }
    return {static_cast<std::int32_t>(best), 1.0 / sum};
  }

  const model::GraphConfig& graph_;
  const Sentence& sentence_;
  bool projective_;
  std::vector<std::int64_t> tokens_;
  std::vector<std::int64_t> ids_;
  analysis::ParserState state_;
  StateSource source_;  // of a parser that reads states, as are
  analysis::ParserTrace trace_;
  Parse& parse_;
};

// What goes on by one encoding of sentences.
class Encoding {
 public:
  // All borrowed.
  Encoding(const model::ModelConfig& config, const std::vector<Derivation*>& sentences)
      : labels_(config.graph->labels.size()),
        reads_graph_(config.encoder.graph_input.has_value()),
        reads_states_(config.graph->reads_states()),
        sentences_(sentences) {
    for (std::size_t at = 0; at < sentences.size(); ++at) {
      append(*sentences[at]);
      if (!sentences[at]->done()) {
        moving_.push_back(at);
      }
    }
  }

  const model::PackedBatch& batch() const noexcept { return batch_; }
  // As model::NextStates.
  std::vector<model::StateTokens> next(const model::StateScores& scores) {
    if (asked_) {
      take(scores);
    }
    asked_ = true;
    std::vector<model::StateTokens> states;
    states.reserve(moving_.size());
    for (const std::size_t at : moving_) {
      states.push_back(reads_states_ ? tokens_[at] : in_batch(at, sentences_[at]->tokens()));
    }
    return states;
  }

 private:
  void append(const Derivation& sentence) {
    if (reads_states_) {
      tokens_.push_back(sentence.append_to(batch_));
    } else {
      batch_.append(sentence.ids(), reads_graph_ ? sentence.arcs() : std::vector<model::GraphArc>{});
    }
  }
  model::StateTokens in_batch(std::size_t at, model::StateTokens tokens) const {
    for (std::int64_t& token : tokens) {
      token = token < 0 ? token : batch_.offsets[at] + token;
    }
    return tokens;
  }
  void take(const model::StateScores& scores) {
    const std::span<const float> actions = scores.actions;
    const std::span<const float> labels = scores.labels;
    std::vector<std::size_t> still;
    for (std::size_t row = 0; row < moving_.size(); ++row) {
      Derivation& sentence = *sentences_[moving_[row]];
      const bool arc = sentence.go_on(actions.subspan(row * kParserActions).first<kParserActions>(),
                                      labels.subspan(row * labels_, labels_));
      const bool stale = reads_states_ || (arc && reads_graph_);
      if (!sentence.done() && !stale) {
        still.push_back(moving_[row]);
      }
    }
    moving_ = std::move(still);
  }

  std::size_t labels_;
  bool reads_graph_;
  bool reads_states_;
  const std::vector<Derivation*>& sentences_;
  model::PackedBatch batch_;
  std::vector<model::StateTokens> tokens_;  // of states that are read themselves
  std::vector<std::size_t> moving_;         // those for which it still is true
  bool asked_ = false;
};

class Parser {
 public:
  Parser(const model::Model& model, std::span<const Sentence> sentences, const ParseOptions& options)
      : model_(model),
        config_(model.config()),
        sentences_(sentences),
        options_(options),
        parses_(sentences.size()) {}

  std::vector<Parse> run() {
    std::vector<std::int64_t> lengths;
    for (const Sentence& sentence : sentences_) {
      lengths.push_back(static_cast<std::int64_t>(sentence.tokens.size()));
    }
    std::int64_t done = 0;
    for (const std::vector<std::int64_t>& batch : model::pack_by_length(lengths, options_.batch_tokens)) {
      run_batch(batch, done);
      done += static_cast<std::int64_t>(batch.size());
      if (options_.progress) {
        options_.progress(done);
      }
    }
    return std::move(parses_);
  }

 private:
  void run_batch(const std::vector<std::int64_t>& chosen, std::int64_t done) {
    std::vector<Derivation> derivations;
    derivations.reserve(chosen.size());
    for (const std::int64_t index : chosen) {
      const auto at = static_cast<std::size_t>(index);
      derivations.emplace_back(config_, sentences_[at], options_.projective, parses_[at]);
    }
    std::vector<Derivation*> left;
    left.reserve(derivations.size());
    for (Derivation& derivation : derivations) {
      left.push_back(&derivation);
    }
    bool tags = !config_.tasks.empty();
    if (tags && config_.graph->reads_states()) {
      tag(left);
      tags = false;
    }
    for (; !left.empty(); tags = false) {
      if (options_.stop.stop_requested()) {
        throw Interrupted("Parsing was stopped after " + std::to_string(done) + " sentences.");
      }
      run_encoding(left, tags);
      std::erase_if(left, [](const Derivation* derivation) { return derivation->done(); });
    }
    for (Derivation& derivation : derivations) {
      derivation.parse().best.tree = derivation.tree();
      derivation.parse().rounds = {derivation.tree()};
    }
  }

  // Sentences as they are, by a parser that then reads states.
  void tag(const std::vector<Derivation*>& left) const {
    model::PackedBatch batch;
    for (const Derivation* const derivation : left) {
      batch.append(derivation->ids());
    }
    ScoreObserver scores;
    model::Observer* const observers[] = {&scores};
    model_.run(batch, {}, observers);
    take_tags(left, scores);
  }

  void run_encoding(const std::vector<Derivation*>& left, bool tags) const {
    Encoding encoding(config_, left);
    ScoreObserver scores;
    model::Observer* const observers[] = {&scores};
    model_.run_states(
        encoding.batch(), {},
        tags ? std::span<model::Observer* const>(observers) : std::span<model::Observer* const>{},
        [&](const model::StateScores& states) { return encoding.next(states); });
    if (tags) {
      take_tags(left, scores);
    }
  }

  void take_tags(const std::vector<Derivation*>& left, const ScoreObserver& scores) const {
    for (std::size_t at = 0; at < left.size(); ++at) {
      for (const auto& [task, names] : config_.tasks) {
        left[at]->parse().tags[task] = best_tags(left[at]->sentence(), scores.tags(task, at), names);
      }
    }
  }

  const model::Model& model_;
  const model::ModelConfig& config_;
  std::span<const Sentence> sentences_;
  const ParseOptions& options_;
  std::vector<Parse> parses_;
};

}  // namespace

std::vector<Parse> parse_by_transitions(const model::Model& model, std::span<const Sentence> sentences,
                                        const ParseOptions& options) {
  return Parser(model, sentences, options).run();
}

}  // namespace mog::app
