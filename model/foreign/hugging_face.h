// Models of other programs, read into ours: Hugging Face folders of BERT type (BERT, MiniLM).
//
// A folder holds config.json, model.safetensors and tokenizer.json or vocab.txt. What computes otherwise than
// docs/model-directory.md says is refused by name; what does not take part in the encoder (pooler, heads of
// other tasks) is left out and named in `notes`.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/recording/host_tensor.h"
#include "model/config.h"
#include "model/tokenizer/wordpiece.h"

namespace mog::model {

struct ForeignModel {
  ModelConfig config;                         // its tokenizer names tokenizer.json and vocab.txt
  std::map<std::string, HostTensor> weights;  // float32, under the names of docs/model-directory.md
  std::int64_t positions = 0;                 // rows of the position table
  std::vector<std::string> tensor_types;      // as stored: "F32", "F16", "BF16", each once
  WordPieceFile tokenizer;
  std::string source;   // what the model calls itself, else the name of the folder
  std::string license;  // as its README says; may be empty
  std::vector<std::string> notes;
};

// Whether a config.json is one of Hugging Face's: a JSON object without "format" that has "model_type" or
// "architectures". Never throws.
bool is_hugging_face_config(std::string_view json) noexcept;

// `weights` false: names, shapes and types are checked in the header, values are not read.
// Throws FormatError (a file is missing or damaged), ModelError (a model or tensor that is not supported, or
// configuration, weights and vocabulary that do not fit each other), each naming the file and the key or
// tensor.
ForeignModel read_hugging_face(const std::filesystem::path& folder, bool weights = true);

}  // namespace mog::model
