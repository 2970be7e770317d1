// The loop. Everything that the next update depends on is in state_, in the trainer, or follows from
// configuration and data, so that a resumed run gives the same losses as an unbroken one.

#include "app/workflow/train/train_run.h"

#include <algorithm>
#include <limits>

#include "io/recording/errors.h"
#include "io/text/output_file.h"

namespace mog::app {

namespace {

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

TrainResult TrainRun::run() {
  check_folders();
  folder_.create();
  if (!options_.resume) {  // what a run left that was killed before its first checkpoint goes, too
    folder_.remove_run();
    for (const std::string& name : tokenizer_file_names(config_.model.tokenizer)) {
      std::filesystem::remove(folder_.file(name));
    }
  }
  read_data();
  open_others();
  identity_ = identity();
  create_trainer();
  if (options_.resume) {
    state_ = folder_.load(identity_, trainer_.get());
    note("Going on after step " + std::to_string(state_.step) + ".");
  } else {
    io::write_file(folder_.file("config.toml"), config_.text);
  }
  metrics_ = std::make_unique<MetricsLog>(folder_.file("metrics.jsonl"), state_.step);
  elapsed_before_ = state_.elapsed_s;
  started_ = rate_started_ = Clock::now();
  if (!state_.finished) {
    loop();
  }
  return finish();
}

void TrainRun::start_epoch() {
  batches_ = epoch_batches(train_.examples, config_.training.batch_tokens, config_.training.trainer.seed,
                           state_.epoch);
  const std::int64_t accumulate = config_.training.accumulate;
  updates_per_epoch_ = (static_cast<std::int64_t>(batches_.size()) + accumulate - 1) / accumulate;
}

// Epochs are equally long unless they take shares of a file: equal lengths are shuffled among themselves
// only.
std::int64_t TrainRun::planned_updates() const {
  const TrainingPlan& plan = config_.training;
  const std::int64_t most = plan.updates > 0 ? plan.updates : std::numeric_limits<std::int64_t>::max();
  if (plan.epochs == 0) {
    return most;
  }
  const bool shares = std::any_of(train_.examples.begin(), train_.examples.end(),
                                  [](const Example& example) { return example.share < 1.0; });
  if (!shares) {
    return std::min(most, plan.epochs * updates_per_epoch_);
  }
  std::int64_t total = 0;
  for (std::int64_t epoch = 1; epoch <= plan.epochs && total < most; ++epoch) {
    const auto batches = static_cast<std::int64_t>(
        epoch_batches(train_.examples, plan.batch_tokens, plan.trainer.seed, epoch).size());
    total += (batches + plan.accumulate - 1) / plan.accumulate;
  }
  return std::min(most, total);
}

void TrainRun::loop() {
  start_epoch();
  const TrainingPlan& plan = config_.training;
  total_ = planned_updates();
  while (true) {
    if (validation_due()) {
      validate_now();
    }
    if (done()) {
      return;
    }
    if (options_.stop.stop_requested()) {
      save();
      throw Interrupted("Training " + config_.name + " was stopped after step " +
                        std::to_string(state_.step) + "; go on with --resume.");
    }
    while (state_.update >= updates_per_epoch_) {  // an epoch of shares may be empty
      ++state_.epoch;
      state_.update = 0;
      start_epoch();
    }
    update();
    const bool validated_next = validation_due();
    if (state_.step % plan.log_interval == 0 && !validated_next) {
      report(nullptr, false);
    }
    if (plan.checkpoint_interval > 0 && state_.step % plan.checkpoint_interval == 0 && !validated_next) {
      save();
    }
  }
}

bool TrainRun::done() const noexcept {
  return state_.stopped_early || state_.step >= total_;
}

bool TrainRun::validation_due() const noexcept {
  if (state_.step == 0 || state_.validated_step == state_.step) {
    return false;
  }
  const std::int64_t interval = config_.training.validation_interval;
  return state_.step >= total_ ||
         (interval > 0 ? state_.step % interval == 0 : state_.update == updates_per_epoch_);
}

void TrainRun::update() {
  const TrainingPlan& plan = config_.training;
  std::vector<model::TrainingBatch> batches;
  const std::int64_t first = state_.update * plan.accumulate;
  const std::int64_t last = std::min(first + plan.accumulate, static_cast<std::int64_t>(batches_.size()));
  std::int64_t tokens = 0;
  for (std::int64_t at = first; at < last; ++at) {
    batches.push_back(make_batch(train_.examples, batches_[static_cast<std::size_t>(at)]));
    if (teacher_ && !teacher_->ids.empty()) {
      batches.back().teacher_ids = teacher_->translate(batches.back().input.ids);
    }
    tokens += batches.back().input.tokens();
  }
  model::StepResult result;
  try {
    result = trainer_->step(batches, learning_rate(plan, state_.step + 1, total_),
                            losses_at(config_.distill, state_.step + 1));
  } catch (const ModelError& error) {
    throw TrainingFailed(error.what(), state_.step);
  }
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
  state_.interval.tokens += tokens;
  rate_tokens_ += tokens;
}

Validation TrainRun::validation_of(model::Trainer& trainer) const {
  Validation validation = validate(trainer, dev_, config_.model.tasks, config_.training.trainer.task_weights,
                                   config_.training.batch_tokens, options_.stop);
  if (teacher_) {
    add_teacher_scores(trainer, validation);
  }
  if (const std::int64_t sentences = config_.training.validation_bleu; sentences > 0) {
    const double bleu = bleu_of(trainer, dev_, sentences);
    validation.values["bleu"] = bleu;
    validation.score = config_.training.best_by_bleu ? bleu : validation.score;
  }
  return validation;
}

void TrainRun::validate_now() {
  Validation validation;
  try {
    validation = validation_of(*trainer_);
  } catch (const Interrupted&) {
    save();
    throw Interrupted("Training " + config_.name + " was stopped after step " + std::to_string(state_.step) +
                      "; go on with --resume.");
  }
  watch_collapse(validation);
  if (config_.training.average_last > 1) {
    folder_.save_last(state_.step, *trainer_, config_.training.average_last);
  }
  const bool best = state_.best_step == 0 || validation.score > state_.best_score;
  if (best) {
    folder_.save_best(state_.step, trainer_->weights());
    state_.best_step = state_.step;
    state_.best_score = validation.score;
    state_.best_dev = validation.values;
    state_.without_gain = 0;
  } else {
    ++state_.without_gain;
  }
  const std::int64_t patience = config_.training.patience;
  state_.stopped_early = patience > 0 && state_.without_gain >= patience && state_.step < total_;
  state_.validated_step = state_.step;
  report(&validation, best);
  save();
}

// All tokens of a sentence alike: nothing more can be learnt from them.
void TrainRun::watch_collapse(const Validation& validation) const {
  const TrainingPlan& plan = config_.training;
  if (!validation.token_cosine || *validation.token_cosine <= plan.collapse_limit) {
    return;
  }
  const std::string what =
      "Training " + config_.name + ", step " + std::to_string(state_.step) +
      ": the encoder has collapsed, the mean cosine between two tokens of a sentence is " +
      std::to_string(*validation.token_cosine) + " after the last layer (limit " +
      std::to_string(plan.collapse_limit) +
      "). Try training.branch_scale = 0.3, a longer warm-up, or a lower learning rate.";
  if (plan.stop_on_collapse) {
    throw TrainingFailed(what + " training.on_collapse = \"note\" goes on.", state_.step);
  }
  note(what);
}

void TrainRun::add_teacher_scores(model::Trainer& trainer, Validation& validation) const {
  std::vector<PairedSentence> pairs;
  for (const Example& example : dev_.examples) {
    std::vector<std::int64_t> shared = teacher_->translate(example.ids);
    const bool own = !example.teacher_ids.empty();
    const bool alike = !own || shared == example.teacher_ids;
    pairs.push_back({example.ids, own ? example.teacher_ids : std::move(shared), alike});
  }
  const TeacherAgreement agreement = compare_with_teacher(*trainer.model(), *teacher_->model, pairs,
                                                          config_.training.batch_tokens, options_.stop);
  validation.values["teacher.sentence_cosine"] = agreement.sentence_mean();
  validation.values["teacher.state_cosine"] = agreement.state_cosine.back();
  validation.layers["state_cosine"] = agreement.state_cosine;
  validation.layers["state_mse"] = agreement.state_mse;
  if (config_.tasks.empty()) {
    validation.score = agreement.sentence_mean();
  }
}

void TrainRun::report(const Validation* validation, bool best) {
  const auto updates = static_cast<double>(std::max<std::int64_t>(1, state_.interval.updates));
  const Clock::time_point now = Clock::now();
  TrainReport report;
  report.step = state_.step;
  report.steps = total_;
  report.epoch = state_.epoch;
  report.epochs = config_.training.epochs;
  report.loss = state_.interval.loss / updates;
  report.nll = state_.interval.nll / updates;
  report.total = state_.interval.total / updates;
  for (const auto& [name, value] : state_.interval.distillation) {
    report.distillation[name] = value / updates;
  }
  report.learning_rate = learning_rate(config_.training, state_.step, total_);
  report.gradient_norm = state_.interval.gradient_norm / updates;
  report.tokens_per_second = static_cast<double>(rate_tokens_) / std::max(1e-9, seconds(now - rate_started_));
  report.elapsed_s = elapsed_s();
  if (validation != nullptr) {
    report.dev = validation->values;
    report.token_cosine = validation->token_cosine;
    report.layers = validation->layers;
    report.best = best;
  }
  metrics_->add(report);
  if (options_.progress) {
    options_.progress(report);
  }
  state_.interval = {};
  rate_tokens_ = 0;
  rate_started_ = now;
}

void TrainRun::save() {
  if (saved_step_ == state_.step && state_.validated_step != state_.step) {
    return;
  }
  state_.elapsed_s = elapsed_s();
  folder_.save(state_, identity_, trainer_.get());
  saved_step_ = state_.step;
}

double TrainRun::elapsed_s() const {
  return elapsed_before_ + seconds(Clock::now() - started_);
}

TrainJob::TrainJob(TrainConfig config, TrainJobOptions options, TrainerFactory factory)
    : config_(std::move(config)), options_(std::move(options)), factory_(std::move(factory)) {}

TrainResult TrainJob::run() {
  return TrainRun(config_, options_, factory_).run();
}

}  // namespace mog::app
