// A pass of the teacher costs what inference costs, beside a student's step of about three passes; its
// states, and with attention losses its maps averaged over heads, live until the batch is done. It computes
// with the products of the student (bfloat16 where these are), so that both have the same speed and the same
// errors.
#include "model/engine/training/teacher.h"

#include <ATen/core/grad_mode.h>

#include "io/recording/errors.h"
#include "model/engine/training/losses.h"

namespace mog::engine {

namespace {

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

Teacher::Teacher(const std::shared_ptr<const model::Model>& teacher, const model::EncoderConfig& student,
                 const OpenDevice& device, const model::TrainerOptions& options)
    : model_(std::dynamic_pointer_cast<const EngineModel>(teacher)),
      student_(student),
      device_(device.device),
      state_loss_(options.state_loss) {
  if (model_ == nullptr) {
    throw UsageError("Training with a teacher: the teacher was not loaded by this engine.");
  }
  const model::EncoderConfig& own = model_->config().encoder;
  if (own.d_model != student.d_model) {
    throw ModelError("Training with a teacher: its d_model is " + std::to_string(own.d_model) +
                     " and the student's is " + std::to_string(student.d_model) +
                     "; their states can only be compared when both are equal.");
  }
  if (model_->weights().device() != device.device) {
    throw DeviceError("Training with a teacher: the teacher is on " + model_->device() +
                      " and the student on " + device.text + "; load both on the same device.");
  }
  weights_ = model_->weights();
  if (options.bfloat16_products) {
    use_bfloat16_products(weights_);
  }
}

Teacher::Pass Teacher::run(const model::TrainingBatch& batch, const model::LossWeights& losses) const {
  const model::ModelConfig& config = model_->config();
  if (losses.layerwise && config.encoder.layers != student_.layers) {
    throw ModelError(
        "A training step: layer by layer needs a teacher of as many layers as the student; it has " +
        std::to_string(config.encoder.layers) + ", the student " + std::to_string(student_.layers) + ".");
  }
  if (losses.attention > 0.0 && (config.encoder.recurrent() || student_.recurrent())) {
    throw ModelError(std::string("A training step: the loss attention compares attention maps, and the ") +
                     (student_.recurrent() ? "student" : "teacher") +
                     " is a recurrent encoder (kind gru or lstm), which has none; take hidden, last or "
                     "sentence, which compare states.");
  }
  const model::PackedBatch sentences = teacher_sentences(batch, losses);
  const at::NoGradGuard no_gradients;
  InputOptions options;
  options.padding = training_padding_for(device_);
  const at::Tensor& positions = weights_.encoder.positions;
  const PackedInput input =
      make_input(config, sentences, device_, positions.defined() ? positions.size(0) : 0, 0, options);
  Pass pass{StateTaps(config.encoder, losses.attention > 0.0), input};
  encode({.config = config, .weights = weights_, .sinusoids = model_->sinusoids(), .taps = &pass.taps},
         pass.input);
  return pass;
}

DistillationTerms Teacher::compare(const StateTaps& student, const PackedInput& input, const Pass& pass,
                                   const model::TrainingBatch& batch,
                                   const model::LossWeights& losses) const {
  Reading own{.taps = student, .config = student_, .input = input};
  Reading other{.taps = pass.taps, .config = model_->config().encoder, .input = pass.input};
  if (batch.teacher_reading) {
    own.units = indices_on(device_, batch.teacher_reading->units);
    other.units = indices_on(device_, batch.teacher_reading->teacher_units);
    own.unit_count = other.unit_count = batch.teacher_reading->count;
  }
  return distillation_terms(own, other, losses, state_loss_);
}

}  // namespace mog::engine
