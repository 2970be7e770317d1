// ALBERT, MPNet and BigBird: layers of BERT's form with other names, shared weights, a bias of relative
// positions, or an attention that is full for short sentences only.
#include <fmt/format.h>

#include <algorithm>

#include "io/recording/errors.h"
#include "model/foreign/blueprint.h"

namespace mog::model {
namespace {

constexpr std::int64_t kMostWindow = std::int64_t{1} << 30;
constexpr const char* kTypeNote =
    "token type 0 is added to every row of the position table; other types are left out";

}  // namespace

// All layers of a group have the same weights, which we write out for each. Embeddings are narrower than the
// layers.
Blueprint albert_blueprint(HfConfig& config) {
  Blueprint blueprint = bert_like(config);
  EncoderConfig& encoder = blueprint.encoder;
  encoder.activation = config.activation("hidden_act", "gelu_new");
  encoder.embedding_dim = config.size("embedding_size", 128);
  if (encoder.embedding_dim == encoder.d_model) {
    config.refuse("embedding_size", "embeddings are narrower than hidden_size");
  }
  const std::int64_t groups = config.size("num_hidden_groups", 1);
  if (groups > encoder.layers) {
    config.refuse("num_hidden_groups", fmt::format("there are {} layers", encoder.layers));
  }
  for (const char* const key : {"inner_group_num", "down_scale_factor"}) {
    if (config.size(key, 1) != 1) {
      config.refuse(key, "1 is");
    }
  }
  const std::int64_t positions = config.size("max_position_embeddings", 512);
  const std::int64_t types = config.size("type_vocab_size", 2);
  blueprint.positions = positions + kFirstRow;
  blueprint.prefixes = {"", "albert."};
  blueprint.notes = {kTypeNote,
                     fmt::format("{} layers share the weights of {}; each has a copy of its own here",
                                 encoder.layers, groups)};
  blueprint.what = fmt::format("an ALBERT encoder with {} layers", encoder.layers);
  blueprint.plan = [=, config = encoder, vocabulary = blueprint.vocabulary](TensorPlan& plan) {
    plan.own("encoder.");
    plan.own("embeddings.");
    plan_bert_embeddings(plan, config, vocabulary, positions, types, 0);
    plan.linear("encoder.embed_projection", "encoder.embedding_hidden_mapping_in", config.d_model,
                config.embedding_dim);
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
      // As transformers counts: layer / (layers / groups), the divisor a fraction.
      const std::int64_t group = layer * groups / config.layers;
      plan_bert_layer(plan, config, layer,
                      fmt::format("encoder.albert_layer_groups.{}.albert_layers.0.", group),
                      {"attention.query", "attention.key", "attention.value", "attention.dense",
                       "attention.LayerNorm", "ffn", "ffn_output", "full_layer_layer_norm"});
    }
  };
  return blueprint;
}

// Positions are in the embeddings, counted from row 2, and in the scores of all layers, as in T5.
Blueprint mpnet_blueprint(HfConfig& config) {
  constexpr std::int64_t kBuckets = 32;
  constexpr std::int64_t kFirst = 2;
  Blueprint blueprint = bert_like(config);
  EncoderConfig& encoder = blueprint.encoder;
  encoder.relative_buckets = config.size("relative_attention_num_buckets", kBuckets);
  encoder.relative_distance = 128;
  if (encoder.relative_buckets != kBuckets) {
    config.refuse("relative_attention_num_buckets", "distances fall into 32 buckets, whatever it says");
  }
  const std::int64_t positions = config.size("max_position_embeddings", 512);
  if (positions <= kFirst) {
    config.refuse("max_position_embeddings", "no row is left for a token");
  }
  blueprint.pad_id = config.id("pad_token_id").value_or(1);
  blueprint.positions = positions - kFirst + kFirstRow;
  blueprint.prefixes = {"", "mpnet."};
  blueprint.what = fmt::format("an MPNet encoder with {} layers", encoder.layers);
  blueprint.plan = [=, config = encoder, vocabulary = blueprint.vocabulary](TensorPlan& plan) {
    plan.own("encoder.");
    plan.own("embeddings.");
    plan_bert_embeddings(plan, config, vocabulary, positions, 0, kFirst);
    plan.tensor("encoder.relative_bias.weight", {"encoder.relative_attention_bias.weight"},
                {config.relative_buckets, config.heads});
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
      plan_bert_layer(plan, config, layer, fmt::format("encoder.layer.{}.", layer),
                      {"attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o",
                       "attention.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm"});
    }
  };
  return blueprint;
}

