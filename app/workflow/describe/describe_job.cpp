#include "app/workflow/describe/describe_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <span>

#include "app/workflow/describe/describe_parts.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "io/text/conllu.h"
#include "io/text/input_file.h"
#include "model/foreign/foreign_model.h"

namespace mog::app {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<PathKind, std::string_view>, 14> kKindNames = {{
    {PathKind::model_dir, "model_dir"},
    {PathKind::recording, "recording"},
    {PathKind::safetensors, "safetensors"},
    {PathKind::bpe_codes, "bpe_codes"},
    {PathKind::vocab_lines, "vocab_lines"},
    {PathKind::vocab_counts, "vocab_counts"},
    {PathKind::text, "text"},
    {PathKind::conllu, "conllu"},
    {PathKind::iob2, "iob2"},
    {PathKind::torch, "torch"},
    {PathKind::ctranslate2, "ctranslate2"},
    {PathKind::tokenizer_json, "tokenizer_json"},
    {PathKind::sentencepiece, "sentencepiece"},
    {PathKind::gguf, "gguf"},
}};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char character) { return static_cast<char>(std::tolower(character)); });
  return text;
}

// Whether `word` stands in `name` between its ends, dots, dashes and underscores.
bool names_word(const std::string& name, std::string_view word) {
  const auto border = [&](std::size_t at) {
    return at >= name.size() || name[at] == '.' || name[at] == '-' || name[at] == '_';
  };
  for (auto at = name.find(word); at != std::string::npos; at = name.find(word, at + 1)) {
    if ((at == 0 || border(at - 1)) && border(at + word.size())) {
      return true;
    }
  }
  return false;
}

std::string first_bytes(const fs::path& path) {
  io::InputFile file = io::InputFile::open(path, "the file");
  std::array<std::byte, 512> bytes;
  const std::size_t got = file.read(bytes);
  return {reinterpret_cast<const char*>(bytes.data()), got};
}

bool holds_gguf(const fs::path& folder) {
  try {
    return model::gguf_of(folder).has_value();
  } catch (const UsageError&) {
    return true;  // several: opening it says so
  }
}

PathKind detect_directory(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path / "config.json", error) || fs::exists(path / "model.safetensors", error) ||
      fs::exists(path / "model.bin", error) || fs::exists(path / "modules.json", error) || holds_gguf(path)) {
    return PathKind::model_dir;
  }
  if (io::looks_like_recording(path)) {
    return PathKind::recording;
  }
  throw FormatError(
      fmt::format("describing {}: the directory is neither a model (it has no config.json) nor a recording "
                  "(it has no manifest.json)",
                  path.string()));
}

std::optional<PathKind> by_extension(const fs::path& path) {
  static constexpr std::array<std::pair<std::string_view, PathKind>, 17> kExtensions = {{
      {".safetensors", PathKind::safetensors},
      {".gguf", PathKind::model_dir},
      {".h5", PathKind::recording},
      {".hdf5", PathKind::recording},
      {".part", PathKind::recording},
      {".codes", PathKind::bpe_codes},
      {".bpe", PathKind::bpe_codes},
      {".conllu", PathKind::conllu},
      {".iob2", PathKind::iob2},
      {".pt", PathKind::torch},
      {".pth", PathKind::torch},
      {".pkl", PathKind::torch},
      {".ckpt", PathKind::torch},
      {".bin", PathKind::ctranslate2},
      {".json", PathKind::tokenizer_json},
      {".spm", PathKind::sentencepiece},
      {".model", PathKind::sentencepiece},
  }};
  const std::string extension = io::is_treebank(path) ? ".conllu" : lower(path.extension().string());
  const auto found = std::find_if(kExtensions.begin(), kExtensions.end(),
                                  [&](const auto& entry) { return entry.first == extension; });
  return found == kExtensions.end() ? std::nullopt : std::optional(found->second);
}

