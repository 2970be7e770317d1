// Whether bfloat16 products pay: the feed-forward map of the configuration, forward, at the size of a batch.
#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <tuple>

#include <ATen/core/grad_mode.h>

#include "model/engine/modules/mixed_product.h"
#include "model/engine/training/trainer_factory.h"

namespace mog::engine {
namespace {

constexpr std::int64_t kTokens = 1024;
constexpr int kRounds = 7;

template <class Work>
double best_seconds(const Work& work) {
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    // Reading one number waits for a GPU.
    static_cast<void>(work().select(0, 0).select(0, 0).template item<float>());
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

model::ProductSpeed product_speed(const model::ModelConfig& config, const OpenDevice& device) {
  static std::mutex mutex;
  static std::map<std::tuple<std::string, std::int64_t, std::int64_t>, model::ProductSpeed> known;
  const std::int64_t in = config.encoder.d_model;
  const std::int64_t out = config.encoder.recurrent() ? 3 * in : config.encoder.ffn_dim;
  const std::scoped_lock lock(mutex);
  const auto [place, fresh] = known.try_emplace({device.text, in, out});
  if (!fresh) {
    return place->second;
  }
  const at::NoGradGuard no_gradients;
  use_threads(device.threads);
  const at::TensorOptions options = at::TensorOptions().dtype(at::kFloat).device(device.device);
  const at::Tensor x = at::full({kTokens, in}, 0.5, options);
  const at::Tensor weight = at::full({out, in}, 0.25, options);
  const double work = static_cast<double>(kTokens * in * out) / 1e9;
  place->second.float32 = work / best_seconds([&] { return at::mm(x, weight.t()); });
  place->second.bfloat16 = work / best_seconds([&] { return mixed_product(x, weight); });
  return place->second;
}

}  // namespace mog::engine
