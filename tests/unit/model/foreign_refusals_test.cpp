// Folders of other programs with one key of config.json changed, family by family: each that would compute
// something else is refused with the key, what it says and what is supported, and each that says the same in
// other words is read. The changes are JSON merge patches (RFC 7386): null takes a key away.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "model/foreign/hugging_face.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const fs::path kData = mog::test::data_dir();

// The folder with its configuration changed; all else are links.
ForeignModel read(const std::string& folder, const char* patch) {
  const test::TemporaryFolder copy;
  for (const fs::directory_entry& entry : fs::directory_iterator(kData / folder)) {
    if (entry.path().filename() != "config.json") {
      fs::create_symlink(entry.path(), copy.file(entry.path().filename().string()));
    }
  }
  Json config = Json::parse(io::read_file(kData / folder / "config.json", "a test file", 1U << 20U));
  config.merge_patch(Json::parse(patch));
  copy.write("config.json", config.dump());
  return read_hugging_face(copy.path(), false);
}

struct Case {
  const char* folder;
  const char* patch;
  const char* words;
};

template <class Refusal>
void expect_refused(const std::vector<Case>& cases) {
  for (const auto& [folder, patch, words] : cases) {
    try {
      read(folder, patch);
      ADD_FAILURE() << folder << " was read: " << patch;
    } catch (const Refusal& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("config.json: "), std::string::npos) << folder << ": " << message;
      EXPECT_NE(message.find(words), std::string::npos)
          << folder << ": " << message << "\nexpected: " << words;
    }
  }
}

TEST(ForeignRefusals, OfEncodersOfTheKindOfBert) {
  expect_refused<ModelError>(
      {{"encoders/roberta", R"({"is_encoder_decoder": true})", "is_encoder_decoder = true is not supported"},
       {"encoders/roberta", R"({"max_position_embeddings": 1})", "no row is left for a token"},
       {"encoders/distilbert", R"({"n_heads": 3})", "n_heads = 3 does not divide dim"},
       {"encoders/albert", R"({"embedding_size": 12})", "embeddings are narrower than hidden_size"},
       {"encoders/albert", R"({"num_hidden_groups": 99})",
        "num_hidden_groups = 99 is not supported: there are"},
       {"encoders/albert", R"({"inner_group_num": 2})", "inner_group_num = 2 is not supported: 1 is"},
       {"encoders/albert", R"({"down_scale_factor": 2})", "down_scale_factor = 2 is not supported: 1 is"},
       {"encoders/mpnet/0_Transformer", R"({"relative_attention_num_buckets": 16})",
        "distances fall into 32 buckets"},
       {"encoders/mpnet/0_Transformer", R"({"max_position_embeddings": 2})", "no row is left for a token"},
       {"encoders/big-bird", R"({"use_bias": false})", "queries, keys and values have biases"},
       {"encoders/big-bird", R"({"attention_type": "sparse"})", "block_sparse and original_full are"},
       {"encoders/electra", R"({"position_embedding_type": "relative_key"})", "positions are absolute"},
       {"stacks/longformer", R"({"attention_window": 0})", "attention_window"},
       {"stacks/longformer", R"({"attention_window": [4]})", "attention_window"},
       {"stacks/longformer", R"({"max_position_embeddings": 1})", "no row is left for a token"},
       {"stacks/deberta-v2", R"({"embedding_size": 8})", "embeddings are as wide as the layers"},
       {"stacks/deberta-v2", R"({"talking_head": true})", "heads do not mix"},
       {"stacks/deberta-v2", R"({"pos_att_type": 3})", "a text or a list is"},
       {"stacks/deberta-v2", R"({"pos_att_type": ["c2p", 3, "x"]})", "c2p and p2c are"},
       {"stacks/deberta-v2", R"({"norm_rel_ebd": "batch_norm"})", "none and layer_norm are"},
       {"stacks/deberta", R"({"pos_att_type": ["c2p", "c2p"]})", "each term once is"}});
}

