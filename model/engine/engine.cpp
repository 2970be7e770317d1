// What libmog_engine.so exports: its interface version and one factory.
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <malloc.h>
#include <torch/headeronly/version.h>

#include <memory>
#include <utility>

#include "io/recording/errors.h"
#include "model/engine/common/processor.h"
#include "model/engine/common/text.h"
#include "model/engine/inference/engine_model.h"
#include "model/engine/inference/layer_stream.h"
#include "model/engine/inference/stored_source.h"
#include "model/engine/runtime/device.h"
#include "model/engine/runtime/mkl_kernels.h"
#include "model/engine/training/process_group.h"
#include "model/engine/training/trainer_factory.h"
#include "model/engine/training/warm_start.h"
#include "model/engine_api.h"

namespace mog::engine {
namespace {

// Large tensors come and go with every layer: keep their memory in the heap instead of asking the kernel for
// fresh zeroed pages each time (4 % of a forward pass).
void keep_large_blocks() {
  constexpr int kLargestBlock = 32 << 20;  // glibc refuses more, silently
  constexpr int kFreeTop = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kLargestBlock);
  mallopt(M_TRIM_THRESHOLD, kFreeTop);
}

std::string mkl_text() {
  static_cast<void>(at::mm(at::ones({2, 2}), at::ones({2, 2})));
  switch (mkl_kernels()) {
    case MklKernels::own_choice:
      return "MKL";
    case MklKernels::avx512:
      return "MKL with AVX-512";
    case MklKernels::not_asked:
      return "MKL (its own choice of kernels: LibTorch was in the program before the engine)";
  }
  return "MKL";
}

std::string blas_text() {
  std::string text = at::hasMKL() ? mkl_text() : "BLAS without MKL";
  if (at::hasMKLDNN()) {
    text += ", oneDNN";
  }
  return text;
}

class LibTorchEngine final : public model::Engine {
 public:
  LibTorchEngine() { keep_large_blocks(); }

  std::shared_ptr<const model::Model> load(const model::ModelDirectory& directory,
                                           const model::StoredWeights& stored,
                                           const model::DeviceOptions& options) override {
    const OpenDevice device = open_device(options);
    std::shared_ptr<const model::Model> model;
    translate_errors(concat("loading the model ", directory.path.string(), " on ", device.text), [&] {
      use_threads(device.threads);
      const at::NoGradGuard no_grad;
      Weights weights = bind_weights(directory.config, StoredSource(stored, device));
      if (device.eight_bits) {
        use_eight_bit_products(weights);
      }
      model = std::make_shared<EngineModel>(directory.config, directory.card, std::move(weights), device.text,
                                            device.threads);
    });
    return model;
  }

  std::shared_ptr<const model::Model> load_by_layers(const model::ModelDirectory& directory,
                                                     std::shared_ptr<const model::StoredWeights> stored,
                                                     std::int64_t layers,
                                                     const model::DeviceOptions& options) override {
    const OpenDevice device = open_device(options);
    const model::ModelConfig& config = directory.config;
    std::shared_ptr<const model::Model> model;
    translate_errors(concat("loading the model ", directory.path.string(), " on ", device.text), [&] {
      use_threads(device.threads);
      const at::NoGradGuard no_grad;
      const auto source = std::make_shared<const StoredSource>(*stored, device);
      Weights weights = bind_weights(config, *source, /*layers=*/false);
      // Keeps `stored`, from which it reads.
      auto read = [config, stored = std::move(stored), source, device](std::int64_t layer) {
        use_threads(device.threads);
        const at::NoGradGuard none;
        return bind_encoder_layer(config, *source, layer - 1);
      };
      model = std::make_shared<EngineModel>(
          config, directory.card, std::move(weights), device.text, device.threads,
          std::make_unique<LayerStream>(config.encoder.layers, layers, std::move(read)));
    });
    return model;
  }

  std::unique_ptr<model::Trainer> create_trainer(const model::ModelConfig& config,
                                                 const model::TrainerOptions& options,
                                                 const model::DeviceOptions& device,
                                                 const std::map<std::string, HostTensor>* initial) override {
    const OpenDevice opened = open_device(device);
    std::unique_ptr<model::Trainer> trainer;
    translate_errors(concat("preparing the training on ", opened.text), [&] {
      use_threads(opened.threads);
      trainer = make_trainer(config, options, opened, initial);
    });
    return trainer;
  }

  std::map<std::string, HostTensor> warm_start(const model::ModelConfig& config,
                                               const model::TrainerOptions& options,
                                               const model::ModelConfig& source,
                                               const std::map<std::string, HostTensor>& source_weights,
                                               const model::WarmStartOptions& start) override {
    std::map<std::string, HostTensor> weights;
    translate_errors("starting from a trained encoder",
                     [&] { weights = engine::warm_start(config, options, source, source_weights, start); });
    return weights;
  }

  model::ProductSpeed product_speed(const model::ModelConfig& config,
                                    const model::DeviceOptions& device) override {
    const OpenDevice opened = open_device(device);
    model::ProductSpeed speed;
    translate_errors("probing bfloat16 products", [&] { speed = engine::product_speed(config, opened); });
    return speed;
  }

  std::shared_ptr<model::Processes> join_processes(const model::ProcessOptions& options) override {
    return engine::join_processes(options);
  }

  model::EngineReport report() override {
    model::EngineReport report;
    report.available = true;
    report.torch_version = TORCH_VERSION;
    report.blas = blas_text();
    report.devices.push_back(
        concat("cpu (", at::get_cpu_capability(), ", ", at::get_num_threads(), " threads)"));
    const CudaReport cuda = cuda_report();
    report.devices.insert(report.devices.end(), cuda.devices.begin(), cuda.devices.end());
    report.cuda = cuda.devices.empty() ? cuda.reason : "kernels for " + cuda.architectures;
    report.eight_bit_products = has_eight_bit_products();
    report.bfloat16_is_faster = at::hasMKLDNN() && has_bfloat16_products();
    return report;
  }

  model::CudaLibraries cuda_libraries() override { return open_cuda_libraries(); }
};

}  // namespace
}  // namespace mog::engine

#define MOG_EXPORT extern "C" __attribute__((visibility("default")))

MOG_EXPORT int mog_engine_interface_version() {
  return mog::model::kEngineInterfaceVersion;
}
MOG_EXPORT mog::model::Engine* mog_engine_create() {
  return new mog::engine::LibTorchEngine();
}
