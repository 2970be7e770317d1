// A trained model, ready to run. The engine behind it (LibTorch, CUDA) is opened on first use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "io/recording/axes.h"
#include "io/recording/system.h"
#include "model/intervention.h"
#include "model/model_directory.h"
#include "model/observer.h"
#include "model/packed_batch.h"
#include "model/parser_states.h"

namespace mog::model {

// float64 is for checks: everything is computed and shown in it, several times slower. int8: products of
// tokens with weight matrices take factors of 8 bits, a scale a row; all else is float32. Processors with
// VNNI alone.
enum class Precision : std::uint8_t { float32, bfloat16, float64, int8 };

struct DeviceOptions {
  std::string device = "auto";  // "auto" (cuda:0 if usable, else cpu), "cpu", "cuda", "cuda:N"
  Precision precision = Precision::float32;
  int threads = 1;  // inside one run; several runs at once are faster (docs/benchmarks.md)
};

struct BeamOptions {
  std::int64_t beam = 6;
  std::int64_t max_tokens = 200;  // `</s>` counts
  double length_penalty = 1.0;    // score = sum of log p / length^length_penalty
  // What every translation begins with, without </s>; its log p counts like that of what is found.
  std::vector<std::int64_t> prefix = {};
  // The token before them that is not the model's to choose, so that its log p counts as 0; unset: the
  // decoder's first_id, where it has one.
  std::optional<std::int64_t> first = {};
  std::vector<Intervention> interventions = {};  // in the encoder and in the decoder, at every step
};

struct Hypothesis {
  std::vector<std::int64_t> ids;  // with the final </s>
  double log_prob = 0.0;          // sum of log p
  double score = 0.0;
};

// What differentiate() moves, one value a token of the batch; empty: all 1, the model as it is.
//
// presence: what attention gives to the token as a key is multiplied by it, and every row divided by its new
// sum; 0 is MaskToken. scale: x0, what the first layer reads, is multiplied by it.
struct Relaxation {
  std::vector<double> presence;
  std::vector<double> scale;
};
// Derivatives of s by each token, [token].
struct TokenGradients {
  std::vector<double> presence;  // 0 in a recurrent encoder
  std::vector<double> scale;     // = sum over d_model of x0 * ds/dx0, x0 unscaled, ds/dx0 where it is scaled
  std::vector<double> norm;      // ||ds/dx0|| over d_model
};
// Gets the values of the quantity, [token, width], and writes ds/dvalues (zeros before).
using Cotangent = std::function<void(std::span<const double> values, std::span<double> cotangent)>;

// [token, width] each: a quantity, and its derivative along a direction.
struct DirectedSlopes {
  std::vector<double> values;
  std::vector<double> slopes;
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
  // Its stacks and parts: goes into every recording of it, and is all that those who read one know of it.
  virtual SystemDescription system() const;
  // Runs the encoder (and, when the batch has targets, the decoder with teacher forcing), and shows every
  // wanted quantity to every observer that wants it.
  // Throws ModelError for an id outside the vocabulary or a sentence longer than the position table,
  // UsageError for an impossible intervention, DeviceError when memory or the device fails, Interrupted when
  // an observer cancels.
  virtual void run(const PackedBatch& batch, std::span<const Intervention> interventions,
                   std::span<Observer* const> observers) const = 0;
  // Runs forward, asks `cotangent` what s does with the values of `of`, and runs back. `of`: encoder.output,
  // or heads.TASK.logits. Sentences do not see each other: s may be a sum over sentences. Costs about three
  // forward passes. Throws as run(), and UsageError for another quantity, a presence outside [0, 1] or with
  // nothing left in a sentence, in bfloat16, and where a model gives no gradients.
  virtual TokenGradients differentiate(const PackedBatch& batch, const Relaxation& at, const QuantityName& of,
                                       const Cotangent& cotangent) const;
  // What `of` does to first order when tokens leave as keys: its derivative along `leaving`, [token], the
  // share of the token that goes. In each attention row the token's weight counts as lost as a whole: the
  // derivative is what dividing the row by what is left makes of it, not the (smaller) slope at the full
  // weight; everything behind the rows is linearised where it is. Costs about three forward passes. Throws as
  // differentiate().
  virtual DirectedSlopes differentiate_along(const PackedBatch& batch, std::span<const double> leaving,
                                             const QuantityName& of) const;
  // Best first, `beam` hypotheses a sentence. Throws as run(), and UsageError without a decoder and for a
  // prefix that holds </s> or an id outside the vocabulary, or leaves no room for more.
  virtual std::vector<std::vector<Hypothesis>> translate(const PackedBatch& batch, const BeamOptions& options,
                                                         std::stop_token stop = {}) const = 0;
  // As run(), and then scores states of a transition parser by what the encoder gave: those of `next`, until
  // it gives none. A state costs the heads alone. Throws as run(), UsageError where the model has no such
  // heads, ShapeError for tokens that are not of one sentence of the batch.
  virtual void run_states(const PackedBatch& batch, std::span<const Intervention> interventions,
                          std::span<Observer* const> observers, const NextStates& next) const;
};

// Opens the directory and the engine. Throws as open_model_directory, and DeviceError when the engine or
// the device is missing (the message says how to get it).
std::shared_ptr<const Model> load_model(const std::filesystem::path& directory,
                                        const DeviceOptions& options = {});
std::shared_ptr<const Model> load_model(const ModelDirectory& directory, const DeviceOptions& options = {});

// What Model::system() says, from the card or the configuration alone.
SystemDescription system_of(const ModelCard& card);
SystemDescription system_of(const ModelConfig& config);

// The quantities of a configuration, without opening the engine (describe, size estimates).
std::vector<QuantitySchema> quantities(const ModelConfig& config);

// How many of the most probable next tokens are given (next_token.best).
std::int64_t best_tokens(const ModelConfig& config);
// Ranks of attention.top and attention.top_key.
inline constexpr std::int64_t kTopKeys = 8;

// The exact decompositions of a configuration, sorted by name (docs/quantity-names.md): beside quantities(),
// shown to observers that ask for them. Empty when the encoder has none; why_no_decompositions() says why.
std::vector<QuantitySchema> decomposition_quantities(const ModelConfig& config);
std::string why_no_decompositions(const ModelConfig& config);
// Those of the decoder, by source token and decoder input, sorted by name (docs/quantity-names.md, Source and
// target); given as the others are. By source token where the encoder has exact decompositions, else by
// position of its output alone. Empty without a decoder.
std::vector<QuantitySchema> decoder_decompositions(const ModelConfig& config);
// The same shape with one plain attention a layer, of which the decompositions are defined.
ModelConfig decomposable_twin(ModelConfig config);

// What this installation's engine can do, for `mog doctor`; never throws.
struct EngineReport {
  bool available = false;
  std::string error;  // why not
  std::string torch_version;
  std::string blas;
  std::vector<std::string> devices;  // "cpu (AVX512, 2 threads)", "cuda:0 NVIDIA H200, 139 GiB"
  std::string cuda;                  // "kernels for 80, 90", or why CUDA cannot be used
  bool bfloat16_is_faster = false;   // probed on the CPU
  bool eight_bit_products = false;   // whether Precision::int8 can be had
};
EngineReport engine_report();

}  // namespace mog::model
