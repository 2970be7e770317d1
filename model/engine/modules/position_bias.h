// What is added to the scores of attention by the places of a query and a key alone: relative positions of
// T5, ALiBi (docs/model-directory.md, One stack).
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace mog::engine {

// A vector a head, not a map: neighbouring keys take neighbouring numbers, and the next query begins one
// number before (by key - query) or at the same (by the place of the key).
struct PositionBias {
  at::Tensor values;       // [head, places], rows contiguous; undefined: nothing is added
  std::int64_t first = 0;  // the number of query 0 and key 0
  std::int64_t turn = -1;  // from query to query: -1 or 0

  bool defined() const { return values.defined(); }
  // [head, queries, keys] of the first so many, which differentiates.
  at::Tensor map(std::int64_t queries, std::int64_t keys) const;
};

// Bias of relative positions by key - query, [head, offset]: table[bucket(offset)] (T5). Where both sides are
// read half of the buckets belong to later keys; in a causal stack all belong to this and earlier ones. Of
// each half (or of all) the first half are single distances, the others grow by powers up to `distance`.
// table: [buckets, head]; offsets: [offset] int64.
struct RelativeForm {
  std::int64_t distance = 128;
  bool causal = false;
};
at::Tensor relative_bias_by_offset(const at::Tensor& table, const at::Tensor& offsets,
                                   const RelativeForm& form);
// The same for all pairs of sequences of up to `length`.
PositionBias relative_bias(const at::Tensor& table, std::int64_t length, const RelativeForm& form);

// -slope · |key - query|; slopes: [head]. rounded: slope · key, both and the product in bfloat16, which to a
// query is a constant more (Falcon).
PositionBias alibi(const at::Tensor& slopes, std::int64_t length, bool rounded);

}  // namespace mog::engine
