// The keys of one stack: read, written back, left out where they change nothing, refused where they
// contradict.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "model/config/config.h"
#include "model/config/describe_stack.h"
#include "model/model.h"
#include "model/tensor_table.h"

namespace mog::model {
namespace {

// `keys` of the encoder, `more` beside it.
std::string with(const std::string& keys, const std::string& more = "") {
  return R"({"format": "mog-model", "format_version": 1, "architecture": "encoder",
    "encoder": {"kind": "transformer", "layers": 2, "d_model": 8, "heads": 4, "attention_dim": 16, "head_dim": 4,
                "ffn_dim": 16, "activation": "silu", "layer_norm_eps": 1e-6, "embed_scale": false)" +
         keys + R"(},
    "tokenizer": {"kind": "whitespace", "lowercase": false, "vocab": "vocab.txt"},
    "vocab_size": 20, "pad_id": 1, "bos_id": 2, "eos_id": 2, "unk_id": 3)" +
         more + "}";
}

const std::string kUsual = R"(, "norm": "pre", "position": "none")";
const std::string kReader =
    R"(, "norm": "sandwich", "position": "rotary", "mask": "causal", "kv_heads": 2, "windows": [3, 0],
       "rotary": {"dims": 2, "pairs": "neighbours", "factor": 1.5, "local": true, "without": [2]},
       "query_key_norm": "head", "query_key_norm_kind": "rms", "norm_kind": "rms", "score_scale": 0.3,
       "score_cap": 20, "residual_scale": 0.5, "embedding_scale": 3, "max_positions": 40, "gated_ffn": true,
       "projection_bias": false)";
const std::string kHead =
    R"(, "language_model": {"share_embedding": false, "bias": true, "rows": 24, "width": 6, "scale": 0.5, "cap": 30})";

ModelConfig read(const std::string& json) {
  return parse_config(json, "config.json");
}

std::vector<std::int64_t> shape_of(const ModelConfig& config, const std::string& name) {
  const std::vector<TensorSpec> table = tensor_table(config);
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const TensorSpec& spec) { return spec.name == name; });
  return found == table.end() ? std::vector<std::int64_t>{} : found->shape;
}

TEST(ConfigOfOneStack, RoundedSlopesNeedSlopesAndOneDirection) {
  const std::string rounded = R"(, "norm": "pre", "rounded_alibi": true)";
  const ModelConfig config = read(with(rounded + R"(, "position": "alibi", "mask": "causal")"));
  EXPECT_TRUE(config.encoder.rounded_alibi);
  EXPECT_EQ(read(to_json(config)), config);
  for (const char* const other : {R"(, "position": "alibi")", R"(, "position": "none", "mask": "causal")"}) {
    EXPECT_THROW(read(with(rounded + other)), ModelError) << other;
  }
}

TEST(ConfigOfOneStack, IsReadAndWrittenBack) {
  const ModelConfig config = read(with(kReader, kHead));
  EXPECT_TRUE(config.encoder.causal());
  EXPECT_EQ(config.encoder.window(1), 3);
  EXPECT_EQ(config.encoder.window(2), 0);
  EXPECT_TRUE(config.encoder.turns(1));
  EXPECT_FALSE(config.encoder.turns(2));
  EXPECT_TRUE(config.encoder.ends_with_norm());
  EXPECT_EQ(config.language_model->width, 6);
  EXPECT_EQ(read(to_json(config)), config);
  const std::vector<std::int64_t> keys = {8, 8};
  EXPECT_EQ(shape_of(config, "encoder.layers.0.self_attn.k_proj.weight"), keys);
  EXPECT_EQ(shape_of(config, "encoder.layers.1.self_attn.k_norm.weight"), std::vector<std::int64_t>{8});
  EXPECT_EQ(shape_of(config, "encoder.rotary.local_frequencies"), std::vector<std::int64_t>{1});
  EXPECT_EQ(shape_of(config, "encoder.layers.0.ffn_output_norm.weight"), std::vector<std::int64_t>{8});
  const std::vector<std::int64_t> rows = {24, 6};
  EXPECT_EQ(shape_of(config, "language_model.weight"), rows);
}

