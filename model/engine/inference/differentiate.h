// Derivatives of what a model says by its tokens: how much each is there, and how long its embedding is.
//
// `of`: encoder.output, or heads.TASK.logits of a task that the model has. Sums over sentences are not taken:
// a packed batch of independent sentences is differentiated at once. Safe from several threads.
#pragma once

#include <span>

#include "model/engine/modules/forward.h"
#include "model/model.h"

namespace mog::engine {

// Throws UsageError for another `of`, weights in bfloat16, numbers that are not one a token, a presence
// outside [0, 1], a sentence of which nothing is left, and presence in a recurrent encoder.
void require_differentiable(const model::ModelConfig& config, const Weights& weights,
                            const model::PackedBatch& batch, const model::Relaxation& at,
                            const QuantityName& of);
// The same for a direction; `leaving`: [token].
void require_differentiable_along(const model::ModelConfig& config, const Weights& weights,
                                  const model::PackedBatch& batch, std::span<const double> leaving,
                                  const QuantityName& of);

// What model::Model::differentiate and differentiate_along promise, of a batch that was found differentiable
// and is not empty. context: of inference, with nothing relaxed; on its device, and with the threads that the
// caller has set. gradients: [token]; throws ModelError for one by `of` that is no finite number.
model::TokenGradients token_gradients(const ForwardContext& context, const model::PackedBatch& batch,
                                      const model::Relaxation& at, const QuantityName& of,
                                      const model::Cotangent& cotangent);
// values, slopes: as long as the values of `of`.
model::DirectedSlopes directed_slopes(const ForwardContext& context, const model::PackedBatch& batch,
                                      std::span<const double> leaving, const QuantityName& of);

}  // namespace mog::engine
