// Forward pass and capture of an encoder on random sentences, as JSON on stdout.
//   bench_forward [--device cpu] [--precision float32|bfloat16] [--streams 1] [--sentences 1000] [--rounds 5]
// Modes in alternating rounds: nothing kept (forward), entropy and maximum of every attention row
// (statistics; statistics_of_maps: the same by way of the maps), all maps and hidden states in float16
// (capture); a matrix product of 2048³ in the same rounds (on a graphics card 8192³) gives the peak. Rates
// are tokens a second of wall time and, on the processor, of CPU time of the streams (what counts on a busy
// machine); `peak_share` is the share of the products' rate, from CPU time. `layer_products_share`: the time
// that the layers' maps alone take, LibTorch's products of the same weights' shapes with the same rows,
// beside that of the forward pass; what is left of it to 1 is attention, norms, activations and sums.
//
// On a graphics card also copies into pinned memory: what capture hands over a second beside what copying
// alone does (`pinned_copy_share`), and the time that the slower of the forward pass and the copies needs
// beside that of capture (`capture_bound_share`: 1 where one hides the other). The attention alone against
// LibTorch's: attention_forward.h. Ends with 1 where these disagree. In bfloat16 also passes of long texts,
// with statistics and without, beside a pass of LibTorch alone with flash attention (`flash_passes`), whose
// operators are launched one by one.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/detail/CUDAHooksInterface.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "attention_forward.h"
#include "model/model.h"
#include "model/packed_batch.h"
#include "model/tensor_table.h"

namespace {

using mog::HostTensor;
using mog::model::PackedBatch;

struct Settings {
  std::string device = "cpu";
  std::string precision = "float32";
  int streams = 1;
  int sentences = 1000;
  int rounds = 5;
};

Settings parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--device") {
      settings.device = argv[i + 1];
    } else if (option == "--precision") {
      settings.precision = argv[i + 1];
    } else if (option == "--streams") {
      settings.streams = std::atoi(argv[i + 1]);
    } else if (option == "--sentences") {
      settings.sentences = std::atoi(argv[i + 1]);
    } else if (option == "--rounds") {
      settings.rounds = std::atoi(argv[i + 1]);
    }
  }
  return settings;
}

bool on_processor(const Settings& settings) {
  return settings.device == "cpu";
}

// MiniLM's size, plain or with order groups (half-dim & gate).
mog::model::ModelConfig config_of(bool graph, std::int64_t d_model = 384) {
  mog::model::ModelConfig config;
  config.encoder.kind =
      graph ? mog::model::EncoderKind::graph_transformer : mog::model::EncoderKind::transformer;
  config.encoder.layers = 6;
  config.encoder.d_model = d_model;
  config.encoder.heads = 12;
  config.encoder.attention_dim = graph ? d_model / 2 : d_model;
  config.encoder.ffn_dim = 4 * d_model;
  config.encoder.activation = mog::model::Activation::gelu;
  config.vocab_size = 1000;
  return config;
}

std::shared_ptr<const mog::model::Model> make_model(bool graph, const Settings& settings,
                                                    std::int64_t d_model = 384) {
  mog::model::ModelDirectory directory;
  directory.path = graph ? "random Graph-Transformer" : "random Transformer";
  directory.config = config_of(graph, d_model);
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0.0F, 0.05F);
  for (const auto& spec : mog::model::tensor_table(directory.config)) {
    HostTensor tensor(mog::DType::float32, spec.shape);
    const bool scale = spec.name.ends_with("layer_norm.weight");
    for (float& value : tensor.mutable_values<float>()) {
      value = scale ? 1.0F : normal(random);
    }
    directory.weights[spec.name] = tensor;
  }
  return mog::model::load_model(
      directory, {.device = settings.device,
                  .precision = settings.precision == "bfloat16" ? mog::model::Precision::bfloat16
                                                                : mog::model::Precision::float32});
}

