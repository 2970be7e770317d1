// The results of exact decompositions on their way to the observation (internal to the engine).
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "model/engine/runtime/observation.h"

namespace mog::engine {

// What observers ask of one layer, or of the whole encoder, and what was found of it. Values are gathered
// group by group and given in one piece, sentence after sentence.
class Results {
 public:
  // Borrowed. layer: from 1; 0: the whole encoder.
  Results(Observation& observation, const StackInput& source, std::int64_t layer)
      : observation_(observation), offsets_(source.offsets), layer_(layer) {}

  // This very quantity with its reduction.
  bool ask(Part part, Quantity quantity, Reduction reduction = Reduction::full) const;
  // Any part and reduction of any of them.
  bool ask_any(std::span<const Quantity> quantities) const;

  // rows: [token, …] of all sentences. Of a quantity that is asked; given at once. Throws Interrupted when an
  // observer stops the run.
  void give_rows(Part part, Quantity quantity, Reduction reduction, const at::Tensor& rows) const;
  // values: [sentences, …] of one group, groups in their order. Dropped where nobody asks.
  void gather(Part part, Quantity quantity, Reduction reduction, const at::Tensor& values);
  // Gives what was gathered, in the order of names. Throws Interrupted as give_rows.
  void give();

 private:
  Observation& observation_;
  const std::vector<std::int64_t>& offsets_;  // [sentence + 1], of the source tokens
  std::int64_t layer_;
  std::map<QuantityName, std::vector<at::Tensor>> gathered_;
};

}  // namespace mog::engine
