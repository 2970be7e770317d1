// Encoders after BERT: rotary positions, gated feed-forward blocks, layers that see a window alone. A token
// attends to both sides.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "io/recording/errors.h"
#include "model/foreign/causal_stack.h"

namespace mog::model {
namespace {

// As the readers from left to right, but to both sides, without a head and between special tokens. `names`:
// those of transformers and those that its authors gave; the first whose first projection is in the file.
Blueprint encoder_blueprint(HfConfig& config, const EncoderConfig& encoder, std::vector<StackNames> names,
                            const CausalModel& model, const std::vector<RotaryFrequencies>& frequencies,
                            std::int64_t positions = 0) {
  Blueprint blueprint = causal_blueprint(config, encoder, names.front(), model, {}, positions);
  blueprint.language_model.reset();
  blueprint.framed = true;
  blueprint.plan = [encoder, names = std::move(names), frequencies, positions,
                    vocabulary = blueprint.vocabulary](TensorPlan& plan) {
    const auto there = [&](const StackNames& one) {
      const std::string& first = one.fused.empty() ? one.query : one.fused;
      return plan.has(fmt::format(fmt::runtime(one.layer), 0) + first + ".weight");
    };
    const auto found = std::find_if(names.begin(), names.end(), there);
    plan_stack(plan, encoder, vocabulary, positions, found == names.end() ? names.front() : *found);
    plan_rotary(plan, frequencies);
    plan.ignore("embeddings.position_ids");
    plan.ignore("embeddings.token_type_ids");
  };
  return blueprint;
}

EncoderConfig two_sided(HfConfig& config) {
  return causal_stack(config, Mask::full);
}

// Of post-norm encoders with BERT's embeddings.
EncoderConfig bert_with_rotary(HfConfig& config, double epsilon) {
  EncoderConfig encoder = two_sided(config);
  encoder.norm = NormPlace::post;
  encoder.embedding_norm = true;
  encoder.layer_norm_eps = config.epsilon("layer_norm_eps", epsilon);
  return encoder;
}

// What transformers calls the parts of BERT's rotary successors.
StackNames successor_names(HfConfig& config, std::int64_t types) {
  StackNames names;
  names.own = "layers. embeddings.";
  names.embeddings = "embeddings.word_embeddings";
  names.embedding_norm = "embeddings.LayerNorm";
  names.attention_norm = "post_attention_layernorm";
  names.ffn_norm = "post_mlp_layernorm";
  names.types = config.count("type_vocab_size", types);
  if (names.types > 0) {
    names.token_types = "embeddings.token_type_embeddings";
  }
  return names;
}

constexpr const char* kTypeNote = "token type 0 is added to every embedding; other types are left out";

}  // namespace

Blueprint modernbert_blueprint(HfConfig& config) {
  EncoderConfig encoder = two_sided(config);
  encoder.embedding_norm = true;
  encoder.first_norm = false;
  encoder.layer_norm_eps = config.epsilon("norm_eps", 1e-5);
  encoder.gated_ffn = true;
  encoder.activation = config.activation("hidden_activation", "gelu");
  const bool attention = config.flag("attention_bias", false);
  encoder.projection_bias = config.flag("mlp_bias", false) || attention;
  config.harmless({"norm_bias", "classifier_activation", "classifier_bias", "classifier_pooling",
                   "decoder_bias", "deterministic_flash_attn", "embedding_dropout",
                   "initializer_cutoff_factor", "mlp_dropout", "reference_compile", "repad_logits_with_grad",
                   "sparse_pred_ignore_index", "sparse_prediction", "sep_token_id", "position_embedding_type",
                   "layer_norm_eps", "hidden_act"});
  const std::int64_t window = config.size("local_attention", 128) / 2;
  const std::int64_t every = config.size("global_attn_every_n_layers", 3);
  const std::vector<std::string> types = config.texts("layer_types", encoder.layers);
  for (std::int64_t layer = 0; layer < encoder.layers; ++layer) {
    if (!types.empty() && types[static_cast<std::size_t>(layer)] != "sliding_attention" &&
        types[static_cast<std::size_t>(layer)] != "full_attention") {
      config.refuse("layer_types", "full_attention and sliding_attention are");
    }
    const bool local =
        types.empty() ? layer % every != 0 : types[static_cast<std::size_t>(layer)] == "sliding_attention";
    encoder.windows.push_back(local ? window : 0);
  }
  if (window == 0) {
    config.refuse("local_attention", "2 or more are");
  }
  StackNames names;
  names.own = "layers. embeddings.";
  names.embeddings = "embeddings.tok_embeddings";
  names.embedding_norm = "embeddings.norm";
  names.fused = "attn.Wqkv";
  names.out = "attn.Wo";
  names.attention_norm = "attn_norm";
  names.ffn_norm = "mlp_norm";
  names.fused_up = "mlp.Wi";
  names.down = "mlp.Wo";
  names.final_norm = "final_norm";
  const auto frequencies =
      read_rotary_positions(config, encoder, {.base = 160000.0, .local_base = 10000.0}, RotaryPairs::halves);
  return encoder_blueprint(config, encoder, {names}, {.what = "ModernBERT"}, frequencies);
}

// Files of its authors (keys and names of GPT-2's kind) and those of transformers.
Blueprint nomic_bert_blueprint(HfConfig& config) {
  const bool theirs = config.given("n_embd");
  EncoderConfig encoder;
  const StackNames names = successor_names(config, 2);
  if (theirs) {
    encoder.layers = config.layers("n_layer");
    encoder.d_model = encoder.attention_dim = config.size("n_embd");
    encoder.heads = config.size("n_head");
    if (encoder.d_model % encoder.heads != 0) {
      config.refuse("n_head", fmt::format("a divisor of n_embd = {} is", encoder.d_model));
    }
    encoder.ffn_dim = config.size("n_inner");
    encoder.layer_norm_eps = config.epsilon("layer_norm_epsilon", 1e-12);
    const std::string activation = config.text("activation_function", "swiglu");
    if (activation != "swiglu") {
      config.refuse("activation_function", "swiglu is");
    }
    encoder.activation = Activation::silu;
    for (const char* const key : {"qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias", "prenorm",
                                  "parallel_block", "causal", "rotary_emb_interleaved", "use_rms_norm"}) {
      config.require_flag(key, false, "this part is not there");
    }
    config.harmless({"n_positions",
                     "attn_pdrop",
                     "embd_pdrop",
                     "resid_pdrop",
                     "fused_bias_fc",
                     "fused_dropout_add_ln",
                     "pad_vocab_size_multiple",
                     "rotary_emb_scale_base",
                     "scale_attn_weights",
                     "scale_attn_by_inverse_layer_idx",
                     "reorder_and_upcast_attn",
                     "summary_activation",
                     "summary_first_dropout",
                     "summary_proj_to_labels",
                     "use_flash_attn",
                     "use_xentropy",
                     "dense_seq_output",
                     "last_layer_subset",
                     "layer_norm_training",
                     "parallel_block_tied_norm",
                     "max_trained_positions",
                     "rotary_scaling_factor",
                     "position_embedding_type",
                     "hidden_size",
                     "num_attention_heads",
                     "num_hidden_layers",
                     "fused_norm"});
    if (config.given("rotary_scaling_factor")) {  // beyond, its base would grow with the text
      encoder.max_positions = config.size("max_trained_positions", 2048);
    }
  } else {
    encoder = bert_with_rotary(config, 1e-12);
    encoder.activation = config.activation("hidden_act", "silu");
  }
  encoder.kind = EncoderKind::transformer;
  encoder.norm = NormPlace::post;
  encoder.embedding_norm = true;
  encoder.embed_scale = false;
  encoder.gated_ffn = true;
  encoder.projection_bias = false;
  StackNames own = names;
  own.own = "encoder. embeddings. emb_ln.";
  own.layer = "encoder.layers.{}.";
  own.embedding_norm = "emb_ln";
  own.fused = "attn.Wqkv";
  own.out = "attn.out_proj";
  own.attention_norm = "norm1";
  own.ffn_norm = "norm2";
  own.gate = "mlp.fc12";
  own.up = "mlp.fc11";
  own.down = "mlp.fc2";
  const auto frequencies =
      read_rotary_positions(config, encoder, {.base = 1000.0, .any_part = true}, RotaryPairs::halves);
  Blueprint blueprint =
      encoder_blueprint(config, encoder, {names, own},
                        {.what = "NomicBERT", .prefixes = {"", "bert.", "nomic_bert."}}, frequencies);
  blueprint.notes = {kTypeNote};
  return blueprint;
}

// The newer GTE ("new" in files of its authors).
Blueprint gte_blueprint(HfConfig& config) {
  const bool theirs = config.model_type() == "new";
  EncoderConfig encoder = bert_with_rotary(config, 1e-12);
  encoder.gated_ffn = true;
  encoder.activation = config.activation("hidden_act", "gelu");
  if (config.text("position_embedding_type", "rope") != "rope") {
    config.refuse("position_embedding_type", "rope is");
  }
  if (config.text("layer_norm_type", "layer_norm") != "layer_norm") {
    config.refuse("layer_norm_type", "layer_norm is");
  }
  config.require_flag("logn_attention_scale", false, "scores do not depend on the length");
  config.require_flag("logn_attention_clip1", false, "scores do not depend on the length");
  config.require_flag("pack_qkv", true, "queries, keys and values are in one map");
  config.harmless({"unpad_inputs", "use_memory_efficient_attention", "initializer_range"});
  const StackNames names = successor_names(config, 1);
  StackNames own = names;
  own.own = "encoder. embeddings.";
  own.layer = "encoder.layer.{}.";
  own.fused = "attention.qkv_proj";
  own.out = "attention.o_proj";
  own.attention_norm = "attn_ln";
  own.ffn_norm = "mlp_ln";
  own.fused_up = "mlp.up_gate_proj";
  own.gate_first = false;
  const auto frequencies =
      read_rotary_positions(config, encoder, {.base = theirs ? 10000.0 : 160000.0}, RotaryPairs::halves);
  Blueprint blueprint = encoder_blueprint(config, encoder, {names, own},
                                          {.what = "GTE", .prefixes = {"", "new.", "gte."}}, frequencies);
  blueprint.notes = {kTypeNote};
  return blueprint;
}

// BERT's layers whose scores fall with the distance to both sides. Its code is not in transformers: this is
// what its authors publish.
Blueprint jina_v2_blueprint(HfConfig& config) {
  EncoderConfig encoder = bert_with_rotary(config, 1e-12);
  encoder.position = Position::alibi;
  encoder.activation = config.activation("hidden_act", "gelu");
  config.harmless({"position_embedding_type", "emb_pooler", "attn_implementation", "classifier_dropout"});
  StackNames names = successor_names(config, 2);
  names.own = "encoder. embeddings.";
  names.layer = "encoder.layer.{}.";
  names.query = "attention.self.query";
  names.key = "attention.self.key";
  names.value = "attention.self.value";
  names.out = "attention.output.dense";
  names.attention_norm = "attention.output.LayerNorm";
  const std::string form = config.text("feed_forward_type", "original");
  if (form == "geglu") {
    encoder.gated_ffn = true;
    encoder.activation = Activation::gelu;
    names.ffn_norm = "mlp.layernorm";
    names.fused_up = "mlp.gated_layers";
    names.down = "mlp.wo";
  } else if (form == "original") {
    names.ffn_norm = "output.LayerNorm";
    names.up = "intermediate.dense";
    names.down = "output.dense";
  } else {
    config.refuse("feed_forward_type", "original and geglu are");
  }
  Blueprint blueprint =
      encoder_blueprint(config, encoder, {names}, {.what = "JinaBERT", .prefixes = {"", "bert."}}, {});
  blueprint.plan = [plan_layers = blueprint.plan, slopes = alibi_slopes(encoder.heads)](TensorPlan& plan) {
    plan_layers(plan);
    plan_slopes(plan, slopes);
  };
  blueprint.notes = {kTypeNote};
  return blueprint;
}

Blueprint jina_v3_blueprint(HfConfig& config) {
  EncoderConfig encoder = bert_with_rotary(config, 1e-5);
  encoder.activation = config.activation("hidden_act", "gelu");
  StackNames names = successor_names(config, 1);
  names.up = "mlp.fc1";
  names.down = "mlp.fc2";
  StackNames own = names;
  own.own = "encoder. embeddings. emb_ln.";
  own.layer = "encoder.layers.{}.";
  own.embedding_norm = "emb_ln";
  own.fused = "mixer.Wqkv";
  own.out = "mixer.out_proj";
  own.attention_norm = "norm1";
  own.ffn_norm = "norm2";
  const auto frequencies = read_rotary_positions(config, encoder, {.base = 20000.0}, RotaryPairs::halves);
  Blueprint blueprint = encoder_blueprint(
      config, encoder, {names, own},
      {.what = "Jina embeddings 3", .prefixes = {"", "roberta.", "jina_embeddings_v3."}}, frequencies);
  blueprint.notes = {kTypeNote};
  return blueprint;
}

Blueprint eurobert_blueprint(HfConfig& config) {
  EncoderConfig encoder = two_sided(config);
  encoder.norm_kind = NormKind::rms;
  encoder.layer_norm_eps = config.epsilon("rms_norm_eps", 1e-5);
  encoder.gated_ffn = true;
  encoder.activation = config.activation("hidden_act", "silu");
  const bool attention = config.flag("attention_bias", false);
  encoder.projection_bias = config.flag("mlp_bias", false) || attention;
  config.harmless({"pretraining_tp", "classifier_pooling", "clf_pooling", "mask_token", "bos_token",
                   "eos_token", "pad_token"});
  const auto frequencies = read_rotary_positions(config, encoder, {}, RotaryPairs::halves);
  return encoder_blueprint(config, encoder, {StackNames()}, {.what = "EuroBERT"}, frequencies);
}

// A language model of proteins: pre-norm, and embeddings scaled to what they were on average under the masks
// of its training.
Blueprint esm_blueprint(HfConfig& config) {
  constexpr double kUnmasked = 1.0 - 0.15 * 0.8;
  EncoderConfig encoder = two_sided(config);
  encoder.layer_norm_eps = config.epsilon("layer_norm_eps", 1e-12);
  encoder.activation = Activation::gelu;
  encoder.embedding_norm = config.flag("emb_layer_norm_before", false);
  config.require_flag("is_folding_model", false, "the language model is read");
  config.harmless({"esmfold_config", "vocab_list", "hidden_act", "rope_theta"});
  StackNames names;
  names.own = "encoder. embeddings.";
  names.embeddings = "embeddings.word_embeddings";
  names.embedding_norm = "embeddings.layer_norm";
  names.layer = "encoder.layer.{}.";
  names.query = "attention.self.query";
  names.key = "attention.self.key";
  names.value = "attention.self.value";
  names.out = "attention.output.dense";
  names.attention_norm = "attention.LayerNorm";
  names.ffn_norm = "LayerNorm";
  names.up = "intermediate.dense";
  names.down = "output.dense";
  names.final_norm = "encoder.emb_layer_norm_after";
  const bool dropped = config.flag("token_dropout", false);
  if (dropped) {
    encoder.embedding_scale = kUnmasked;
  }
  const std::string kind = config.text("position_embedding_type", "absolute");
  std::vector<RotaryFrequencies> frequencies;
  std::int64_t positions = 0;
  if (kind == "rotary") {
    frequencies = read_rotary_positions(config, encoder, {}, RotaryPairs::halves);
  } else if (kind == "absolute") {
    encoder.position = Position::learned;
    names.positions = "embeddings.position_embeddings";
    names.first_position = config.id("pad_token_id").value_or(1) + 1;
    positions = config.size("max_position_embeddings", 1026);
    if (positions <= names.first_position) {
      config.refuse("max_position_embeddings", "no row is left for a token");
    }
  } else {
    config.refuse("position_embedding_type", "rotary and absolute are");
  }
  Blueprint blueprint = encoder_blueprint(config, encoder, {names}, {.what = "ESM", .prefixes = {"", "esm."}},
                                          frequencies, positions);
  if (kind == "rotary") {  // there, but not read
    blueprint.plan = [plan_all = blueprint.plan](TensorPlan& plan) {
      plan_all(plan);
      plan.ignore("embeddings.position_embeddings.weight");
    };
  }
  if (dropped) {
    blueprint.notes = {"embeddings are scaled as for texts without <mask>"};
  }
  return blueprint;
}

}  // namespace mog::model