// Block-sparse attention is computed only above a number of tokens; up to there transformers, too, takes full
// attention, and so many positions are kept.
Blueprint big_bird_blueprint(HfConfig& config) {
  Blueprint blueprint = bert_like(config);
  EncoderConfig& encoder = blueprint.encoder;
  encoder.activation = config.activation("hidden_act", "gelu_new");
  encoder.embed_scale = config.flag("rescale_embeddings", false);
  config.require_flag("use_bias", true, "queries, keys and values have biases");
  const std::string attention = config.text("attention_type", "block_sparse");
  if (attention != "block_sparse" && attention != "original_full") {
    config.refuse("attention_type", "block_sparse and original_full are");
  }
  const std::int64_t rows = config.size("max_position_embeddings", 4096);
  const std::int64_t blocks = 5 + 2 * config.size("num_random_blocks", 3);
  const std::int64_t dense = blocks * config.size("block_size", 64);
  const std::int64_t positions = attention == "block_sparse" ? std::min(rows, dense) : rows;
  const std::int64_t types = config.size("type_vocab_size", 2);
  blueprint.positions = positions + kFirstRow;
  blueprint.prefixes = {"", "bert."};
  blueprint.notes = {kTypeNote};
  if (positions < rows) {
    blueprint.notes.push_back(fmt::format(
        "sentences have at most {} tokens: above, attention is block-sparse, which is not supported",
        positions));
  }
  blueprint.what = fmt::format("a BigBird encoder with {} layers", encoder.layers);
  blueprint.plan = [=, config = encoder, vocabulary = blueprint.vocabulary](TensorPlan& plan) {
    plan.own("encoder.");
    plan.own("embeddings.");
    plan_bert_embeddings(plan, config, vocabulary, rows, types, 0);
    plan.shorten("encoder.embed_positions.weight", positions + kFirstRow);
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
      plan_bert_layer(plan, config, layer, fmt::format("encoder.layer.{}.", layer), kBertLayer);
    }
  };
  return blueprint;
}

// RoBERTa whose tokens see a window to both sides. Tokens that would see, and be seen by, all (global
// attention, by maps of their own) are chosen by each task; without a choice there are none, as here.
Blueprint longformer_blueprint(HfConfig& config) {
  Blueprint blueprint = bert_like(config);
  EncoderConfig& encoder = blueprint.encoder;
  config.harmless({"attention_window", "sep_token_id", "onnx_export", "attention_mode", "attention_dilation",
                   "autoregressive", "ignore_attention_mask"});
  const auto* const windows = config.value("attention_window");
  for (std::int64_t layer = 0; layer < encoder.layers; ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    const auto& own = windows != nullptr && windows->is_array() && at < windows->size() ? (*windows)[at]
                      : windows != nullptr                                              ? *windows
                                           : nlohmann::ordered_json(512);
    const std::int64_t width = own.is_number_integer() ? own.get<std::int64_t>() : 0;
    if (width < 2 || width % 2 != 0 || width > kMostWindow) {
      config.refuse("attention_window", "an even number from 2 for each layer is");
    }
    encoder.windows.push_back(width / 2);
  }
  const std::int64_t positions = config.size("max_position_embeddings");
  const std::int64_t types = config.size("type_vocab_size", 2);
  const std::int64_t first = config.id("pad_token_id").value_or(1) + 1;
  if (positions <= first) {
    config.refuse("max_position_embeddings", "no row is left for a token");
  }
  blueprint.positions = positions - first + kFirstRow;
  blueprint.prefixes = {"", "longformer.", "roberta."};
  blueprint.notes = {kTypeNote, "no token attends globally, as without a global_attention_mask"};
  blueprint.what = fmt::format("a Longformer encoder with {} layers", encoder.layers);
  blueprint.plan = [=, config = encoder, vocabulary = blueprint.vocabulary](TensorPlan& plan) {
    plan.own("encoder.");
    plan.own("embeddings.");
    plan_bert_embeddings(plan, config, vocabulary, positions, types, first);
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
      const std::string theirs = fmt::format("encoder.layer.{}.", layer);
      plan_bert_layer(plan, config, layer, theirs, kBertLayer);
      for (const char* const which : {"query", "key", "value"}) {
        for (const char* const part : {"weight", "bias"}) {
          plan.ignore(fmt::format("{}attention.self.{}_global.{}", theirs, which, part));
        }
      }
    }
  };
  return blueprint;
}

}  // namespace mog::model
