// The plan of attention. Neighbouring sentences are joined while joining them costs little: on the CPU only
// sentences of equal length (no wasted products, and the softmax result already is the packed block of maps);
// on CUDA, where a launch costs more than the products of a short sentence, padded blocks are formed while
// they stay within padding_limit.
#include "model/engine/modules/packed_input.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"
#include "model/engine/modules/relations.h"
#include "model/engine/modules/state_input.h"

namespace mog::engine {
namespace {

// [sentences * extent] rows; beyond the end of a sentence its first row again.
std::vector<std::int64_t> gather_rows(std::span<const std::int64_t> offsets, std::int64_t first,
                                      std::int64_t count, std::int64_t extent) {
  std::vector<std::int64_t> rows;
  rows.reserve(static_cast<std::size_t>(count * extent));
  for (std::int64_t s = first; s < first + count; ++s) {
    const std::int64_t begin = offsets[static_cast<std::size_t>(s)];
    const std::int64_t length = offsets[static_cast<std::size_t>(s) + 1] - begin;
    for (std::int64_t t = 0; t < extent; ++t) {
      rows.push_back(begin + (t < length ? t : 0));
    }
  }
  return rows;
}

std::vector<std::int64_t> scatter_rows(std::span<const std::int64_t> offsets, std::int64_t first,
                                       std::int64_t count, std::int64_t extent) {
  std::vector<std::int64_t> rows;
  for (std::int64_t s = first; s < first + count; ++s) {
    const std::int64_t length =
        offsets[static_cast<std::size_t>(s) + 1] - offsets[static_cast<std::size_t>(s)];
    for (std::int64_t t = 0; t < length; ++t) {
      rows.push_back((s - first) * extent + t);
    }
  }
  return rows;
}

class PlanBuilder {
 public:
  PlanBuilder(std::span<const std::int64_t> query_offsets, std::span<const std::int64_t> key_offsets,
              const PlanOptions& options, at::Device device)
      : queries_(query_offsets), keys_(key_offsets), options_(options), device_(device) {}

  AttentionPlan build() const {
    AttentionPlan plan;
    plan.query_offsets.assign(queries_.begin(), queries_.end());
    plan.key_offsets.assign(keys_.begin(), keys_.end());
    plan.area_offsets = {0};
    std::vector<std::int64_t> table;
    const std::int64_t sentences = static_cast<std::int64_t>(queries_.size()) - 1;
    for (std::int64_t s = 0; s < sentences; ++s) {
      const std::int64_t area = query_length(s) * key_length(s);
      table.insert(table.end(), {query_length(s), key_length(s), plan.area_offsets.back(),
                                 queries_[static_cast<std::size_t>(s)], keys_[static_cast<std::size_t>(s)]});
      plan.area_offsets.push_back(plan.area_offsets.back() + area);
    }
    plan.sentences = to_device(table, device_).view({sentences, 5});
    plan.causal = options_.causal;
    plan.masked = masked_keys();
    for (std::int64_t s = 0; s < sentences;) {
      plan.groups.push_back(next_group(s, sentences));
      s += plan.groups.back().sentences;
    }
    return plan;
  }

 private:
  at::Tensor masked_keys() const {
    if (options_.masked.empty()) {
      return {};
    }
    at::Tensor masked = at::zeros({keys_.back()}, at::kBool);
    bool* const values = masked.data_ptr<bool>();
    for (const model::MaskToken& token : options_.masked) {
      values[keys_[static_cast<std::size_t>(token.sentence)] + token.token] = true;
    }
    return masked.to(device_);
  }

  std::int64_t query_length(std::int64_t s) const {
    return queries_[static_cast<std::size_t>(s) + 1] - queries_[static_cast<std::size_t>(s)];
  }
  std::int64_t key_length(std::int64_t s) const {
    return keys_[static_cast<std::size_t>(s) + 1] - keys_[static_cast<std::size_t>(s)];
  }

