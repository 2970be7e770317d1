// A function compiled once per instruction set; the loader takes the best one of the processor. Not with
// sanitizers, whose runtime is not there yet when the loader asks.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define MOG_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define MOG_VECTOR_CLONES
#endif
