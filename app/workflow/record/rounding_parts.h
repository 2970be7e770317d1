// How two runs of one batch are compared (rounding_error.cpp, measured_model.cpp).
#pragma once

#include <cstdint>
#include <vector>

#include "app/workflow/record/rounding_error.h"
#include "io/recording/axes.h"

namespace mog::app {

// Maps of both models that are held at a time.
inline constexpr double kMostComparedBytes = 256e6;

// The attention maps and the output of the main stack.
std::vector<QuantitySchema> compared_quantities(const model::Model& model);
// What their maps take of a sentence, in both models.
double compared_bytes(const std::vector<QuantitySchema>& schemas, std::int64_t tokens);
// Both float32 and of one size.
void add_difference(const QuantityName& name, const HostTensor& rounded, const HostTensor& exact,
                    RoundingError& error);

}  // namespace mog::app
