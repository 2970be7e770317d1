// A head without labels says which key a query goes with: softmax over the nodes of its sentence (of
// coreference over the keys up to the query, and over none, whose score is 0). A head with labels says how it
// goes with the right one: softmax over classes at that pair alone, so that the form of each label is
// computed once a query and not once a pair.
#include "model/engine/training/graph_losses.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <limits>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"
#include "model/engine/modules/pair_scores.h"

namespace mog::engine {
namespace {

using model::GraphLabels;

// The labelled queries of one group, on the device: rows of [sentence * query], columns of the key; a column
// behind the last one is none.
struct GroupLabels {
  at::Tensor rows;
  at::Tensor columns;
  at::Tensor allowed;  // [row, key] bool
};

class KeyLoss {
 public:
  KeyLoss(const AttentionPlan& plan, const GraphLabels& labels, const std::vector<std::int64_t>& keys,
          bool coreference)
      : plan_(plan), labels_(labels), keys_(keys), coreference_(coreference) {}

  GraphLoss sum(const PairSides& sides) const {
    GraphLoss loss;
    for (const AttentionGroup& group : plan_.groups) {
      const GroupLabels own = of_group(group, sides.key.device());
      const std::int64_t count = own.rows.size(0);
      if (count == 0) {
        continue;
      }
      at::Tensor scores =
          widened(pair_scores(sides, plan_, group).view({-1, group.keys}).index_select(0, own.rows));
      scores = scores.masked_fill(own.allowed.logical_not(), -std::numeric_limits<float>::infinity());
      if (coreference_) {
        scores = at::cat({scores, at::zeros({count, 1}, scores.options().requires_grad(false))}, 1);
      }
      const at::Tensor nll = -at::log_softmax(scores, 1).gather(1, own.columns.unsqueeze(1)).sum();
      loss.nll = loss.nll.defined() ? loss.nll + nll : nll;
      loss.labels += count;
    }
    return loss;
  }

 private:
  GroupLabels of_group(const AttentionGroup& group, at::Device device) const {
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> columns;
    std::vector<std::uint8_t> allowed;
    for (std::int64_t s = 0; s < group.sentences; ++s) {
      const auto sentence = static_cast<std::size_t>(group.first_sentence + s);
      const std::int64_t begin = plan_.query_offsets[sentence];
      const std::int64_t length = plan_.query_offsets[sentence + 1] - begin;
      for (std::int64_t t = 0; t < length; ++t) {
        const std::int64_t key = keys_[static_cast<std::size_t>(begin + t)];
        if (key == GraphLabels::kUnlabelled) {
          continue;
        }
        check(key, begin, length, t);
        rows.push_back(s * group.queries + t);
        columns.push_back(key == GraphLabels::kNone ? group.keys : key - begin);
        for (std::int64_t k = 0; k < group.keys; ++k) {
          allowed.push_back(k < length && may_be_key(begin + k) && (!coreference_ || k <= t) ? 1 : 0);
        }
      }
    }
    const auto count = static_cast<std::int64_t>(rows.size());
    return {indices_on(device, rows), indices_on(device, columns),
            at::tensor(allowed, at::TensorOptions().dtype(at::kByte))
                .to(at::kBool)
                .view({count, group.keys})
                .to(device)};
  }
  bool may_be_key(std::int64_t token) const { return labels_.nodes[static_cast<std::size_t>(token)] != 0; }
  void check(std::int64_t key, std::int64_t begin, std::int64_t length, std::int64_t query) const {
    const bool none = key == GraphLabels::kNone && coreference_;
    const bool sound =
        key >= begin && key < begin + length && may_be_key(key) && (!coreference_ || key <= begin + query);
    if (!none && !sound) {
      throw ModelError(concat("A training step: token ", begin + query + 1, " of the batch goes with token ",
                              key + 1, ", which is no node that it may go with."));
    }
  }

