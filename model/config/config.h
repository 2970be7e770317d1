// The configuration of a model: every switch of the model directory, version 1 (docs/model-directory.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/config/word_cut.h"

namespace mog::model {

enum class EncoderKind : std::uint8_t { transformer, graph_transformer, gru, lstm };
// Of a recurrent encoder: U(r*h) inside the new value; as the MoG paper prints it (r computed, not used);
// LibTorch's (r*(U h + c), z the share that stays); LSTM without peepholes.
enum class RecurrentCell : std::uint8_t { gru_reset, gru_plain, gru, lstm };
enum class Activation : std::uint8_t { relu, gelu, gelu_tanh, silu };
// Of a block f (attention, feed-forward) and what it reads x: post N(x + f(x)), pre x + f(N(x)), sandwich
// x + N(f(N(x))), output x + N(f(x)).
enum class NormPlace : std::uint8_t { post, pre, sandwich, output };
constexpr bool reads_normed(NormPlace place) noexcept {
  return place == NormPlace::pre || place == NormPlace::sandwich;
}
constexpr bool norms_output(NormPlace place) noexcept {
  return place == NormPlace::sandwich || place == NormPlace::output;
}
// Which keys a query may attend to: all, or its own and those before it.
enum class Mask : std::uint8_t { full, causal };
// Layer norms of queries and keys, over a head or over all heads of a token together.
enum class QueryKeyNorm : std::uint8_t { none, head, row };
// fixed: a table that is not trained, of another program. relative: T5's bias on the attention scores.
// rotary: queries and keys are turned by their places. alibi: scores fall with the distance.
enum class Position : std::uint8_t { sinusoidal, none, random, learned, fixed, relative, rotary, alibi };
// Whether positions are rows of a table in the weights.
constexpr bool has_table(Position position) noexcept {
  return position == Position::random || position == Position::learned || position == Position::fixed;
}
// rms: divided by the root mean square, no mean taken away, no bias (T5).
enum class NormKind : std::uint8_t { layer, rms };
enum class Fusion : std::uint8_t { sum, weight_gate, self_gate };
enum class GateForm : std::uint8_t { linear2, formula };
enum class FirstLayer : std::uint8_t { incremental, plain };
enum class SelfGateScale : std::uint8_t { d, sqrt_d };
enum class Residual : std::uint8_t { full, update };
// Which terms the relation of query and key adds to the scores of attention (Graph-to-Graph Transformers):
// with keys and queries; with keys alone; with keys alone and not divided by the root of the width.
enum class RelationForm : std::uint8_t { three_term, two_term, unscaled };
// What relation 0, no relation, has: nothing, numbers that are not trained, or numbers that are.
enum class NoRelation : std::uint8_t { zero, frozen, learned };
// What a graph is, and how it is found: trees from scores of pairs of words, links of mentions, or trees that
// a transition parser builds, whose encoder reads the sentence or the state itself.
enum class GraphKind : std::uint8_t { dependencies, coreference, transitions, state_transitions };
// What the heads of a parser that reads states score: the words at hand, pooled, or the first token.
enum class StateClassifier : std::uint8_t { pooled, cls };
// The input of a word that has dependents: its own, composed with each of them in turn and theirs with their
// own, or composed with the last of them.
enum class Composition : std::uint8_t { none, recursive, last_dependent };
enum class TokenizerKind : std::uint8_t { whitespace, bpe, wordpiece, byte_bpe, unigram };
// Whether `file` names a tokenizer.json.
constexpr bool has_tokenizer_json(TokenizerKind kind) noexcept {
  return kind == TokenizerKind::wordpiece || kind == TokenizerKind::byte_bpe ||
         kind == TokenizerKind::unigram;
}

// Attention that takes a graph among the tokens as input. Every relation has a vector of the width of a head,
// shared by all heads, for keys, queries and values.
struct GraphInputConfig {
  std::int64_t relations = 3;  // relation 0, none, included
  RelationForm form = RelationForm::three_term;
  NoRelation none = NoRelation::zero;
  bool share = false;     // one set of vectors for all layers, in the place of one a layer
  bool key_norm = false;  // layer norms over the vectors for keys and for values
  bool value_norm = false;
  friend bool operator==(const GraphInputConfig&, const GraphInputConfig&) = default;
};
std::string_view name(RelationForm form) noexcept;  // "three_term", …
std::string describe(const GraphInputConfig& input);

// Rotary positions: dimensions of queries and keys are turned in pairs, by the place of the token times a
// frequency of the pair, which are in the weights (Su et al. 2021).
enum class RotaryPairs : std::uint8_t { halves, neighbours };  // (i, i + dims / 2), or (2i, 2i + 1)
struct RotaryConfig {
  std::int64_t dims = 0;  // the first ones of each head; even
  RotaryPairs pairs = RotaryPairs::halves;
  double factor = 1.0;                     // of sines and cosines (YaRN)
  bool local = false;                      // layers with a window have frequencies of their own
  std::vector<std::int64_t> without = {};  // layers (from 1) whose queries and keys are not turned
  friend bool operator==(const RotaryConfig&, const RotaryConfig&) = default;
};

// Scores from contents and relative positions (DeBERTa, He et al. 2021): distances, or buckets of them, have
// vectors, which are projected as contents are.
struct DisentangledConfig {
  std::int64_t span = 256;           // distances from -span to span - 1 have vectors, farther ones the last
  std::int64_t bucket_distance = 0;  // 0: distances themselves; else logarithmic buckets up to this one
  bool content_to_position = true;   // q_i · key of the distance
  bool position_to_content = true;   // k_j · query of the distance
  bool share = true;                 // by the maps of the contents
  friend bool operator==(const DisentangledConfig&, const DisentangledConfig&) = default;
  // Terms that are added up in the scores.
  std::int64_t terms() const noexcept {
    return 1 + (content_to_position ? 1 : 0) + (position_to_content ? 1 : 0);
  }
};

// A recurrent encoder (gru, lstm) has layers, d_model (also its hidden size; with two directions twice the
// hidden size of one), embedding_dim, cell, bidirectional, position and embed_scale; heads, attention_dim and
// ffn_dim are then 0.
struct EncoderConfig {
  EncoderKind kind = EncoderKind::graph_transformer;
  std::int64_t layers = 6;
  std::int64_t d_model = 512;
  std::int64_t heads = 4;
  std::int64_t attention_dim = 512;  // all heads together; = d_model for kind = transformer without head_dim
  std::int64_t ffn_dim = 1024;
  Activation activation = Activation::relu;
  double layer_norm_eps = 1e-5;
  NormPlace norm = NormPlace::post;  // graph_transformer is post
  Position position = Position::sinusoidal;
  bool embed_scale = true;  // embeddings times sqrt(d_model)
  // A layer norm after embeddings and positions, as in BERT.
  bool embedding_norm = false;
  std::int64_t first_position = 2;  // of the first token, with position = sinusoidal
  // Plain Transformer only, what models of other programs need:
  NormKind norm_kind = NormKind::layer;
  std::optional<bool> final_norm;     // a layer norm after the last layer; nullopt: as `norm` = pre has it
  std::int64_t head_dim = 0;          // 0: d_model / heads; else attention_dim = heads * head_dim
  bool attention_scale = true;        // scores divided by sqrt of the width of a head
  bool projection_bias = true;        // the linear maps of the layers have biases
  bool gated_ffn = false;             // fc2(activation(fc1(x)) * fc1_linear(x))
  std::int64_t relative_buckets = 0;  // with position = relative
  std::int64_t relative_distance = 0;
  Mask mask = Mask::full;
  std::int64_t kv_heads = 0;  // heads of keys and values, each for heads / kv_heads of queries; 0: heads
  // By layer: a query attends no farther than this many tokens away; 0: to all. Empty: no layer has one.
  std::vector<std::int64_t> windows = {};
  std::optional<RotaryConfig> rotary;  // with position = rotary
  // With position = alibi and mask = causal: slope · place of the key, both and their product in bfloat16.
  bool rounded_alibi = false;
  std::optional<DisentangledConfig> disentangled;
  QueryKeyNorm query_key_norm = QueryKeyNorm::none;
  NormKind query_key_norm_kind = NormKind::layer;
  bool parallel = false;           // with norm = pre: the feed-forward block reads x as attention does
  bool first_norm = true;          // whether the attention of layer 1 has the norm before it
  double score_scale = 0.0;        // of the scores; 0: as attention_scale has it
  double score_cap = 0.0;          // c: scores s become c · tanh(s / c); 0: they stay
  double residual_scale = 1.0;     // of what a block adds
  std::int64_t max_positions = 0;  // tokens of the longest text, where no table of positions says it; 0: any
  double embedding_scale = 0.0;    // of the embeddings; 0: as embed_scale has it
  std::optional<GraphInputConfig> graph_input;
  // Graph-Transformer only:
  Fusion fusion = Fusion::weight_gate;
  GateForm gate_form = GateForm::linear2;
  bool share_qkv = false;
  FirstLayer first_layer = FirstLayer::incremental;
  SelfGateScale self_gate_scale = SelfGateScale::d;
  Residual residual = Residual::full;
  // Recurrent only:
  RecurrentCell cell = RecurrentCell::gru_reset;
  std::int64_t embedding_dim = 0;  // width of the embeddings; 0: d_model
  bool bidirectional = false;      // a second recurrence from the last word to the first; d_model is even

