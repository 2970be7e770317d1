// The weights of a model as the modules use them: tensors bound by name, with the projections that share an
// input joined into one.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/config/config.h"
#include "model/engine/modules/eight_bit_product.h"

namespace mog::engine {

// Tensors under the names of docs/model-directory.md, all of one dtype on one device.
using TensorTable = std::map<std::string, at::Tensor, std::less<>>;

// x [..., in] → x·weightᵀ + bias [..., out].
struct Linear {
  at::Tensor weight;          // [out, in]
  at::Tensor bias;            // [out]; undefined: none
  bool mixed = false;         // bfloat16 factors (mixed_product.h); x is then [token, in]
  EightBitMatrix eight = {};  // the weight in 8 bits, which is used where it is defined
  at::Tensor operator()(const at::Tensor& x) const;
};

struct LayerNorm {
  at::Tensor weight;  // [d_model]; undefined: x stays as it is
  at::Tensor bias;    // [d_model]; undefined with rms
  double epsilon = 1e-5;
  bool rms = false;  // x / √(mean(x²) + epsilon), no mean is taken away
  at::Tensor operator()(const at::Tensor& x) const;
};

struct FeedForward {
  LayerNorm norm;         // before the block, or of post-norm behind the sum; undefined with norm = output
  LayerNorm output_norm;  // of what the block gives; undefined unless norm = sandwich | output
  Linear up;              // fc1
  Linear down;            // fc2
  Linear linear;          // fc1_linear, which multiplies the activated fc1; undefined unless gated_ffn
};

// Where a query, key or value of a part is found: columns [begin, begin + attention_dim) of the joined
// projection of I or of P.
struct ProjectionSlot {
  bool of_previous = false;
  std::int64_t begin = 0;
};
struct PartSlots {
  ProjectionSlot query;
  ProjectionSlot key;
  ProjectionSlot value;
};

// Vectors of the relations of a graph that attention reads, [relation, width of a head], with their norms
// applied; row 0 is that of no relation.
struct RelationVectors {
  at::Tensor key;
  at::Tensor query;  // undefined unless form = three_term
  at::Tensor value;
  bool none_is_zero = true;  // row 0 of all of them
};

// Vectors of the distances between tokens, [2 * span, attention_dim], by distance + span; undefined where the
// term is not there.
struct DistanceVectors {
  at::Tensor key;
  at::Tensor query;
};

// A head that scores pairs of tokens (model::PairHead).
struct PairScorer {
  Linear query;
  Linear key;
  at::Tensor weight;  // [width + 1, width], or [class, width + 1, width + 1]
};

// A head that scores a state of a transition parser (model::StateHead).
struct StateScorer {
  Linear pool;    // [d_model, tokens * d_model]; undefined unless the head pools
  Linear hidden;  // [width, tokens * d_model], or [width, d_model + history] behind the pool
  Linear output;  // [class, width]
};

// Of a word with one more dependent; e: width of the embeddings. Undefined unless words are composed.
struct CompositionWeights {
  at::Tensor labels;  // [label, e]
  Linear join;        // [e, 3 * e] of head, dependent and label
  Linear output;      // [e, e]
};

// Recurrent layers over transitions; h: GraphConfig::history. Undefined without a history.
struct HistoryWeights {
  struct Layer {
    Linear input;          // [4 * h, h], rows i, f, g, o
    at::Tensor recurrent;  // [4 * h, h]
  };
  at::Tensor actions;      // [action, h]
  at::Tensor labels;       // [label, h]
  at::Tensor first_state;  // [layer, h]
  at::Tensor first_cell;   // [layer, h]
  std::vector<Layer> layers;
};

// parts: 3 (high, middle1, middle2) in a layer with order groups, else 1 (plain).
struct EncoderLayer {
  std::vector<PartSlots> parts;
  Linear from_incremental;      // all projections of I (plain layer: of x)
  Linear from_previous;         // all projections of P, the last d_model columns are `low`; only with groups
  std::vector<Linear> outputs;  // as long as parts; equal handles where one map serves several parts
  // Σ over parts of output(context) in one product: input is the sum of the contexts where one map serves
  // all (summed_contexts), else the contexts side by side.
  Linear output_sum;
  bool summed_contexts = false;
  Linear gate_new;  // weight_gate with linear2, else undefined
  Linear gate_low;
  LayerNorm attention_norm;         // as FeedForward::norm; undefined too where first_norm leaves it out
  LayerNorm attention_output_norm;  // as FeedForward::output_norm
  LayerNorm query_norm;             // [attention_dim]; undefined unless query_key_norm
  LayerNorm key_norm;               // [key_dim]
  FeedForward feed_forward;
  RelationVectors relations;  // undefined without graph_input
  DistanceVectors distances;  // undefined unless disentangled
};

// One direction of one layer of a GRU or LSTM, its gates joined: rows r, z, n of a GRU, i, f, g, o of an
// LSTM; h is the hidden width of a direction.
struct RecurrentLayer {
  Linear input;               // W: [gates * h, in], without its bias
  at::Tensor bias;            // [gates * h]
  at::Tensor recurrent;       // U: [gates * h, h]
  at::Tensor recurrent_bias;  // c: [h]; only cell = gru, else undefined
};

// Two maps with a rectifier between them, of a pooling of capsules.
struct PoolingBlock {
  Linear up;    // fc1
  Linear down;  // fc2
  at::Tensor operator()(const at::Tensor& x) const;
};

// Global representation: what follows one encoder layer. Layers that share weights have equal handles.
struct GretLayer {
  Linear capsules;           // [capsule * d_model, d_model], without bias
  PoolingBlock pool_query;   // undefined unless pooling = attentive
  PoolingBlock pool_output;  // pooling = concatenation has `down` alone, [d_model, capsule * d_model]
  Linear gru_input;          // [3 * d_model, d_model]: rows r, z, n
  Linear gru_state;
};

struct GretWeights {
  std::vector<GretLayer> layers;  // as many as the encoder's; none without gret
  // The two halves of the gate's columns: those that read the decoder's state, and, with the bias, s.
  Linear gate_of_state;
  Linear gate_of_global;
};

struct DecoderLayer {
  Linear self_projections;  // query, key, value
  Linear self_output;
  Linear cross_query;
  Linear cross_key_value;  // key, value
  Linear cross_output;
  LayerNorm self_norm;
  LayerNorm cross_norm;
  FeedForward feed_forward;
};

struct StackWeights {
  at::Tensor embedding;          // [V, d_model]
  at::Tensor positions;          // [P, d_model]; undefined unless position = random | learned | fixed
  LayerNorm embedding_norm;      // undefined unless embedding_norm
  Linear embedding_map;          // to d_model; undefined unless a plain Transformer has embedding_dim
  LayerNorm final_norm;          // undefined unless the stack ends with a norm
  at::Tensor relative;           // [buckets, head]; undefined unless position = relative
  at::Tensor frequencies;        // [dims / 2] of rotary positions; undefined without
  at::Tensor local_frequencies;  // the same of layers with a window, where they have their own
  at::Tensor slopes;             // [head]; undefined unless position = alibi
};

// The map from states to the next token; undefined without language_model.
struct NextTokenWeights {
  Linear projection;  // undefined unless it has a width
  at::Tensor weight;  // [V, width or d_model]
  at::Tensor bias;    // [V], or undefined
};

struct Weights {
  StackWeights encoder;
  std::vector<EncoderLayer> encoder_layers;      // of a Transformer or Graph-Transformer
  std::vector<RecurrentLayer> recurrent_layers;  // of a GRU or LSTM
  std::vector<RecurrentLayer> backward_layers;   // as many with two directions, else none
  StackWeights decoder;
  std::vector<DecoderLayer> decoder_layers;
  GretWeights gret;
  NextTokenWeights next_token;
  at::Tensor output_projection;  // [Vt, d_model]; the target embedding when shared
  at::Tensor output_bias;        // [Vt]; undefined unless output_bias
  std::map<std::string, Linear> heads;
  std::map<std::string, PairScorer> pair_heads;
  std::map<std::string, StateScorer> state_heads;
  at::Tensor missing_token;  // [d_model], in the place of a token that a state lacks; only with state_heads
  // Of a parser that reads states:
  at::Tensor segments;  // [segment, e], added to the embeddings; else undefined
  CompositionWeights composition;
  HistoryWeights history;

  at::ScalarType dtype() const { return encoder.embedding.scalar_type(); }
  at::Device device() const { return encoder.embedding.device(); }
};

// Joined projections are made here with cat: a trainer binds its leaf tensors again before every forward
// pass (with gradients enabled the joins are part of the graph; cost: one copy of the projection weights).
// Throws ModelError naming a tensor that is missing or has another shape than the configuration demands.
Weights bind_weights(const model::ModelConfig& config, const TensorTable& table);

// Sets `mixed` on every map of the encoder and decoder layers, and of a global representation on those of
// tokens; heads, the output projection, what a recurrent layer multiplies step by step (U) and maps of
// sentences stay float32.
void use_bfloat16_products(Weights& weights);
// Makes 8-bit matrices of the same maps, for inference on the processor.
void use_eight_bit_products(Weights& weights);
// Whether products of the layers take rounded factors, so that nothing adds up exactly.
bool has_rounded_products(const Weights& weights);

}  // namespace mog::engine
