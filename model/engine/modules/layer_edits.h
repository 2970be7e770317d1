// Who looks at what one layer of an encoder computes on its way, and puts something else in its place.
#pragma once

#include <ATen/ATen.h>

#include "io/recording/quantity_name.h"
#include "model/engine/modules/forward.h"

namespace mog::engine {

// Each is given what the layer computed and gives what the layer goes on with; by itself what it was given.
class LayerEdits {
 public:
  virtual ~LayerEdits() = default;
  // The heads of a part before its output map, [token, attention_dim].
  virtual at::Tensor heads(Part /*part*/, const at::Tensor& context) { return context; }
  // What the attention block and the feed-forward block add to the residual state, [token, d_model].
  virtual at::Tensor attention(const at::Tensor& added) { return added; }
  virtual at::Tensor feed_forward(const at::Tensor& added) { return added; }
};

// encode_layer() of forward.h with edits. Recurrent layers have nothing that is edited.
at::Tensor encode_edited_layer(const ForwardContext& context, const PackedInput& input, std::int64_t layer,
                               const at::Tensor& previous, const at::Tensor& full, LayerEdits& edits);

}  // namespace mog::engine