  bool recurrent() const noexcept { return kind == EncoderKind::gru || kind == EncoderKind::lstm; }
  std::int64_t embedding_width() const noexcept { return embedding_dim > 0 ? embedding_dim : d_model; }
  std::int64_t directions() const noexcept { return bidirectional ? 2 : 1; }
  // Width of the state of one direction of a recurrent layer.
  std::int64_t hidden_width() const noexcept { return d_model / directions(); }
  // Width of what layer `layer` (from 1) reads.
  std::int64_t input_width(std::int64_t layer) const noexcept {
    return layer == 1 ? embedding_width() : d_model;
  }
  bool graph() const noexcept { return kind == EncoderKind::graph_transformer; }
  bool ends_with_norm() const noexcept { return final_norm.value_or(norm != NormPlace::post); }
  bool causal() const noexcept { return mask == Mask::causal; }
  std::int64_t head_width() const noexcept { return heads > 0 ? attention_dim / heads : 0; }
  std::int64_t key_heads() const noexcept { return kv_heads > 0 ? kv_heads : heads; }
  // All heads of keys (or values) together.
  std::int64_t key_dim() const noexcept { return key_heads() * head_width(); }
  double scale() const noexcept;  // of the scores of attention
  // Of layer `layer` (from 1); 0: none.
  std::int64_t window(std::int64_t layer) const noexcept {
    return windows.empty() ? 0 : windows[static_cast<std::size_t>(layer) - 1];
  }
  bool turns(std::int64_t layer) const noexcept;  // whether rotary positions are applied in the layer
  // Whether layer `layer` (from 1) has all four order groups; false for plain layers and for the first
  // layer under first_layer = plain.
  bool has_groups(std::int64_t layer) const noexcept {
    return graph() && (layer > 1 || first_layer == FirstLayer::incremental);
  }
  friend bool operator==(const EncoderConfig&, const EncoderConfig&) = default;
};

// "graph_transformer", "transformer", "gru", "lstm"; "gru_reset", …
std::string_view name(EncoderKind kind) noexcept;
std::vector<EncoderKind> encoder_kinds();
// What a plain stack has beside the usual: ", 2 key/value heads, rotary positions, …", or nothing.
std::string describe_attention(const EncoderConfig& encoder);
std::string describe(const EncoderConfig& encoder);  // for model cards: "GRU encoder (…) of 2 layers, …"
std::string_view name(RecurrentCell cell) noexcept;
std::string_view name(TokenizerKind kind) noexcept;  // "whitespace", …

struct DecoderConfig {
  std::int64_t layers = 6;
  std::int64_t d_model = 512;
  std::int64_t heads = 4;
  std::int64_t ffn_dim = 1024;
  Activation activation = Activation::relu;
  double layer_norm_eps = 1e-5;
  NormPlace norm = NormPlace::post;
  Position position = Position::sinusoidal;
  bool embed_scale = true;
  bool share_output_embedding = false;
  std::int64_t first_position = 2;  // with position = sinusoidal
  std::optional<bool> final_norm;   // nullopt: as `norm` = pre has it
  bool output_bias = false;         // of the map to the vocabulary
  // What models of other programs need, as in the encoder:
  bool embedding_norm = false;
  NormKind norm_kind = NormKind::layer;
  std::int64_t head_dim = 0;  // 0: d_model / heads
  bool attention_scale = true;
  bool projection_bias = true;
  bool gated_ffn = false;
  std::int64_t relative_buckets = 0;  // with position = relative, in the self-attention alone
  std::int64_t relative_distance = 0;
  // What every translation begins with, whatever its probability: a language, or <s>.
  std::optional<std::int64_t> first_id;

