// A trained model, ready to run. The engine behind it (LibTorch, CUDA) is opened on first use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "io/recording/axes.h"
#include "model/intervention.h"
#include "model/model_directory.h"
#include "model/observer.h"
#include "model/packed_batch.h"

namespace mog::model {

// float64 is for checks: everything is computed and shown in it, several times slower.
enum class Precision : std::uint8_t { float32, bfloat16, float64 };

struct DeviceOptions {
  std::string device = "auto";  // "auto" (cuda:0 if usable, else cpu), "cpu", "cuda", "cuda:N"
  Precision precision = Precision::float32;
  int threads = 1;  // inside one run; several runs at once are faster (docs/benchmarks.md)
};

struct BeamOptions {
  std::int64_t beam = 6;
  std::int64_t max_tokens = 200;  // `</s>` counts
  double length_penalty = 1.0;    // score = sum of log p / length^length_penalty
};

struct Hypothesis {
  std::vector<std::int64_t> ids;  // with the final </s>
  double log_prob = 0.0;          // sum of log p
  double score = 0.0;
};

// Const functions are safe from several threads at once; each call is one stream of work.
class Model {
 public:
  virtual ~Model() = default;
  virtual const ModelConfig& config() const = 0;
  virtual const ModelCard& card() const = 0;
  // Where it runs: "cpu", "cuda:0 NVIDIA H200".
  virtual std::string device() const = 0;
  // Every quantity and reduction that run() can give, sorted by name. The decoder's appear with a decoder.
  virtual std::vector<QuantitySchema> quantities() const = 0;
  // Runs the encoder (and, when the batch has targets, the decoder with teacher forcing), and shows every
  // wanted quantity to every observer that wants it.
  // Throws ModelError for an id outside the vocabulary or a sentence longer than the position table,
  // UsageError for an impossible intervention, DeviceError when memory or the device fails, Interrupted when
  // an observer cancels.
  virtual void run(const PackedBatch& batch, std::span<const Intervention> interventions,
                   std::span<Observer* const> observers) const = 0;
  // Best first, `beam` hypotheses a sentence. Throws UsageError without a decoder.
  virtual std::vector<std::vector<Hypothesis>> translate(const PackedBatch& batch, const BeamOptions& options,
                                                         std::stop_token stop = {}) const = 0;
};

// Opens the directory and the engine. Throws as open_model_directory, and DeviceError when the engine or
// the device is missing (the message says how to get it).
std::shared_ptr<const Model> load_model(const std::filesystem::path& directory,
                                        const DeviceOptions& options = {});
std::shared_ptr<const Model> load_model(const ModelDirectory& directory, const DeviceOptions& options = {});

// The quantities of a configuration, without opening the engine (describe, size estimates).
std::vector<QuantitySchema> quantities(const ModelConfig& config);

// The exact decompositions of a configuration, sorted by name (docs/quantity-names.md): beside quantities(),
// shown to observers that ask for them. Empty when the encoder has none; why_no_decompositions() says why.
std::vector<QuantitySchema> decomposition_quantities(const ModelConfig& config);
std::string why_no_decompositions(const ModelConfig& config);

// What this installation's engine can do, for `mog doctor`; never throws.
struct EngineReport {
  bool available = false;
  std::string error;  // why not
  std::string torch_version;
  std::string blas;
  std::vector<std::string> devices;  // "cpu (AVX512, 2 threads)", "cuda:0 NVIDIA H200, 139 GiB"
  std::string cuda;                  // "kernels for 80, 90", or why CUDA cannot be used
  bool bfloat16_is_faster = false;   // probed on the CPU
};
EngineReport engine_report();

}  // namespace mog::model
