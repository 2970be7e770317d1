// Models of other programs, read into ours.
//
// What opens: Hugging Face folders of BERT type, of BART, Marian and T5 (hugging_face.h),
// files of fairseq and of torch.nn.TransformerEncoder (checkpoint_file.h), folders of CTranslate2
// (ctranslate2.h). What computes otherwise than docs/model-directory.md says is refused by name; what does
// not take part in the model (poolers, heads of other tasks) is left out and named in `notes`.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/recording/host_tensor.h"
#include "model/config/config.h"
#include "model/tokenizer/tokenizer.h"
#include "model/tokenizer/wordpiece/wordpiece.h"
#include "model/weights/stored_weights.h"

namespace mog::model {

struct ForeignModel {
  ModelConfig config;                         // its tokenizer names the files of `tokenizer_files`
  std::map<std::string, HostTensor> weights;  // float32, under the names of docs/model-directory.md
  // The same of a model that is not read yet (ForeignOptions::later); else nullptr.
  std::shared_ptr<const StoredWeights> stored;
  std::int64_t positions = 0;             // rows of the encoder's position table, 0 without one
  std::int64_t target_positions = 0;      // of the decoder's
  std::vector<std::string> tensor_types;  // as stored: "F32", "F16", "BF16", each once
  std::shared_ptr<const Tokenizer> tokenizer;
  std::shared_ptr<const Tokenizer> target_tokenizer;    // of translations; nullptr: `tokenizer`
  std::shared_ptr<const Vocabulary> target_vocabulary;  // nullptr without a decoder
  std::map<std::string, std::string> tokenizer_files;   // name → bytes, for a model directory (below)
  std::optional<WordPieceFile> wordpiece;               // what a vocabulary can be pruned of
  std::string weights_sha256;
  std::string source;   // what the model calls itself, else the name of the folder or file
  std::string license;  // as its README says; may be empty
  std::vector<std::string> notes;
};

// What a file does not say of itself (torch.nn.TransformerEncoder, checkpoint_file.h); unset: as the file or
// its description beside it says. A model that says otherwise is refused.
struct ForeignOptions {
  bool weights = true;  // false: names, shapes and types are checked, values are not handed over
  bool later = false;   // values are read when they are asked for, tensor by tensor
  std::optional<std::int64_t> heads;
  std::optional<NormPlace> norm;
  std::optional<Activation> activation;
};

// "relu", "gelu", "gelu_tanh", "silu"; nothing for any other.
std::optional<Activation> parse_activation(std::string_view name) noexcept;

// Whether the first bytes of a file are those of GGUF.
bool is_gguf(std::string_view first_bytes) noexcept;
// The GGUF file that is the model in `path`: a file itself, or the one in a folder without other weights;
// nothing where there is none. Throws UsageError for a folder with several.
std::optional<std::filesystem::path> gguf_of(const std::filesystem::path& path);

// Whether `path` is a model of another program: a folder without a config.json of ours, or a file. Never
// throws; true does not mean that it opens.
bool is_foreign_model(const std::filesystem::path& path) noexcept;

// Throws ModelError when `options` say otherwise than the configuration of the model in `path`.
void check_options(const ModelConfig& config, const ForeignOptions& options,
                   const std::filesystem::path& path);

// Throws FormatError naming the token where the vocabulary has one that no line of a vocab.txt can hold, so
// that no model directory can be made of the model.
void require_vocabulary_file(const ForeignModel& model, const std::filesystem::path& path);

// Throws FormatError (a file is missing or damaged), ModelError (a model or tensor that is not supported, or
// configuration, weights and vocabulary that do not fit each other), each naming the file and the key or
// tensor.
ForeignModel read_foreign_model(const std::filesystem::path& path, const ForeignOptions& options = {});

}  // namespace mog::model
