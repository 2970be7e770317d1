// The option --store-top-k: of each row of an attention map its greatest weights, and nothing that looks like
// a map.
//
//   … attention.top      [head, query, rank]  weights, greatest first; equal ones by their key
//   … attention.top_key  [head, query, rank]  their keys, from 0; -1 where fewer have a weight above 0
//   … attention.rest     [head, query]        what the other keys have together
// Up to kTopKeys of them the model gives without a map, where nothing else needs its maps; more are computed
// from maps in float32, which are not kept. The axes are those of the map: a decoder's queries are target
// tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/workflow/record/capture.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

// Whether it is a map that has them.
bool is_top_key_map(const QuantitySchema& schema);
// The three of a map. Keys have the type of the weights, or float32 where sentences may have more tokens than
// float16 can count.
std::vector<QuantitySchema> top_key_quantities(const QuantitySchema& map, std::int64_t ranks, DType weights,
                                               std::int64_t longest = 0);

// Immutable after construction; add() is safe from several threads.
class TopKeys {
 public:
  // Takes the attention maps out of `quantities` and puts their top keys there; what the model has to show
  // for them goes to `observed`. Both are sorted by name. Throws UsageError where there is no map.
  // longest: tokens that a sentence may have. by_model: what the model gives without maps; empty where maps
  // are needed anyway.
  TopKeys(std::int64_t ranks, std::int64_t longest, const CaptureSet& set,
          std::vector<QuantitySchema>& quantities, std::vector<QuantitySchema>& observed,
          std::span<const QuantitySchema> by_model);
  // Appends the top keys to a batch that has the maps, or what the model gave of them, in float32.
  // O(elements · log ranks), and O(ranks) more for each key that is among the greatest so far.
  void add(RecordingBatch& batch) const;

 private:
  struct Map {
    QuantitySchema schema;
    bool by_model = false;
  };
  void add_from_map(RecordingBatch& batch, const QuantitySchema& map) const;
  void cut_ranks(RecordingBatch& batch, const QuantityName& map) const;

  std::int64_t ranks_;
  std::vector<Map> maps_;
};

// One row: weights, greatest first, and keys (ranks of both), and the sum of the others, in double precision.
double top_keys(std::span<const float> row, std::span<float> weights, std::span<float> keys);

}  // namespace mog::app
