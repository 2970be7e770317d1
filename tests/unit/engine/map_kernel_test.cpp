#include <gtest/gtest.h>

#include "tests/unit/engine/map_kernel_checks.h"

namespace mog::test {
namespace {

TEST(CpuMapKernels, GiveWhatDoubleArithmeticGives) {
  check_map_kernels(engine::cpu_map_kernels(),
                    [](const std::vector<float>& maps, const std::vector<std::int64_t>& table, void* output,
                       std::size_t, const auto& work) { work(maps.data(), table.data(), output); });
}

}  // namespace
}  // namespace mog::test
