#include "model/engine/training/engine_trainer.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "io/recording/errors.h"
#include "model/engine/engine_model.h"
#include "model/engine/training/initial_weights.h"
#include "model/engine/training/losses.h"
#include "model/engine/training/trainer_factory.h"
#include "model/tensor_table.h"

namespace mog::engine {

namespace {

at::Tensor to_device(const std::vector<std::int64_t>& values, at::Device device) {
  return at::tensor(values, at::TensorOptions().dtype(at::kLong)).to(device);
}

std::int64_t rows_of(const TensorTable& table, std::string_view name) {
  const auto found = table.find(name);
  return found == table.end() ? 0 : found->second.size(0);
}

}  // namespace

EngineTrainer::EngineTrainer(model::ModelConfig config, model::TrainerOptions options, OpenDevice device,
                             TensorTable weights)
    : config_(std::move(config)),
      options_(std::move(options)),
      device_(std::move(device)),
      source_sinusoids_(config_.encoder.d_model) {
  std::vector<at::Tensor> leaves;
  for (const model::TensorSpec& spec : model::tensor_table(config_, options_.positions)) {
    at::Tensor leaf = weights.at(spec.name).to(at::kFloat).to(device_.device).clone();
    if (spec.trained) {
      leaf.set_requires_grad(true);
      trained_.push_back(spec.name);
      leaves.push_back(leaf);
    }
    leaves_.emplace(spec.name, leaf);
  }
  adam_ = std::make_unique<Adam>(std::move(leaves), options_);
  dropout_.hidden = options_.dropout;
  dropout_.attention = options_.attention_dropout;
  dropout_.activation = options_.activation_dropout;
  at::Generator generator = at::globalContext().defaultGenerator(device_.device).clone();
  generator.set_current_seed(static_cast<std::uint64_t>(options_.seed) + 0x9e3779b97f4a7c15ULL);
  dropout_.generator = generator;
}

std::map<std::string, std::int64_t> EngineTrainer::count_labels(
    const std::vector<model::TrainingBatch>& batches) const {
  std::map<std::string, std::int64_t> counts;
  for (const model::TrainingBatch& batch : batches) {
    if (config_.decoder) {
      counts[""] += static_cast<std::int64_t>(batch.target_labels.size());
    }
    for (const auto& [task, labels] : batch.labels) {
      for (const std::int64_t label : labels) {
        counts[task] += label >= 0 ? 1 : 0;
      }
    }
  }
  return counts;
}

std::vector<EngineTrainer::Objective> EngineTrainer::objectives(const model::TrainingBatch& batch) const {
  std::vector<Objective> found;
  const auto add = [&](const std::string& task, const std::vector<std::int64_t>& labels, std::int64_t tokens,
                       std::int64_t classes) {
    const std::string what = task.empty() ? "target labels" : "labels of task " + task;
    if (static_cast<std::int64_t>(labels.size()) != tokens) {
      throw ShapeError("A training step: " + std::to_string(labels.size()) + " " + what + " for " +
                       std::to_string(tokens) + " tokens; there must be one a token.");
    }
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> values;
    for (std::size_t at = 0; at < labels.size(); ++at) {
      if (labels[at] >= classes) {
        throw ModelError("A training step: label " + std::to_string(labels[at]) + " among the " + what +
                         ", but there are only " + std::to_string(classes) + " classes.");
      }
      if (labels[at] >= 0) {
        rows.push_back(static_cast<std::int64_t>(at));
        values.push_back(labels[at]);
      }
    }
    if (!rows.empty()) {
      found.push_back(
          {task, to_device(rows, device_.device), to_device(values, device_.device), weight_of(task)});
    }
  };
  if (config_.decoder) {
    add("", batch.target_labels, static_cast<std::int64_t>(batch.input.target_ids.size()),
        config_.target_vocab_size);
  }
  for (const auto& [task, labels] : batch.labels) {
    const auto tags = config_.tasks.find(task);
    if (tags == config_.tasks.end()) {
      throw UsageError("A training step: labels for task " + task + ", which the model does not have.");
    }
    add(task, labels, batch.input.tokens(), static_cast<std::int64_t>(tags->second.size()));
  }
  return found;
}

double EngineTrainer::weight_of(const std::string& task) const {
  const auto found = options_.task_weights.find(task);
  return found == options_.task_weights.end() ? 1.0 : found->second;
}

Linear EngineTrainer::output_of(const std::string& task) const {
  if (!task.empty()) {
    return {leaves_.at("heads." + task + ".weight"), leaves_.at("heads." + task + ".bias")};
  }
  const bool shared = config_.decoder && config_.decoder->share_output_embedding;
  return {leaves_.at(shared ? "decoder.embed_tokens.weight" : "decoder.output_projection.weight"), {}};
}

PackedInput EngineTrainer::input_of(const model::TrainingBatch& batch) const {
  InputOptions options;
  options.padding = training_padding_for(device_.device);
  return make_input(config_, batch.input, device_.device, rows_of(leaves_, "encoder.embed_positions.weight"),
                    rows_of(leaves_, "decoder.embed_positions.weight"), options);
}

void EngineTrainer::drop_words(PackedInput& input) {
  if (options_.word_dropout <= 0.0) {
    return;
  }
  at::Tensor& ids = input.source.ids;
  const at::Tensor chance =
      at::empty(ids.sizes(), ids.options().dtype(at::kFloat)).uniform_(0.0, 1.0, dropout_.generator);
  const at::Tensor dropped = chance.lt(options_.word_dropout).logical_and_(ids.ne(config_.eos_id));
  ids = ids.masked_fill(dropped, config_.unk_id);
}

std::map<std::string, EngineTrainer::Sums> EngineTrainer::pass(const model::TrainingBatch& batch,
                                                               const std::map<std::string, double>* scales) {
  const std::vector<Objective> goals = objectives(batch);
  std::map<std::string, Sums> sums;
  if (goals.empty()) {
    return sums;
  }
  PackedInput input = input_of(batch);
  const bool training = scales != nullptr;
  const at::AutoGradMode gradients(training);
  if (training) {
    drop_words(input);
  }
  const Weights weights = bind_weights(config_, leaves_);
  const ForwardContext context{.config = config_,
                               .weights = weights,
                               .sinusoids = source_sinusoids_,
                               .dropout = training ? &dropout_ : nullptr};
  at::Tensor states = encode(context, input);
  if (config_.decoder) {
    states = decode(context, input, states);
  }
  at::Tensor gradient;
  if (training) {
    gradient = at::zeros_like(states.detach());
  }
  for (const Objective& goal : goals) {
    const double scale = training ? scales->at(goal.task) : 0.0;
    const LossSums result =
        smoothed_cross_entropy(states, output_of(goal.task), goal.rows, goal.classes,
                               options_.label_smoothing, scale, training ? &gradient : nullptr);
    sums[goal.task] = {result.loss.item<double>(), result.nll.item<double>(), goal.rows.size(0)};
  }
  if (training) {
    states.backward(gradient);
  }
  return sums;
}

model::StepResult EngineTrainer::combine(const std::map<std::string, Sums>& sums) const {
  model::StepResult result;
  double weights = 0.0;
  for (const auto& [task, sum] : sums) {
    const double weight = weight_of(task);
    const auto labels = static_cast<double>(sum.labels);
    weights += weight;
    result.loss += weight * sum.loss / labels;
    result.nll += weight * sum.nll / labels;
    result.labels += sum.labels;
  }
  if (weights > 0.0) {
    result.loss /= weights;
    result.nll /= weights;
  }
  return result;
}

model::StepResult EngineTrainer::step(const std::vector<model::TrainingBatch>& batches,
                                      double learning_rate) {
  model::StepResult result;
  translate_errors("training step " + std::to_string(adam_->steps() + 1), [&] {
    use_threads(device_.threads);
    double weights = 0.0;
    const std::map<std::string, std::int64_t> counts = count_labels(batches);
    for (const auto& [task, count] : counts) {
      weights += count > 0 ? weight_of(task) : 0.0;
    }
    std::map<std::string, double> scales;
    for (const auto& [task, count] : counts) {
      scales[task] =
          count > 0 && weights > 0.0 ? weight_of(task) / weights / static_cast<double>(count) : 0.0;
    }
    std::map<std::string, Sums> sums;
    try {
      for (const model::TrainingBatch& batch : batches) {
        for (const auto& [task, sum] : pass(batch, &scales)) {
          sums[task].loss += sum.loss;
          sums[task].nll += sum.nll;
          sums[task].labels += sum.labels;
        }
      }
    } catch (...) {
      adam_->clear_gradients();
      throw;
    }
    result = combine(sums);
    result.gradient_norm = adam_->gradient_norm();
    if (!std::isfinite(result.loss) || !std::isfinite(result.gradient_norm)) {
      adam_->clear_gradients();
      throw ModelError("Training step " + std::to_string(adam_->steps() + 1) + ": the loss is " +
                       std::to_string(result.loss) + " and the gradient norm " +
                       std::to_string(result.gradient_norm) +
                       "; the weights were left unchanged. Try a lower learning rate, a longer warm-up, or "
                       "clipping (clip_norm = 1).");
    }
    const bool clip = options_.clip_norm > 0.0 && result.gradient_norm > options_.clip_norm;
    adam_->step(learning_rate, clip ? options_.clip_norm / result.gradient_norm : 1.0);
  });
  return result;
}

model::StepResult EngineTrainer::evaluate(const model::TrainingBatch& batch) {
  model::StepResult result;
  translate_errors("evaluating the loss", [&] {
    use_threads(device_.threads);
    result = combine(pass(batch, nullptr));
  });
  return result;
}

std::shared_ptr<const model::Model> EngineTrainer::model() {
  std::shared_ptr<const model::Model> result;
  translate_errors("opening the model that is being trained", [&] {
    const at::NoGradGuard no_gradients;
    TensorTable table;
    for (const auto& [name, leaf] : leaves_) {
      table.emplace(name, leaf.detach());
    }
    const model::EncoderConfig& encoder = config_.encoder;
    ModelCard card;
    card.name = "in training";
    card.architecture = config_.decoder ? "encoder_decoder" : "encoder";
    card.encoder_kind = encoder.graph() ? "graph_transformer" : "transformer";
    card.layers = encoder.layers;
    card.heads = encoder.heads;
    card.d_model = encoder.d_model;
    card.attention_dim = encoder.attention_dim;
    card.ffn_dim = encoder.ffn_dim;
    card.decoder_layers = config_.decoder ? config_.decoder->layers : 0;
    card.vocabulary = config_.vocab_size;
    card.parameters = model::parameter_count(config_, options_.positions);
    card.config_json = model::to_json(config_);
    card.tasks = config_.tasks;
    result = std::make_shared<EngineModel>(config_, card, bind_weights(config_, table), device_.text,
                                           device_.threads);
  });
  return result;
}

std::map<std::string, HostTensor> EngineTrainer::weights() const {
  std::map<std::string, HostTensor> result;
  for (const auto& [name, leaf] : leaves_) {
    result.emplace(name, to_host(leaf));
  }
  return result;
}

std::unique_ptr<model::Trainer> make_trainer(const model::ModelConfig& config,
                                             const model::TrainerOptions& options, const OpenDevice& device,
                                             const std::map<std::string, HostTensor>* initial) {
  if (device.dtype != at::kFloat) {
    throw UsageError("Training runs in float32; leave out --precision or say float32.");
  }
  std::unique_ptr<model::Trainer> trainer;
  translate_errors("creating a trainer", [&] {
    TensorTable weights =
        initial == nullptr ? initial_weights(config, options) : given_weights(config, *initial);
    model::TrainerOptions fitted = options;
    fitted.positions = std::max({options.positions, rows_of(weights, "encoder.embed_positions.weight"),
                                 rows_of(weights, "decoder.embed_positions.weight")});
    trainer = std::make_unique<EngineTrainer>(config, fitted, device, std::move(weights));
  });
  return trainer;
}

}  // namespace mog::engine
