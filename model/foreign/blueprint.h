// What a family of Hugging Face models says of one folder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/config/config.h"
#include "model/foreign/hf_config.h"
#include "model/foreign/tensor_plan.h"

namespace mog::model {

// The other half of an encoder-decoder.
struct TargetBlueprint {
  DecoderConfig decoder;        // output_bias: as the file has it
  std::int64_t vocabulary = 0;  // rows of its embedding table
  std::int64_t positions = 0;   // rows of our position table; 0: none
  bool shared = true;           // the embeddings are the encoder's
  std::function<void(TensorPlan&)> plan;
};

struct Blueprint {
  EncoderConfig encoder;
  std::int64_t vocabulary = 0;  // rows of the embedding table
  std::int64_t positions = 0;   // rows of our position table; 0: none
  bool shared = true;           // where there is a decoder, it has the same embeddings
  std::optional<std::int64_t> pad_id;
  std::vector<std::string> prefixes;  // of all names, the one found first counts
  std::vector<std::string> anchors;   // a tensor that every such model has
  std::function<void(TensorPlan&)> plan;
  std::string what;  // "a BERT encoder with 3 layers", for messages
  std::vector<std::string> notes;
  std::optional<TargetBlueprint> target;  // of an encoder-decoder
  // Of a model that reads from left to right; share_embedding as the configuration says, where the file has
  // no map of its own.
  std::optional<LanguageModelConfig> language_model;
  bool own_head = false;  // its map is planned by `plan` where the file has none
  bool framed = true;     // a sentence stands between special tokens
};

// Ours: the first token has row 2.
inline constexpr std::int64_t kFirstRow = 2;
// A table [rows + 2, d] of ours from rows [first, first + rows) of theirs; `added` [d], if any, is added to
// each row; the sums are float64, else the table is float32.
HostTensor position_table(const HostTensor& theirs, std::int64_t first, std::int64_t rows,
                          const HostTensor& added = {});

// Whether a folder that could have a decoder has one: not where the configuration, or the class that saved
// it, says that it is an encoder alone.
bool has_decoder(HfConfig& config);
// Where the embeddings of `stack` ("encoder", "decoder") may stand; of shared ones any name is enough.
std::vector<std::string> embedding_names(const std::string& stack, bool shared);
// "the encoder of T5 with 3 layers", "T5 with 3 and 2 layers".
std::string name_of(const char* family, const Blueprint& blueprint);
// The bias of the map to the vocabulary, of a file that has one.
inline constexpr const char* kOutputBias = "/final_logits_bias";

// The keys that BERT and its kin share.
Blueprint bert_like(HfConfig& config);
// word_embeddings, position_embeddings (`first`: the row of theirs that the first token takes), LayerNorm;
// `token_types` 0: no table of them.
void plan_bert_embeddings(TensorPlan& plan, const EncoderConfig& encoder, std::int64_t vocabulary,
                          std::int64_t positions, std::int64_t token_types, std::int64_t first);
// What a kind of layer calls its parts.
struct BertLayerNames {
  const char *query, *key, *value, *out, *attention_norm, *up, *down, *norm;
};
void plan_bert_layer(TensorPlan& plan, const EncoderConfig& encoder, std::int64_t layer,
                     const std::string& theirs, const BertLayerNames& names);
inline constexpr BertLayerNames kBertLayer = {
    "attention.self.query",       "attention.self.key", "attention.self.value", "attention.output.dense",
    "attention.output.LayerNorm", "intermediate.dense", "output.dense",         "output.LayerNorm"};

// Each reads its keys of config.json, refuses by name what computes otherwise, and finishes it.
Blueprint bert_blueprint(HfConfig& config);        // bert, electra
Blueprint roberta_blueprint(HfConfig& config);     // roberta, xlm-roberta, camembert
Blueprint distilbert_blueprint(HfConfig& config);  // distilbert
Blueprint albert_blueprint(HfConfig& config);      // albert
Blueprint mpnet_blueprint(HfConfig& config);       // mpnet
Blueprint big_bird_blueprint(HfConfig& config);    // big_bird
Blueprint bart_blueprint(HfConfig& config);        // bart, mbart
Blueprint marian_blueprint(HfConfig& config);      // marian
Blueprint pegasus_blueprint(HfConfig& config);     // pegasus
Blueprint m2m_100_blueprint(HfConfig& config);     // m2m_100 (NLLB too)
Blueprint t5_blueprint(HfConfig& config);          // t5, mt5

// Readers from left to right (llama_families.cpp, gpt_families.cpp).
Blueprint llama_blueprint(HfConfig& config);  // llama, mistral, ministral, arcee, ernie4_5, seed_oss, smollm3
Blueprint qwen_blueprint(HfConfig& config);   // qwen2, qwen3
Blueprint gemma_blueprint(HfConfig& config);  // gemma, gemma2, gemma3_text, gemma3
Blueprint phi_blueprint(HfConfig& config);    // phi
Blueprint phi3_blueprint(HfConfig& config);   // phi3
Blueprint olmo_blueprint(HfConfig& config);   // olmo, olmo2, olmo3
Blueprint stablelm_blueprint(HfConfig& config);    // stablelm
Blueprint starcoder2_blueprint(HfConfig& config);  // starcoder2
Blueprint cohere_blueprint(HfConfig& config);      // cohere, cohere2
Blueprint granite_blueprint(HfConfig& config);     // granite
Blueprint glm_blueprint(HfConfig& config);         // glm, glm4
Blueprint minicpm_blueprint(HfConfig& config);     // minicpm
Blueprint gpt2_blueprint(HfConfig& config);        // gpt2, gpt_bigcode
Blueprint gpt_neo_blueprint(HfConfig& config);     // gpt_neo
Blueprint gpt_neox_blueprint(HfConfig& config);    // gpt_neox (Pythia)
Blueprint gptj_blueprint(HfConfig& config);        // gptj
Blueprint opt_blueprint(HfConfig& config);         // opt
Blueprint bloom_blueprint(HfConfig& config);       // bloom
Blueprint mpt_blueprint(HfConfig& config);         // mpt
Blueprint falcon_blueprint(HfConfig& config);      // falcon

// Newer encoders (modern_encoders.cpp, deberta_family.cpp).
Blueprint modernbert_blueprint(HfConfig& config);  // modernbert
Blueprint nomic_bert_blueprint(HfConfig& config);  // nomic_bert
Blueprint gte_blueprint(HfConfig& config);         // new (GTE)
Blueprint jina_v2_blueprint(HfConfig& config);     // bert with alibi (Jina embeddings 2)
Blueprint jina_v3_blueprint(HfConfig& config);     // jina_embeddings_v3
Blueprint eurobert_blueprint(HfConfig& config);    // eurobert
Blueprint esm_blueprint(HfConfig& config);         // esm (ESM-2)
Blueprint longformer_blueprint(HfConfig& config);  // longformer
Blueprint deberta_blueprint(HfConfig& config);     // deberta, deberta-v2

}  // namespace mog::model
