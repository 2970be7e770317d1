// Decompositions work on groups of sentences of equal length, observers get one packed tensor a quantity: the
// blocks of all groups one behind the other, and where each sentence begins. Sentences of a group have equal
// shares of its block, so offsets need no shapes. Blocks are references until they are given; then one copy
// a quantity, none where there is one group.
#include "model/engine/decomposition/results.h"

#include <algorithm>
#include <utility>

namespace mog::engine {

bool Results::ask(Part part, Quantity quantity, Reduction reduction) const {
  return observation_.wants_exactly({Stack::encoder, layer_, part, quantity, reduction});
}

bool Results::ask_any(std::span<const Quantity> quantities) const {
  return std::any_of(quantities.begin(), quantities.end(),
                     [&](Quantity quantity) { return observation_.wants_quantity(quantity, layer_); });
}

void Results::give_rows(Part part, Quantity quantity, Reduction reduction, const at::Tensor& rows) const {
  std::vector<std::int64_t> offsets = offsets_;
  for (std::int64_t& offset : offsets) {
    offset *= rows.numel() / rows.size(0);
  }
  observation_.packed({Stack::encoder, layer_, part, quantity, reduction}, rows, std::move(offsets));
}

void Results::gather(Part part, Quantity quantity, Reduction reduction, const at::Tensor& values) {
  if (ask(part, quantity, reduction)) {
    gathered_[{Stack::encoder, layer_, part, quantity, reduction}].push_back(values);
  }
}

void Results::give() {
  for (auto& [name, blocks] : gathered_) {
    std::vector<std::int64_t> offsets = {0};
    for (at::Tensor& block : blocks) {
      const std::int64_t sentences = block.size(0);
      block = block.reshape({-1});
      for (std::int64_t i = 0; i < sentences; ++i) {
        offsets.push_back(offsets.back() + block.numel() / sentences);
      }
    }
    observation_.packed(name, blocks.size() == 1 ? blocks.front() : at::cat(blocks), std::move(offsets));
  }
  gathered_.clear();
}

}  // namespace mog::engine
