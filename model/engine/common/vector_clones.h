// A function compiled once per instruction set; the loader takes the best one of the processor. Not with
// sanitizers, whose runtime is not there yet when the loader asks.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define MOG_HAS_VECTOR_CLONES
#define MOG_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define MOG_VECTOR_CLONES
#endif

// What a function of clones calls, so that it is compiled with each of them.
#if defined(__GNUC__)
#define MOG_IN_CLONES inline __attribute__((always_inline))
#else
#define MOG_IN_CLONES inline
#endif

// Before a loop that is to become one vector instruction: it is not unrolled before it is vectorized.
#if defined(__GNUC__) && !defined(__clang__)
#define MOG_KEEP_LOOP _Pragma("GCC unroll 1")
#else
#define MOG_KEEP_LOOP
#endif
