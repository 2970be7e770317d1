// Hugging Face folders: config.json, weights (model.safetensors or pytorch_model.bin, in one file or several)
// and a tokenizer. Supported: bert, electra, roberta, xlm-roberta, camembert, distilbert, albert, mpnet,
// big_bird (short sentences), and bart, mbart, marian, pegasus, m2m_100 (NLLB), t5, mt5 with their decoders,
// or their encoders alone. A folder of sentence-transformers is that of its Transformer module.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "model/foreign/foreign_model.h"
#include "model/foreign/foreign_weights.h"
#include "model/foreign/hf_config.h"
#include "model/tokenizer/loading/foreign_tokenizer.h"

namespace mog::model {

// Whether a config.json is one of Hugging Face's: a JSON object without "format" that has "model_type" or
// "architectures". Never throws.
bool is_hugging_face_config(std::string_view json) noexcept;

// What a model of one of the types is made of; config is borrowed.
struct HfParts {
  std::filesystem::path path;  // for messages, and where the files of a decoder lie
  HfConfig& config;
  std::function<ForeignWeights()> tensors;  // this and the next are called once
  std::function<ForeignTokenizer()> tokenizer;
  std::string source;
  std::string license;
};
// Throws as read_foreign_model.
ForeignModel assemble(const HfParts& parts, bool weights);

// Throws as read_foreign_model.
ForeignModel read_hugging_face(const std::filesystem::path& folder, bool weights = true);

}  // namespace mog::model
