// BERT, ELECTRA, RoBERTa (XLM-R, CamemBERT) and DistilBERT: post-norm, learned positions, a layer norm after
// the embeddings.
#include <fmt/format.h>

#include <algorithm>

#include "io/recording/errors.h"
#include "model/foreign/blueprint.h"

namespace mog::model {
namespace {

constexpr const char* kOnlyEncoders = "only encoders are read";
constexpr const char* kTypeNote =
    "token type 0 is added to every row of the position table (in float64; a converted copy rounds the "
    "sums); other types are left out";

void common(EncoderConfig& encoder) {
  encoder.kind = EncoderKind::transformer;
  encoder.attention_dim = encoder.d_model;
  encoder.norm = NormPlace::post;
  encoder.position = Position::learned;
  encoder.embed_scale = false;
  encoder.embedding_norm = true;
}

void check_heads(const HfConfig& config, const EncoderConfig& encoder, const char* heads, const char* width) {
  if (encoder.d_model % encoder.heads != 0) {
    throw ModelError(fmt::format("{}: {} = {} does not divide {} = {}", config.file(), heads, encoder.heads,
                                 width, encoder.d_model));
  }
}

// `first`: the row of theirs that the first token takes.
void plan_bert(TensorPlan& plan, const EncoderConfig& encoder, std::int64_t vocabulary,
               std::int64_t positions, std::int64_t token_types, std::int64_t first) {
  plan.own("encoder.");
  plan.own("embeddings.");
  plan.own("embeddings_project.");
  plan_bert_embeddings(plan, encoder, vocabulary, positions, token_types, first);
  if (encoder.embedding_dim > 0) {
    plan.linear("encoder.embed_projection", "embeddings_project", encoder.d_model, encoder.embedding_dim);
  }
  for (std::int64_t layer = 0; layer < encoder.layers; ++layer) {
    plan_bert_layer(plan, encoder, layer, fmt::format("encoder.layer.{}.", layer), kBertLayer);
  }
}

}  // namespace

HostTensor position_table(const HostTensor& theirs, std::int64_t first, std::int64_t rows,
                          const HostTensor& added) {
  const auto d = static_cast<std::size_t>(theirs.shape()[1]);
  const auto start = static_cast<std::size_t>(kFirstRow) * d;
  const auto from = theirs.values<float>().subspan(static_cast<std::size_t>(first) * d);
  const auto fill = [&](const auto& values, const auto& value) {
    std::fill(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(start), 0);
    for (std::size_t at = 0; at + start < values.size(); ++at) {
      values[at + start] = value(at);
    }
  };
  const std::vector<std::int64_t> shape = {rows + kFirstRow, theirs.shape()[1]};
  if (added.empty()) {
    HostTensor table(DType::float32, shape);
    fill(table.mutable_values<float>(), [&](std::size_t at) { return from[at]; });
    return table;
  }
  // Rounded to float32, the sum of two float32 numbers would differ from what other programs compute in
  // float64; rounded later, it is their float32 sum.
  HostTensor table(DType::float64, shape);
  const auto more = added.values<float>();
  fill(table.mutable_values<double>(),
       [&](std::size_t at) { return static_cast<double>(from[at]) + static_cast<double>(more[at % d]); });
  return table;
}

Blueprint bert_like(HfConfig& config) {
  config.require_flag("is_decoder", false, kOnlyEncoders);
  config.require_flag("is_encoder_decoder", false, kOnlyEncoders);
  config.require_flag("add_cross_attention", false, kOnlyEncoders);
  if (config.text("position_embedding_type", "absolute") != "absolute") {
    config.refuse("position_embedding_type", "positions are absolute");
  }
  Blueprint blueprint;
  EncoderConfig& encoder = blueprint.encoder;
  encoder.layers = config.layers("num_hidden_layers");
  encoder.d_model = config.size("hidden_size");
  encoder.heads = config.size("num_attention_heads");
  encoder.ffn_dim = config.size("intermediate_size");
  encoder.activation = config.activation("hidden_act", "gelu");
  encoder.layer_norm_eps = config.epsilon("layer_norm_eps", 1e-12);
  common(encoder);
  check_heads(config, encoder, "num_attention_heads", "hidden_size");
  blueprint.vocabulary = config.vocabulary("vocab_size");
  blueprint.anchors = {"embeddings.word_embeddings.weight"};
  blueprint.pad_id = config.id("pad_token_id");
  return blueprint;
}

void plan_bert_embeddings(TensorPlan& plan, const EncoderConfig& encoder, std::int64_t vocabulary,
                          std::int64_t positions, std::int64_t token_types, std::int64_t first) {
  const std::int64_t e = encoder.embedding_width();
  plan.tensor("encoder.embed_tokens.weight", {"embeddings.word_embeddings.weight"}, {vocabulary, e});
  std::function<HostTensor()> types;
  if (token_types > 0) {
    types = plan.later({"embeddings.token_type_embeddings.weight"}, {token_types, e});
  }
  plan.tensor("encoder.embed_positions.weight", {"embeddings.position_embeddings.weight"}, {positions, e},
              [=](const HostTensor& table) {
                return position_table(table, first, positions - first,
                                      types ? rows_of(types(), 0, 1) : HostTensor());
              });
  plan.norm("encoder.embed_layer_norm", {"embeddings.LayerNorm"}, e);
  plan.ignore("embeddings.position_ids");
  plan.ignore("embeddings.token_type_ids");
}

void plan_bert_layer(TensorPlan& plan, const EncoderConfig& encoder, std::int64_t layer,
                     const std::string& theirs, const BertLayerNames& names) {
  const std::int64_t d = encoder.d_model;
  const std::string ours = fmt::format("encoder.layers.{}.", layer);
  plan.linear(ours + "self_attn.q_proj", theirs + names.query, d, d);
  plan.linear(ours + "self_attn.k_proj", theirs + names.key, d, d);
  plan.linear(ours + "self_attn.v_proj", theirs + names.value, d, d);
  plan.linear(ours + "self_attn.out_proj", theirs + names.out, d, d);
  plan.norm(ours + "attn_layer_norm", {theirs + names.attention_norm}, d);
  plan.linear(ours + "fc1", theirs + names.up, encoder.ffn_dim, d);
  plan.linear(ours + "fc2", theirs + names.down, d, encoder.ffn_dim);
  plan.norm(ours + "ffn_layer_norm", {theirs + names.norm}, d);
}

Blueprint bert_blueprint(HfConfig& config) {
  if (const auto* const kind = config.value("position_embedding_type"); kind != nullptr && *kind == "alibi") {
    return jina_v2_blueprint(config);
  }
  const bool electra = config.model_type() == "electra";
  Blueprint blueprint = bert_like(config);
  const std::int64_t positions = config.size("max_position_embeddings");
  const std::int64_t types = config.size("type_vocab_size", 2);
  if (electra) {
    const std::int64_t width = config.size("embedding_size", 128);
    blueprint.encoder.embedding_dim = width == blueprint.encoder.d_model ? 0 : width;
  }
  const EncoderConfig& encoder = blueprint.encoder;
  blueprint.positions = positions + kFirstRow;
  blueprint.prefixes = {"", electra ? "electra." : "bert."};
  blueprint.notes = {kTypeNote};
  blueprint.what =
      fmt::format("{} encoder with {} layers", electra ? "an ELECTRA" : "a BERT", encoder.layers);
  blueprint.plan = [=, vocabulary = blueprint.vocabulary](TensorPlan& plan) {
    plan_bert(plan, encoder, vocabulary, positions, types, 0);
  };
  return blueprint;
}

Blueprint roberta_blueprint(HfConfig& config) {
  Blueprint blueprint = bert_like(config);
  const EncoderConfig& encoder = blueprint.encoder;
  const std::int64_t positions = config.size("max_position_embeddings");
  const std::int64_t types = config.size("type_vocab_size", 2);
  const std::int64_t pad = config.id("pad_token_id").value_or(1);
  const std::int64_t first = pad + 1;  // positions count from the padding token's id
  if (positions <= first) {
    config.refuse("max_position_embeddings",
                  fmt::format("with pad_token_id = {} no row is left for a token", pad));
  }
  blueprint.pad_id = pad;
  blueprint.positions = positions - first + kFirstRow;
  blueprint.prefixes = {"", "roberta."};
  blueprint.notes = {kTypeNote};
  blueprint.what = fmt::format("a RoBERTa encoder with {} layers", encoder.layers);
  blueprint.plan = [=, vocabulary = blueprint.vocabulary](TensorPlan& plan) {
    plan_bert(plan, encoder, vocabulary, positions, types, first);
  };
  return blueprint;
}

Blueprint distilbert_blueprint(HfConfig& config) {
  Blueprint blueprint;
  EncoderConfig& encoder = blueprint.encoder;
  encoder.layers = config.layers("n_layers");
  encoder.d_model = config.size("dim");
  encoder.heads = config.size("n_heads");
  encoder.ffn_dim = config.size("hidden_dim");
  encoder.activation = config.activation("activation", "gelu");
  encoder.layer_norm_eps = 1e-12;
  common(encoder);
  check_heads(config, encoder, "n_heads", "dim");
  config.harmless({"sinusoidal_pos_embds"});  // how the table began; it is in the weights
  const std::int64_t positions = config.size("max_position_embeddings");
  blueprint.vocabulary = config.vocabulary("vocab_size");
  blueprint.positions = positions + kFirstRow;
  blueprint.prefixes = {"", "distilbert."};
  blueprint.anchors = {"embeddings.word_embeddings.weight"};
  blueprint.what = fmt::format("a DistilBERT encoder with {} layers", encoder.layers);
  blueprint.plan = [=, config = encoder, vocabulary = blueprint.vocabulary](TensorPlan& plan) {
    const std::int64_t d = config.d_model;
    plan.own("transformer.");
    plan.own("embeddings.");
    plan.tensor("encoder.embed_tokens.weight", {"embeddings.word_embeddings.weight"}, {vocabulary, d});
    plan.tensor("encoder.embed_positions.weight", {"embeddings.position_embeddings.weight"}, {positions, d},
                [=](const HostTensor& table) { return position_table(table, 0, positions); });
    plan.norm("encoder.embed_layer_norm", {"embeddings.LayerNorm"}, d);
    plan.ignore("embeddings.position_ids");
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
      const std::string ours = fmt::format("encoder.layers.{}.", layer);
      const std::string theirs = fmt::format("transformer.layer.{}.", layer);
      for (const char which : {'q', 'k', 'v'}) {
        plan.linear(fmt::format("{}self_attn.{}_proj", ours, which),
                    fmt::format("{}attention.{}_lin", theirs, which), d, d);
      }
      plan.linear(ours + "self_attn.out_proj", theirs + "attention.out_lin", d, d);
      plan.norm(ours + "attn_layer_norm", {theirs + "sa_layer_norm"}, d);
      plan.linear(ours + "fc1", theirs + "ffn.lin1", config.ffn_dim, d);
      plan.linear(ours + "fc2", theirs + "ffn.lin2", d, config.ffn_dim);
      plan.norm(ours + "ffn_layer_norm", {theirs + "output_layer_norm"}, d);
    }
  };
  return blueprint;
}

}  // namespace mog::model
