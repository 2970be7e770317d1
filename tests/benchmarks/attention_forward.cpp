#include "attention_forward.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "model/engine/cuda/attention_kernels.h"

namespace mog::bench {
namespace {

struct Shape {
  std::int64_t sentences;
  std::int64_t length;
  std::int64_t width;
};
constexpr std::int64_t kHeads = 12;

// Sentences of one length, queries, keys and values as columns of one joined projection.
struct Input {
  at::Tensor joined;  // [token, 3 · a]
  at::Tensor table;   // [sentence, columns]
  at::Tensor piece(const Shape& shape, std::int64_t which) const {
    const std::int64_t a = kHeads * shape.width;
    return joined.narrow(1, which * a, a);
  }
  // As LibTorch's attention likes it best, [sentence, head, token, width].
  at::Tensor heads(const Shape& shape, std::int64_t which) const {
    return piece(shape, which)
        .reshape({shape.sentences, shape.length, kHeads, shape.width})
        .transpose(1, 2)
        .contiguous();
  }
};

Input make_input(const Shape& shape, at::Device device) {
  std::vector<std::int64_t> table;
  for (std::int64_t s = 0; s < shape.sentences; ++s) {
    const std::int64_t first = s * shape.length;
    table.insert(table.end(), {shape.length, shape.length, first * shape.length, first, first});
  }
  at::manual_seed(1);
  return {at::randn({shape.sentences * shape.length, 3 * kHeads * shape.width}).to(device),
          at::tensor(table, at::kLong).to(device)};
}

double least_seconds(bool on_card, int rounds, const std::function<void()>& work) {
  constexpr int kTimes = 10;
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round <= rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int time = 0; time < kTimes; ++time) {
      work();
    }
    if (on_card) {
      at::detail::getCUDAHooks().deviceSynchronize(0);
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    least = round == 0 ? least : std::min(least, seconds.count() / kTimes);
  }
  return least;
}

std::unique_ptr<engine::AttentionKernels> card_kernels() {
  std::string reason;
  const engine::CudaLibrary* const library = engine::open_cuda_library(reason);
  return library == nullptr ? nullptr : engine::make_cuda_attention_kernels(*library);
}

engine::AttentionBlock block_of(const Shape& shape, const Input& input) {
  engine::AttentionBlock block;
  block.query = input.piece(shape, 0).const_data_ptr();
  block.key = input.piece(shape, 1).const_data_ptr();
  block.value = input.piece(shape, 2).const_data_ptr();
  block.query_stride = block.key_stride = block.value_stride = input.joined.stride(0);
  block.table = input.table.const_data_ptr<std::int64_t>();
  block.sentences = shape.sentences;
  block.heads = block.key_heads = kHeads;
  block.width = shape.width;
  block.queries = shape.length;
  block.scale = 1.0F / std::sqrt(static_cast<float>(shape.width));
  return block;
}

bool print_shape(const Shape& shape, at::Device device, const engine::AttentionKernels& kernels, int rounds,
                 const char* end) {
  const Input input = make_input(shape, device);
  const at::Tensor q = input.heads(shape, 0);
  const at::Tensor k = input.heads(shape, 1);
  const at::Tensor v = input.heads(shape, 2);
  const at::Tensor context = at::empty({q.size(0) * q.size(2), kHeads * shape.width}, q.options());
  const at::Tensor entropy = at::empty({context.size(0) * kHeads}, q.options());
  const at::Tensor greatest = at::empty_like(entropy);
  const engine::AttentionBlock block = block_of(shape, input);
  engine::AttentionRows rows;
  rows.context = context.mutable_data_ptr<float>();
  rows.entropy = entropy.mutable_data_ptr<float>();
  rows.greatest = greatest.mutable_data_ptr<float>();
  const bool on_card = device.is_cuda();
  const double ours = least_seconds(on_card, rounds, [&] { kernels.attend(block, rows); });
  at::Tensor theirs_context;
  const double theirs =
      least_seconds(on_card, rounds, [&] { theirs_context = at::scaled_dot_product_attention(q, k, v); });
  const double difference =
      (theirs_context.transpose(1, 2).reshape(context.sizes()) - context).abs().max().item<double>();
  std::printf(
      "    {\"sentences\": %lld, \"length\": %lld, \"heads\": %lld, \"width\": %lld, \"rows_s\": %.3g, "
      "\"sdpa_s\": %.3g, \"sdpa_over_rows\": %.3f, \"difference\": %.2g",
      static_cast<long long>(shape.sentences), static_cast<long long>(shape.length),
      static_cast<long long>(kHeads), static_cast<long long>(shape.width), ours, theirs, theirs / ours,
      difference);
  bool agree = difference < 1e-4;
  if (on_card) {
    const Input half{input.joined.to(at::kBFloat16), input.table};
    engine::AttentionBlock half_block = block_of(shape, half);
    half_block.numbers = engine::AttentionNumbers::bfloat16;
    const at::Tensor half_context = at::empty_like(context, at::kBFloat16);
    rows.context = half_context.mutable_data_ptr();
    const double rows16 = least_seconds(on_card, rounds, [&] { kernels.attend(half_block, rows); });
    const at::Tensor q16 = half.heads(shape, 0);
    const at::Tensor k16 = half.heads(shape, 1);
    const at::Tensor v16 = half.heads(shape, 2);
    at::Tensor flash_context;
    const double flash = least_seconds(
        on_card, rounds, [&] { flash_context = at::scaled_dot_product_attention(q16, k16, v16); });
    const double apart =
        (flash_context.transpose(1, 2).reshape(context.sizes()).to(at::kFloat) - half_context.to(at::kFloat))
            .abs()
            .max()
            .item<double>();
    std::printf(
        ", \"rows_bfloat16_s\": %.3g, \"flash_bfloat16_s\": %.3g, \"flash_over_rows\": %.3f, "
        "\"difference_bfloat16\": %.2g",
        rows16, flash, flash / rows16, apart);
    agree = agree && apart < 0.05;
  }
  std::printf("}%s\n", end);
  return agree;
}

}  // namespace

