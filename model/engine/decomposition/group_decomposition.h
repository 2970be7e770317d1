// The exact decompositions of one group of sentences in one layer: why its attention is what it is, and what
// comes of it (internal to the engine; docs/quantity-names.md, Exact decompositions).
#pragma once

#include <ATen/ATen.h>

#include "model/engine/decomposition/identities.h"
#include "model/engine/decomposition/layer_maps.h"
#include "model/engine/decomposition/layer_trace.h"
#include "model/engine/decomposition/results.h"
#include "model/engine/decomposition/split.h"
#include "model/engine/decomposition/values.h"

namespace mog::engine {

// Each call computes what `results` ask of it (all of it when identities are checked), gathers it there and
// tells `identities`.
class GroupDecomposition {
 public:
  // Everything is borrowed. pattern: A of the group, [sentences, head, query, key].
  GroupDecomposition(const LayerTrace& trace, const AttentionGroup& group, const at::Tensor& pattern,
                     Results& results, Identities& identities);

  // Terms of the scores, [head, term, query, key] a sentence, their covariance shares and what leaving each
  // out does to A (nats), [head, term].
  void give_logit_terms(const ScoreParts& joined);
  // The same of the nine terms, but for leaving them out.
  void give_separate_terms(const ScoreParts& separate);
  // What each term does to A: Aumann-Shapley maps S [sentences * head, query, term, key], float64, always
  // computed.
  at::Tensor give_shapley(const ScoreParts& joined);
  // Outputs of the attention block, [cause, value part, token, d_model], always computed, their norms, and
  // shares of the order groups in the layer's output, [token, order group]. parts: of the layer's output;
  // shapley: as give_shapley returns it.
  void give_values(const OutputParts& parts, const ValueParts& values, const at::Tensor& shapley);
  // Maps of the literature (Kobayashi et al. 2021, GlobEnc, ALTI), [query, key], and the mixing ratio,
  // [query].
  void give_maps(const GivenVectors& given);

 private:
  const LayerTrace& trace_;
  const AttentionGroup& group_;
  const at::Tensor& pattern_;
  Results& results_;
  Identities& identities_;
  bool check_;
  at::Tensor uniform_;  // ScoreForm::uniform of the group
};

}  // namespace mog::engine
