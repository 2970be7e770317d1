#include "model/tokenizer/foreign_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"
#include "model/config_reader.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostConfigBytes = std::uint64_t{16} << 20U;

bool present(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
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
  const auto document = nlohmann::ordered_json::parse(json);
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

ForeignTokenizer of_wordpiece(WordPieceFile file) {
  ForeignTokenizer result;
  const auto id_of = [&](const std::string& token) {
    const auto found = std::find(file.tokens.begin(), file.tokens.end(), token);
    return found == file.tokens.end() ? std::nullopt
                                      : std::optional<std::int64_t>(found - file.tokens.begin());
  };
  result.tokenizer = make_wordpiece_tokenizer(file);
  result.config.kind = TokenizerKind::wordpiece;
  result.config.lowercase = file.settings.normalizer.lowercase;
  result.config.file = "tokenizer.json";
  result.first = id_of(file.settings.first);
  result.last = id_of(file.settings.last);
  result.unknown = id_of(file.settings.unknown);
  result.padding = id_of("[PAD]");
  result.files = {{"tokenizer.json", to_tokenizer_json(file)},
                  {"vocab.txt", to_vocabulary_text(file.tokens)}};
  result.notes = file.notes;
  result.wordpiece = std::move(file);
  return result;
}

}  // namespace

ForeignTokenizer read_foreign_tokenizer_json(const fs::path& file) {
  return of_wordpiece(read_tokenizer_json(file));
}

ForeignTokenizer read_foreign_tokenizer(const fs::path& folder) {
  if (present(folder / "tokenizer.json")) {
    return read_foreign_tokenizer_json(folder / "tokenizer.json");
  }
  if (present(folder / "vocab.txt")) {
    return of_wordpiece(read_wordpiece_vocabulary(folder / "vocab.txt", normalizer_of(folder)));
  }
  throw FormatError(
      fmt::format("opening the model {}: it has neither tokenizer.json nor vocab.txt", folder.string()));
}

}  // namespace mog::model
