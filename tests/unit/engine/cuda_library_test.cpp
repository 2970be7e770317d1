// The CUDA library opens on machines without a graphics card, so that the reason can be said.
#include <gtest/gtest.h>

#include <string>

#include "model/engine/cuda/map_kernels.h"

namespace mog::test {
namespace {

TEST(CudaLibrary, OpensWithoutADeviceAndExplainsErrors) {
  std::string reason;
  const engine::CudaLibrary* const library = engine::open_cuda_library(reason);
  if (library == nullptr) {
    GTEST_SKIP() << "this build has no usable CUDA kernels: " << reason;
  }
  EXPECT_FALSE(std::string(library->architectures()).empty());
  constexpr int kInvalidValue = 1;  // cudaErrorInvalidValue
  EXPECT_EQ(std::string(library->error_text(kInvalidValue)), "invalid argument");
  engine::MogCudaDevice device{};
  EXPECT_NE(library->device(9999, &device), 0);
}

}  // namespace
}  // namespace mog::test
