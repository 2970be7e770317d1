// Attention with statistics of its rows against the attention of LibTorch that gives none (bench_forward).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace mog::bench {

// Prints "attention": [{…}, …], a member a shape, for "cpu" or "cuda". Seconds are the least of `rounds`;
// both sides compute softmax(q·kᵀ/√d)·v in float32 of sentences of one length, ours entropy and greatest
// weight of every row with it. On a graphics card also LibTorch's in bfloat16, which is its flash attention.
// False: contexts differ by more than 1e-4.
bool print_attention(const std::string& device, int rounds);

// A forward pass of a plain Transformer (GELU, norms after the sums) of random weights in bfloat16 on a
// graphics card, by LibTorch alone: embedding left out, flash attention, nothing kept. One call is a pass
// over `sentences` of `length` tokens; it does not wait for the card.
struct FlashShape {
  std::int64_t layers;
  std::int64_t d_model;
  std::int64_t heads;
  std::int64_t ffn_dim;
};
std::function<void()> make_flash_pass(const FlashShape& shape, std::int64_t sentences, std::int64_t length);

}  // namespace mog::bench