TEST(ForeignRefusals, OfEncodersOfToday) {
  expect_refused<ModelError>(
      {{"stacks/modernbert", R"({"local_attention": 1})",
        "local_attention = 1 is not supported: 2 or more are"},
       {"stacks/modernbert", R"({"layer_types": ["full_attention", 3]})",
        "full_attention and sliding_attention are"},
       {"stacks/modernbert", R"({"rope_parameters": 3})", "an object is"},
       {"stacks/gte", R"({"position_embedding_type": "absolute"})", "rope is"},
       {"stacks/gte", R"({"layer_norm_type": "rms_norm"})", "layer_norm is"},
       {"stacks/gte", R"({"logn_attention_scale": true})", "scores do not depend on the length"},
       {"stacks/gte", R"({"logn_attention_clip1": true})", "scores do not depend on the length"},
       {"stacks/gte", R"({"pack_qkv": false})", "queries, keys and values are in one map"},
       {"stacks/jina-v2", R"({"feed_forward_type": "reglu"})", "original and geglu are"},
       {"stacks/esm", R"({"is_folding_model": true})", "the language model is read"},
       {"stacks/esm", R"({"position_embedding_type": "relative"})", "rotary and absolute are"},
       {"stacks/esm", R"({"position_embedding_type": "absolute", "max_position_embeddings": 1})",
        "no row is left for a token"},
       {"stacks/nomic-bert", R"({"rope_parameters": {"rope_theta": 0}})", "rope_theta is a number above 0"},
       {"stacks/eurobert", R"({"num_attention_heads": 3, "head_dim": null, "num_key_value_heads": null})",
        "num_attention_heads = 3 does not divide hidden_size"}});
}

TEST(ForeignRefusals, OfReadersFromLeftToRight) {
  expect_refused<ModelError>(
      {{"stacks/llama", R"({"activation": "gelu"})", "swiglu is"},
       {"stacks/llama", R"({"rope_interleaved": true})", "pairs of dimensions are half a head apart"},
       {"stacks/llama", R"({"is_encoder_decoder": true})", "it stands alone"},
       {"stacks/llama", R"({"add_cross_attention": true})", "it stands alone"},
       {"stacks/mistral", R"({"sliding_window": 1})", "a token would see itself alone"},
       {"stacks/mistral", R"({"layer_types": ["full_attention", "chunked_attention"]})",
        "full_attention and sliding_attention are"},
       {"stacks/gemma2", R"({"sliding_window_size": 3})", "the same as sliding_window is"},
       {"stacks/phi3", R"({"interpolate_factor": 2})", "interpolate_factor = 2 is not supported: 1 is"},
       {"stacks/phi3", R"({"full_attn_mod": 2})", "full_attn_mod = 2 is not supported: 1 is"},
       {"stacks/smollm3", R"({"no_rope_layers": [1]})", "a list with a number for each of 2 layers is"},
       {"stacks/gpt-neo", R"({"attention_layers": null, "attention_types": [[["global"], 1]]})",
        "global or local for each of"},
       {"stacks/gpt-neo", R"({"attention_layers": null, "attention_types": "global"})",
        "global or local for each of"},
       {"stacks/gpt-neo", R"({"attention_layers": null, "attention_types": [[["global", "far"], 1]]})",
        "global and local are"},
       {"stacks/gpt-neo", R"({"attention_layers": ["global", 3]})", "global and local are"},
       {"stacks/gptj", R"({"scale_attn_weights": false})", "scores are divided by the root"},
       {"stacks/gptj", R"({"rotary_dim": 3})", "which is no even number up to that"},
       {"stacks/gpt2", R"({"n_head": 3})", "3 heads do not divide the width"},
       {"stacks/gpt2", R"({"add_cross_attention": true})", "it stands alone"},
       {"stacks/mpt", R"({"no_bias": false})", "maps and norms have no biases"},
       {"stacks/mpt", R"({"use_norm_bias": true})", "norms have no biases"},
       {"stacks/mpt", R"({"logit_scale": 2})", "logits are not scaled"},
       {"stacks/mpt", R"({"attn_config": {"alibi": false}})", "positions are those of alibi"},
       {"stacks/mpt", R"({"attn_config": {"clip_qkv": 8}})", "clip_qkv, qk_ln and prefix_lm are off"},
       {"stacks/mpt", R"({"attn_config": {"qk_ln": true}})", "clip_qkv, qk_ln and prefix_lm are off"},
       {"stacks/mpt", R"({"attn_config": {"prefix_lm": true}})", "clip_qkv, qk_ln and prefix_lm are off"},
       {"stacks/falcon", R"({"ff_factor": 3})", "the feed-forward block is"},
       {"stacks/falcon-new", R"({"num_kv_heads": 3})", "a divisor of the heads is"},
       {"stacks/falcon", R"({"apply_residual_connection_post_layernorm": true})",
        "what is carried on is not normed"}});
}