  AttentionGroup next_group(std::int64_t first, std::int64_t sentences) const {
    AttentionGroup group;
    group.first_sentence = first;
    group.sentences = 1;
    group.queries = query_length(first);
    group.keys = key_length(first);
    std::int64_t real_area = group.queries * group.keys;
    for (std::int64_t s = first + 1; s < sentences; ++s) {
      const std::int64_t queries = std::max(group.queries, query_length(s));
      const std::int64_t keys = std::max(group.keys, key_length(s));
      const std::int64_t real = real_area + query_length(s) * key_length(s);
      const std::int64_t padded = (group.sentences + 1) * queries * keys;
      const std::int64_t added = padded - real - (group.sentences * group.queries * group.keys - real_area);
      if (added > options_.free_area &&
          static_cast<double>(padded) > static_cast<double>(real) * (1.0 + options_.padding_limit)) {
        break;
      }
      group.queries = queries;
      group.keys = keys;
      real_area = real;
      ++group.sentences;
    }
    group.first_query = queries_[static_cast<std::size_t>(first)];
    group.first_key = keys_[static_cast<std::size_t>(first)];
    group.query_rows = queries_[static_cast<std::size_t>(first + group.sentences)] - group.first_query;
    group.key_rows = keys_[static_cast<std::size_t>(first + group.sentences)] - group.first_key;
    group.padded = real_area != group.sentences * group.queries * group.keys;
    if (group.padded) {
      const std::int64_t count = group.sentences;
      group.gather_queries = to_device(gather_rows(queries_, first, count, group.queries), device_);
      group.gather_keys = to_device(gather_rows(keys_, first, count, group.keys), device_);
      group.scatter = to_device(scatter_rows(queries_, first, count, group.queries), device_);
    }
    group.blocked = blocked(group);
    return group;
  }

  at::Tensor blocked(const AttentionGroup& group) const {
    at::Tensor result = blocked_keys(group);
    if (options_.causal && group.queries > 1) {
      const at::Tensor later = at::ones({group.queries, group.keys}, at::kBool).triu(1);
      const at::Tensor causal = later.view({1, 1, group.queries, group.keys}).to(device_);
      result = result.defined() ? result.logical_or(causal) : causal;
    }
    return result;
  }

  // Padding, and tokens that were masked by the user: [sentences, 1, 1, keys].
  at::Tensor blocked_keys(const AttentionGroup& group) const {
    const auto in_group = [&](const model::MaskToken& mask) {
      return mask.sentence >= group.first_sentence && mask.sentence < group.first_sentence + group.sentences;
    };
    if (!group.padded && std::none_of(options_.masked.begin(), options_.masked.end(), in_group)) {
      return {};
    }
    at::Tensor mask = at::zeros({group.sentences, 1, 1, group.keys}, at::kBool);
    bool* const values = mask.data_ptr<bool>();
    for (std::int64_t s = 0; s < group.sentences; ++s) {
      std::fill(values + s * group.keys + key_length(group.first_sentence + s), values + (s + 1) * group.keys,
                true);
    }
    for (const model::MaskToken& token : options_.masked) {
      if (in_group(token)) {
        values[(token.sentence - group.first_sentence) * group.keys + token.token] = true;
      }
    }
    return mask.to(device_);
  }