TEST(ConfigOfOneStack, IsSilentWhereItChangesNothing) {
  const std::string plain = to_json(read(with(kUsual)));
  for (const char* const key :
       {"mask", "kv_heads", "windows", "rotary", "disentangled", "query_key_norm", "parallel", "first_norm",
        "score_", "residual_scale", "embedding_scale", "max_positions", "language_model"}) {
    EXPECT_EQ(plain.find(key), std::string::npos) << key;
  }
  const ModelConfig usual = read(with(kUsual + R"(, "kv_heads": 4, "windows": [0, 0], "mask": "full")"));
  EXPECT_EQ(usual, read(with(kUsual)));
  EXPECT_DOUBLE_EQ(usual.encoder.scale(), 0.5);
}

TEST(ConfigOfOneStack, DisentangledScoresAreDividedByTheirTerms) {
  const ModelConfig config =
      read(with(kUsual + R"(, "disentangled": {"span": 4, "bucket_distance": 9, "share": false})"));
  EXPECT_DOUBLE_EQ(config.encoder.scale(), 1.0 / std::sqrt(4.0 * 3.0));
  EXPECT_EQ(read(to_json(config)), config);
  const std::vector<std::int64_t> rows = {8, 8};
  EXPECT_EQ(shape_of(config, "encoder.distances.weight"), rows);
}