bool print_attention(const std::string& device, int rounds) {
  const bool on_card = device != "cpu";
  at::set_num_threads(1);
  const std::unique_ptr<engine::AttentionKernels> card = on_card ? card_kernels() : nullptr;
  if (on_card && card == nullptr) {
    std::printf("  \"attention\": []");
    return false;
  }
  const engine::AttentionKernels& kernels = on_card ? *card : engine::cpu_attention_kernels();
  // Of about the same work: of 16,384 tokens on a card.
  const std::int64_t tokens = on_card ? 16384 : 1024;
  std::vector<Shape> shapes;
  for (const std::int64_t length : {16, 32, 64, 128, 512, 2048}) {
    for (const std::int64_t width : {32, 64}) {
      if (on_card || length <= 512) {
        shapes.push_back({tokens / length, length, width});
      }
    }
  }
  bool agree = true;
  std::printf("  \"attention\": [\n");
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const at::Device place = on_card ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
    agree = print_shape(shapes[i], place, kernels, rounds, i + 1 < shapes.size() ? "," : "") && agree;
  }
  std::printf("  ]");
  return agree;
}

std::function<void()> make_flash_pass(const FlashShape& shape, std::int64_t sentences, std::int64_t length) {
  const at::TensorOptions options = at::TensorOptions(at::kCUDA).dtype(at::kBFloat16);
  const std::int64_t d = shape.d_model;
  const auto weights = [&](std::int64_t out, std::int64_t in) {
    return std::pair{at::randn({out, in}, options) * 0.05, at::zeros({out}, options)};
  };
  struct Layer {
    std::pair<at::Tensor, at::Tensor> joined, output, up, down;
  };
  std::vector<Layer> layers;
  for (std::int64_t i = 0; i < shape.layers; ++i) {
    layers.push_back(
        {weights(3 * d, d), weights(d, d), weights(shape.ffn_dim, d), weights(d, shape.ffn_dim)});
  }
  const at::Tensor input = at::randn({sentences * length, d}, options);
  return [=] {
    at::Tensor x = input;
    for (const Layer& layer : layers) {
      const at::Tensor joined = at::linear(x, layer.joined.first, layer.joined.second)
                                    .view({sentences, length, 3, shape.heads, d / shape.heads})
                                    .permute({2, 0, 3, 1, 4});  // as flash attention reads it, without copies
      const at::Tensor context =
          at::scaled_dot_product_attention(joined[0], joined[1], joined[2]).transpose(1, 2).reshape({-1, d});
      x = at::layer_norm(x + at::linear(context, layer.output.first, layer.output.second), {d});
      const at::Tensor inner = at::gelu(at::linear(x, layer.up.first, layer.up.second));
      x = at::layer_norm(x + at::linear(inner, layer.down.first, layer.down.second), {d});
    }
  };
}

}  // namespace mog::bench
