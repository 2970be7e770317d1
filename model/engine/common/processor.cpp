#include "model/engine/common/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace mog::engine {

#if defined(__x86_64__)
namespace {

struct Leaf {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
};

// Extended features; zeros where the processor does not know them.
Leaf features(unsigned subleaf) {
  Leaf leaf;
  return __get_cpuid_count(7, subleaf, &leaf.a, &leaf.b, &leaf.c, &leaf.d) != 0 ? leaf : Leaf{};
}

}  // namespace
#endif

bool has_eight_bit_products() noexcept {
#if defined(__x86_64__)
  constexpr unsigned kAvxVnni = 1U << 4U;  // of eax of subleaf 1
  return __builtin_cpu_supports("avx512vnni") != 0 || (features(1).a & kAvxVnni) != 0;
#else
  return false;
#endif
}

bool has_bfloat16_products() noexcept {
#if defined(__x86_64__)
  // Both also need the system's leave for wide registers, which avx512f tells of.
  constexpr unsigned kAvx512Bf16 = 1U << 5U;  // of eax of subleaf 1
  constexpr unsigned kAmxBf16 = 1U << 22U;    // of edx of subleaf 0
  return __builtin_cpu_supports("avx512f") != 0 &&
         ((features(1).a & kAvx512Bf16) != 0 || (features(0).d & kAmxBf16) != 0);
#else
  return false;
#endif
}

}  // namespace mog::engine
