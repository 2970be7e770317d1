#include "model/engine/common/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace mog::engine {

bool has_eight_bit_products() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vnni") != 0) {
    return true;
  }
  constexpr unsigned kAvxVnni = 1U << 4U;  // of eax of leaf 7, subleaf 1
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & kAvxVnni) != 0;
#else
  return false;
#endif
}

}  // namespace mog::engine