TEST(ConfigOfOneStack, ContradictionsAreNamed) {
  const auto refused = [](const std::string& json, const std::string& what) {
    try {
      read(json);
      ADD_FAILURE() << "was read: " << what;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  };
  refused(with(kUsual + R"(, "kv_heads": 3)"), "encoder.kv_heads");
  refused(with(kUsual + R"(, "windows": [1])"), "encoder.windows");
  refused(with(kUsual + R"(, "windows": [1, -1])"), "encoder.windows");
  refused(with(kUsual + R"(, "rotary": {"dims": 2})"), "without encoder.position = rotary");
  refused(with(R"(, "norm": "pre", "position": "rotary")"), "without encoder.rotary");
  refused(with(R"(, "norm": "pre", "position": "rotary", "rotary": {"dims": 3})"), "encoder.rotary.dims");
  refused(with(R"(, "norm": "pre", "position": "rotary", "rotary": {"dims": 6})"), "encoder.rotary.dims");
  refused(with(R"(, "norm": "pre", "position": "rotary", "rotary": {"dims": 2, "local": true})"),
          "no layer is local");
  refused(with(R"(, "norm": "pre", "position": "rotary", "rotary": {"dims": 2, "without": [3]})"),
          "encoder.rotary.without");
  refused(with(R"(, "norm": "post", "position": "none", "parallel": true)"), "encoder.parallel");
  refused(with(R"(, "norm": "output", "position": "none", "first_norm": false)"), "encoder.first_norm");
  refused(with(kUsual + R"(, "mask": "causal", "disentangled": {"span": 4})"), "encoder.disentangled");
  refused(with(kUsual + R"(, "disentangled": {"span": 8, "bucket_distance": 4})"), "bucket_distance");
  refused(with(kUsual + R"(, "mask": "causal", "graph_input": {"relations": 3}
)"),
          "encoder.graph_input");
  refused(with(kUsual, R"(, "language_model": {"share_embedding": true})"), "mask = causal");
  refused(
      with(kUsual + R"(, "mask": "causal")", R"(, "language_model": {"share_embedding": true, "rows": 4})"),
      "language_model.rows");
  refused(
      with(kUsual + R"(, "mask": "causal")", R"(, "language_model": {"share_embedding": true, "width": 4})"),
      "share_embedding");
  refused(with(kUsual + R"(, "score_cap": 0)"), "encoder.score_cap");
  refused(with(kUsual + R"(, "sliding": 3)"), "encoder.sliding");
}

TEST(ConfigOfOneStack, OffersWhatItPredicts) {
  const auto offers = [](const ModelConfig& config, const char* name) {
    const auto all = quantities(config);
    return std::any_of(all.begin(), all.end(),
                       [&](const QuantitySchema& schema) { return schema.name.text() == name; });
  };
  const ModelConfig reader = read(with(kReader, kHead));
  EXPECT_TRUE(offers(reader, "encoder.next_token.surprisal"));
  EXPECT_TRUE(offers(reader, "encoder.2.next_token.best"));
  EXPECT_FALSE(offers(read(with(kReader)), "encoder.next_token.surprisal"));
  EXPECT_TRUE(system_of(reader).main().causal);
  EXPECT_FALSE(system_of(read(with(kUsual))).main().causal);
}

TEST(ConfigOfOneStack, IsSaidInWords) {
  const ModelConfig reader = read(with(kReader, kHead));
  EXPECT_EQ(describe_heads(reader.encoder), "4 query and 2 key/value heads");
  EXPECT_EQ(
      describe_attention(reader.encoder),
      ", rotary positions in 2 of 4 dimensions, none in 1 of 2 layers, window of 4 tokens in 1 of 2 layers, "
      "RMS norms before and after the blocks, norms of queries and keys, scores capped at 20, "
      "gated feed-forward blocks with SiLU");
  EncoderConfig encoder = read(with(kUsual)).encoder;
  EXPECT_EQ(describe_heads(encoder), "4 heads");
  EXPECT_EQ(describe_windows(encoder), "");
  encoder.windows = {512, 512, 0, 512, 512, 0, 512};
  EXPECT_EQ(describe_windows(encoder), "window of 512 tokens to both sides in two layers of three");
  encoder.mask = Mask::causal;
  encoder.windows = {0, 63, 0, 63};
  EXPECT_EQ(describe_windows(encoder), "window of 64 tokens in every second layer");
  encoder.windows = {4095, 4095};
  EXPECT_EQ(describe_windows(encoder), "window of 4096 tokens in every layer");
  encoder.windows = {7, 0, 0, 15, 7};
  EXPECT_EQ(describe_windows(encoder), "windows of 8 and 16 tokens in 3 of 5 layers");
  encoder.windows = {0, 0, 1, 1, 0, 0, 1, 1};
  encoder.mask = Mask::full;
  EXPECT_EQ(describe_windows(encoder), "window of 1 token to both sides in two layers of four");
  encoder.windows = {1, 0, 0, 1, 0, 0};
  EXPECT_EQ(describe_windows(encoder), "window of 1 token to both sides in one layer of three");
  encoder.heads = 8;
  encoder.kv_heads = 1;
  EXPECT_EQ(describe_heads(encoder), "8 query and 1 key/value head");
}

TEST(ConfigOfOneStack, SaysPositionsNormsAndActivationsInWords) {
  EncoderConfig encoder = read(with(kUsual)).encoder;
  const std::string rest = ", layer norms after the blocks, plain feed-forward blocks with ReLU";
  encoder.norm = NormPlace::post;
  encoder.activation = Activation::relu;
  encoder.relative_buckets = 32;
  for (const auto& [position, words] : {std::pair{Position::none, "no positions"},
                                        {Position::alibi, "scores that fall with the distance (ALiBi)"},
                                        {Position::learned, "learned positions"},
                                        {Position::random, "random positions"},
                                        {Position::fixed, "fixed positions"},
                                        {Position::sinusoidal, "sinusoidal positions"},
                                        {Position::relative, "relative positions in 32 buckets"}}) {
    encoder.position = position;
    EXPECT_EQ(describe_attention(encoder), ", " + std::string(words) + rest);
  }
  encoder.position = Position::rotary;
  encoder.rotary = RotaryConfig{};
  encoder.rotary->dims = encoder.head_width();
  EXPECT_EQ(describe_attention(encoder), ", rotary positions" + rest);
  encoder.position = Position::none;
  encoder.disentangled = DisentangledConfig{};
  EXPECT_EQ(describe_attention(encoder), ", disentangled attention" + rest);
  encoder.disentangled.reset();
  encoder.parallel = true;
  encoder.gated_ffn = true;
  encoder.norm_kind = NormKind::rms;
  for (const auto& [norm, words] : {std::pair{NormPlace::pre, "RMS norms before the blocks"},
                                    {NormPlace::sandwich, "RMS norms before and after the blocks"},
                                    {NormPlace::output, "RMS norms of what the blocks give"}}) {
    encoder.norm = norm;
    encoder.activation = Activation::gelu_tanh;
    EXPECT_EQ(describe_attention(encoder),
              ", no positions, " + std::string(words) +
                  ", gated feed-forward blocks with GELU, attention and feed-forward block side by side");
  }
  encoder.kind = EncoderKind::graph_transformer;
  EXPECT_EQ(describe_attention(encoder), "");
}

}  // namespace
}  // namespace mog::model
