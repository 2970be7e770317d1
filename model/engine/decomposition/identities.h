// How well the identities of the exact decompositions hold in a run (internal to the engine).
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "model/engine/modules/packed_input.h"
#include "model/observer.h"

namespace mog::engine {

// The worst entry of every identity of one layer, told to the observers that ask for it.
class Identities {
 public:
  Identities(std::span<model::Observer* const> observers, at::ScalarType precision);

  bool empty() const noexcept { return observers_.empty(); }  // nobody asks: compute nothing for them
  void begin_layer(std::int64_t layer) { layer_ = layer; }
  // found, expected: [sentences, …] of one group; with `heads` [sentences, head, …]. Relative to the largest
  // entry of the sentence. `identity` is a literal.
  void compare(std::string_view identity, const AttentionGroup& group, const at::Tensor& found,
               const at::Tensor& expected, bool heads = false);
  // `parts` [sentences, …, part] summed over the last axis are `expected`, relative to the largest of both:
  // parts of both signs may be far larger than their sum.
  void sums_to(std::string_view identity, const AttentionGroup& group, const at::Tensor& parts,
               const at::Tensor& expected);
  // `shares` summed over the last axis are 1, relative to the largest of them.
  void sums_to_one(std::string_view identity, const AttentionGroup& group, const at::Tensor& shares,
                   bool heads = false);
  // As compare, for what an integral by quadrature has gone into: 1e-6 is allowed whatever the precision.
  void after_quadrature(std::string_view identity, const AttentionGroup& group, const at::Tensor& found,
                        const at::Tensor& expected, bool heads = false);
  // Tells what was gathered.
  void end_layer();

 private:
  // [sentences] or [sentences, head], relative to the largest entry of each sentence.
  static at::Tensor relative_error(const at::Tensor& found, const at::Tensor& expected, bool heads);
  // error: [sentences] or [sentences, head].
  void add(std::string_view identity, const AttentionGroup& group, const at::Tensor& error, double tolerance);

  std::vector<model::Observer*> observers_;
  double tolerance_;
  std::int64_t layer_ = 0;
  std::map<std::string_view, model::IdentityCheck> worst_;
};

}  // namespace mog::engine
