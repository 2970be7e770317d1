// Attention with statistics of its rows against the attention of LibTorch that gives none (bench_forward).
#pragma once

#include <string>

namespace mog::bench {

// Prints "attention": [{…}, …], a member a shape, for "cpu" or "cuda". Seconds are the least of `rounds`;
// both sides compute softmax(q·kᵀ/√d)·v in float32 of sentences of one length, ours entropy and greatest
// weight of every row with it. On a graphics card also LibTorch's in bfloat16, which is its flash attention.
// False: contexts differ by more than 1e-4.
bool print_attention(const std::string& device, int rounds);

}  // namespace mog::bench
