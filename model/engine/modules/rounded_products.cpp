// Which products of a model take factors of fewer bits: those of tokens with the weight matrices of the
// layers. Heads, the output projection, what a recurrent layer multiplies step by step and maps of sentences
// do not.
#include <algorithm>
#include <map>

#include "model/engine/modules/weights.h"

namespace mog::engine {
namespace {

// Calls visit(map) for every map of the layers that is multiplied with all tokens at once.
template <class Visit>
void each_product(Weights& weights, const Visit& visit) {
  for (EncoderLayer& layer : weights.encoder_layers) {
    for (Linear& output : layer.outputs) {
      visit(output);
    }
    for (Linear* const map :
         {&layer.from_incremental, &layer.from_previous, &layer.output_sum, &layer.gate_new, &layer.gate_low,
          &layer.feed_forward.up, &layer.feed_forward.down, &layer.feed_forward.linear}) {
      visit(*map);
    }
  }
  for (std::vector<RecurrentLayer>* const layers : {&weights.recurrent_layers, &weights.backward_layers}) {
    for (RecurrentLayer& layer : *layers) {
      visit(layer.input);
    }
  }
  for (DecoderLayer& layer : weights.decoder_layers) {
    for (Linear* const map : {&layer.self_projections, &layer.self_output, &layer.cross_query,
                              &layer.cross_key_value, &layer.cross_output, &layer.feed_forward.up,
                              &layer.feed_forward.down, &layer.feed_forward.linear}) {
      visit(*map);
    }
  }
  for (GretLayer& layer : weights.gret.layers) {
    visit(layer.capsules);
  }
  if (!weights.gret.layers.empty()) {
    visit(weights.gret.gate_of_state);
  }
}

}  // namespace

void use_bfloat16_products(Weights& weights) {
  each_product(weights, [](Linear& map) { map.mixed = true; });
}

// Gates stay: their products are few, and they are what is studied. So do the joined output maps: parts are
// multiplied one by one, so that the numbers do not depend on what is looked at.
void use_eight_bit_products(Weights& weights) {
  std::map<const c10::TensorImpl*, EightBitMatrix> made;  // maps that several layers or parts share
  each_product(weights, [&made](Linear& map) {
    if (map.weight.defined()) {
      EightBitMatrix& matrix = made[map.weight.unsafeGetTensorImpl()];
      if (!matrix.defined()) {
        matrix = to_eight_bits(map.weight);
      }
      map.eight = matrix;
    }
  });
  for (EncoderLayer& layer : weights.encoder_layers) {
    layer.gate_new.eight = {};
    layer.gate_low.eight = {};
    if (layer.outputs.size() > 1) {
      layer.output_sum.eight = {};
    }
  }
  weights.gret.gate_of_state.eight = {};
}

bool has_rounded_products(const Weights& weights) {
  const auto rounded = [](const Linear& map) { return map.mixed || map.eight.defined(); };
  return weights.dtype() == at::kBFloat16 ||
         std::any_of(weights.encoder_layers.begin(), weights.encoder_layers.end(),
                     [&](const EncoderLayer& layer) { return rounded(layer.from_incremental); }) ||
         std::any_of(weights.recurrent_layers.begin(), weights.recurrent_layers.end(),
                     [&](const RecurrentLayer& layer) { return rounded(layer.input); }) ||
         std::any_of(weights.decoder_layers.begin(), weights.decoder_layers.end(),
                     [&](const DecoderLayer& layer) { return rounded(layer.self_projections); });
}

}  // namespace mog::engine