  std::span<const std::int64_t> queries_;
  std::span<const std::int64_t> keys_;
  const PlanOptions& options_;
  at::Device device_;
};

// Batches are sorted by the length of the source, so that the targets of neighbours differ in length: without
// padding nearly every sentence would be a group of its own (a training step of 70 sentences: 1.30 s; padded
// to at most double the area: 0.88 s).
constexpr double kTargetPadding = 1.0;

// Checks one side of a batch.
struct Side {
  const char* name;
  const std::vector<std::int64_t>& ids;
  const std::vector<std::int64_t>& offsets;
  std::int64_t vocabulary;
  std::int64_t position_rows;  // 0: without a table
};

void check(const Side& side) {
  if (side.offsets.empty() || side.offsets.front() != 0 ||
      side.offsets.back() != static_cast<std::int64_t>(side.ids.size())) {
    throw ShapeError(concat("packed batch: the ", side.name,
                            " offsets must run from 0 to the number of ids, ", side.ids.size()));
  }
  for (std::size_t s = 0; s + 1 < side.offsets.size(); ++s) {
    const std::int64_t length = side.offsets[s + 1] - side.offsets[s];
    if (length <= 0) {
      throw ModelError(concat("running the model: ", side.name, " sentence ", s + 1,
                              " of the batch has no tokens; a sentence has at least its </s>"));
    }
    // Positions count from 2: the last token of a sentence has row length + 1.
    if (side.position_rows > 0 && length + 2 > side.position_rows) {
      throw ModelError(concat("running the model: ", side.name, " sentence ", s + 1, " of the batch has ",
                              length, " tokens; the position table of the model ends at ",
                              side.position_rows - 2, ". Shorten the sentence"));
    }
    for (std::int64_t t = 0; t < length; ++t) {
      const std::int64_t id = side.ids[static_cast<std::size_t>(side.offsets[s] + t)];
      if (id < 0 || id >= side.vocabulary) {
        throw ModelError(concat("running the model: token ", t + 1, " of ", side.name, " sentence ", s + 1,
                                " has id ", id, "; the vocabulary has ids 0 to ", side.vocabulary - 1));
      }
    }
  }
}

StackInput stack_input(const Side& side, const PlanOptions& options, at::Device device) {
  StackInput input;
  input.offsets = side.offsets;
  input.ids = to_device(side.ids, device);
  std::vector<std::int64_t> positions;
  positions.reserve(side.ids.size());
  for (std::size_t s = 0; s + 1 < side.offsets.size(); ++s) {
    const std::int64_t length = side.offsets[s + 1] - side.offsets[s];
    input.longest = std::max(input.longest, length);
    for (std::int64_t t = 0; t < length; ++t) {
      positions.push_back(t);
    }
  }
  input.positions = to_device(positions, device);
  input.self_plan = make_plan(side.offsets, side.offsets, options, device);
  return input;
}

Padding overridden(Padding padding) {
  if (const char* const area = std::getenv("MOG_PADDED_AREA")) {
    padding.free_area = std::strtoll(area, nullptr, 10);
  }
  return padding;
}

}  // namespace

at::Tensor to_device(const std::vector<std::int64_t>& values, at::Device device) {
  const at::Tensor host = at::from_blob(const_cast<std::int64_t*>(values.data()),
                                        {static_cast<std::int64_t>(values.size())}, at::kLong);
  return device.is_cpu() ? host.clone() : host.to(device);
}

void check_arcs(const model::ModelConfig& config, std::span<const std::int64_t> offsets,
                std::span<const model::GraphArc> arcs) {
  if (arcs.empty()) {
    return;
  }
  if (!config.encoder.graph_input) {
    throw ModelError("running the model: a graph is given, but the model reads none (encoder.graph_input)");
  }
  std::size_t sentence = 0;
  for (std::size_t at = 0; at < arcs.size(); ++at) {
    const model::GraphArc& arc = arcs[at];
    if (at > 0 && std::pair(arcs[at - 1].query, arcs[at - 1].key) >= std::pair(arc.query, arc.key)) {
      throw ShapeError(concat("packed batch: the arc from token ", arc.query + 1, " to token ", arc.key + 1,
                              " comes twice, or not in the order of queries and keys"));
    }
    while (sentence + 2 < offsets.size() && arc.query >= offsets[sentence + 1]) {
      ++sentence;
    }
    const std::int64_t begin = offsets[sentence];
    const std::int64_t end = offsets[sentence + 1];
    if (std::min(arc.query, arc.key) < begin || std::max(arc.query, arc.key) >= end) {
      throw ShapeError(
          concat("packed batch: an arc from token ", arc.query + 1, " to token ", arc.key + 1,
                 " of the batch; both must be tokens of one sentence, and arcs come in the order "
                 "of the sentences"));
    }
    if (arc.relation < 1 || arc.relation >= config.encoder.graph_input->relations) {
      throw ModelError(concat("running the model: sentence ", sentence + 1, " of the batch has relation ",
                              arc.relation, " in its graph; the model knows 1 to ",
                              config.encoder.graph_input->relations - 1));
    }
  }
}

AttentionPlan make_plan(std::span<const std::int64_t> query_offsets,
                        std::span<const std::int64_t> key_offsets, const PlanOptions& options,
                        at::Device device) {
  return PlanBuilder(query_offsets, key_offsets, options, device).build();
}

AttentionPlan one_query_plan(const AttentionPlan& plan, at::Device device) {
  AttentionPlan result;
  result.key_offsets = plan.key_offsets;
  result.area_offsets = plan.key_offsets;
  result.query_offsets.resize(plan.key_offsets.size());
  std::iota(result.query_offsets.begin(), result.query_offsets.end(), 0);
  std::vector<std::int64_t> table;
  for (std::size_t s = 0; s + 1 < plan.key_offsets.size(); ++s) {
    table.insert(table.end(), {1, plan.key_offsets[s + 1] - plan.key_offsets[s], plan.key_offsets[s],
                               static_cast<std::int64_t>(s), plan.key_offsets[s]});
  }
  result.sentences = to_device(table, device).view({-1, 5});
  for (const AttentionGroup& group : plan.groups) {
    AttentionGroup own;
    own.first_sentence = own.first_query = group.first_sentence;
    own.sentences = own.query_rows = group.sentences;
    own.queries = 1;
    own.keys = group.keys;
    own.first_key = group.first_key;
    own.key_rows = group.key_rows;
    own.padded = group.padded;
    result.groups.push_back(std::move(own));
  }
  return result;
}

Padding padding_for(at::Device device) {
  return overridden(device.is_cpu() ? Padding{} : Padding{.limit = 0.3, .free_area = 65536});
}

Padding training_padding_for(at::Device device) {
  return overridden(device.is_cpu() ? Padding{.limit = 0.0, .free_area = 1024}
                                    : Padding{.limit = 0.3, .free_area = 65536});
}

PackedInput make_input(const model::ModelConfig& config, const model::PackedBatch& batch, at::Device device,
                       std::int64_t source_rows, std::int64_t target_rows, const InputOptions& options) {
  const Side source{"source", batch.ids, batch.offsets, config.vocab_size, source_rows};
  check(source);
  const auto plan_options = [&](bool causal, std::span<const model::MaskToken> masked) {
    return PlanOptions{causal, options.padding.limit, options.padding.free_area, masked};
  };
  const PlanOptions plan = plan_options(config.encoder.causal(), options.masked);
  PackedInput input;
  input.source = stack_input(source, plan, device);
  check_arcs(config, batch.offsets, batch.arcs);
  if (config.encoder.graph_input) {
    input.source.arcs = pack_arcs(batch.arcs, input.source.self_plan, device);
  }
  if (batch.states) {
    input.source.states = pack_states(config, batch, device);
  }
  if (batch.target_offsets.empty() || !config.decoder) {
    return input;
  }
  const Side target{"target", batch.target_ids, batch.target_offsets, config.target_vocab_size, target_rows};
  check(target);
  if (batch.target_offsets.size() != batch.offsets.size()) {
    throw ShapeError(concat("packed batch: ", batch.offsets.size() - 1, " source sentences but ",
                            batch.target_offsets.size() - 1, " target sentences"));
  }
  PlanOptions cross_plan = plan_options(false, options.masked);
  PlanOptions target_plan = plan_options(true, {});
  cross_plan.padding_limit = std::max(cross_plan.padding_limit, kTargetPadding);
  target_plan.padding_limit = std::max(target_plan.padding_limit, kTargetPadding);
  input.cross_plan = make_plan(batch.target_offsets, batch.offsets, cross_plan, device);
  input.target = stack_input(target, target_plan, device);
  return input;
}

}  // namespace mog::engine