TEST(ForeignRefusals, OfRotaryPositions) {
  expect_refused<ModelError>(
      {{"stacks/llama", R"({"rope_parameters": {"factor": "four"}})", "factor is no number"},
       {"stacks/llama", R"({"rope_parameters": {"factor": 1e300}})", "factor is no number"},
       {"stacks/llama", R"({"rope_parameters": {"factor": -1}})", "factor is a number above 0"},
       {"stacks/llama", R"({"rope_parameters": {"low_freq_factor": null}})",
        "low_freq_factor is a number above 0"},
       {"stacks/llama", R"({"rope_theta": 10000, "rotary_emb_base": 500})",
        "rope_theta = 10000 says the same"},
       {"stacks/llama", R"({"rope_parameters": {"rope_type": "linear", "factor": 1e-50}})",
        "no finite numbers"},
       {"stacks/phi3", R"({"rope_parameters": {"long_factor": [2]}})",
        "long_factor is a list of 2 numbers above 0"},
       {"stacks/phi3", R"({"rope_parameters": {"short_factor": [1, "x"]}})",
        "short_factor is a list of 2 numbers"},
       {"stacks/phi3", R"({"rope_parameters": {"short_factor": [1, -1]}})",
        "short_factor is a list of 2 numbers"},
       {"stacks/phi", R"({"rope_parameters": {"partial_rotary_factor": 2}})",
        "which is no even number up to that"},
       {"stacks/phi", R"({"rope_parameters": {"partial_rotary_factor": 0.1}})",
        "which is no even number up to that"},
       {"stacks/qwen2", R"({"rope_parameters": {"rope_theta": 0}})", "rope_theta is a number above 0"},
       {"stacks/olmo3", R"({"rope_parameters": null, "rope_scaling": {"rope_type": "linear", "factor": 2},
         "rope_theta": 10000})",
        "where layers have windows"}});
}

TEST(ForeignRefusals, OfEncodersWithDecoders) {
  expect_refused<ModelError>(
      {{"encoders/bart", R"({"is_decoder": true})", "an encoder comes first"},
       {"encoders/bart", R"({"num_hidden_layers": 9})",
        "num_hidden_layers = 9 is not supported: the encoder has"},
       {"encoders/bart", R"({"extra_layer_norm": true})", "no layer norm more than usual is known"},
       {"encoders/bart", R"({"add_final_layer_norm": true})", "as the model type has it"},
       {"encoders/bart", R"({"static_position_embeddings": true})", "positions are learned"},
       {"encoders/bart", R"({"normalize_embedding": false})", "embeddings are normalised"},
       {"encoders/marian", R"({"normalize_embedding": true})", "embeddings are not normalised"},
       {"encoders/marian", R"({"add_final_layer_norm": true})", "as the model type has it"},
       {"encoders/t5", R"({"relative_attention_num_buckets": 6})",
        "a multiple of 4 and less than four times"},
       {"encoders/t5", R"({"relative_attention_num_buckets": 32, "relative_attention_max_distance": 8})",
        "a multiple of 4 and less than four times"},
       {"translators/t5", R"({"relative_attention_num_buckets": 32, "relative_attention_max_distance": 12})",
        "more than half of relative_attention_num_buckets = 32 is"},
       {"encoders/t5", R"({"dense_act_fn": "gelu"})",
        "dense_act_fn = \"gelu\" is not supported: feed_forward_proj is"}});
}

TEST(ForeignRefusals, OfKeysThatAreNoneOfTheirKind) {
  expect_refused<FormatError>(
      {{"stacks/llama", R"({"num_hidden_layers": 0})", "num_hidden_layers: expected a whole number from 1"},
       {"stacks/llama", R"({"rms_norm_eps": 0})", "rms_norm_eps: expected a number above 0"},
       {"stacks/llama", R"({"hidden_act": 3})", "hidden_act: expected text, found 3"},
       {"stacks/llama", R"({"vocab_size": -1})", "vocab_size: expected a whole number from 1"},
       {"stacks/llama", R"({"attention_bias": "no"})", "attention_bias: expected true or false"},
       {"stacks/gemma2", R"({"query_pre_attn_scalar": 0})",
        "query_pre_attn_scalar: expected a number above 0"},
       {"stacks/smollm3", R"({"no_rope_layers": 3})",
        "no_rope_layers: expected a list of at most 2 whole numbers"},
       {"stacks/mistral", R"({"sliding_window": 0})", "sliding_window: expected a whole number from 1"},
       {"stacks/deberta-v2", R"({"max_relative_positions": 1.5})",
        "max_relative_positions: expected a whole number"},
       {"encoders/roberta", R"({"pad_token_id": -1})", "pad_token_id: expected a whole number from 0"}});
  expect_refused<ModelError>({{"encoders/roberta", R"({"pad_token_id": [1, 2]})",
                               "pad_token_id = [1,2] is not supported: one token has"},
                              {"stacks/gemma2", R"({"layer_types": "sliding_attention"})",
                               "a list with a text for each of 2 layers is"},
                              {"stacks/llama", R"({"my_norm": 2, "my_gate": [1]})",
                               "not supported: my_norm = 2, my_gate = [1]. An encoder"}});
}