// model.bin of CTranslate2, or pytorch_model.bin and its like: the first bytes tell.
PathKind detect_binary(const fs::path& path) {
  const std::string head = first_bytes(path);
  const bool torch = head.starts_with("PK") || head.starts_with("\x80") ||
                     lower(path.filename().string()).find("torch") != std::string::npos;
  return torch ? PathKind::torch : PathKind::ctranslate2;
}

}  // namespace

std::string_view name(PathKind kind) noexcept {
  return kKindNames[static_cast<std::size_t>(kind)].second;
}

PathKind parse_path_kind(std::string_view text) {
  if (text == "hdf5") {
    return PathKind::recording;
  }
  std::vector<std::string> all;
  for (const auto& [kind, kind_name] : kKindNames) {
    if (kind_name == text) {
      return kind;
    }
    all.emplace_back(kind_name);
  }
  all.emplace_back("hdf5");
  throw unknown_choice("--kind", text, all);
}

PathKind detect_path_kind(const fs::path& path) {
  if (path == "-") {
    return PathKind::text;
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    throw UsageError(fmt::format("describing {}: there is no such file or directory", path.string()));
  }
  const std::string file_name = lower(path.filename().string());
  if (fs::is_directory(status)) {
    return by_extension(path) == PathKind::safetensors ? PathKind::safetensors : detect_directory(path);
  }
  if (const auto kind = by_extension(path)) {
    return *kind == PathKind::ctranslate2 ? detect_binary(path) : *kind;
  }
  const std::string head = first_bytes(path);
  if (head.starts_with("\x89HDF\r\n\x1a\n")) {
    return PathKind::recording;
  }
  if (head.starts_with("#version:")) {
    return PathKind::bpe_codes;
  }
  if (model::is_gguf(head)) {
    return PathKind::model_dir;
  }
  if (head.starts_with("PK\x03\x04") || head.starts_with("\x80\x02") || head.starts_with("\x80\x04")) {
    return PathKind::torch;
  }
  if (names_word(file_name, "vocab")) {
    return PathKind::vocab_lines;
  }
  if (names_word(file_name, "dict")) {
    return PathKind::vocab_counts;
  }
  return PathKind::text;
}

std::string Description::text() const {
  std::size_t width = 0;
  for (const auto& [label, value] : facts) {
    width = std::max(width, label.size());
  }
  std::string result;
  for (const auto& [label, value] : facts) {
    result += fmt::format("{:<{}}  {}\n", label, width, value);
  }
  return result;
}

Description describe(const fs::path& path, std::optional<PathKind> forced, std::stop_token stop) {
  const PathKind kind = forced ? *forced : detect_path_kind(path);
  switch (kind) {
    case PathKind::model_dir:
      return describe_model(path);
    case PathKind::recording:
      return describe_recording(path, stop);
    case PathKind::safetensors:
      return describe_weights(path, io::WeightsFormat::safetensors, stop);
    case PathKind::torch:
      return describe_weights(path, io::WeightsFormat::torch, stop);
    case PathKind::ctranslate2:
      return describe_weights(path, io::WeightsFormat::ctranslate2, stop);
    case PathKind::bpe_codes:
      return describe_bpe_codes(path);
    case PathKind::vocab_lines:
      return describe_vocabulary(path);
    case PathKind::vocab_counts:
      return describe_dictionary(path);
    case PathKind::text:
      return describe_text(path, stop);
    case PathKind::conllu:
      return describe_conllu(path, stop);
    case PathKind::iob2:
      return describe_iob2(path);
    case PathKind::tokenizer_json:
      return describe_tokenizer(path);
    case PathKind::sentencepiece:
      return describe_weights(path, io::WeightsFormat::sentencepiece, stop);
    case PathKind::gguf:
      return describe_weights(path, io::WeightsFormat::gguf, stop);
  }
  throw FormatError(fmt::format("describing {}: it is of no kind that this version opens", path.string()));
}

}  // namespace mog::app
