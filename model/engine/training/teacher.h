// The teacher of a training run: another model, with whose states and attention maps a student's are
// compared.
#pragma once

#include <memory>

#include "model/engine/inference/engine_model.h"
#include "model/engine/modules/forward.h"
#include "model/engine/runtime/device.h"
#include "model/engine/training/distillation.h"
#include "model/trainer.h"

namespace mog::engine {

class Teacher {
 public:
  // What one of its forward passes left; `input` is what it read.
  struct Pass {
    StateTaps taps;
    PackedInput input;
  };

  // student: borrowed; device: of the student. Throws UsageError where another engine has loaded the model,
  // ModelError where its d_model is not the student's, DeviceError where it is on another device.
  Teacher(const std::shared_ptr<const model::Model>& teacher, const model::EncoderConfig& student,
          const OpenDevice& device, const model::TrainerOptions& options);

  // Without gradients and dropout, over what it reads of `batch`: the student's tokens, in its own vocabulary
  // where the batch has them so, or its own pieces (TeacherReading). Keeps states [token, d_model] of all
  // layers, attention maps where `losses` need them. Throws ModelError for losses that the two encoders do
  // not allow, UsageError for those that pieces of its own do not, ShapeError where ids or units are not one
  // a token.
  Pass run(const model::TrainingBatch& batch, const model::LossWeights& losses) const;
  // The losses between the student's pass over `input` and `pass`, both of `batch`.
  DistillationTerms compare(const StateTaps& student, const PackedInput& input, const Pass& pass,
                            const model::TrainingBatch& batch, const model::LossWeights& losses) const;

 private:
  std::shared_ptr<const EngineModel> model_;
  Weights weights_;  // the model's, with the student's products
  const model::EncoderConfig& student_;
  at::Device device_;
  model::StateLoss state_loss_;
};

}  // namespace mog::engine