// Lengths like those of news (log-normal, mean 29), packed by length.
std::vector<PackedBatch> make_batches(const Settings& settings) {
  std::mt19937 random(2);
  std::lognormal_distribution<double> length(3.25, 0.48);
  std::uniform_int_distribution<std::int64_t> id(4, 999);
  std::vector<std::int64_t> lengths;
  for (int i = 0; i < settings.sentences; ++i) {
    lengths.push_back(std::clamp<std::int64_t>(static_cast<std::int64_t>(length(random)), 2, 120));
  }
  std::vector<PackedBatch> batches;
  for (const auto& group : mog::model::pack_by_length(lengths, on_processor(settings) ? 2048 : 16384)) {
    PackedBatch batch;
    for (const std::int64_t sentence : group) {
      std::vector<std::int64_t> ids(static_cast<std::size_t>(lengths[static_cast<std::size_t>(sentence)]));
      std::generate(ids.begin(), ids.end(), [&] { return id(random); });
      batch.append(ids);
    }
    batches.push_back(std::move(batch));
  }
  return batches;
}

// Multiplications and additions of the encoder: projections, maps, feed-forward.
double operations(const mog::model::ModelConfig& config, const std::vector<PackedBatch>& batches) {
  const mog::model::EncoderConfig& e = config.encoder;
  const auto d = static_cast<double>(e.d_model);
  const auto a = static_cast<double>(e.attention_dim);
  const double maps = e.graph() ? 3.0 : 1.0;
  const double token =
      maps * 4.0 * d * a + (e.graph() ? 3.0 * d * d : 0.0) + 2.0 * d * static_cast<double>(e.ffn_dim);
  double sum = 0.0;
  for (const PackedBatch& batch : batches) {
    sum += static_cast<double>(batch.tokens()) * token;
    for (std::int64_t s = 0; s < batch.sentences(); ++s) {
      sum += std::pow(static_cast<double>(batch.length(s)), 2) * 2.0 * a * maps;
    }
  }
  return 2.0 * static_cast<double>(e.layers) * sum;
}

enum class Mode { forward, statistics, statistics_of_maps, capture };

// Takes what a recording would take, and counts it.
class Sink final : public mog::model::Observer {
 public:
  explicit Sink(Mode mode) : mode_(mode) {}
  std::optional<mog::DType> wants(const mog::QuantityName& name) const override {
    const bool map = name.quantity() == mog::Quantity::attention;
    const bool row =
        name.reduction() == mog::Reduction::row_entropy || name.reduction() == mog::Reduction::row_max;
    const bool hidden = name.quantity() == mog::Quantity::output && name.part() == mog::Part::none;
    if ((mode_ == Mode::statistics || mode_ == Mode::statistics_of_maps) && map && row) {
      return mog::DType::float32;
    }
    if (mode_ == Mode::capture && name.reduction() == mog::Reduction::full && (map || hidden)) {
      return mog::DType::float16;
    }
    return std::nullopt;
  }
  std::int64_t bytes() const { return bytes_; }
  bool observe(const mog::QuantityName&, const mog::model::PackedValues& values) override {
    bytes_ += values.values.size_bytes();
    return true;
  }

 private:
  Mode mode_;
  std::int64_t bytes_ = 0;
};

