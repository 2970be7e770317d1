// One update: every batch goes forward and back by itself and only its gradients stay, so that memory is that
// of the largest batch; then one step of the optimiser over all of them. What is learnt from labels, from a
// teacher, what processes exchange, and what a run is resumed from have files of their own (objectives,
// teacher, joint_steps, training_state); here is their order. A pass costs about three forward passes, one
// more with a teacher.
#include "model/engine/training/engine_trainer.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "io/recording/errors.h"
#include "model/engine/modules/relations.h"
#include "model/engine/training/graph_losses.h"
#include "model/engine/training/joint_steps.h"
#include "model/engine/training/state_losses.h"
#include "model/tensor_table.h"

namespace mog::engine {

namespace {

std::int64_t rows_of(const TensorTable& table, std::string_view name) {
  const auto found = table.find(name);
  return found == table.end() ? 0 : found->second.size(0);
}

double weighted_total(const model::StepResult& result, const model::LossWeights& losses) {
  const std::map<std::string, double> factors = {{"hidden", losses.hidden},
                                                 {"last", losses.last},
                                                 {"attention", losses.attention},
                                                 {"sentence", losses.sentence}};
  double total = losses.tasks * result.loss;
  for (const auto& [name, value] : result.distillation) {
    total += factors.at(name) * value;
  }
  return total;
}

using Sums = std::map<std::string, Objectives::Sums>;

Sums merged(Sums sums, const Sums& more) {
  for (const auto& [task, sum] : more) {
    sums[task].loss += sum.loss;
    sums[task].nll += sum.nll;
    sums[task].labels += sum.labels;
  }
  return sums;
}

}  // namespace

EngineTrainer::EngineTrainer(model::ModelConfig config, model::TrainerOptions options, OpenDevice device,
                             TensorTable weights)
    : config_(std::move(config)),
      options_(std::move(options)),
      device_(std::move(device)),
      objectives_(config_, options_, device_.device),
      source_sinusoids_(config_.encoder.d_model) {
  std::vector<at::Tensor> leaves;
  std::vector<double> rates;
  for (const model::TensorSpec& spec : model::tensor_table(config_, options_.positions)) {
    at::Tensor leaf = weights.at(spec.name).to(device_.device, device_.dtype).clone();
    const bool frozen = std::any_of(options_.frozen.begin(), options_.frozen.end(),
                                    [&](const std::string& prefix) { return spec.name.starts_with(prefix); });
    if (spec.trained && !frozen) {
      leaf.set_requires_grad(true);
      trained_.push_back(spec.name);
      leaves.push_back(leaf);
      const bool of_head = spec.name.starts_with("heads.") || spec.name.starts_with("parser.") ||
                           spec.name.find(".relation_") != std::string::npos;
      rates.push_back(of_head ? options_.head_rate : 1.0);
      if (options_.average_decay > 0.0) {
        averages_.emplace(spec.name, leaf.detach().clone());
      }
    }
    leaves_.emplace(spec.name, leaf);
  }
  adam_ = std::make_unique<Adam>(std::move(leaves), std::move(rates), options_);
  dropout_.hidden = options_.dropout;
  dropout_.attention = options_.attention_dropout;
  dropout_.activation = options_.activation_dropout;
  at::Generator generator = at::globalContext().defaultGenerator(device_.device).clone();
  generator.set_current_seed(static_cast<std::uint64_t>(options_.seed) + 0x9e3779b97f4a7c15ULL);
  dropout_.generator = generator;
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
  const auto dropped = [&](const at::Tensor& ids) {
    const at::Tensor chance =
        at::empty(ids.sizes(), ids.options().dtype(at::kFloat)).uniform_(0.0, 1.0, dropout_.generator);
    const at::Tensor gone = chance.lt(options_.word_dropout)
                                .logical_and_(ids.ne(config_.eos_id))
                                .logical_and_(ids.ne(config_.bos_id));
    return ids.masked_fill(gone, config_.unk_id);
  };
  input.source.ids = dropped(input.source.ids);
  if (input.source.states && input.source.states->words.defined()) {  // those that are composed
    input.source.states->words = dropped(input.source.states->words);
  }
}

Weights EngineTrainer::bound_weights(const TensorTable& table) const {
  Weights weights = bind_weights(config_, table);
  if (options_.bfloat16_products) {
    use_bfloat16_products(weights);
  }
  return weights;
}

void EngineTrainer::update_averages() {
  const at::NoGradGuard no_gradients;
  const auto step = static_cast<double>(adam_->steps());
  const double decay = std::min(options_.average_decay, (1.0 + step) / (10.0 + step));
  for (auto& [name, average] : averages_) {
    average.lerp_(leaves_.at(name).detach(), 1.0 - decay);
  }
}

EngineTrainer::PassResult EngineTrainer::pass(const model::TrainingBatch& batch, const Scales* scales) {
  if (config_.graph && (batch.graph || batch.transitions)) {
    return graph_pass(batch, scales);
  }
  const bool training = scales != nullptr;
  const bool taught = training && scales->losses.needs_teacher();
  std::vector<Objectives::Labels> goals;
  if (!training || scales->losses.tasks > 0.0) {
    goals = objectives_.labels(batch);
  }
  PassResult result;
  if (goals.empty() && !taught) {
    return result;
  }
  PackedInput input = input_of(batch);
  const at::AutoGradMode gradients(training);
  if (training) {
    drop_words(input);
  }
  const TensorTable table = training ? leaves_ : shown();
  const Weights weights = bound_weights(table);
  std::optional<StateTaps> own;
  std::optional<Teacher::Pass> teachers;
  if (taught) {
    if (teacher_ == nullptr) {
      throw UsageError("A training step: losses against a teacher, but there is none.");
    }
    own.emplace(config_.encoder, scales->losses.attention > 0.0);
    teachers.emplace(teacher_->run(batch, scales->losses));
  }
  const ForwardContext context{.config = config_,
                               .weights = weights,
                               .sinusoids = source_sinusoids_,
                               .dropout = training ? &dropout_ : nullptr,
                               .taps = own ? &*own : nullptr};
  const SourceStates source = taught && scales->losses.layerwise
                                  ? encode_layerwise(context, input, teachers->taps)
                                  : encode_source(context, input);
  const at::Tensor states =
      config_.decoder && !goals.empty() ? decode(context, input, source) : source.states;
  if (!training) {
    result.tasks = objectives_.losses(goals, states, table, nullptr, nullptr);
    return result;
  }
  at::Tensor total;
  if (!goals.empty()) {
    at::Tensor gradient = at::zeros_like(states.detach());
    result.tasks = objectives_.losses(goals, states, table, &scales->tasks, &gradient);
    if (!taught) {
      states.backward(gradient);
      return result;
    }
    total = (states * gradient).sum();  // its gradient at `states` is `gradient`
  }
  const DistillationTerms terms = teacher_->compare(*own, input, *teachers, batch, scales->losses);
  const double share = static_cast<double>(batch.input.tokens()) /
                       static_cast<double>(std::max<std::int64_t>(1, scales->tokens));
  for (const auto& [name, value] : terms.values) {
    result.distillation[name] = share * value;
  }
  (total.defined() ? total + share * terms.total : share * terms.total).backward();
  return result;
}

EngineTrainer::PassResult EngineTrainer::graph_pass(const model::TrainingBatch& batch, const Scales* scales) {
  const bool training = scales != nullptr;
  if (training && (scales->losses.needs_teacher() || scales->losses.tasks <= 0.0)) {
    throw UsageError("A training step: a graph is learnt from its labels alone, without a teacher.");
  }
  const std::int64_t rounds = batch.graph ? batch.graph->rounds : 1;
  const std::vector<Objectives::Labels> goals = objectives_.labels(batch);
  PassResult result;
  PackedInput input = input_of(batch);
  if (training) {
    drop_words(input);
  }
  for (std::int64_t round = 1; round <= rounds; ++round) {
    const at::AutoGradMode gradients(training);
    const TensorTable table = training ? leaves_ : shown();
    const Weights weights = bound_weights(table);
    const ForwardContext context{.config = config_,
                                 .weights = weights,
                                 .sinusoids = source_sinusoids_,
                                 .dropout = training ? &dropout_ : nullptr};
    const at::Tensor states = encode(context, input);
    at::Tensor gradient = training ? at::zeros_like(states.detach()) : at::Tensor();
    // Tags are learnt once, from the last graph.
    if (round == rounds) {
      result.tasks = merged(std::move(result.tasks),
                            objectives_.losses(goals, states, table, training ? &scales->tasks : nullptr,
                                               training ? &gradient : nullptr));
    }
    at::Tensor total = training ? (states * gradient).sum() : at::Tensor();
    const std::map<std::string, GraphLoss> losses =
        batch.transitions
            ? state_losses(context, *batch.transitions, batch.input, states, options_.pair_dropout)
            : graph_losses(context, *batch.graph, input.source.self_plan, states, options_.pair_dropout);
    for (const auto& [head, loss] : losses) {
      const double nll = loss.nll.item<double>();
      result.tasks = merged(std::move(result.tasks), {{head, {nll, nll, loss.labels}}});
      if (training) {
        total = total + loss.nll * scales->tasks.at(head);
      }
    }
    if (round < rounds) {
      const std::vector<model::GraphArc> arcs =
          batch.graph->next(host_pair_scores(context, input.source.self_plan, states));
      check_arcs(config_, batch.input.offsets, arcs);
      input.source.arcs = pack_arcs(arcs, input.source.self_plan, device_.device);
    }
    if (training && total.requires_grad()) {
      total.backward();
    }
  }
  return result;
}

EngineTrainer::Scales EngineTrainer::scales_of(const std::vector<model::TrainingBatch>& batches,
                                               const model::LossWeights& losses) const {
  constexpr const char* kTokens = " tokens";  // no name of a task
  std::map<std::string, std::int64_t> counts = objectives_.count(batches);
  for (const model::TrainingBatch& batch : batches) {
    counts[kTokens] += batch.input.tokens();
  }
  if (processes_) {
    sum_counts(*processes_, counts);
  }
  const std::int64_t tokens = counts[kTokens];
  counts.erase(kTokens);
  return {losses, objectives_.scales(counts, losses.tasks), tokens};
}

EngineTrainer::PassResult EngineTrainer::passes(const std::vector<model::TrainingBatch>& batches,
                                                const Scales& scales) {
  PassResult result;
  for (const model::TrainingBatch& batch : batches) {
    if (batch.input.sentences() == 0) {
      continue;
    }
    const PassResult passed = pass(batch, &scales);
    result.tasks = merged(std::move(result.tasks), passed.tasks);
    for (const auto& [name, value] : passed.distillation) {
      result.distillation[name] += value;
    }
  }
  if (processes_) {
    sum_gradients(*processes_, adam_->leaves(), exchanged_);
    result.stop_requested = sum_losses(*processes_, objectives_.names(), stop_.stop_requested(), result.tasks,
                                       result.distillation);
  }
  return result;
}

// From seed, step and rank alone, so that the state of one process is enough to resume all of them.
void EngineTrainer::draw_own_masks() {
  constexpr std::uint64_t kStride = 0x9e3779b97f4a7c15ULL;  // golden ratio: neighbours lie far apart
  const auto step = static_cast<std::uint64_t>(adam_->steps());
  const auto rank = static_cast<std::uint64_t>(processes_->rank());
  const auto count = static_cast<std::uint64_t>(processes_->count());
  dropout_.generator->set_current_seed(static_cast<std::uint64_t>(options_.seed) +
                                       (1 + step * count + rank) * kStride);
}

model::StepResult EngineTrainer::step(const std::vector<model::TrainingBatch>& batches, double learning_rate,
                                      const model::LossWeights& losses) {
  model::StepResult result;
  translate_errors("training step " + std::to_string(adam_->steps() + 1), [&] {
    use_threads(device_.threads);
    const Scales scales = scales_of(batches, losses);
    if (processes_) {
      draw_own_masks();
    }
    PassResult sums;
    try {
      sums = passes(batches, scales);
    } catch (...) {
      adam_->clear_gradients();
      throw;
    }
    result = objectives_.means(sums.tasks);
    result.distillation = std::move(sums.distillation);
    result.tokens = scales.tokens;
    result.stop_requested = sums.stop_requested;
    result.total = weighted_total(result, losses);
    result.gradient_norm = adam_->gradient_norm();
    if (!std::isfinite(result.total) || !std::isfinite(result.gradient_norm)) {
      adam_->clear_gradients();
      throw ModelError("Training step " + std::to_string(adam_->steps() + 1) + ": the loss is " +
                       std::to_string(result.total) + " and the gradient norm " +
                       std::to_string(result.gradient_norm) +
                       "; the weights were left unchanged. Try a lower learning rate, a longer warm-up, or "
                       "clipping (clip_norm = 1).");
    }
    const bool clip = options_.clip_norm > 0.0 && result.gradient_norm > options_.clip_norm;
    adam_->step(learning_rate, clip ? options_.clip_norm / result.gradient_norm : 1.0);
    update_averages();
  });
  return result;
}

model::StepResult EngineTrainer::evaluate(const model::TrainingBatch& batch) {
  model::StepResult result;
  translate_errors("evaluating the loss", [&] {
    use_threads(device_.threads);
    result = objectives_.means(pass(batch, nullptr).tasks);
    result.total = result.loss;
  });
  return result;
}

void EngineTrainer::set_teacher(std::shared_ptr<const model::Model> teacher) {
  teacher_ = std::make_unique<const Teacher>(teacher, config_.encoder, device_, options_);
}

}  // namespace mog::engine
