// The mask of dropout in host memory.
#pragma once

#include <cstdint>
#include <span>

namespace mog::engine {

// Every element becomes 1 / (1 - probability) with chance 1 - probability (to 2^-32), else 0, independently.
// The same key gives the same mask on every processor. probability: from 0 up to, but not, 1.
void fill_dropout_mask(std::span<float> mask, double probability, std::uint64_t key);

}  // namespace mog::engine