struct Seconds {
  double wall = 0.0;
  double cpu = 0.0;
};

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// `work(item)` for items 0 … count - 1 on as many threads as there are streams.
Seconds timed(int streams, std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<double> cpu(static_cast<std::size_t>(streams));
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (double& seconds : cpu) {
    threads.emplace_back([&] {
      const double begin = cpu_seconds();
      for (std::size_t item = next++; item < count; item = next++) {
        work(item);
      }
      seconds = cpu_seconds() - begin;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  Seconds result;
  result.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const double seconds : cpu) {
    result.cpu += seconds;
  }
  return result;
}

// A graphics card answers before it has finished.
void finish(const Settings& settings) {
  if (!on_processor(settings)) {
    at::detail::getCUDAHooks().deviceSynchronize(0);
  }
}

std::int64_t product_size(const Settings& settings) {
  return on_processor(settings) ? 2048 : 8192;
}

Seconds products(const Settings& settings, int count) {
  const at::ScalarType dtype = settings.precision == "bfloat16" ? at::kBFloat16 : at::kFloat;
  const at::Tensor a = at::rand({product_size(settings), product_size(settings)})
                           .to(on_processor(settings) ? at::kCPU : at::kCUDA, dtype);
  return timed(settings.streams, static_cast<std::size_t>(count), [&](std::size_t) {
    at::set_num_threads(1);
    static_cast<void>(at::mm(a, a));
    finish(settings);
  });
}

// One pass of `batches` through the maps of the layers and nothing else; projections of one input are joined,
// as the engine joins them in a plain layer.
Seconds layer_products(const Settings& settings, const mog::model::ModelConfig& config,
                       const std::vector<PackedBatch>& batches) {
  const at::TensorOptions options = at::TensorOptions(on_processor(settings) ? at::kCPU : at::kCUDA)
                                        .dtype(settings.precision == "bfloat16" ? at::kBFloat16 : at::kFloat);
  const mog::model::EncoderConfig& e = config.encoder;
  std::vector<at::Tensor> weights;
  for (const auto& spec : mog::model::tensor_table(config)) {
    const bool map = spec.shape.size() == 2 && spec.name.starts_with("encoder.layers.");
    if (map && (e.graph() || spec.name.find("self_attn") == std::string::npos)) {
      weights.push_back(at::rand(spec.shape, options));
    }
  }
  for (std::int64_t layer = 0; !e.graph() && layer < e.layers; ++layer) {
    weights.push_back(at::rand({3 * e.attention_dim, e.d_model}, options));
    weights.push_back(at::rand({e.d_model, e.attention_dim}, options));
  }
  std::int64_t most = 0;
  for (const PackedBatch& batch : batches) {
    most = std::max(most, batch.tokens());
  }
  std::map<std::int64_t, at::Tensor> rows;  // by their width
  for (const at::Tensor& weight : weights) {
    rows.try_emplace(weight.size(1), at::rand({most, weight.size(1)}, options));
  }
  return timed(settings.streams, batches.size(), [&](std::size_t item) {
    at::set_num_threads(1);
    const at::NoGradGuard no_gradients;
    for (const at::Tensor& weight : weights) {
      static_cast<void>(at::linear(rows.at(weight.size(1)).narrow(0, 0, batches[item].tokens()), weight));
    }
    finish(settings);
  });
}

// Bytes a second from the card into pinned memory.
double pinned_copy_rate() {
  constexpr std::int64_t kBytes = std::int64_t{256} << 20;
  constexpr int kTimes = 8;
  const at::Tensor from = at::empty({kBytes}, at::TensorOptions(at::kCUDA).dtype(at::kByte));
  const at::Tensor to = at::empty({kBytes}, at::TensorOptions(at::kByte).pinned_memory(true));
  to.copy_(from);
  const Seconds seconds = timed(1, kTimes, [&](std::size_t) { to.copy_(from); });
  return static_cast<double>(kBytes) * kTimes / seconds.wall;
}

struct Rounds {
  std::vector<double> wall;
  std::vector<double> cpu;
  void add(const Seconds& seconds) {
    wall.push_back(seconds.wall);
    cpu.push_back(seconds.cpu);
  }
};

void print(const char* name, const Rounds& rounds, double amount, const char* unit) {
  const auto line = [&](const char* kind, std::vector<double> seconds, const char* end) {
    std::sort(seconds.begin(), seconds.end());
    std::printf("\"%s_%s\": {\"min\": %.6g, \"median\": %.6g, \"max\": %.6g}%s", unit, kind,
                amount / seconds.back(), amount / seconds[seconds.size() / 2], amount / seconds.front(), end);
  };
  std::printf("    \"%s\": {", name);
  line("per_wall_s", rounds.wall, ", ");
  line("per_cpu_s", rounds.cpu, "}");
}

void measure(bool graph, const Settings& settings) {
  const auto model = make_model(graph, settings);
  const std::vector<PackedBatch> batches = make_batches(settings);
  std::int64_t tokens = 0;
  for (const PackedBatch& batch : batches) {
    tokens += batch.tokens();
  }
  constexpr int kProducts = 8;
  std::map<std::string, Rounds> all;
  std::atomic<std::int64_t> captured = 0;  // bytes of one round
  for (int round = 0; round <= settings.rounds; ++round) {
    for (const auto& [name, mode] :
         {std::pair{"forward", Mode::forward}, std::pair{"statistics", Mode::statistics},
          std::pair{"statistics_of_maps", Mode::statistics_of_maps}, std::pair{"capture", Mode::capture}}) {
      ::setenv("MOG_ATTENTION_ROWS", mode == Mode::statistics_of_maps ? "0" : "", 1);
      captured = 0;
      const Seconds seconds = timed(settings.streams, batches.size(), [&](std::size_t item) {
        Sink sink(mode);
        const std::vector<mog::model::Observer*> observers = {&sink};
        model->run(batches[item], {}, observers);
        finish(settings);
        captured += sink.bytes();
      });
      if (round > 0) {
        all[name].add(seconds);
      }
    }
    const Seconds of_layers = layer_products(settings, model->config(), batches);
    const Seconds seconds = products(settings, kProducts);
    if (round > 0) {
      all["layer_products"].add(of_layers);
      all["products"].add(seconds);
    }
  }
  const double amount = operations(model->config(), batches);
  std::printf("  \"%s\": {\n    \"tokens\": %lld, \"operations\": %.6g,\n",
              graph ? "graph_transformer" : "transformer", static_cast<long long>(tokens), amount);
  for (const char* const mode : {"forward", "statistics", "statistics_of_maps", "capture"}) {
    print(mode, all[mode], static_cast<double>(tokens), "tokens");
    std::printf(",\n");
  }
  const auto best = [&](const char* mode) {
    const std::vector<double>& seconds = on_processor(settings) ? all[mode].cpu : all[mode].wall;
    return *std::min_element(seconds.begin(), seconds.end());
  };
  const double product = 2.0 * std::pow(static_cast<double>(product_size(settings)), 3) * kProducts;
  print("products", all["products"], product, "operations");
  std::printf(",\n    \"peak_share\": %.3f, \"layer_products_share\": %.3f,\n",
              amount / best("forward") / (product / best("products")),
              best("layer_products") / best("forward"));
  if (!on_processor(settings)) {
    const double rate = pinned_copy_rate();
    const auto bytes = static_cast<double>(captured);
    std::printf("    \"captured_bytes\": %.6g, \"pinned_copy_bytes_per_s\": %.6g,\n", bytes, rate);
    std::printf("    \"pinned_copy_share\": %.3f, \"capture_bound_share\": %.3f,\n",
                bytes / best("capture") / rate, std::max(best("forward"), bytes / rate) / best("capture"));
  }
  std::printf("    \"capture_over_forward\": %.3f, \"statistics_over_forward\": %.3f, ",
              best("capture") / best("forward"), best("statistics") / best("forward"));
  std::printf("\"statistics_of_maps_over_forward\": %.3f\n  }", best("statistics_of_maps") / best("forward"));
}

// One sentence of 29 tokens, as a window asks for it: seconds of the clock until all of it is on the host.
void print_one_sentence(const Settings& settings) {
  constexpr std::size_t kTokens = 29;
  constexpr std::size_t kTimes = 50;
  std::printf("  \"one_sentence\": {");
  for (const bool graph : {false, true}) {
    const auto model = make_model(graph, settings);
    PackedBatch batch;
    batch.append(std::vector<std::int64_t>(kTokens, 4));
    std::printf("%s\"%s\": {", graph ? ", " : "", graph ? "graph_transformer" : "transformer");
    for (const auto& [name, mode] :
         {std::pair{"forward_ms", Mode::forward}, std::pair{"capture_ms", Mode::capture}}) {
      Rounds rounds;
      for (std::size_t i = 0; i < kTimes; ++i) {
        rounds.add(timed(1, 1, [&](std::size_t) {
          Sink sink(mode);
          const std::vector<mog::model::Observer*> observers = {&sink};
          model->run(batch, {}, observers);
          finish(settings);
        }));
      }
      std::sort(rounds.wall.begin(), rounds.wall.end());
      std::printf("%s\"%s\": %.3g", mode == Mode::forward ? "" : ", ", name, 1e3 * rounds.wall[kTimes / 2]);
    }
    std::printf("}");
  }
  std::printf("},\n");
}

// Seconds are the least of the rounds, in which the three take turns.
void print_flash_passes(const Settings& settings) {
  constexpr std::int64_t kTokens = 16384;
  constexpr std::size_t kTimes = 10;
  std::printf("  \"flash_passes\": [");
  const char* between = "\n    ";
  for (const std::int64_t d_model : {384, 768}) {
    const auto model = make_model(false, settings, d_model);
    const mog::model::EncoderConfig& config = model->config().encoder;
    for (const std::int64_t length : {64, 128, 512, 2048}) {
      PackedBatch batch;
      for (std::int64_t s = 0; s < kTokens / length; ++s) {
        batch.append(std::vector<std::int64_t>(static_cast<std::size_t>(length), 4 + s % 900));
      }
      const std::function<void()> flash = mog::bench::make_flash_pass(
          {config.layers, config.d_model, config.heads, config.ffn_dim}, kTokens / length, length);
      const auto ours = [&](Mode mode) {
        Sink sink(mode);
        const std::vector<mog::model::Observer*> observers = {&sink};
        model->run(batch, {}, observers);
      };
      std::map<std::string, double> least;
      for (int round = 0; round <= settings.rounds; ++round) {
        for (const auto& [name, work] : {std::pair<const char*, std::function<void()>>{"flash_s", flash},
                                         {"forward_s", [&] { ours(Mode::forward); }},
                                         {"statistics_s", [&] { ours(Mode::statistics); }}}) {
          const auto all = [&](std::size_t) {
            work();
            finish(settings);
          };
          const double seconds = timed(1, kTimes, all).wall / kTimes;
          least[name] = round <= 1 ? seconds : std::min(least[name], seconds);
        }
      }
      std::printf("%s{\"length\": %lld, \"d_model\": %lld", between, static_cast<long long>(length),
                  static_cast<long long>(d_model));
      for (const auto& [name, seconds] : least) {
        std::printf(", \"%s\": %.3g", name.c_str(), seconds);
      }
      std::printf(", \"flash_over_statistics\": %.3f}", least["flash_s"] / least["statistics_s"]);
      between = ",\n    ";
    }
  }
  std::printf("\n  ],\n");
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = parse(argc, argv);
  std::printf(
      "{\n  \"benchmark\": \"forward\", \"device\": \"%s\", \"precision\": \"%s\", \"streams\": %d,\n",
      settings.device.c_str(), settings.precision.c_str(), settings.streams);
  measure(false, settings);
  std::printf(",\n");
  measure(true, settings);
  std::printf(",\n");
  print_one_sentence(settings);
  if (!on_processor(settings) && settings.precision == "bfloat16") {
    print_flash_passes(settings);
  }
  const bool agree = mog::bench::print_attention(settings.device, settings.rounds);
  std::printf("\n}\n");
  return agree ? 0 : 1;
}
