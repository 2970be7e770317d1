// MKL's kernels with AVX-512 on processors of every maker that have the instructions.
//
// MKL inside LibTorch asks mkl_serv_intel_cpu_true() before it chooses them and takes AVX2 on an AMD
// processor (Zen 5, [512, 384] × [384, 1536], one core: 82 against 186 billion operations a second;
// docs/benchmarks.md). The engine is searched before LibTorch when MKL's call is bound, so this definition
// answers it. Where LibTorch has no MKL nothing calls it. $MOG_MKL_AVX512 = 0 gives MKL's own choice back.
// docs/decisions/0039.
#include <cstdlib>
#include <string_view>

extern "C" __attribute__((visibility("default"))) int mkl_serv_intel_cpu_true() {
#if defined(__x86_64__) && defined(__GNUC__)
  // Called while libraries are being opened, perhaps before the constructor that fills in the processor.
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel") != 0) {
    return 1;
  }
  if (const char* const wanted = std::getenv("MOG_MKL_AVX512");
      wanted != nullptr && std::string_view(wanted) == "0") {
    return 0;
  }
  // What MKL's kernels for AVX-512 are compiled for.
  return static_cast<int>(__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                          __builtin_cpu_supports("avx512bw") != 0 &&
                          __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512cd") != 0);
#else
  return 0;
#endif
}
