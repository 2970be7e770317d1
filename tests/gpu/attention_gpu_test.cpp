// The CUDA kernel of attention by rows, with the test body of its twins.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "model/engine/cuda/attention_kernels.h"
#include "tests/gpu/cuda_runtime.h"
#include "tests/gpu/gpu_or_skip.h"
#include "tests/unit/engine/attention_row_checks.h"

namespace mog::test {
namespace {

class CudaMemory final : public DeviceMemory {
 public:
  CudaMemory() = default;
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;
  ~CudaMemory() override {
    for (void* const memory : rooms_) {
      runtime_.release(memory);
    }
  }
  const void* put(const void* values, std::size_t bytes) override {
    void* const to = room(bytes);
    runtime_.copy(to, values, bytes);
    return to;
  }
  void* room(std::size_t bytes) override { return rooms_.emplace_back(runtime_.allocate(bytes)); }
  void get(void* to, const void* from, std::size_t bytes) override { runtime_.copy(to, from, bytes); }

 private:
  CudaRuntime runtime_;
  std::vector<void*> rooms_;
};

class CudaAttentionKernels : public testing::TestWithParam<engine::AttentionNumbers> {};

TEST_P(CudaAttentionKernels, GiveWhatMapsInDoubleGive) {
  MOG_REQUIRE_GPU();
  std::string reason;
  const engine::CudaLibrary* const library = engine::open_cuda_library(reason);
  ASSERT_NE(library, nullptr) << reason;
  ASSERT_TRUE(CudaRuntime().usable());
  const auto kernels = engine::make_cuda_attention_kernels(*library);
  check_attention_rows(
      [&](const auto& block, const auto& rows) { kernels->attend(block, rows); },
      [] { return std::make_unique<CudaMemory>(); },
      {.numbers = GetParam(), .most_width = kernels->most_width(GetParam()), .maps = kernels->give_maps()});
}
INSTANTIATE_TEST_SUITE_P(Numbers, CudaAttentionKernels,
                         testing::Values(engine::AttentionNumbers::float32,
                                         engine::AttentionNumbers::bfloat16),
                         [](const auto& numbers) {
                           return numbers.param == engine::AttentionNumbers::float32 ? "float32" : "bfloat16";
                         });

}  // namespace
}  // namespace mog::test
