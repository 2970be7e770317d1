// MKL's kernels with AVX-512 on processors of every maker that have the instructions.
//
// MKL inside LibTorch asks mkl_serv_intel_cpu_true() before it chooses them and takes AVX2 on an AMD
// processor, at less than half the speed (docs/benchmarks.md). The engine is searched before LibTorch when
// MKL's call is bound, so this definition answers it, unless something loaded LibTorch into the whole program
// before. Where LibTorch has no MKL nothing calls it. $MOG_MKL_AVX512 = 0 gives MKL's own choice back.
// docs/decisions/0039.
#include "model/engine/runtime/mkl_kernels.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

namespace mog::engine {
namespace {

std::atomic<MklKernels> chosen = MklKernels::not_asked;  // constant: MKL may ask before constructors run

#if defined(__x86_64__) && defined(__GNUC__)
bool wants_own_choice() {
  const char* const wanted = std::getenv("MOG_MKL_AVX512");
  return wanted != nullptr && std::string_view(wanted) == "0";
}

// What MKL's kernels for AVX-512 are compiled for.
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512cd") != 0;
}
#endif

}  // namespace

MklKernels mkl_kernels() noexcept {
  return chosen;
}

}  // namespace mog::engine

extern "C" __attribute__((visibility("default"))) int mkl_serv_intel_cpu_true() {
  using mog::engine::MklKernels;
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel") == 0 && mog::engine::has_avx512() && !mog::engine::wants_own_choice()) {
    mog::engine::chosen = MklKernels::avx512;
    return 1;
  }
  mog::engine::chosen = MklKernels::own_choice;
  return __builtin_cpu_is("intel") != 0 ? 1 : 0;
#else
  mog::engine::chosen = MklKernels::own_choice;
  return 0;
#endif
}
