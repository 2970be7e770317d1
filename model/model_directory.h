// Opening and checking a model directory: configuration, tokenizer, weights. Free of Torch.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "io/checkpoint/weights_type.h"
#include "io/recording/host_tensor.h"
#include "io/recording/model_card.h"
#include "model/config/config.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::model {

struct ModelDirectory {
  std::filesystem::path path;
  ModelConfig config;
  ModelCard card;
  std::shared_ptr<const Tokenizer> tokenizer;           // of the source
  std::shared_ptr<const Tokenizer> target_tokenizer;    // of translations; nullptr: `tokenizer`
  std::shared_ptr<const Vocabulary> target_vocabulary;  // nullptr without a decoder
  std::map<std::string, HostTensor> weights;            // as stored; int8 rows as float32
};

struct OpenOptions {
  bool weights = true;  // false: check names and shapes in the header only, leave `weights` empty
};

// A model of another program (model/foreign/foreign_model.h) opens as if it had been converted.
// Throws FormatError when a file is not what it should be, ModelError when configuration, weights and
// vocabulary do not fit each other; both name the file and the tensor, key or line.
// NaN and infinity in weights are refused with the tensor's name.
ModelDirectory open_model_directory(const std::filesystem::path& path, const OpenOptions& options = {});

// An encoder of which another program left maps and states, but no weights (`mog import`).
struct ImportedEncoder {
  bool order_groups = false;  // previous and incremental subgraphs, three attentions a layer
  bool weight_gate = false;
  bool plain_first_layer = false;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t d_model = 0;
};
ModelConfig config_of(const ImportedEncoder& encoder);
ModelCard card_of(const ImportedEncoder& encoder);  // what the file does not say stays empty

// The card of a model that has no directory yet (hashes empty, configuration as to_json writes it).
ModelCard describe_config(const std::string& name, const ModelConfig& config, std::int64_t positions = 0);

// Writes config.json, model.safetensors (kept as `type`) and README.md (`card_markdown`), each
// beside its place and renamed; tokenizer files are copied from `tokenizer_files` (name → bytes).
void write_model_directory(const std::filesystem::path& path, const ModelConfig& config,
                           const std::map<std::string, HostTensor>& weights, io::WeightsType type,
                           const std::map<std::string, std::string>& tokenizer_files,
                           const std::string& card_markdown);

}  // namespace mog::model
