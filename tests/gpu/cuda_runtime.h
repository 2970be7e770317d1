// Memory of a graphics card for tests of kernels.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstddef>

namespace mog::test {

// The few functions of the CUDA runtime that the test needs, from the library that the kernels opened.
class CudaRuntime {
 public:
  CudaRuntime() : library_(dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD)) {}
  bool usable() const { return library_ != nullptr; }

  void* allocate(std::size_t bytes) const {
    void* memory = nullptr;
    EXPECT_EQ(function<int(void**, std::size_t)>("cudaMalloc")(&memory, bytes), 0);
    return memory;
  }
  void release(void* memory) const { EXPECT_EQ(function<int(void*)>("cudaFree")(memory), 0); }
  void copy(void* to, const void* from, std::size_t bytes) const {
    constexpr int kByAddress = 4;  // cudaMemcpyDefault
    EXPECT_EQ(function<int(void*, const void*, std::size_t, int)>("cudaMemcpy")(to, from, bytes, kByAddress),
              0);
  }

 private:
  template <class Signature>
  Signature* function(const char* name) const {
    return reinterpret_cast<Signature*>(dlsym(library_, name));
  }
  void* library_;
};

}  // namespace mog::test
