// The CUDA twins of the map kernels, with the test body of the host twins.
#include <gtest/gtest.h>

#include <string>

#include "model/engine/cuda/map_kernels.h"
#include "tests/gpu/cuda_runtime.h"
#include "tests/gpu/gpu_or_skip.h"
#include "tests/unit/engine/map_kernel_checks.h"

namespace mog::test {
namespace {

TEST(CudaMapKernels, GiveWhatDoubleArithmeticGives) {
  MOG_REQUIRE_GPU();
  std::string reason;
  const engine::CudaLibrary* const library = engine::open_cuda_library(reason);
  ASSERT_NE(library, nullptr) << reason;
  const CudaRuntime runtime;
  ASSERT_TRUE(runtime.usable());
  const auto kernels = engine::make_cuda_map_kernels(*library);
  check_map_kernels(*kernels, [&](const std::vector<float>& maps, const std::vector<std::int64_t>& table,
                                  void* output, std::size_t bytes, const auto& work) {
    void* const device_maps = runtime.allocate(maps.size() * sizeof(float));
    void* const device_table = runtime.allocate(table.size() * sizeof(std::int64_t));
    void* const device_output = runtime.allocate(bytes);
    runtime.copy(device_maps, maps.data(), maps.size() * sizeof(float));
    runtime.copy(device_table, table.data(), table.size() * sizeof(std::int64_t));
    work(static_cast<const float*>(device_maps), static_cast<const std::int64_t*>(device_table),
         device_output);
    runtime.copy(output, device_output, bytes);
    for (void* const memory : {device_maps, device_table, device_output}) {
      runtime.release(memory);
    }
  });
}

}  // namespace
}  // namespace mog::test
