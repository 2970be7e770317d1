// What the effect of erasing a unit would be if the output lost just what came from it: estimates of
// leave-one-out that need no run without the unit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/effects/readout.h"

namespace mog::analysis {

// before: the target's vector of the whole sentence. values: [token, width], the output (or tag scores);
// slopes: its change to first order when the unit leaves, of the same shape. The effect of values + slopes.
// Throws ShapeError.
double first_order_removal(const Readout& readout, const std::vector<double>& before,
                           std::span<const double> values, std::span<const double> slopes,
                           std::span<const std::int64_t> unit);

// output: [token, d_model]; vectors: [token, source, d_model], source the tokens and one more (the biases):
// what of a token's output came from each source (docs/quantity-names.md, propagation). [unit]: the effect of
// the output less what came from the unit's tokens. O(unit · token · d_model) a token of a unit. Throws
// ShapeError.
std::vector<double> propagation_removals(const Readout& readout, const std::vector<double>& before,
                                         std::span<const double> output, std::span<const double> vectors);

}  // namespace mog::analysis
