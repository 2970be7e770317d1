// The results of a decoder's exact decompositions on their way to the observation (internal to the engine).
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <vector>

#include "model/engine/decomposition/identities.h"
#include "model/engine/runtime/observation.h"

namespace mog::engine {

// What observers ask of the decoder, and what was found. Values are gathered sentence by sentence and given
// in one piece.
class DecoderResults {
 public:
  explicit DecoderResults(Observation& observation) : observation_(observation) {}

  // layer: from 1; 0: the whole decoder.
  bool ask(std::int64_t layer, Quantity quantity, Reduction reduction = Reduction::full) const;
  // values: of the next sentence. Dropped where nobody asks, or undefined.
  void gather(std::int64_t layer, Quantity quantity, Reduction reduction, const at::Tensor& values);
  // Throws Interrupted when an observer stops the run.
  void give();

 private:
  Observation& observation_;
  std::map<QuantityName, std::vector<at::Tensor>> gathered_;
};

// The worst entry of every identity of every layer of the decoder: gathered over sentences, told at the end.
class DecoderChecks {
 public:
  explicit DecoderChecks(Identities& identities) : identities_(identities) {}
  bool empty() const noexcept { return identities_.empty(); }
  // found, expected: [T, …] of one sentence; identity: a literal.
  void compare(std::string_view identity, std::int64_t layer, std::int64_t sentence, const at::Tensor& found,
               const at::Tensor& expected);
  // parts: [T, part], which sum to expected [T].
  void sums_to(std::string_view identity, std::int64_t layer, std::int64_t sentence, const at::Tensor& parts,
               const at::Tensor& expected);
  void tell();

 private:
  struct Check {
    std::string_view identity;
    std::int64_t sentence = 0;
    at::Tensor found;
    at::Tensor expected;
    bool parts = false;  // what was found is still to be summed
  };
  Identities& identities_;
  std::map<std::int64_t, std::vector<Check>> checks_;  // by layer
};

// What is kept of the contributions to one sentence, by layer: columns are the source's tokens (or positions
// of the encoder's output), the decoder's inputs, the bias.
class ContextVectors {
 public:
  struct Sentence {
    std::int64_t number = 0;  // of the batch, from 0
    std::int64_t sources = 0;
    at::Tensor output;                // of the decoder, [T, d_model]
    at::Tensor next_rows;             // of the output map, of the tokens that follow: [T, d_model]
    at::Tensor next_bias;             // [T]; undefined: none
    std::vector<at::Tensor> outputs;  // of each layer, [T, d_model]
  };
  // quantity: contribution or memory_contribution.
  ContextVectors(const DecoderResults& results, Quantity quantity, Sentence sentence, bool check);

  // vectors: [source, T, d_model], sources [first, …) of the columns; with `bias` the last is the bias.
  void take(std::int64_t layer, std::int64_t first, const at::Tensor& vectors, bool bias);
  // When all sources are through.
  void give(DecoderResults& results, DecoderChecks& checks);

 private:
  struct Kept {
    at::Tensor vectors;      // [T, column, d_model]; each undefined where nobody asks
    at::Tensor norms;        // [T, column]
    at::Tensor projections;  // [T, column]
    at::Tensor logits;       // [T, column]
    at::Tensor sum;          // [T, d_model]
  };
  static void put(const at::Tensor& to, std::int64_t first, const at::Tensor& values, bool bias);
  at::Tensor by_side(const at::Tensor& projections) const;

  Quantity quantity_;
  Sentence sentence_;
  std::vector<Kept> kept_;  // by layer, 0 the decoder's output
};

}  // namespace mog::engine
