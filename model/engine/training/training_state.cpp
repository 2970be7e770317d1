// A run that goes on must not differ from one that never stopped: so beside the weights the file has the
// moments of Adam, the state of the generator behind dropout, and the averages. Numbers of the options that
// change what a step does are in the identity, so that a state is not taken up by another experiment; how
// long a run is and how fast it learns are the caller's and may change. A file is about three (with averages
// four) times the weights; it is checked whole before anything of it is used.
#include "model/engine/training/training_state.h"

#include "io/checkpoint/safetensors.h"
#include "io/recording/errors.h"
#include "io/text/sha256.h"
#include "model/engine/training/initial_weights.h"

namespace mog::engine {

namespace {

constexpr const char* kFormat = "mog-training-state-1";

std::string options_text(const model::TrainerOptions& options) {
  std::string text;
  for (const double value : {options.dropout, options.attention_dropout, options.activation_dropout,
                             options.word_dropout, options.label_smoothing, options.beta1, options.beta2,
                             options.epsilon, options.weight_decay, options.clip_norm}) {
    text += std::to_string(value) + " ";
  }
  text +=
      std::to_string(static_cast<int>(options.state_loss)) + (options.bfloat16_products ? " mixed " : " ");
  text += std::to_string(options.average_decay) + " ";
  for (const std::string& prefix : options.frozen) {
    text += prefix + "* ";
  }
  for (const auto& [task, weight] : options.task_weights) {
    text += task + "=" + std::to_string(weight) + " ";
  }
  return text;
}

std::string identity(const TrainingRun& run) {
  std::string text = model::to_json(run.config) + options_text(run.options);
  if (run.config.graph) {
    text += "pairs " + std::to_string(run.options.pair_dropout) + " " + std::to_string(run.options.head_rate);
  }
  return io::sha256(text);
}

// The device part of a device text: a random state of one kind of device means nothing to another.
std::string device_kind(at::Device device) {
  return device.is_cuda() ? "cuda" : "cpu";
}

}  // namespace

void write_training_state(const std::filesystem::path& file, const TrainingState& state,
                          const TrainingRun& run) {
  std::map<std::string, HostTensor> tensors;
  translate_errors("saving the training state", [&] {
    for (const auto& [name, weight] : state.weights) {
      tensors.emplace("weights/" + name, to_host(weight));
    }
    for (std::size_t at = 0; at < state.trained.size(); ++at) {
      tensors.emplace("first/" + state.trained[at], to_host(state.first[at]));
      tensors.emplace("second/" + state.trained[at], to_host(state.second[at]));
    }
    for (const auto& [name, average] : state.averages) {
      tensors.emplace("average/" + name, to_host(average));
    }
    tensors.emplace("random", to_host(state.random));
  });
  io::write_tensors(file, tensors,
                    {{"format", kFormat},
                     {"identity", identity(run)},
                     {"device", device_kind(run.device.device)},
                     {"step", std::to_string(state.steps)}});
}

TrainingState read_training_state(const std::filesystem::path& file, const TrainingState& like,
                                  const TrainingRun& run) {
  const io::TensorList list = io::list_tensors(file);
  const auto metadata = [&](const std::string& key) {
    const auto found = list.metadata.find(key);
    return found == list.metadata.end() ? std::string() : found->second;
  };
  if (metadata("format") != kFormat) {
    throw FormatError("Reading the training state " + file.string() + ": metadata key format is \"" +
                      metadata("format") + "\", expected \"" + kFormat + "\".");
  }
  if (metadata("identity") != identity(run)) {
    throw ModelError("Reading the training state " + file.string() +
                     ": it was written for another configuration or other training options. Start anew, or "
                     "resume with the configuration that wrote it.");
  }
  if (metadata("device") != device_kind(run.device.device)) {
    throw ModelError("Reading the training state " + file.string() + ": its random state is of a " +
                     metadata("device") + " device and this run is on " + run.device.text +
                     "; resume on the same kind of device.");
  }
  const std::string step_text = metadata("step");
  if (step_text.empty() || step_text.size() > 15 ||
      step_text.find_first_not_of("0123456789") != std::string::npos) {
    throw FormatError("Reading the training state " + file.string() + ": metadata key step is \"" +
                      step_text + "\", expected a number.");
  }
  const std::map<std::string, HostTensor> tensors = io::read_tensors(file);
  const auto get = [&](const std::string& name, at::IntArrayRef shape) {
    const auto found = tensors.find(name);
    if (found == tensors.end() || at::IntArrayRef(found->second.shape()) != shape) {
      throw FormatError("Reading the training state " + file.string() + ": tensor " + name + " of shape " +
                        shape_text(shape) + " is missing or has another shape.");
    }
    return from_host(found->second);
  };
  TrainingState state;
  for (const auto& [name, weight] : like.weights) {
    state.weights.emplace(name, get("weights/" + name, weight.sizes()));
  }
  for (const auto& [name, average] : like.averages) {
    state.averages.emplace(name, get("average/" + name, average.sizes()));
  }
  for (const std::string& name : like.trained) {
    const at::IntArrayRef shape = like.weights.at(name).sizes();
    state.first.push_back(get("first/" + name, shape));
    state.second.push_back(get("second/" + name, shape));
  }
  state.trained = like.trained;
  state.random = get("random", like.random.sizes());
  state.steps = std::stoll(step_text);
  return state;
}

}  // namespace mog::engine
