// One test body for the twins of the map kernels: the caller brings memory of its device.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/engine/cuda/map_kernels.h"

namespace mog::test {

// Runs `work` on a copy of `maps` and `table` in the device's memory, with an output of `bytes` bytes there,
// and copies the output back.
using RunOnDevice = std::function<void(
    const std::vector<float>& maps, const std::vector<std::int64_t>& table, void* output, std::size_t bytes,
    const std::function<void(const float*, const std::int64_t*, void*)>& work)>;

// Padded blocks of unequal sentences against values worked out in double, lengths from 1 to above a warp.
void check_map_kernels(const engine::MapKernels& kernels, const RunOnDevice& run);

}  // namespace mog::test
