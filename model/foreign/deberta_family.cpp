// DeBERTa (all versions): BERT's layers whose scores have terms of contents and of relative positions. The
// first version has one map for queries, keys and values, head by head and without biases, and counts
// distances; the second has BERT's maps, and as a rule buckets of distances and shared maps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/recording/errors.h"
#include "model/foreign/stack_names.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;

// "c2p|p2c" or a list of these. Returns their number n: scores are divided by the root of 1 + n more, even
// where relative_attention is off.
std::int64_t read_terms(HfConfig& config, bool first, DisentangledConfig& terms) {
  config.harmless({"pos_att_type"});
  terms.content_to_position = terms.position_to_content = false;
  std::vector<std::string> names;
  const Json* const value = config.value("pos_att_type");
  if (value != nullptr && value->is_string()) {
    const std::string text = value->get<std::string>() + "|";
    for (std::size_t begin = 0, end = 0; (end = text.find('|', begin)) != std::string::npos;
         begin = end + 1) {
      names.push_back(text.substr(begin, end - begin));
    }
  } else if (value != nullptr && value->is_array()) {
    for (const Json& one : *value) {
      names.push_back(one.is_string() ? one.get<std::string>() : "");
    }
  } else if (config.given("pos_att_type")) {
    config.refuse("pos_att_type", "a text or a list is");
  }
  for (std::string name : names) {
    std::erase(name, ' ');
    if (name == "c2p") {
      terms.content_to_position = true;
    } else if (name == "p2c") {
      terms.position_to_content = true;
    } else if (!name.empty()) {
      config.refuse("pos_att_type", "c2p and p2c are");
    }
  }
  const std::int64_t count = (terms.content_to_position ? 1 : 0) + (terms.position_to_content ? 1 : 0);
  // The first version counts the entries.
  if (first && static_cast<std::int64_t>(names.size()) != count) {
    config.refuse("pos_att_type", "each term once is");
  }
  return count;
}

HostTensor layer_norm_rows(const HostTensor& rows, const HostTensor& weight, const HostTensor& bias,
                           double epsilon) {
  HostTensor result(DType::float32, rows.shape());
  const auto width = static_cast<std::size_t>(rows.shape()[1]);
  const auto from = rows.values<float>();
  const auto to = result.mutable_values<float>();
  for (std::size_t begin = 0; begin < from.size(); begin += width) {
    double mean = 0.0;
    double square = 0.0;
    for (std::size_t i = begin; i < begin + width; ++i) {
      mean += static_cast<double>(from[i]) / static_cast<double>(width);
    }
    for (std::size_t i = begin; i < begin + width; ++i) {
      const double away = static_cast<double>(from[i]) - mean;
      square += away * away / static_cast<double>(width);
    }
    const double factor = 1.0 / std::sqrt(square + epsilon);
    for (std::size_t i = 0; i < width; ++i) {
      to[begin + i] = static_cast<float>((static_cast<double>(from[begin + i]) - mean) * factor) *
                          weight.values<float>()[i] +
                      bias.values<float>()[i];
    }
  }
  return result;
}

// [3 * a] rows by head (q, k, v of each) as the first version has them, for q (0), k (1) or v (2).
HostTensor of_heads(const HostTensor& joined, std::int64_t heads, std::int64_t which) {
  const std::int64_t width = joined.shape()[0] / (3 * heads);
  const std::int64_t d = joined.shape()[1];
  HostTensor result(DType::float32, {heads * width, d});
  auto to = result.mutable_values<float>().begin();
  for (std::int64_t head = 0; head < heads; ++head) {
    const auto begin = joined.values<float>().begin() + (3 * head + which) * width * d;
    to = std::copy(begin, begin + width * d, to);
  }
  return result;
}

void zeros(TensorPlan& plan, const std::string& ours, std::int64_t count) {
  plan.made(ours, [count] {
    HostTensor tensor(DType::float32, {count});
    std::fill(tensor.mutable_values<float>().begin(), tensor.mutable_values<float>().end(), 0.0F);
    return tensor;
  });
}

