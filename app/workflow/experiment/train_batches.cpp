// From sentences to the batches of an epoch.
//
// The order of an epoch must be the same on every machine and after a resume, so it depends on seed and epoch
// alone: SplitMix64 (whose outputs are defined bit by bit) and Fisher-Yates, not std::shuffle, whose result
// the standard leaves open.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "analysis/random/bootstrap.h"
#include "app/workflow/common/state_tokens.h"
#include "app/workflow/experiment/piece_units.h"
#include "app/workflow/experiment/train_data.h"
#include "io/recording/errors.h"

namespace mog::app {

namespace {

void shuffle(std::vector<std::int64_t>& order, std::int64_t seed, std::int64_t epoch, std::uint64_t stream) {
  for (std::size_t left = order.size(); left > 1; --left) {
    const std::uint64_t random = analysis::keyed_random(static_cast<std::uint64_t>(seed), stream,
                                                        static_cast<std::uint64_t>(epoch), left);
    std::swap(order[left - 1], order[random % left]);
  }
}

// Every example lies at a fixed random place of a circle; an epoch takes a stretch of `share` of it that
// begins where the last one ended.
bool takes_part(const Example& example, std::size_t index, std::int64_t seed, std::int64_t epoch) {
  if (example.share >= 1.0) {
    return true;
  }
  const std::uint64_t random =
      analysis::keyed_random(static_cast<std::uint64_t>(seed), /*stream=*/4, 0, index);
  const double place = static_cast<double>(random >> 11U) * 0x1.0p-53;
  const double from_start = place - static_cast<double>(epoch - 1) * example.share;
  return from_start - std::floor(from_start) < example.share;
}

std::string label_of(const std::string& relation, bool subtypes) {
  return subtypes ? relation : relation.substr(0, relation.find(':'));
}

// The states on the way to the tree. An arc whose label is not known is no part of the graph.
void add_states(Example& example, const model::GraphConfig& graph, const std::vector<std::int64_t>& tokens,
                const model::DependencyTree& tree, bool reads_graph) {
  const analysis::StaticOracle oracle(tree.heads, tree.labels);
  analysis::ParserState state(static_cast<std::int32_t>(tree.heads.size()));
  while (!state.is_final()) {
    const analysis::ParserTransition transition = oracle.next(state);
    const auto action = static_cast<std::int64_t>(transition.action);
    example.states.push_back({state_tokens(state, tokens), action, transition.label, example.arcs.size()});
    const std::size_t before = state.removed().size();
    state.apply(transition);
    if (!reads_graph || state.removed().size() == before || transition.label < 0) {
      continue;
    }
    const std::int32_t word = state.removed().back();
    const std::int64_t dependent = tokens[static_cast<std::size_t>(word)];
    const std::int64_t head =
        tokens[static_cast<std::size_t>(state.heads()[static_cast<std::size_t>(word) - 1])];
    if (dependent >= 0 && head >= 0) {
      for (const model::GraphArc& arc : model::arcs_of_pair(graph, dependent, head, transition.label)) {
        example.arcs.push_back(arc);
      }
    }
  }
}

bool by_query_and_key(const model::GraphArc& left, const model::GraphArc& right) {
  return std::pair(left.query, left.key) < std::pair(right.query, right.key);
}

// The sentence once for every graph on its way, each with the states that have it; tags are learnt from the
// first.
void append_graphs(const Example& example, model::TrainingBatch& batch) {
  model::TransitionLabels& labels = batch.transitions ? *batch.transitions : batch.transitions.emplace();
  for (std::size_t at = 0; at < example.states.size();) {
    const std::size_t arcs = example.states[at].arcs;
    const std::int64_t first = batch.input.tokens();
    std::vector<model::GraphArc> graph(example.arcs.begin(),
                                       example.arcs.begin() + static_cast<std::ptrdiff_t>(arcs));
    std::sort(graph.begin(), graph.end(), by_query_and_key);
    batch.input.append(example.ids, graph);
    for (const auto& [task, tags] : example.labels) {
      std::vector<std::int64_t>& all = batch.labels[task];
      if (at == 0) {
        all.insert(all.end(), tags.begin(), tags.end());
      } else {
        all.insert(all.end(), tags.size(), -1);
      }
    }
    for (; at < example.states.size() && example.states[at].arcs == arcs; ++at) {
      const Example::ParserState& state = example.states[at];
      model::StateTokens tokens = state.tokens;
      for (std::int64_t& token : tokens) {
        token = token < 0 ? token : first + token;
      }
      labels.states.push_back(tokens);
      labels.actions.push_back(state.action);
      labels.labels.push_back(state.label);
    }
  }
}

// Every state of the derivation, for tags the sentence itself before them.
void append_derivation(const Example& example, model::TrainingBatch& batch) {
  const auto& [source, trace] = *example.derivation;
  if (!example.labels.empty()) {
    append_sentence(source, example.ids, batch.input);
  }
  for (const auto& [task, tags] : example.labels) {
    batch.labels[task].insert(batch.labels[task].end(), tags.begin(), tags.end());
  }
  if (trace.transitions.empty()) {
    return;
  }
  const std::int64_t before = batch.input.tokens();
  const std::vector<model::StateTokens> states =
      append_states(source, trace, 0, trace.transitions.size() - 1, batch.input);
  for (const auto& [task, tags] : example.labels) {
    std::vector<std::int64_t>& all = batch.labels[task];
    all.resize(all.size() + static_cast<std::size_t>(batch.input.tokens() - before), -1);
  }
  model::TransitionLabels& labels = batch.transitions ? *batch.transitions : batch.transitions.emplace();
  labels.states.insert(labels.states.end(), states.begin(), states.end());
  for (const analysis::ParserTransition& transition : trace.transitions) {
    labels.actions.push_back(static_cast<std::int64_t>(transition.action));
    labels.labels.push_back(transition.label);
  }
}

void append_graph(const Example& example, std::int64_t first, model::GraphLabels& graph) {
  graph.nodes.insert(graph.nodes.end(), example.nodes.begin(), example.nodes.end());
  graph.classes.insert(graph.classes.end(), example.classes.begin(), example.classes.end());
  for (const auto& [head, own] : example.keys) {
    std::vector<std::int64_t>& keys = graph.keys[head];
    for (const std::int64_t key : own) {
      keys.push_back(key < 0 ? key : first + key);
    }
  }
}

void append_reading(const Example& example, model::TeacherReading& reading) {
  reading.input.append(std::span<const std::int64_t>(example.teacher_ids));
  const auto shifted = [&](const std::vector<std::int64_t>& units, std::vector<std::int64_t>& all) {
    for (const std::int64_t unit : units) {
      all.push_back(reading.count + unit);
    }
  };
  shifted(example.units, reading.units);
  shifted(example.teacher_units, reading.teacher_units);
  reading.count += example.units.empty() ? 0 : example.units.back() + 1;
}

}  // namespace

std::int64_t Example::read_tokens() const noexcept {
  const auto sentence = static_cast<std::int64_t>(ids.size());
  if (!derivation) {
    return sentence;
  }
  return std::max(longest_state(derivation->trace.words), labels.empty() ? 0 : sentence);
}

std::int64_t Example::batch_cost() const noexcept {
  if (derivation) {
    return static_cast<std::int64_t>(derivation->trace.transitions.size()) *
               longest_state(derivation->trace.words) +
           (labels.empty() ? 0 : static_cast<std::int64_t>(ids.size()));
  }
  std::int64_t encodings = 1;
  for (std::size_t at = 1; at < states.size(); ++at) {
    encodings += states[at].arcs != states[at - 1].arcs ? 1 : 0;
  }
  return cost() * encodings;
}

std::vector<std::string> tag_set(const std::vector<TaggedSentence>& sentences, const TaskConfig& task) {
  std::vector<std::string> tags;
  for (const TaggedSentence& sentence : sentences) {
    const auto found = sentence.tags.find(task.name);
    if (found != sentence.tags.end()) {
      tags.insert(tags.end(), found->second.begin(), found->second.end());
    }
    std::sort(tags.begin(), tags.end());
    tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  }
  std::erase(tags, "");
  const auto outside = std::find(tags.begin(), tags.end(), "O");
  if (task.column == TaskColumn::iob2 && outside != tags.end()) {
    std::rotate(tags.begin(), outside, outside + 1);
  }
  return tags;
}

std::vector<std::string> relation_set(const std::vector<TaggedSentence>& sentences, bool subtypes) {
  std::set<std::string> labels;
  for (const TaggedSentence& sentence : sentences) {
    for (const std::string& relation : sentence.relations) {
      labels.insert(label_of(relation, subtypes));
    }
  }
  return {labels.begin(), labels.end()};
}

model::DependencyTree tree_of(const TaggedSentence& sentence, const std::vector<std::string>& labels,
                              bool subtypes) {
  model::DependencyTree tree;
  tree.heads = sentence.heads;
  for (const std::string& relation : sentence.relations) {
    const auto found = std::lower_bound(labels.begin(), labels.end(), label_of(relation, subtypes));
    const bool known = found != labels.end() && *found == label_of(relation, subtypes);
    tree.labels.push_back(known ? static_cast<std::int32_t>(found - labels.begin()) : -1);
  }
  return tree;
}

void add_tree(Example& example, const model::GraphConfig& graph, const Sentence& encoded,
              const model::DependencyTree& tree, bool reads_graph) {
  const std::vector<std::int64_t> tokens = model::vertex_tokens(encoded);
  if (reads_graph) {
    example.arcs = model::dependency_arcs(graph, encoded, {});
  }
  if (graph.by_transitions()) {
    add_states(example, graph, tokens, tree, reads_graph);
    return;
  }
  example.nodes.assign(encoded.tokens.size(), 0);
  std::vector<std::int64_t>& keys = example.keys["arcs"];
  keys.assign(encoded.tokens.size(), model::GraphLabels::kUnlabelled);
  example.classes.assign(encoded.tokens.size(), -1);
  for (const std::int64_t token : tokens) {
    if (token >= 0) {
      example.nodes[static_cast<std::size_t>(token)] = 1;
    }
  }
  for (std::size_t word = 0; word < tree.heads.size(); ++word) {
    const std::int64_t token = tokens[word + 1];
    const std::int64_t head = tree.heads[word] < 0 ? -1 : tokens[static_cast<std::size_t>(tree.heads[word])];
    if (token >= 0 && head >= 0) {
      keys[static_cast<std::size_t>(token)] = head;
      example.classes[static_cast<std::size_t>(token)] = tree.labels[word];
    }
  }
}

void add_derivation(Example& example, const model::ModelConfig& config, const Sentence& encoded,
                    const model::DependencyTree& tree) {
  example.derivation = {state_source(config, encoded), analysis::oracle_trace(tree.heads, tree.labels)};
}

Example make_example(const Sentence& source, const Sentence& target, std::int64_t bos_id) {
  Example example;
  for (const Token& token : source.tokens) {
    example.ids.push_back(token.id);
  }
  example.target_ids.push_back(bos_id);
  for (const Token& token : target.tokens) {
    example.target_ids.push_back(token.id);
    example.target_labels.push_back(token.id);
  }
  example.target_ids.pop_back();
  return example;
}

void add_teacher_reading(Example& example, const Sentence& ours, const Sentence& theirs) {
  for (const Token& token : theirs.tokens) {
    example.teacher_ids.push_back(token.id);
  }
  PieceUnits units = common_units(ours, theirs);
  example.units = std::move(units.first);
  example.teacher_units = std::move(units.second);
}

Example make_example(const Sentence& encoded, const std::map<std::string, std::vector<std::string>>& tasks) {
  Example example;
  for (const Token& token : encoded.tokens) {
    example.ids.push_back(token.id);
  }
  for (const auto& [task, tags] : tasks) {
    example.labels[task].assign(encoded.tokens.size(), -1);
  }
  return example;
}

Example make_example(const TaggedSentence& sentence, const Sentence& encoded,
                     const std::map<std::string, std::vector<std::string>>& tasks) {
  Example example;
  for (const Token& token : encoded.tokens) {
    example.ids.push_back(token.id);
  }
  for (const auto& [task, tags] : tasks) {
    std::vector<std::int64_t>& labels = example.labels[task];
    labels.assign(encoded.tokens.size(), -1);
    const auto found = sentence.tags.find(task);
    if (found == sentence.tags.end()) {
      continue;
    }
    std::int64_t last_word = -1;
    for (std::size_t at = 0; at < encoded.tokens.size(); ++at) {
      const std::int64_t word = encoded.tokens[at].word;
      if (word < 0 || word == last_word) {
        continue;
      }
      last_word = word;
      const std::string& tag = found->second.at(static_cast<std::size_t>(word));
      const auto row = std::find(tags.begin(), tags.end(), tag);
      labels[at] = row == tags.end() ? -1 : row - tags.begin();
    }
  }
  return example;
}

std::vector<std::vector<std::int64_t>> epoch_batches(const std::vector<Example>& examples,
                                                     std::int64_t max_tokens, std::int64_t seed,
                                                     std::int64_t epoch) {
  std::vector<std::int64_t> order;
  for (std::size_t index = 0; index < examples.size(); ++index) {
    if (takes_part(examples[index], index, seed, epoch)) {
      order.push_back(static_cast<std::int64_t>(index));
    }
  }
  shuffle(order, seed, epoch, 1);
  const auto at = [&](std::int64_t index) -> const Example& {
    return examples[static_cast<std::size_t>(index)];
  };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t left, std::int64_t right) {
    return at(left).ids.size() != at(right).ids.size()
               ? at(left).ids.size() > at(right).ids.size()
               : at(left).target_ids.size() > at(right).target_ids.size();
  });
  std::vector<std::vector<std::int64_t>> batches;
  std::int64_t tokens = 0;
  for (const std::int64_t index : order) {
    if (batches.empty() || tokens + at(index).batch_cost() > max_tokens) {
      batches.emplace_back();
      tokens = 0;
    }
    batches.back().push_back(index);
    tokens += at(index).batch_cost();
  }
  std::vector<std::int64_t> places(batches.size());
  std::iota(places.begin(), places.end(), 0);
  shuffle(places, seed, epoch, 2);
  std::vector<std::vector<std::int64_t>> shuffled;
  shuffled.reserve(batches.size());
  for (const std::int64_t place : places) {
    shuffled.push_back(std::move(batches[static_cast<std::size_t>(place)]));
  }
  return shuffled;
}

