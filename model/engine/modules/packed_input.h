// A packed batch on the device, and the plan by which attention walks over it.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/config/config.h"
#include "model/intervention.h"
#include "model/packed_batch.h"

namespace mog::engine {

// Neighbouring sentences that attention computes together, as [sentences, head, queries, keys].
// On the CPU all have the same lengths, and the block of maps is the packed block of its sentences; on CUDA
// shorter sentences are padded (few launches), and maps are compacted before they leave the device.
struct AttentionGroup {
  std::int64_t first_sentence = 0;
  std::int64_t sentences = 0;
  std::int64_t queries = 0;  // greatest number of queries of a sentence
  std::int64_t keys = 0;
  std::int64_t first_query = 0;  // row of the packed queries
  std::int64_t first_key = 0;
  std::int64_t query_rows = 0;  // real rows
  std::int64_t key_rows = 0;
  bool padded = false;
  // Only when padded, int64 on the device:
  at::Tensor gather_queries;  // [sentences * queries] rows of the packed queries (padding repeats a real row)
  at::Tensor gather_keys;     // [sentences * keys]
  at::Tensor scatter;         // [query_rows] rows of the padded block, in packed order
  // true: never attended. [sentences or 1, 1, queries or 1, keys]; undefined: everything is attended.
  at::Tensor blocked;
};

struct AttentionPlan {
  std::vector<AttentionGroup> groups;
  std::vector<std::int64_t> query_offsets;  // [sentence + 1]
  std::vector<std::int64_t> key_offsets;    // [sentence + 1]
  std::vector<std::int64_t> area_offsets;   // [sentence + 1], running sum of queries * keys
  // [sentence, 5] int64 on the device: queries, keys, area offset, query offset, key offset (for the
  // kernels).
  at::Tensor sentences;
  bool causal = false;
  at::Tensor masked;  // [key token] bool on the device: keys that no query may attend to; undefined: none
};

// A graph among the tokens of a batch, int64 on the device, by group of the plan of its attention.
struct PackedArcs {
  struct Group {
    at::Tensor query;     // [arc] packed rows
    at::Tensor key;       // [arc]
    at::Tensor relation;  // [arc] from 1
    at::Tensor sentence;  // [arc] in the group
    at::Tensor place;     // [arc] in the sentence's block of queries * keys
  };
  std::vector<Group> groups;
};

struct PlanOptions {
  bool causal = false;
  // Sentences are padded together while padded area ≤ real area * (1 + padding_limit). 0: equal lengths only.
  double padding_limit = 0.0;
  // … or while one more sentence adds at most this much padded area: a group of its own costs more than that.
  std::int64_t free_area = 0;
  std::span<const model::MaskToken> masked;  // keys that no query may attend to
};

AttentionPlan make_plan(std::span<const std::int64_t> query_offsets,
                        std::span<const std::int64_t> key_offsets, const PlanOptions& options,
                        at::Device device);

// The same groups with one query a sentence: maps over them are [head, key].
AttentionPlan one_query_plan(const AttentionPlan& plan, at::Device device);

// States of a parser, int64 on the device (state_input.h).
struct PackedStates {
  // Compositions of what the words and the levels before them gave.
  struct Level {
    at::Tensor head;       // [composition] rows of words, then of levels
    at::Tensor dependent;  // [composition]
    at::Tensor label;      // [composition]
  };
  at::Tensor segments;  // [token]
  at::Tensor words;     // [word] ids
  std::vector<Level> levels;
  at::Tensor rows;  // [token] of the tokens' own inputs, then of words and levels; undefined: all their own
};

struct StackInput {
  at::Tensor ids;                     // [token] int64
  at::Tensor positions;               // [token] int64, place in the sentence from 0
  std::int64_t longest = 0;           // tokens of the longest sentence
  std::vector<std::int64_t> offsets;  // [sentence + 1]
  AttentionPlan self_plan;
  std::optional<PackedArcs> arcs;      // with graph_input, without an arc too
  std::optional<PackedStates> states;  // only where the batch has them
};

// Everything that a forward pass needs of a batch.
struct PackedInput {
  StackInput source;
  std::optional<StackInput> target;         // with target ids
  std::optional<AttentionPlan> cross_plan;  // queries: target, keys: source
};

// How much padding pays on a device; see PlanOptions. None on the CPU: 64 and 256 elements a sentence were 1
// to 8 % slower than equal lengths alone. $MOG_PADDED_AREA overrides free_area (the tests run the padded form
// on the CPU with it).
struct Padding {
  double limit = 0.0;
  std::int64_t free_area = 0;
};
Padding padding_for(at::Device device);
// In a training step every group costs more: 1024 elements a sentence were 12 % faster than none where
// lengths are all different.
Padding training_padding_for(at::Device device);

struct InputOptions {
  Padding padding;                           // default: equal lengths only
  std::span<const model::MaskToken> masked;  // already checked
};

at::Tensor to_device(const std::vector<std::int64_t>& values, at::Device device);  // int64

// Throws ShapeError for an arc between two sentences, and unless arcs come by query and key, each pair once;
// ModelError for a relation that the model does not have, and where it reads no graph.
void check_arcs(const model::ModelConfig& config, std::span<const std::int64_t> offsets,
                std::span<const model::GraphArc> arcs);

// Checks ids and lengths against the configuration, then moves the batch to the device. `source_rows` and
// `target_rows`: rows of the position tables, 0 without one. Throws ModelError naming sentence and token for
// an id outside the vocabulary, an empty sentence, one longer than the position table; ShapeError when
// offsets and ids do not fit.
PackedInput make_input(const model::ModelConfig& config, const model::PackedBatch& batch, at::Device device,
                       std::int64_t source_rows, std::int64_t target_rows, const InputOptions& options = {});

}  // namespace mog::engine
