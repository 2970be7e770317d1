// The target that the options name, of one sentence, and the quantity that it reads.
#pragma once

#include <optional>

#include "analysis/effects/readout.h"
#include "analysis/effects/units.h"
#include "app/workflow/effects/faithfulness_job.h"
#include "io/recording/quantity_name.h"
#include "io/recording/sentence.h"
#include "model/model.h"

namespace mog::app {

using analysis::ErasedTokens;
using analysis::Readout;
using analysis::Units;

// nullopt for a sentence that does not have the target's word.
std::optional<Readout> readout_of(const FaithfulnessOptions& options, const Sentence& sentence);

// The output of the model's stack (encoder.output), heads.TASK.logits, or heads.arcs.pair_scores.
QuantityName read_quantity(const FaithTarget& target, const model::Model& model);

}  // namespace mog::app
