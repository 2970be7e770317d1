#include "model/foreign/hugging_face.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "io/recording/errors.h"
#include "io/text/corpus.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"
#include "model/config_reader.h"
#include "model/foreign/bert_config.h"
#include "model/foreign/bert_weights.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostConfigBytes = std::uint64_t{16} << 20U;
constexpr const char* kWeights = "model.safetensors";

bool present(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
}

[[noreturn]] void refuse_missing_weights(const fs::path& folder) {
  const std::string start = fmt::format("opening the model {}: {} is missing", folder.string(), kWeights);
  if (present(folder / "model.safetensors.index.json")) {
    throw ModelError(start +
                     "; weights in several files (model.safetensors.index.json) are not supported: save "
                     "the model in one");
  }
  if (present(folder / "pytorch_model.bin")) {
    throw ModelError(start + "; pytorch_model.bin is not supported: save the model as safetensors");
  }
  throw FormatError(start);
}

// do_lower_case … of tokenizer_config.json; BERT's defaults where it is silent or absent.
BertNormalizer normalizer_of(const fs::path& folder) {
  BertNormalizer normalizer;
  const fs::path file = folder / "tokenizer_config.json";
  if (!present(file)) {
    return normalizer;
  }
  const std::string json = io::read_file(file, "the tokenizer configuration", kMostConfigBytes);
  io::check_json(json, file.string());
  const Json document = Json::parse(json);
  ConfigReader reader(document, file.string(), "");
  const auto given = [&](const char* key) { return reader.has(key) && !document[key].is_null(); };
  if (given("do_lower_case")) {
    normalizer.lowercase = reader.boolean("do_lower_case");
  }
  if (given("tokenize_chinese_chars")) {
    normalizer.handle_chinese_chars = reader.boolean("tokenize_chinese_chars");
  }
  normalizer.strip_accents = given("strip_accents") ? reader.boolean("strip_accents") : normalizer.lowercase;
  return normalizer;
}

WordPieceFile tokenizer_of(const fs::path& folder) {
  if (present(folder / "tokenizer.json")) {
    return read_tokenizer_json(folder / "tokenizer.json");
  }
  if (present(folder / "vocab.txt")) {
    return read_wordpiece_vocabulary(folder / "vocab.txt", normalizer_of(folder));
  }
  throw FormatError(
      fmt::format("opening the model {}: it has neither tokenizer.json nor vocab.txt", folder.string()));
}

std::int64_t id_of(const WordPieceFile& file, const std::string& token) {
  const auto found = std::find(file.tokens.begin(), file.tokens.end(), token);
  return static_cast<std::int64_t>(found - file.tokens.begin());
}

// The value of "license:" in the front matter of README.md.
std::string license_of(const fs::path& folder) {
  constexpr int kMostLines = 60;
  std::error_code error;
  if (!fs::is_regular_file(folder / "README.md", error)) {
    return "";
  }
  io::CorpusReader lines(folder / "README.md", {.invalid_utf8 = io::InvalidUtf8::replace});
  io::CorpusLine line;
  for (int count = 0; count < kMostLines && lines.next(line); ++count) {
    constexpr std::string_view kKey = "license:";
    if (line.text.starts_with(kKey)) {
      std::string value(line.text.substr(kKey.size()));
      value.erase(0, value.find_first_not_of(" \"'"));
      return value.substr(0, std::min<std::size_t>(80, value.find_last_not_of(" \"'") + 1));
    }
  }
  return "";
}

std::string name_of(const fs::path& folder, const BertConfig& config) {
  if (!config.name.empty() && config.name.size() <= 200 && !config.name.starts_with("/") &&
      !config.name.starts_with(".")) {
    return config.name;
  }
  const fs::path clean = fs::absolute(folder).lexically_normal();
  return (clean.has_filename() ? clean : clean.parent_path()).filename().string();
}

void add_notes(ForeignModel& model, const BertConfig& config, const BertWeights& weights) {
  if (const auto left_out = weights.left_out(); !left_out.empty()) {
    model.notes.push_back(fmt::format("left out, no part of the encoder: {}", fmt::join(left_out, ", ")));
  }
  model.notes.push_back("token type 0 is added to every row of the position table; other types are left out");
  if (const auto tokens = static_cast<std::int64_t>(model.tokenizer.tokens.size());
      tokens < config.vocabulary) {
    model.notes.push_back(
        fmt::format("the last {} rows of the embedding table belong to no token and are left out",
                    config.vocabulary - tokens));
  }
  for (const std::string& note : model.tokenizer.notes) {
    model.notes.push_back("tokenizer.json: " + note);
  }
}

}  // namespace

bool is_hugging_face_config(std::string_view json) noexcept {
  try {
    io::check_json(json, "config.json");
    const Json document = Json::parse(json);
    return document.is_object() && !document.contains("format") &&
           (document.contains("model_type") || document.contains("architectures"));
  } catch (const std::exception&) {
    return false;
  }
}

ForeignModel read_hugging_face(const fs::path& folder, bool weights) {
  const std::string json = io::read_file(folder / "config.json", "the model configuration", kMostConfigBytes);
  const BertConfig config = read_bert_config(json, folder / "config.json");
  if (!present(folder / kWeights)) {
    refuse_missing_weights(folder);
  }
  const BertWeights tensors(folder / kWeights, config);
  ForeignModel model;
  model.tokenizer = tokenizer_of(folder);
  const auto tokens = static_cast<std::int64_t>(model.tokenizer.tokens.size());
  if (tokens > config.vocabulary) {
    throw ModelError(
        fmt::format("opening the model {}: its tokenizer has {} tokens, but config.json has "
                    "vocab_size = {}",
                    folder.string(), tokens, config.vocabulary));
  }
  model.config.encoder = config.encoder;
  model.config.vocab_size = tokens;
  const WordPieceSettings& settings = model.tokenizer.settings;
  model.config.bos_id = id_of(model.tokenizer, settings.first);
  model.config.eos_id = id_of(model.tokenizer, settings.last);
  model.config.unk_id = id_of(model.tokenizer, settings.unknown);
  model.config.pad_id = id_of(model.tokenizer, "[PAD]");
  if (model.config.pad_id == tokens) {
    throw ModelError(
        fmt::format("opening the model {}: its vocabulary lacks the token [PAD]", folder.string()));
  }
  model.config.tokenizer = {.kind = TokenizerKind::wordpiece,
                            .lowercase = settings.normalizer.lowercase,
                            .codes = "",
                            .file = "tokenizer.json",
                            .vocab = "vocab.txt",
                            .target_vocab = ""};
  model.positions = config.positions + 2;
  model.tensor_types = tensors.types();
  model.source = name_of(folder, config);
  model.license = license_of(folder);
  add_notes(model, config, tensors);
  if (weights) {
    model.weights = tensors.read(tokens);
  }
  return model;
}

}  // namespace mog::model
