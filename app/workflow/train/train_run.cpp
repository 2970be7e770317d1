// Everything that the next update depends on is in state_, in the trainer, or follows from
// configuration and data, so that a resumed run gives the same losses as an unbroken one.
#include "app/workflow/train/train_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "app/workflow/graphs/coref_chains.h"
#include "app/workflow/graphs/predicted_arcs.h"
#include "app/workflow/train/train_finish.h"
#include "app/workflow/train/train_score.h"
#include "io/recording/errors.h"
#include "io/text/output_file.h"

namespace mog::app {
namespace {

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

TrainRun::TrainRun(TrainSetup setup)
    : setup_(std::move(setup)), processes_(setup_.processes), plan_(setup_.config.training) {
  processes_.all([&] {
    trainer_ = new_trainer(setup_);
    if (processes_.first()) {
      take_up();
    }
  });
  processes_.first_alone([] {}, state_);
  if (processes_.count() > 1) {
    trainer_->join(processes_.processes(), setup_.options.stop);
  }
  elapsed_before_ = state_.elapsed_s;
}

void TrainRun::take_up() {
  if (setup_.options.resume) {
    state_ = setup_.folder.load(setup_.identity, trainer_.get());
    note(setup_.options, "Going on after step " + std::to_string(state_.step) + ".");
  } else {
    io::write_file(setup_.folder.file("config.toml"), setup_.config.text);
  }
  metrics_.emplace(setup_.folder.file("metrics.jsonl"), state_.step);
  if (setup_.options.watch) {
    watch_.emplace(setup_, state_.step);
  }
}

TrainResult TrainRun::run() {
  started_ = rate_started_ = Clock::now();
  if (!state_.finished) {
    loop();
  }
  if (!processes_.first()) {
    return {};
  }
  if (watch_ && watch_->elapsed_s() > 0) {
    note(setup_.options,
         fmt::format("Watching took {:.1f} of {:.1f} s; mog figure trajectory {}", watch_->elapsed_s(),
                     elapsed_s(), setup_.folder.file("trajectory.csv").string()));
  }
  return finish_training(setup_, state_, *metrics_);
}

void TrainRun::start_epoch() {
  batches_ = epoch_batches(setup_.parts.train.examples, plan_.batch_tokens, plan_.trainer.seed, state_.epoch);
  const std::int64_t accumulate = plan_.accumulate;
  updates_per_epoch_ = (static_cast<std::int64_t>(batches_.size()) + accumulate - 1) / accumulate;
}

// Epochs are equally long unless they take shares of a file: equal lengths are shuffled among themselves
// only.
std::int64_t TrainRun::planned_updates() const {
  const std::int64_t most = plan_.updates > 0 ? plan_.updates : std::numeric_limits<std::int64_t>::max();
  if (plan_.epochs == 0) {
    return most;
  }
  const bool shares = std::any_of(setup_.parts.train.examples.begin(), setup_.parts.train.examples.end(),
                                  [](const Example& example) { return example.share < 1.0; });
  if (!shares) {
    return std::min(most, plan_.epochs * updates_per_epoch_);
  }
  std::int64_t total = 0;
  for (std::int64_t epoch = 1; epoch <= plan_.epochs && total < most; ++epoch) {
    const auto batches = static_cast<std::int64_t>(
        epoch_batches(setup_.parts.train.examples, plan_.batch_tokens, plan_.trainer.seed, epoch).size());
    total += (batches + plan_.accumulate - 1) / plan_.accumulate;
  }
  return std::min(most, total);
}

void TrainRun::loop() {
  start_epoch();
  total_ = planned_updates();
  if (state_.step == 0) {
    processes_.first_alone([&] { watch_now(); }, state_);
  }
  while (true) {
    if (validation_due()) {
      trainer_->check_alike();
      processes_.first_alone([&] { validate_now(); }, state_);
    }
    if (done()) {
      return;
    }
    if (stop_requested()) {
      save();
      if (!processes_.first()) {
        throw EndedTogether(ExitCode::interrupted);
      }
      throw Interrupted("Training " + setup_.config.name + " was stopped after step " +
                        std::to_string(state_.step) + "; go on with --resume.");
    }
    while (state_.update >= updates_per_epoch_) {  // an epoch of shares may be empty
      ++state_.epoch;
      state_.update = 0;
      start_epoch();
    }
    update();
    const bool validated_next = validation_due();
    if (state_.step % plan_.log_interval == 0 && !validated_next) {
      report(nullptr, false);
    }
    if (plan_.checkpoint_interval > 0 && state_.step % plan_.checkpoint_interval == 0 && !validated_next) {
      save();
    }
  }
}

bool TrainRun::done() const noexcept {
  return state_.stopped_early || state_.step >= total_;
}

// Several processes hear of it in a step, all in the same one.
bool TrainRun::stop_requested() const noexcept {
  return processes_.count() > 1 ? one_stops_ : setup_.options.stop.stop_requested();
}

bool TrainRun::validation_due() const noexcept {
  if (state_.step == 0 || state_.validated_step == state_.step) {
    return false;
  }
  const std::int64_t interval = plan_.validation_interval;
  return state_.step >= total_ ||
         (interval > 0 ? state_.step % interval == 0 : state_.update == updates_per_epoch_);
}

std::vector<model::TrainingBatch> TrainRun::next_batches() const {
  const std::vector<Example>& examples = setup_.parts.train.examples;
  std::vector<model::TrainingBatch> batches;
  const std::int64_t first = state_.update * plan_.accumulate;
  const std::int64_t last = std::min(first + plan_.accumulate, static_cast<std::int64_t>(batches_.size()));
  for (std::int64_t at = first; at < last; ++at) {
    const std::vector<std::int64_t>& whole = batches_[static_cast<std::size_t>(at)];
    std::vector<std::int64_t> chosen;
    if (!setup_.config.distills()) {
      chosen = processes_.share_of(examples, whole);
    } else if ((at - first) % processes_.count() == processes_.rank()) {
      chosen = whole;
    }
    if (chosen.empty()) {
      continue;
    }
    batches.push_back(make_batch(examples, chosen));
    add_rounds(chosen, batches.back());
    if (setup_.teacher && !setup_.teacher->ids.empty()) {
      batches.back().teacher_ids = setup_.teacher->translate(batches.back().input.ids);
    }
  }
  return batches;
}

void TrainRun::update() {
  model::StepResult result;
  try {
    result = trainer_->step(next_batches(), learning_rate(plan_, state_.step + 1, total_),
                            losses_at(setup_.config.distill, state_.step + 1));
  } catch (const ModelError& error) {
    throw TrainingFailed(error.what(), state_.step);
  }
  one_stops_ = result.stop_requested;
  ++state_.step;
  ++state_.update;
  state_.interval.loss += result.loss;
  state_.interval.nll += result.nll;
  state_.interval.total += result.total;
  for (const auto& [name, value] : result.distillation) {
    state_.interval.distillation[name] += value;
  }
  state_.interval.gradient_norm += result.gradient_norm;
  ++state_.interval.updates;
  state_.interval.tokens += result.tokens;
  rate_tokens_ += result.tokens;
}

void TrainRun::add_rounds(const std::vector<std::int64_t>& chosen, model::TrainingBatch& batch) const {
  const model::ModelConfig& config = setup_.config.model;
  if (!batch.graph || !config.encoder.graph_input || config.graph->refinements == 0) {
    return;
  }
  batch.graph->rounds = config.graph->refinements + 1;
  batch.graph->next = [this, chosen](const model::PairScores& scores) {
    std::vector<const Sentence*> sentences;
    sentences.reserve(chosen.size());
    for (const std::int64_t index : chosen) {
      sentences.push_back(&setup_.parts.train.sentences[static_cast<std::size_t>(index)]);
    }
    const model::GraphConfig& graph = *setup_.config.model.graph;
    return graph.kind == model::GraphKind::coreference ? predicted_links(sentences, scores)
                                                       : predicted_arcs(graph, sentences, scores);
  };
}

void TrainRun::watch_now() {
  if (watch_) {
    watch_->observe(*trainer_, state_.step, state_.epoch);
  }
}

void TrainRun::validate_now() {
  Validation validation;
  try {
    validation = validate_run(setup_, *trainer_);
    watch_now();
  } catch (const Interrupted&) {
    write_checkpoint();
    throw Interrupted("Training " + setup_.config.name + " was stopped after step " +
                      std::to_string(state_.step) + "; go on with --resume.");
  }
  watch_collapse(validation);
  if (plan_.average_last > 1) {
    setup_.folder.save_last(state_.step, *trainer_, plan_.average_last);
  }
  const bool best = state_.best_step == 0 || validation.score > state_.best_score;
  if (best) {
    setup_.folder.save_best(state_.step, trainer_->weights());
    state_.best_step = state_.step;
    state_.best_score = validation.score;
    state_.best_dev = validation.values;
    state_.without_gain = 0;
  } else {
    ++state_.without_gain;
  }
  const std::int64_t patience = plan_.patience;
  state_.stopped_early = patience > 0 && state_.without_gain >= patience && state_.step < total_;
  state_.validated_step = state_.step;
  report(&validation, best);
  write_checkpoint();
}

// All tokens of a sentence alike: nothing more can be learnt from them.
void TrainRun::watch_collapse(const Validation& validation) const {
  if (!validation.token_cosine || *validation.token_cosine <= plan_.collapse_limit) {
    return;
  }
  const std::string what =
      "Training " + setup_.config.name + ", step " + std::to_string(state_.step) +
      ": the encoder has collapsed, the mean cosine between two tokens of a sentence is " +
      std::to_string(*validation.token_cosine) + " after the last layer (limit " +
      std::to_string(plan_.collapse_limit) +
      "). Try training.branch_scale = 0.3, a longer warm-up, or a lower learning rate.";
  if (plan_.stop_on_collapse) {
    throw TrainingFailed(what + " training.on_collapse = \"note\" goes on.", state_.step);
  }
  note(setup_.options, what);
}

void TrainRun::report(const Validation* validation, bool best) {
  const auto updates = static_cast<double>(std::max<std::int64_t>(1, state_.interval.updates));
  const Clock::time_point now = Clock::now();
  TrainReport report;
  report.step = state_.step;
  report.steps = total_;
  report.epoch = state_.epoch;
  report.epochs = plan_.epochs;
  report.loss = state_.interval.loss / updates;
  report.nll = state_.interval.nll / updates;
  report.total = state_.interval.total / updates;
  for (const auto& [name, value] : state_.interval.distillation) {
    report.distillation[name] = value / updates;
  }
  report.learning_rate = learning_rate(plan_, state_.step, total_);
  report.gradient_norm = state_.interval.gradient_norm / updates;
  report.tokens_per_second = static_cast<double>(rate_tokens_) / std::max(1e-9, seconds(now - rate_started_));
  report.elapsed_s = elapsed_s();
  if (validation != nullptr) {
    report.dev = validation->values;
    report.token_cosine = validation->token_cosine;
    report.layers = validation->layers;
    report.best = best;
  }
  if (metrics_) {
    metrics_->add(report);
  }
  if (setup_.options.progress) {
    setup_.options.progress(report);
  }
  state_.interval = {};
  rate_tokens_ = 0;
  rate_started_ = now;
}

void TrainRun::save() {
  if (saved_step_ == state_.step && state_.validated_step != state_.step) {
    return;
  }
  trainer_->check_alike();
  processes_.first_alone([&] { write_checkpoint(); }, state_);
  saved_step_ = state_.step;
}

void TrainRun::write_checkpoint() {
  state_.elapsed_s = elapsed_s();
  setup_.folder.save(state_, setup_.identity, trainer_.get());
}

double TrainRun::elapsed_s() const {
  return elapsed_before_ + seconds(Clock::now() - started_);
}

void note(const TrainJobOptions& options, const std::string& text) {
  if (options.note) {
    options.note(text);
  }
}

TrainJob::TrainJob(TrainConfig config, TrainJobOptions options, TrainerFactory factory)
    : config_(std::move(config)), options_(std::move(options)), factory_(std::move(factory)) {}

TrainResult TrainJob::run() {
  return TrainRun(set_up_training(config_, options_, factory_)).run();
}

}  // namespace mog::app