model::TrainingBatch make_batch(const std::vector<Example>& examples,
                                const std::vector<std::int64_t>& chosen) {
  model::TrainingBatch batch;
  for (const std::int64_t index : chosen) {
    const Example& example = examples[static_cast<std::size_t>(index)];
    if (!example.states.empty()) {
      append_graphs(example, batch);
      continue;
    }
    if (example.derivation) {
      append_derivation(example, batch);
      continue;
    }
    if (!example.nodes.empty()) {
      append_graph(example, batch.input.tokens(), batch.graph ? *batch.graph : batch.graph.emplace());
    }
    batch.input.append(std::span<const std::int64_t>(example.ids), example.arcs);
    for (const auto& [task, labels] : example.labels) {
      std::vector<std::int64_t>& all = batch.labels[task];
      all.insert(all.end(), labels.begin(), labels.end());
    }
    if (!example.teacher_ids.empty()) {
      append_reading(example,
                     batch.teacher_reading ? *batch.teacher_reading : batch.teacher_reading.emplace());
    }
    if (example.target_ids.empty()) {
      continue;
    }
    if (batch.input.target_offsets.empty()) {
      batch.input.target_offsets.push_back(0);
    }
    batch.input.target_ids.insert(batch.input.target_ids.end(), example.target_ids.begin(),
                                  example.target_ids.end());
    batch.input.target_offsets.push_back(static_cast<std::int64_t>(batch.input.target_ids.size()));
    batch.target_labels.insert(batch.target_labels.end(), example.target_labels.begin(),
                               example.target_labels.end());
  }
  return batch;
}

}  // namespace mog::app