  const AttentionPlan& plan_;
  const GraphLabels& labels_;
  const std::vector<std::int64_t>& keys_;
  bool coreference_;
};

// Queries that have a class, and the keys that the other head should find for them.
GraphLoss class_loss(const PairSides& sides, const GraphLabels& labels,
                     const std::vector<std::int64_t>& keys) {
  std::vector<std::int64_t> queries;
  std::vector<std::int64_t> of_keys;
  std::vector<std::int64_t> classes;
  for (std::size_t token = 0; token < labels.classes.size(); ++token) {
    if (labels.classes[token] < 0 || keys[token] < 0) {
      continue;
    }
    if (labels.classes[token] >= sides.classes) {
      throw ModelError(concat("A training step: label ", labels.classes[token],
                              " of an arc, but there are only ", sides.classes, " labels."));
    }
    queries.push_back(static_cast<std::int64_t>(token));
    of_keys.push_back(keys[token]);
    classes.push_back(labels.classes[token]);
  }
  const auto count = static_cast<std::int64_t>(queries.size());
  if (count == 0) {
    return {};
  }
  const at::Device device = sides.key.device();
  const at::Tensor rows = sides.query.index_select(0, indices_on(device, queries));
  const at::Tensor key = sides.key.index_select(0, indices_on(device, of_keys));
  const at::Tensor scores =
      widened(at::bmm(rows.view({count, sides.classes, -1}), key.unsqueeze(2)).squeeze(2));
  const at::Tensor nll =
      -at::log_softmax(scores, 1).gather(1, indices_on(device, classes).unsqueeze(1)).sum();
  return {nll, count};
}

void check_sizes(const GraphLabels& labels, std::size_t tokens) {
  const auto check = [&](const std::string& what, std::size_t size) {
    if (size != tokens) {
      throw ShapeError(concat("A training step: ", size, " ", what, " for ", tokens,
                              " tokens; there must be one a token."));
    }
  };
  check("nodes", labels.nodes.size());
  for (const auto& [head, keys] : labels.keys) {
    check("keys of head " + head, keys.size());
  }
  if (!labels.classes.empty()) {
    check("labels of arcs", labels.classes.size());
  }
}

const std::vector<std::int64_t>& keys_of(const GraphLabels& labels, const std::string& head) {
  const auto found = labels.keys.find(head);
  if (found == labels.keys.end()) {
    throw ShapeError("A training step: no keys of head " + head + ".");
  }
  return found->second;
}

}  // namespace

std::map<std::string, GraphLoss> graph_losses(const ForwardContext& context, const GraphLabels& labels,
                                              const AttentionPlan& plan, const at::Tensor& states,
                                              double pair_dropout) {
  check_sizes(labels, static_cast<std::size_t>(states.size(0)));
  const model::GraphConfig& graph = *context.config.graph;
  const std::vector<model::PairHead> heads = model::pair_heads(graph);
  std::map<std::string, GraphLoss> losses;
  for (const model::PairHead& head : heads) {
    const PairSides sides =
        pair_sides(context.weights.pair_heads.at(head.name), states, context.dropout, pair_dropout);
    const GraphLoss loss = head.classes > 0 ? class_loss(sides, labels, keys_of(labels, heads.front().name))
                                            : KeyLoss(plan, labels, keys_of(labels, head.name),
                                                      graph.kind == model::GraphKind::coreference)
                                                  .sum(sides);
    if (loss.labels > 0) {
      losses.emplace(head.name, loss);
    }
  }
  return losses;
}

model::PairScores host_pair_scores(const ForwardContext& context, const AttentionPlan& plan,
                                   const at::Tensor& states) {
  const at::NoGradGuard no_gradients;
  model::PairScores scores;
  scores.area = plan.area_offsets;
  for (const auto& [name, head] : context.weights.pair_heads) {
    const PairSides sides = pair_sides(head, states.detach(), nullptr, 0.0);
    std::vector<float>& values = scores.values[name];
    values.resize(static_cast<std::size_t>(plan.area_offsets.back() * sides.classes));
    for (const AttentionGroup& group : plan.groups) {
      const at::Tensor block = pair_scores(sides, plan, group).to(at::kFloat).cpu();
      for (std::int64_t s = 0; s < group.sentences; ++s) {
        const auto sentence = static_cast<std::size_t>(group.first_sentence + s);
        const std::int64_t length = plan.query_offsets[sentence + 1] - plan.query_offsets[sentence];
        const at::Tensor own = block[s].narrow(1, 0, length).narrow(2, 0, length).contiguous();
        std::copy_n(
            own.const_data_ptr<float>(), own.numel(),
            values.begin() + static_cast<std::ptrdiff_t>(plan.area_offsets[sentence] * sides.classes));
      }
    }
  }
  return scores;
}

std::map<std::string, std::int64_t> graph_label_counts(const model::GraphConfig& graph,
                                                       const GraphLabels& labels) {
  std::map<std::string, std::int64_t> counts;
  const std::vector<model::PairHead> heads = model::pair_heads(graph);
  for (const model::PairHead& head : heads) {
    const std::vector<std::int64_t>& keys =
        keys_of(labels, head.classes > 0 ? heads.front().name : head.name);
    for (std::size_t token = 0; token < keys.size(); ++token) {
      const bool counts_here =
          head.classes > 0 ? keys[token] >= 0 && token < labels.classes.size() && labels.classes[token] >= 0
                           : keys[token] != GraphLabels::kUnlabelled;
      counts[head.name] += counts_here ? 1 : 0;
    }
  }
  return counts;
}

}  // namespace mog::engine