  bool ends_with_norm() const noexcept { return final_norm.value_or(norm == NormPlace::pre); }
  // All heads together.
  std::int64_t attention_dim() const noexcept { return head_dim > 0 ? heads * head_dim : d_model; }
  friend bool operator==(const DecoderConfig&, const DecoderConfig&) = default;
};

// What a step of routing normalises over: the positions of each capsule, as GRET prints it, or the capsules
// of each position, as capsule networks do (Sabour et al. 2017).
enum class RouteAxis : std::uint8_t { positions, capsules };
// How the capsules of a layer become one vector. attentive: weighed by a query made of their mean (GRET eq.
// 7-9).
enum class CapsulePooling : std::uint8_t { attentive, mean, concatenation };

// A global representation of the source beside its states (GRET, Weng et al. 2020): capsules of every encoder
// layer, pooled, gathered layer by layer by a GRU, and taken into the last decoder states through a gate.
struct GretConfig {
  std::int64_t capsules = 32;
  std::int64_t iterations = 3;  // of routing
  RouteAxis route_axis = RouteAxis::positions;
  CapsulePooling pooling = CapsulePooling::attentive;
  std::int64_t ffn_dim = 1024;  // of the two blocks of attentive pooling; 0: another pooling
  // One set of weights for all layers, in the place of one a layer.
  bool share_capsules = false;
  bool share_pooling = true;  // without meaning for the mean
  bool share_gru = true;
  friend bool operator==(const GretConfig&, const GretConfig&) = default;
};
std::string_view name(RouteAxis axis) noexcept;          // "positions", "capsules"
std::string_view name(CapsulePooling pooling) noexcept;  // "attentive", …
std::vector<CapsulePooling> capsule_poolings();
std::string describe(const GretConfig& gret);  // for model cards: "global representation of 16 capsules, …"

// The map from the last states to the next token of the text, of a model that reads from left to right.
struct LanguageModelConfig {
  bool share_embedding = true;  // it is the embedding table
  bool bias = false;
  // Rows, of which those behind the vocabulary have a share in every probability; 0: vocab_size.
  std::int64_t rows = 0;
  std::int64_t width = 0;  // of a map of the states that comes before; 0: none
  double scale = 1.0;      // of the logits
  double cap = 0.0;        // c: logits become c · tanh(logits / c), after the scale; 0: they stay
  friend bool operator==(const LanguageModelConfig&, const LanguageModelConfig&) = default;
};

std::string describe(const LanguageModelConfig& head);  // for model cards

// A graph that is predicted, and read again by an encoder with graph_input (docs/model-directory.md, Graphs).
//
// dependencies: every word hangs on another or on the root. The root's node is the first token that belongs
// to no word; a word's node is its first token. Heads arcs and labels. coreference: the last token of a
// mention goes with its first one, and with the last token of an antecedent; both may be none. Heads mentions
// and antecedents. transitions: dependencies, built action by action (analysis/parsing/transition_system.h).
// Heads actions and labels read the states of chosen tokens. state_transitions: the same, but what is encoded
// is a state of the parser, a token a word: root and stack, eos_id, buffer, eos_id, and with graph_input the
// words that have left the stack.
struct GraphConfig {
  GraphKind kind = GraphKind::dependencies;
  std::vector<std::string> labels;  // of dependencies; none for coreference
  std::int64_t width = 500;         // of the maps before the scores of pairs or actions
  std::int64_t label_width = 100;   // the same for labels; dependencies
  std::int64_t refinements = 3;     // most rounds in which a predicted graph is read; 0 without graph_input
                                    // and for transitions, which read theirs as it grows
  bool link_pieces = true;  // further tokens of a word are tied to its first by a relation of their own;
                            // false for state_transitions, as are the next three for all others
  StateClassifier classifier = StateClassifier::pooled;
  Composition composition = Composition::none;
  std::int64_t history = 0;    // width of the recurrent layers over the transitions before; 0: none
  std::int64_t window = 384;   // of coreference: tokens of a document that were read at once in training
  std::int64_t overlap = 128;  // of neighbouring windows
  friend bool operator==(const GraphConfig&, const GraphConfig&) = default;
  bool is_tree() const noexcept { return kind != GraphKind::coreference; }
  bool by_transitions() const noexcept { return kind == GraphKind::transitions || reads_states(); }
  bool reads_states() const noexcept { return kind == GraphKind::state_transitions; }
  // Relations of the graph as input, none included: each label in both directions, and the link of pieces.
  std::int64_t relations() const noexcept {
    return kind == GraphKind::coreference
               ? 3
               : 2 * (static_cast<std::int64_t>(labels.size()) + (link_pieces ? 1 : 0)) + 1;
  }
};
std::string_view name(GraphKind kind) noexcept;  // "dependencies", of transitions too, or "coreference"
std::string describe(const GraphConfig& graph);  // for model cards

// One head that scores pairs of tokens: score(i, j) = [q_i; 1]ᵀ W [k_j; 1] of each class, where q and k are
// leaky rectifiers (0.1) of affine maps; without labels k_j has no 1.
struct PairHead {
  std::string name;
  std::int64_t width = 0;
  std::int64_t classes = 0;  // labels; 0: one score a pair
};
std::vector<PairHead> pair_heads(const GraphConfig& graph);  // none of transitions

// One head that scores a state of a transition parser: output of the leaky rectifier (0.1) of an affine map
// of the vectors of its first `tokens` tokens, side by side (model/parser_states.h). pools: an affine map to
// d_model and tanh come before; behind what they give stands the history.
struct StateHead {
  std::string name;
  std::int64_t tokens = 0;
  bool pools = false;
  std::int64_t history = 0;
  std::int64_t width = 0;
  std::int64_t classes = 0;
};
std::vector<StateHead> state_heads(const GraphConfig& graph);  // of transitions alone
// The names of all of these, which tasks cannot have.
std::vector<std::string> head_names(const GraphConfig& graph);

struct TokenizerConfig {
  TokenizerKind kind = TokenizerKind::whitespace;
  bool lowercase = false;
  std::string codes;  // file name inside the directory; only for bpe
  std::string file;   // a tokenizer.json inside the directory; for wordpiece, byte_bpe, unigram
  std::string vocab = "vocab.txt";
  std::string target_vocab;  // only for encoder_decoder
  std::string target_file;   // the tokenizer.json of translations; empty: `file`
  WordCut words =
      WordCut::automatic;    // of plain text, as the training data had them; automatic: the tokenizer's
  bool sentence_end = true;  // a source sentence ends with eos_id; false only for whitespace and bpe
  friend bool operator==(const TokenizerConfig&, const TokenizerConfig&) = default;
};

struct ModelConfig {
  EncoderConfig encoder;
  std::optional<DecoderConfig> decoder;               // set exactly for architecture = encoder_decoder
  std::optional<GretConfig> gret;                     // only with a decoder, and an encoder that attends
  std::optional<GraphConfig> graph;                   // only without a decoder
  std::optional<LanguageModelConfig> language_model;  // only without a decoder, with mask = causal
  TokenizerConfig tokenizer;
  std::int64_t vocab_size = 0;
  std::int64_t target_vocab_size = 0;  // 0 without a decoder
  std::int64_t pad_id = 1;
  std::int64_t bos_id = 2;
  std::int64_t eos_id = 2;
  std::int64_t unk_id = 3;
  std::map<std::string, std::vector<std::string>> tasks;  // tags in row order of heads.{task}
  // Rows of the map to the next token, and of the embeddings, which may be the same table.
  std::int64_t next_token_rows() const noexcept {
    return language_model && language_model->rows > 0 ? language_model->rows : vocab_size;
  }
  std::int64_t embedding_rows() const noexcept {
    return language_model && language_model->share_embedding ? next_token_rows() : vocab_size;
  }
  friend bool operator==(const ModelConfig&, const ModelConfig&) = default;
};

// Reads and checks config.json. `file` is only named in messages.
// Throws FormatError (no JSON, key unknown, missing, of a wrong type, duplicate, out of range) naming file
// and key; ModelError where keys are sound by themselves but contradict each other.
ModelConfig parse_config(std::string_view json, const std::filesystem::path& file);
// Plain JSON with all keys in the order of docs/model-directory.md; parse_config reads it back.
std::string to_json(const ModelConfig& config);

}  // namespace mog::model
