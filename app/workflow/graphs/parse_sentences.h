// Dependency trees of sentences by a trained parser: round by round, or transition by transition.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/parsing/transition_system.h"
#include "app/workflow/graphs/decode_tree.h"
#include "model/model.h"

namespace mog::app {

// One action of a transition parser.
struct ParseStep {
  analysis::ParserTransition transition;
  // [action], softmax over the actions that were allowed.
  std::array<double, analysis::kParserActions> probabilities = {};
  double label_probability = 0.0;  // of an arc
};

// One round as it is looked at.
struct ParseRound {
  DecodedTree decoded;
  ArcTable arcs;
};

struct Parse {
  DecodedTree best;
  std::map<std::string, std::vector<std::string>> tags;  // [task]: one tag a word, where the model has tasks
  // The tree after each round, the first from an empty graph; the last is that of `best`.
  std::vector<model::DependencyTree> rounds;
  // The last round gave the tree that it had read.
  bool settled = false;
  // Of a transition parser, whose only round they are; head probabilities are those of the actions.
  std::vector<ParseStep> steps;
  std::vector<ParseRound> looked_at;  // the rounds with what was said of every pair, where it was asked for
};

struct ParseOptions {
  // Most rounds in which a predicted tree is read again; nullopt: as many as the model was trained with.
  std::optional<std::int64_t> refinements = {};
  bool projective = false;
  // [sentence]: arcs that its trees have, or have not, in every round: a model that reads a graph reads them,
  // too. Empty: none of any.
  std::vector<TreeConstraints> constraints = {};
  bool look_at_rounds = false;
  std::int64_t batch_tokens = 2000;
  std::stop_token stop = {};
  std::function<void(std::int64_t done)> progress = {};
};

// One parse a sentence; those that have settled are not run again. Throws UsageError as require_parser()
// does, where arcs are set that decode_tree() refuses, or of a transition parser; Interrupted when stopped.
std::vector<Parse> parse_sentences(const model::Model& model, std::span<const Sentence> sentences,
                                   const ParseOptions& options = {});

// Throws UsageError, naming what to choose instead, where a model predicts no dependencies, and where it
// cannot refine its trees although that is asked for.
void require_parser(const model::ModelConfig& config, const std::string& name,
                    std::optional<std::int64_t> refinements);

// Throws ModelError where a text that the parser's encoder reads of the sentence, itself or one of its
// states, has more than `longest` tokens (0: no limit). The message begins with `what`: what was attempted,
// and where the sentence stands.
void require_room(const model::ModelConfig& config, const Sentence& sentence, std::int64_t longest,
                  const std::string& what);

}  // namespace mog::app
