// What a path is: the work behind `mog describe`, and what the desktop program asks before it opens a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mog::app {

enum class PathKind : std::uint8_t {
  model_dir,
  recording,  // a directory, its recording.h5, or one shard ("hdf5")
  safetensors,
  bpe_codes,
  vocab_lines,   // one token a line
  vocab_counts,  // a token and its count a line (fairseq's dictionary)
  text,          // a corpus, one sentence a line
  conllu,
  iob2,
  torch,           // torch.save: a state dict, a checkpoint
  ctranslate2,     // a model.bin
  tokenizer_json,  // of Hugging Face's tokenizers
  sentencepiece,   // spiece.model, source.spm …
  gguf,            // its tensors and keys; as a model it is a model_dir
};
// As in `mog describe --kind`; "hdf5" is another spelling of "recording".
std::string_view name(PathKind kind) noexcept;
// Throws UsageError naming what is allowed.
PathKind parse_path_kind(std::string_view text);

// By a few bytes and the name; opens no pipe and no device. Throws UsageError when there is nothing at
// `path`, FormatError for a directory that is neither a model nor a recording.
PathKind detect_path_kind(const std::filesystem::path& path);

struct Description {
  PathKind kind = PathKind::text;
  // What a person reads, in order: ("kind", "model directory"), ("sentences", "1,000") …
  std::vector<std::pair<std::string, std::string>> facts;
  std::string json;  // the same and more, one document

  std::string text() const;  // facts as aligned lines
};

// Opens and checks what is there, to the last value where that costs little memory.
// Throws FormatError, ModelError, ShapeError, StorageError, UsageError, each naming the file; Interrupted.
Description describe(const std::filesystem::path& path, std::optional<PathKind> kind = {},
                     std::stop_token stop = {});

}  // namespace mog::app
