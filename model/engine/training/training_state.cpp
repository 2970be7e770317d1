// The state of a trainer as one safetensors file: weights/NAME, first/NAME, second/NAME, average/NAME
// (float32), random (uint8), and metadata with the number of steps and an identity of configuration and
// options.

#include <ATen/core/grad_mode.h>

#include "io/checkpoint/safetensors.h"
#include "io/recording/errors.h"
#include "io/text/sha256.h"
#include "model/engine/training/engine_trainer.h"
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

// The device part of a device text: a random state of one kind of device means nothing to another.
std::string device_kind(at::Device device) {
  return device.is_cuda() ? "cuda" : "cpu";
}

}  // namespace

std::string EngineTrainer::identity() const {
  return io::sha256(model::to_json(config_) + options_text(options_));
}

void EngineTrainer::save_state(const std::filesystem::path& file) const {
  std::map<std::string, HostTensor> tensors;
  translate_errors("saving the training state", [&] {
    for (const auto& [name, leaf] : leaves_) {
      tensors.emplace("weights/" + name, to_host(leaf));
    }
    for (std::size_t at = 0; at < trained_.size(); ++at) {
      tensors.emplace("first/" + trained_[at], to_host(adam_->first()[at]));
      tensors.emplace("second/" + trained_[at], to_host(adam_->second()[at]));
    }
    for (const auto& [name, average] : averages_) {
      tensors.emplace("average/" + name, to_host(average));
    }
    tensors.emplace("random", to_host(dropout_.generator->get_state()));
  });
  io::write_tensors(file, tensors,
                    {{"format", kFormat},
                     {"identity", identity()},
                     {"device", device_kind(device_.device)},
                     {"step", std::to_string(adam_->steps())}});
}

void EngineTrainer::load_state(const std::filesystem::path& file) {
  const io::TensorList list = io::list_tensors(file);
  const auto metadata = [&](const std::string& key) {
    const auto found = list.metadata.find(key);
    return found == list.metadata.end() ? std::string() : found->second;
  };
  if (metadata("format") != kFormat) {
    throw FormatError("Reading the training state " + file.string() + ": metadata key format is \"" +
                      metadata("format") + "\", expected \"" + kFormat + "\".");
  }
  if (metadata("identity") != identity()) {
    throw ModelError("Reading the training state " + file.string() +
                     ": it was written for another configuration or other training options. Start anew, or "
                     "resume with the configuration that wrote it.");
  }
  if (metadata("device") != device_kind(device_.device)) {
    throw ModelError("Reading the training state " + file.string() + ": its random state is of a " +
                     metadata("device") + " device and this run is on " + device_.text +
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
  TensorTable weights;
  for (const auto& [name, leaf] : leaves_) {
    weights.emplace(name, get("weights/" + name, leaf.sizes()));
  }
  TensorTable averages;
  for (const auto& [name, average] : averages_) {
    averages.emplace(name, get("average/" + name, average.sizes()));
  }
  std::vector<at::Tensor> first;
  std::vector<at::Tensor> second;
  for (const std::string& name : trained_) {
    first.push_back(get("first/" + name, leaves_.at(name).sizes()));
    second.push_back(get("second/" + name, leaves_.at(name).sizes()));
  }
  const at::Tensor random = get("random", dropout_.generator->get_state().sizes());
  translate_errors("loading the training state " + file.string(), [&] {
    const at::NoGradGuard no_gradients;
    dropout_.generator->set_state(random);
    for (auto& [name, leaf] : leaves_) {
      leaf.copy_(weights.at(name));
    }
    for (auto& [name, average] : averages_) {
      average.copy_(averages.at(name));
    }
    adam_->restore(std::stoll(step_text), first, second);
  });
}

}  // namespace mog::engine
