// Refinement (Mohammadshahi and Henderson 2021): the first round reads a sentence without a graph, every
// further one with the tree that the round before it gave, until the tree stays as it is. Sentences of one
// batch settle after different numbers of rounds; a round runs those that are left. Cost: a forward pass and
// O(words²) a sentence and round.
#include "app/workflow/graphs/parse_sentences.h"

#include <algorithm>
#include <utility>

#include "app/workflow/common/best_tags.h"
#include "app/workflow/common/state_sequences.h"
#include "app/workflow/graphs/score_observer.h"
#include "app/workflow/graphs/transition_parser.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

std::vector<std::int64_t> ids_of(const Sentence& sentence) {
  std::vector<std::int64_t> ids;
  for (const Token& token : sentence.tokens) {
    ids.push_back(token.id);
  }
  return ids;
}

class Parser {
 public:
  Parser(const model::Model& model, std::span<const Sentence> sentences, const ParseOptions& options)
      : model_(model),
        config_(model.config()),
        sentences_(sentences),
        options_(options),
        refinements_(options.refinements.value_or(config_.graph->refinements)),
        parses_(sentences.size()) {}

  std::vector<Parse> run() {
    std::vector<std::int64_t> lengths;
    for (const Sentence& sentence : sentences_) {
      lengths.push_back(static_cast<std::int64_t>(sentence.tokens.size()));
    }
    std::int64_t done = 0;
    for (const std::vector<std::int64_t>& batch : model::pack_by_length(lengths, options_.batch_tokens)) {
      std::vector<std::int64_t> left = batch;
      for (std::int64_t round = 0; round <= refinements_ && !left.empty(); ++round) {
        if (options_.stop.stop_requested()) {
          throw Interrupted("Parsing was stopped after " + std::to_string(done) + " sentences.");
        }
        run_round(left);
        std::erase_if(left, [&](std::int64_t index) { return parse(index).settled; });
      }
      done += static_cast<std::int64_t>(batch.size());
      if (options_.progress) {
        options_.progress(done);
      }
    }
    return std::move(parses_);
  }

 private:
  const Sentence& sentence(std::int64_t index) const { return sentences_[static_cast<std::size_t>(index)]; }
  Parse& parse(std::int64_t index) { return parses_[static_cast<std::size_t>(index)]; }

  void run_round(const std::vector<std::int64_t>& chosen) {
    model::PackedBatch batch;
    for (const std::int64_t index : chosen) {
      batch.append(ids_of(sentence(index)),
                   config_.encoder.graph_input
                       ? model::dependency_arcs(*config_.graph, sentence(index), parse(index).best.tree)
                       : std::vector<model::GraphArc>{});
    }
    ScoreObserver scores;
    model::Observer* const observers[] = {&scores};
    model_.run(batch, {}, observers);
    for (std::size_t at = 0; at < chosen.size(); ++at) {
      take(chosen[at], scores, at);
    }
  }

  void take(std::int64_t index, const ScoreObserver& scores, std::size_t at) {
    const Sentence& read = sentence(index);
    Parse& parsed = parse(index);
    const std::span<const float> arcs = scores.pairs("arcs", at);
    const std::span<const float> labels = scores.pairs("labels", at);
    DecodedTree decoded = decode_tree(*config_.graph, read, arcs, labels,
                                      {.projective = options_.projective, .constraints = constraints(index)});
    parsed.settled = !parsed.rounds.empty() && decoded.tree == parsed.rounds.back();
    parsed.rounds.push_back(decoded.tree);
    if (options_.look_at_rounds) {
      parsed.looked_at.push_back({decoded, arc_table(*config_.graph, read, arcs, labels)});
    }
    parsed.best = std::move(decoded);
    for (const auto& [task, names] : config_.tasks) {
      parsed.tags[task] = best_tags(read, scores.tags(task, at), names);
    }
  }
  const TreeConstraints* constraints(std::int64_t index) const {
    const auto at = static_cast<std::size_t>(index);
    return at < options_.constraints.size() ? &options_.constraints[at] : nullptr;
  }

  const model::Model& model_;
  const model::ModelConfig& config_;
  std::span<const Sentence> sentences_;
  const ParseOptions& options_;
  std::int64_t refinements_;
  std::vector<Parse> parses_;
};

}  // namespace

void require_parser(const model::ModelConfig& config, const std::string& name,
                    std::optional<std::int64_t> refinements) {
  const std::string what = "Parsing with model " + name + ": ";
  if (!config.graph || !config.graph->is_tree()) {
    throw UsageError(what +
                     "it predicts no dependencies (key graph of config.json); choose a parser (mog train "
                     "makes one from a section [graph]).");
  }
  if (refinements && config.graph->by_transitions()) {
    throw UsageError(what +
                     "it builds its tree by transitions (key graph.parser of config.json) and refines none; "
                     "leave out --refinements.");
  }
  if (refinements.value_or(0) > 0 && !config.encoder.graph_input) {
    throw UsageError(what +
                     "it reads no graph (key encoder.graph_input of config.json), so it cannot refine its "
                     "trees; leave out --refinements.");
  }
}

void require_room(const model::ModelConfig& config, const Sentence& sentence, std::int64_t longest,
                  const std::string& what) {
  if (longest == 0) {
    return;
  }
  const std::string end = " tokens, the model's positions end at " + std::to_string(longest) +
                          "; shorten the sentence or leave it out.";
  const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
  const bool states = config.graph->reads_states();
  if (tokens > longest && (!states || !config.tasks.empty())) {
    throw ModelError(what + ": the sentence has " + std::to_string(tokens) + end);
  }
  const auto words = static_cast<std::int64_t>(sentence.words.size());
  if (states && longest_state(words) > longest) {
    throw ModelError(what + ": the model reads its parser states, which have " + std::to_string(words) +
                     " words, the root and two separators, " + std::to_string(longest_state(words)) + end);
  }
}

std::vector<Parse> parse_sentences(const model::Model& model, std::span<const Sentence> sentences,
                                   const ParseOptions& options) {
  require_parser(model.config(), model.card().name, options.refinements);
  if (model.config().graph->by_transitions() &&
      std::any_of(options.constraints.begin(), options.constraints.end(),
                  [](const TreeConstraints& one) { return !one.empty(); })) {
    throw UsageError("Parsing with model " + model.card().name +
                     ": it builds its tree by transitions (key graph.parser of config.json), in which no arc "
                     "can be set.");
  }
  return model.config().graph->by_transitions() ? parse_by_transitions(model, sentences, options)
                                                : Parser(model, sentences, options).run();
}

}  // namespace mog::app
