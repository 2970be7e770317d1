// The values that attributions give to the units of one sentence.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "app/workflow/effects/faithfulness_eraser.h"
#include "app/workflow/effects/faithfulness_readout.h"
#include "app/workflow/record/live_run.h"

namespace mog::app {

// Why the model or the choices do not have an attribution; empty: they do.
std::string why_not(Attribution attribution, const LoadedModel& loaded, const FaithfulnessOptions& options);

// [unit] of every wanted attribution. Throws as Model::run and Model::differentiate.
std::map<Attribution, std::vector<double>> attribute(const LoadedModel& loaded,
                                                     const FaithfulnessOptions& options,
                                                     const Sentence& sentence, const Readout& readout,
                                                     Eraser& eraser, const std::set<Attribution>& wanted,
                                                     const std::stop_token& stop);

// Those of gradients alone (faithfulness_gradients.cpp), [token], for removal [unit]. graph: what the model
// reads beside the sentence.
std::vector<double> slope_attribution(Attribution attribution, const model::Model& model,
                                      const FaithfulnessOptions& options, const Sentence& sentence,
                                      const Readout& readout, const std::vector<double>& before,
                                      const GraphArcs& graph);

}  // namespace mog::app
