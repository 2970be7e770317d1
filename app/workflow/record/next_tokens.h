// What a change does to the output of a model with a decoder: the probability of each token of a translation,
// given those before it, before and after the change.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "app/workflow/record/live_run.h"
#include "model/intervention.h"

namespace mog::app {

struct NextToken {
  std::string text;  // to be read: shown_bytes()
  double before = 0;
  double after = 0;
  bool end = false;  // </s>
  // The token of a source word that its cross-attention is on most before the change, mean of the decoder's
  // layers and heads; -1: the model gives none.
  std::int64_t source = -1;
};

// A sentence and what is changed in the model while it reads it (of sentence 0).
struct ChangedRun {
  Sentence sentence;
  std::vector<model::Intervention> interventions;
};

// The translation is the one that the model gives of `before`. The decoder reads it in both runs, so that the
// same tokens are compared. Empty where there is no decoder. Throws as Model::translate and Model::run.
std::vector<NextToken> next_tokens(const LoadedModel& loaded, const ChangedRun& before,
                                   const ChangedRun& after, const std::stop_token& stop);

}  // namespace mog::app
