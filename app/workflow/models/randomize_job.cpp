#include "app/workflow/models/randomize_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <system_error>
#include <utility>

#include "analysis/random/bootstrap.h"
#include "app/workflow/experiment/train_tokenizer.h"
#include "app/workflow/models/model_output.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "model/model_directory.h"
#include "model/tensor_table.h"

namespace mog::app {
namespace {

namespace fs = std::filesystem;

void check(const RandomizeOptions& options) {
  check_model_output(options.output, options.source, options.overwrite);
  if (!(options.branch_scale > 0)) {
    throw UsageError(fmt::format("--branch-scale {}: expected a factor above 0", options.branch_scale));
  }
}

bool kept(const RandomizeOptions& options, const std::string& name) {
  return model::scales_positions(name) ||
         std::any_of(options.keep.begin(), options.keep.end(),
                     [&](const std::string& prefix) { return name.starts_with(prefix); });
}

void check_prefixes(const RandomizeOptions& options, const std::map<std::string, HostTensor>& weights) {
  for (const std::string& prefix : options.keep) {
    if (std::none_of(weights.begin(), weights.end(),
                     [&](const auto& entry) { return entry.first.starts_with(prefix); })) {
      throw UsageError(fmt::format("--keep {}: no tensor of {} has a name that starts so (the first is {})",
                                   prefix, options.source.string(),
                                   weights.empty() ? std::string("none") : weights.begin()->first));
    }
  }
}

// Fisher and Yates, with draws that depend on seed and tensor number alone.
HostTensor permuted(const HostTensor& tensor, std::int64_t seed, std::uint64_t number) {
  std::vector<float> values = tensor.to_floats();
  for (std::size_t left = values.size(); left > 1; --left) {
    const auto other = static_cast<std::size_t>(analysis::resampled_index(
        static_cast<std::int64_t>(left), static_cast<std::uint64_t>(seed), number, 0, left));
    std::swap(values[left - 1], values[other]);
  }
  return HostTensor::of<float>(tensor.shape(), values);
}

std::map<std::string, HostTensor> fresh_weights(const model::ModelDirectory& directory,
                                                const RandomizeOptions& options,
                                                const model::DeviceOptions& device) {
  model::TrainerOptions trainer;
  trainer.seed = options.seed;
  trainer.branch_scale = options.branch_scale;
  for (const char* const name : {"encoder.embed_positions.weight", "decoder.embed_positions.weight"}) {
    if (const auto table = directory.weights.find(name); table != directory.weights.end()) {
      trainer.positions = table->second.shape().at(0);
    }
  }
  return model::create_trainer(directory.config, trainer, device)->weights();
}

std::string card(const RandomizeOptions& options, const model::ModelDirectory& directory,
                 const RandomizeSummary& summary) {
  const std::string how =
      options.method == RandomWeights::permute
          ? "each tensor's values in random places"
          : fmt::format("weights drawn as training draws them at its start, branch_scale {}",
                        options.branch_scale);
  return fmt::format(
      "# {}\n\nA control without training, made by `mog randomize` from {}: {}, seed {}. {} tensors ({} "
      "parameters) "
      "replaced, {} kept.\n",
      options.output.filename().string(), directory.card.name, how, options.seed, summary.tensors,
      summary.parameters, summary.kept);
}

}  // namespace

RandomWeights parse_random_weights(std::string_view text) {
  if (text == "fresh") {
    return RandomWeights::fresh;
  }
  if (text == "permute") {
    return RandomWeights::permute;
  }
  throw unknown_choice("--weights", text, {"fresh", "permute"});
}

RandomizeSummary randomize_model(const RandomizeOptions& options, const model::DeviceOptions& device) {
  check(options);
  const model::ModelDirectory directory = model::open_model_directory(options.source);
  check_prefixes(options, directory.weights);
  const bool fresh = options.method == RandomWeights::fresh;
  std::map<std::string, HostTensor> drawn;
  if (fresh) {
    drawn = fresh_weights(directory, options, device);
  }
  RandomizeSummary summary;
  summary.path = options.output.string();
  std::map<std::string, HostTensor> weights;
  std::uint64_t number = 0;
  for (const auto& [name, tensor] : directory.weights) {
    ++number;
    if (kept(options, name)) {
      weights.emplace(name, tensor.to(DType::float32));
      ++summary.kept;
      continue;
    }
    weights.emplace(name, fresh ? drawn.at(name) : permuted(tensor, options.seed, number));
    if (weights.at(name).shape() != tensor.shape()) {
      throw ModelError(fmt::format("randomizing {}: tensor {} has shape {}, a new one has {}",
                                   options.source.string(), name, shape_text(tensor.shape()),
                                   shape_text(weights.at(name).shape())));
    }
    ++summary.tensors;
    summary.parameters += tensor.size();
  }
  const std::map<std::string, std::string> files =
      tokenizer_files(options.source, directory.config.tokenizer);
  // As the source keeps them; of int8 rows as float32, since a control is not to be rounded once more.
  const DType dtype = directory.weights.empty() ? DType::float32 : directory.weights.begin()->second.dtype();
  const io::WeightsType type = dtype == DType::float16    ? io::WeightsType::float16
                               : dtype == DType::bfloat16 ? io::WeightsType::bfloat16
                                                          : io::WeightsType::float32;
  model::write_model_directory(options.output, directory.config, weights, type, files,
                               card(options, directory, summary));
  return summary;
}

}  // namespace mog::app