void plan_first_attention(TensorPlan& plan, const EncoderConfig& encoder, const std::string& ours,
                          const std::string& theirs) {
  const std::int64_t d = encoder.d_model;
  constexpr const char* kMaps[] = {"q_proj", "k_proj", "v_proj"};
  for (std::int64_t which = 0; which < 3; ++which) {
    plan.tensor(
        ours + kMaps[which] + ".weight", {theirs + "in_proj.weight"}, {3 * d, d},
        [heads = encoder.heads, which](const HostTensor& all) { return of_heads(all, heads, which); });
  }
  plan.tensor(ours + "q_proj.bias", {theirs + "q_bias"}, {d});
  zeros(plan, ours + "k_proj.bias", d);
  plan.tensor(ours + "v_proj.bias", {theirs + "v_bias"}, {d});
  if (encoder.disentangled && encoder.disentangled->content_to_position) {
    plan.tensor(ours + "position_key.weight", {theirs + "pos_proj.weight"}, {d, d});
    zeros(plan, ours + "position_key.bias", d);
  }
  if (encoder.disentangled && encoder.disentangled->position_to_content) {
    plan.linear(ours + "position_query", theirs + "pos_q_proj", d, d);
  }
}

void plan_second_attention(TensorPlan& plan, const EncoderConfig& encoder, const std::string& ours,
                           const std::string& theirs) {
  const std::int64_t d = encoder.d_model;
  plan.linear(ours + "q_proj", theirs + "query_proj", d, d);
  plan.linear(ours + "k_proj", theirs + "key_proj", d, d);
  plan.linear(ours + "v_proj", theirs + "value_proj", d, d);
  if (!encoder.disentangled || encoder.disentangled->share) {
    return;
  }
  if (encoder.disentangled->content_to_position) {
    plan.linear(ours + "position_key", theirs + "pos_key_proj", d, d);
  }
  if (encoder.disentangled->position_to_content) {
    plan.linear(ours + "position_query", theirs + "pos_query_proj", d, d);
  }
}

struct Tables {
  std::int64_t vocabulary = 0;
  std::int64_t positions = 0;  // 0: none
  std::int64_t types = 0;
  bool normed_distances = false;
};

void plan_tables(TensorPlan& plan, const EncoderConfig& encoder, const Tables& tables) {
  StackNames names;
  names.own = "encoder. embeddings.";
  names.embeddings = "embeddings.word_embeddings";
  names.embedding_norm = "embeddings.LayerNorm";
  if (tables.positions > 0) {
    names.positions = "embeddings.position_embeddings";
  }
  if (tables.types > 0) {
    names.token_types = "embeddings.token_type_embeddings";
    names.types = tables.types;
  }
  EncoderConfig no_layers = encoder;
  no_layers.layers = 0;
  plan_stack(plan, no_layers, tables.vocabulary, tables.positions, names);
  plan.ignore("embeddings.position_ids");
  if (tables.positions == 0) {  // there, but not read
    plan.ignore("embeddings.position_embeddings.weight");
  }
  if (!encoder.disentangled) {  // their vectors may be there, but no score reads them
    plan.ignore("encoder.rel_embeddings.weight");
    plan.ignore("encoder.LayerNorm.weight");
    plan.ignore("encoder.LayerNorm.bias");
    return;
  }
  const std::int64_t d = encoder.d_model;
  TensorPlan::Change change;
  if (tables.normed_distances) {
    const auto weight = plan.later({"encoder.LayerNorm.weight"}, {d});
    const auto bias = plan.later({"encoder.LayerNorm.bias"}, {d});
    change = [weight, bias, epsilon = encoder.layer_norm_eps](const HostTensor& rows) {
      return layer_norm_rows(rows, weight(), bias(), epsilon);
    };
  }
  plan.tensor("encoder.distances.weight", {"encoder.rel_embeddings.weight"},
              {2 * encoder.disentangled->span, d}, change);
}

}  // namespace

