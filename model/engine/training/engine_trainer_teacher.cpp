// What a training step has from a teacher.
#include "io/recording/errors.h"
#include "model/engine/training/engine_trainer.h"

namespace mog::engine {

namespace {

at::Tensor to_device(const std::vector<std::int64_t>& values, at::Device device) {
  return at::tensor(values, at::TensorOptions().dtype(at::kLong)).to(device);
}

// What the teacher reads: the student's tokens in its own vocabulary, or its own.
model::PackedBatch teacher_sentences(const model::TrainingBatch& batch, const model::LossWeights& losses) {
  const auto refuse = [](std::size_t found, const char* what, std::size_t tokens) {
    throw ShapeError("A training step: " + std::to_string(found) + " " + what + " for " +
                     std::to_string(tokens) + " tokens; there must be one a token.");
  };
  if (batch.teacher_reading) {
    const model::TeacherReading& reading = *batch.teacher_reading;
    if (losses.attention > 0.0 || losses.layerwise) {
      throw UsageError(
          "A training step: the teacher reads its own pieces, so its maps and states cannot take the place "
          "of the student's; leave out attention and layerwise.");
    }
    if (reading.units.size() != batch.input.ids.size()) {
      refuse(reading.units.size(), "units", batch.input.ids.size());
    }
    if (reading.teacher_units.size() != reading.input.ids.size()) {
      refuse(reading.teacher_units.size(), "units of the teacher", reading.input.ids.size());
    }
    return reading.input;
  }
  model::PackedBatch sentences;
  sentences.offsets = batch.input.offsets;
  sentences.ids = batch.teacher_ids.empty() ? batch.input.ids : batch.teacher_ids;
  if (sentences.ids.size() != batch.input.ids.size()) {
    refuse(sentences.ids.size(), "teacher ids", batch.input.ids.size());
  }
  return sentences;
}

}  // namespace

void EngineTrainer::set_teacher(std::shared_ptr<const model::Model> teacher) {
  const auto ours = std::dynamic_pointer_cast<const EngineModel>(teacher);
  if (ours == nullptr) {
    throw UsageError("Training with a teacher: the teacher was not loaded by this engine.");
  }
  const model::EncoderConfig& theirs = ours->config().encoder;
  if (theirs.d_model != config_.encoder.d_model) {
    throw ModelError("Training with a teacher: its d_model is " + std::to_string(theirs.d_model) +
                     " and the student's is " + std::to_string(config_.encoder.d_model) +
                     "; their states can only be compared when both are equal.");
  }
  if (ours->weights().device() != device_.device) {
    throw DeviceError("Training with a teacher: the teacher is on " + ours->device() +
                      " and the student on " + device_.text + "; load both on the same device.");
  }
  teacher_ = ours;
  teacher_weights_ = ours->weights();
  if (options_.bfloat16_products) {
    use_bfloat16_products(teacher_weights_);
  }
}

EngineTrainer::TeacherPass EngineTrainer::run_teacher(const model::TrainingBatch& batch,
                                                      const model::LossWeights& losses) const {
  if (teacher_ == nullptr) {
    throw UsageError("A training step: losses against a teacher, but there is none.");
  }
  const model::ModelConfig& config = teacher_->config();
  if (losses.layerwise && config.encoder.layers != config_.encoder.layers) {
    throw ModelError(
        "A training step: layer by layer needs a teacher of as many layers as the student; it has " +
        std::to_string(config.encoder.layers) + ", the student " + std::to_string(config_.encoder.layers) +
        ".");
  }
  if (losses.attention > 0.0 && (config.encoder.recurrent() || config_.encoder.recurrent())) {
    throw ModelError(std::string("A training step: the loss attention compares attention maps, and the ") +
                     (config_.encoder.recurrent() ? "student" : "teacher") +
                     " is a recurrent encoder (kind gru or lstm), which has none; take hidden, last or "
                     "sentence, which compare states.");
  }
  const model::PackedBatch sentences = teacher_sentences(batch, losses);
  const at::NoGradGuard no_gradients;
  InputOptions options;
  options.padding = training_padding_for(device_.device);
  const at::Tensor& positions = teacher_weights_.encoder.positions;
  const PackedInput input =
      make_input(config, sentences, device_.device, positions.defined() ? positions.size(0) : 0, 0, options);
  TeacherPass pass{StateTaps(config.encoder, losses.attention > 0.0), input};
  encode(
      {.config = config, .weights = teacher_weights_, .sinusoids = teacher_->sinusoids(), .taps = &pass.taps},
      pass.input);
  return pass;
}

DistillationTerms EngineTrainer::compare(const StateTaps& taps, const PackedInput& input,
                                         const TeacherPass& teacher, const model::TrainingBatch& batch,
                                         const model::LossWeights& losses) const {
  Reading own{.taps = taps, .config = config_.encoder, .input = input};
  Reading other{.taps = teacher.taps, .config = teacher_->config().encoder, .input = teacher.input};
  if (batch.teacher_reading) {
    own.units = to_device(batch.teacher_reading->units, device_.device);
    other.units = to_device(batch.teacher_reading->teacher_units, device_.device);
    own.unit_count = other.unit_count = batch.teacher_reading->count;
  }
  return distillation_terms(own, other, losses, options_.state_loss);
}

}  // namespace mog::engine
