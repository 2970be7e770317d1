// How good the weights of a training run are, by which it chooses the best.
#pragma once

#include <cstdint>

#include "app/workflow/train/train_setup.h"
#include "app/workflow/train/train_validation.h"

namespace mog::app {

// On the development data; with a teacher also how far the two agree, with training.validation_bleu also
// BLEU. Throws Interrupted after a stop request.
Validation validate_run(const TrainSetup& setup, model::Trainer& trainer);

// BLEU of the first `sentences` translations, as `mog translate` and `mog evaluate` give it (13a, one
// reference; lower-cased where the tokenizer lowers, since such a model cannot say capitals).
double bleu_of(const TrainSetup& setup, model::Trainer& trainer, const PreparedData& data,
               std::int64_t sentences);

}  // namespace mog::app