Blueprint deberta_blueprint(HfConfig& config) {
  const bool first = config.model_type() == "deberta";
  Blueprint blueprint = bert_like(config);
  EncoderConfig& encoder = blueprint.encoder;
  encoder.layer_norm_eps = config.epsilon("layer_norm_eps", 1e-7);
  encoder.position = Position::none;
  config.harmless({"legacy", "pooler_dropout", "pooler_hidden_act", "pooler_hidden_size", "z_steps"});
  if (config.size("embedding_size", encoder.d_model) != encoder.d_model) {
    config.refuse("embedding_size", "embeddings are as wide as the layers");
  }
  if (config.count("conv_kernel_size", 0) > 0) {
    config.refuse("conv_kernel_size", "its first layer has no convolution");
  }
  config.require_flag("talking_head", false, "heads do not mix");
  const std::int64_t rows = config.size("max_position_embeddings", 512);
  Tables tables{.vocabulary = blueprint.vocabulary, .types = config.count("type_vocab_size", 0)};
  if (config.flag("position_biased_input", true)) {
    encoder.position = Position::learned;
    tables.positions = rows;
    blueprint.positions = rows + kFirstRow;
  }
  DisentangledConfig terms;
  const std::int64_t count = read_terms(config, first, terms);
  const bool relative = config.flag("relative_attention", false);
  if (!relative && count > 0) {  // the terms are not there, but scores are divided as with them
    encoder.score_scale = 1.0 / std::sqrt(static_cast<double>(encoder.head_width() * (1 + count)));
  }
  if (relative && count > 0) {
    const std::int64_t farthest = config.whole("max_relative_positions", -1);
    const std::int64_t distance = farthest < 1 ? rows : farthest;
    const std::int64_t buckets = first ? -1 : config.whole("position_buckets", -1);
    terms.span = buckets > 0 ? buckets : distance;
    terms.bucket_distance = buckets > 0 ? distance : 0;
    if (terms.bucket_distance > 0 && terms.bucket_distance <= terms.span / 2 + 1) {
      config.refuse("max_relative_positions",
                    fmt::format("more than half of position_buckets = {}, and 1, is", terms.span));
    }
    terms.share = !first && config.flag("share_att_key", false);
    const std::string norm = config.text("norm_rel_ebd", "none");
    if (norm != "none" && norm != "layer_norm") {
      config.refuse("norm_rel_ebd", "none and layer_norm are");
    }
    tables.normed_distances = !first && norm == "layer_norm";
    encoder.disentangled = terms;
  }
  config.harmless({"max_relative_positions", "position_buckets", "share_att_key", "norm_rel_ebd"});
  if (tables.types > 0) {
    blueprint.notes = {"token type 0 is added to every embedding; other types are left out"};
  }
  blueprint.prefixes = {"", "deberta."};
  blueprint.what = fmt::format("a DeBERTa encoder with {} layers", encoder.layers);
  blueprint.plan = [encoder, tables, first](TensorPlan& plan) {
    plan_tables(plan, encoder, tables);
    const std::int64_t d = encoder.d_model;
    for (std::int64_t layer = 0; layer < encoder.layers; ++layer) {
      const std::string ours = fmt::format("encoder.layers.{}.", layer);
      const std::string theirs = fmt::format("encoder.layer.{}.", layer);
      (first ? plan_first_attention : plan_second_attention)(plan, encoder, ours + "self_attn.",
                                                             theirs + "attention.self.");
      plan.linear(ours + "self_attn.out_proj", theirs + "attention.output.dense", d, d);
      plan.norm(ours + "attn_layer_norm", {theirs + "attention.output.LayerNorm"}, d);
      plan.linear(ours + "fc1", theirs + "intermediate.dense", encoder.ffn_dim, d);
      plan.linear(ours + "fc2", theirs + "output.dense", d, encoder.ffn_dim);
      plan.norm(ours + "ffn_layer_norm", {theirs + "output.LayerNorm"}, d);
    }
  };
  return blueprint;
}

}  // namespace mog::model
