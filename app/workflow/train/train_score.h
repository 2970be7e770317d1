// How good the weights of a training run are, by which it chooses the best.
#pragma once

#include <map>
#include <string>

#include "app/workflow/train/train_setup.h"
#include "app/workflow/train/train_validation.h"

namespace mog::app {

// On the development data; with a teacher also how far the two agree, with training.validation_bleu
// and validation_rouge also what output_scores() gives. Throws Interrupted after a stop request.
Validation validate_run(const TrainSetup& setup, model::Trainer& trainer);

// Of the graphs that the model predicts: "uas" and "las", or the scores of coreference.
std::map<std::string, double> graph_scores(const TrainSetup& setup, model::Trainer& trainer,
                                           const PreparedData& data);

// "bleu" of the first training.validation_bleu lines that the model writes and "rouge1", "rouge2", "rougeL"
// of the first training.validation_rouge (`whole`: of all lines, those that are above 0), as `mog translate`
// and `mog evaluate` give them: 13a, no stems, one reference; lower-cased where the tokenizer lowers, since
// such a model cannot say capitals.
std::map<std::string, double> output_scores(const TrainSetup& setup, model::Trainer& trainer,
                                            const PreparedData& data, bool whole);

}  // namespace mog::app