TEST(ForeignConfigs, OtherWordsForTheSameAreRead) {
  const auto encoder = [](const std::string& folder, const char* patch) {
    return read(folder, patch).config.encoder;
  };
  const std::vector<Case> same = {
      {"stacks/gpt-neo", R"({"attention_layers": null, "attention_types": [[["global", "local"], 1]]})", ""},
      {"stacks/llama",
       R"({"my_option": null, "other": false, "third": 0, "fourth": "", "fifth": {}, "sixth": []})", ""},
      {"stacks/llama", R"({"rope_theta": 10000, "rotary_emb_base": 10000})", ""},
      {"encoders/roberta", R"({"pad_token_id": [1]})", ""},
      {"encoders/bart", R"({"extra_layer_norm": false, "add_bias_logits": true})", ""}};
  for (const auto& [folder, patch, unused] : same) {
    EXPECT_EQ(encoder(folder, patch), encoder(folder, "{}")) << folder << ": " << patch;
  }
  // ntk, dynamic and what each says of lengths.
  EXPECT_EQ(
      encoder("stacks/qwen3", R"({"rope_parameters": {"rope_type": "dynamic", "factor": 2}})").max_positions,
      64);
  EXPECT_EQ(encoder("stacks/llama", "{}").max_positions, 0);
  EXPECT_GT(encoder("stacks/llama", R"({"rope_parameters": {"rope_type": "yarn"}})").rotary->factor, 1.0);
  EXPECT_DOUBLE_EQ(encoder("stacks/llama",
                           R"({"rope_parameters": {"rope_type": "yarn", "mscale": 1, "mscale_all_dim": 1}})")
                       .rotary->factor,
                   1.0);
  EXPECT_EQ(encoder("stacks/deberta-v3", R"({"relative_attention": false})").disentangled, std::nullopt);
  EXPECT_GT(encoder("stacks/deberta-v3", R"({"relative_attention": false})").score_scale, 0.0);
  EXPECT_FALSE(
      encoder("stacks/deberta-v3", R"({"pos_att_type": " c2p |"})").disentangled->position_to_content);
  EXPECT_FALSE(encoder("stacks/deberta-v3", R"({"pos_att_type": null})").disentangled.has_value());
}

// NomicBERT as its authors write it, with the keys of GPT-2.
TEST(ForeignConfigs, NomicBertInTheKeysOfItsAuthors) {
  const auto authors = [](const char* patch) {
    Json keys =
        Json::parse(R"({"n_embd": 16, "n_layer": 2, "n_head": 4, "n_inner": 24, "rotary_emb_base": 1000,
      "layer_norm_epsilon": 1e-12, "activation_function": "swiglu", "prenorm": false, "rotary_emb_fraction": 1.0,
      "hidden_act": null, "intermediate_size": null, "layer_norm_eps": null, "max_position_embeddings": null,
      "rope_parameters": null, "head_dim": null})");
    keys.merge_patch(Json::parse(patch));
    return keys.dump();
  };
  ModelConfig usual = read("stacks/nomic-bert", "{}").config;
  usual.encoder.head_dim = 0;  // said there, and no other than d_model / heads
  EXPECT_EQ(to_json(read("stacks/nomic-bert", authors("{}").c_str()).config), to_json(usual));
  // Beyond what it was trained with, its base would grow with the text.
  EXPECT_EQ(read("stacks/nomic-bert", authors(R"({"rotary_scaling_factor": 2})").c_str())
                .config.encoder.max_positions,
            2048);
  const std::vector<std::string> patches = {
      authors(R"({"activation_function": "gelu"})"), authors(R"({"prenorm": true})"),
      authors(R"({"rotary_emb_interleaved": true})"), authors(R"({"n_head": 3})")};
  expect_refused<ModelError>({{"stacks/nomic-bert", patches[0].c_str(), "swiglu is"},
                              {"stacks/nomic-bert", patches[1].c_str(), "this part is not there"},
                              {"stacks/nomic-bert", patches[2].c_str(), "this part is not there"},
                              {"stacks/nomic-bert", patches[3].c_str(),
                               "n_head = 3 is not supported: a divisor of n_embd = 16 is"}});
}

}  // namespace
}  // namespace mog::model
