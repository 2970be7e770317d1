// tokenizer.json and vocab.txt of WordPiece tokenizers, read strictly: what this program would do otherwise
// than `tokenizers` is refused by name.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "model/config/config_reader.h"
#include "model/tokenizer/documents/tokenizer_document.h"
#include "model/tokenizer/tokenizer.h"
#include "model/tokenizer/wordpiece/wordpiece.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20U;
constexpr std::int64_t kMostTokens = std::int64_t{1} << 24;
constexpr std::size_t kMostTokenBytes = 4096;
constexpr std::int64_t kMostCharacters = 100'000;

[[noreturn]] void refuse(const std::string& file, const std::string& defect) {
  throw FormatError(fmt::format("{}: {}", file, defect));
}

// What a component calls itself; "none" for null.
std::string type_of(const Json& component) {
  if (component.is_null()) {
    return "none";
  }
  if (component.is_object() && component.contains("type") && component["type"].is_string()) {
    return component["type"].get<std::string>();
  }
  return "without a type";
}

[[noreturn]] void unsupported(const std::string& file, const char* what, const Json& found,
                              const char* supported) {
  refuse(file, fmt::format("{} {} is not supported; supported with WordPiece: {}", what, type_of(found),
                           supported));
}

const Json& member(const Json& document, const char* key) {
  static const Json kNull;
  const auto found = document.find(key);
  return found == document.end() ? kNull : *found;
}

void check_token(const std::string& file, const std::string& token) {
  if (token.empty() || token.size() > kMostTokenBytes) {
    refuse(file,
           fmt::format("a token of the vocab has {} bytes, expected 1 to {}", token.size(), kMostTokenBytes));
  }
  if (token.find_first_of(std::string("\n\0", 2)) != std::string::npos || token.back() == '\r') {
    refuse(file, fmt::format("the token {} of the vocab holds a line end or NUL, which vocab.txt cannot "
                             "hold",
                             Json(token).dump()));
  }
}

// Tokens with their ids, from the vocabulary and the list of added tokens; every id once, none left out.
class TokenList {
 public:
  explicit TokenList(std::string file) : file_(std::move(file)) {}

  void add(const std::string& token, const Json& id, const char* where) {
    check_token(file_, token);
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= static_cast<std::uint64_t>(kMostTokens)) {
      refuse(file_, fmt::format("{}: the token {} has the id {}, expected a whole number from 0 to {}", where,
                                Json(token).dump(), id.dump().substr(0, 80), kMostTokens - 1));
    }
    const auto number = id.get<std::int64_t>();
    const auto [at, is_new] = ids_.emplace(token, number);
    if (!is_new && at->second != number) {
      refuse(file_, fmt::format("{}: the token {} has the id {}, in the vocab it has {}", where,
                                Json(token).dump(), number, at->second));
    }
  }
  std::vector<std::string> by_id() const {
    std::vector<std::pair<std::int64_t, std::string_view>> sorted;
    for (const auto& [token, id] : ids_) {
      sorted.emplace_back(id, token);
    }
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::string> tokens;
    for (const auto& [id, token] : sorted) {
      const auto due = static_cast<std::int64_t>(tokens.size());
      if (id < due) {
        refuse(file_, fmt::format("the id {} belongs to two tokens, {} and {}", id,
                                  Json(tokens.back()).dump(), Json(token).dump()));
      }
      if (id > due) {
        refuse(file_, fmt::format("the ids of the vocab leave out {}; the next token, {}, has {}", due,
                                  Json(token).dump(), id));
      }
      tokens.emplace_back(token);
    }
    return tokens;
  }

 private:
  std::string file_;
  std::map<std::string, std::int64_t, std::less<>> ids_;
};

void read_model(const TokenizerDocument& read, const std::string& file, WordPieceSettings& settings,
                TokenList& tokens) {
  const Json& document = read.root;
  if (!document.contains("model")) {
    refuse(file, "the key model is missing, so this is no tokenizer.json");
  }
  ConfigReader reader(document["model"], file, "model");
  if (!reader.has("type") || reader.text("type") != "WordPiece") {
    refuse(file, fmt::format("the tokenizer model {} is not supported; supported: WordPiece",
                             type_of(document["model"])));
  }
  settings.unknown = reader.text("unk_token");
  settings.prefix = reader.text("continuing_subword_prefix");
  settings.most_characters = reader.integer("max_input_chars_per_word", 1, kMostCharacters);
  if (reader.at("vocab") != Json(true) || !read.scores.empty()) {
    reader.refuse("vocab", "an object of tokens and ids", "something else");
  }
  for (std::size_t id = 0; id < read.tokens.size(); ++id) {
    tokens.add(read.tokens[id], Json(id), "model.vocab");
  }
  reader.finish();
}

void read_added(const Json& document, const std::string& file, WordPieceSettings& settings,
                TokenList& tokens) {
  const Json& added = member(document, "added_tokens");
  if (added.is_null()) {
    return;
  }
  if (!added.is_array()) {
    refuse(file, "added_tokens: expected a list");
  }
  for (std::size_t i = 0; i < added.size(); ++i) {
    ConfigReader reader(added[i], file, fmt::format("added_tokens[{}]", i));
    const std::string content = reader.text("content");
    tokens.add(content, reader.at("id"), "added_tokens");
    for (const char* const option : {"single_word", "lstrip", "rstrip", "normalized"}) {
      if (reader.boolean(option)) {
        refuse(file, fmt::format("the added token {} has {} = true, which is not supported; supported are "
                                 "tokens found as they stand",
                                 Json(content).dump(), option));
      }
    }
    reader.boolean("special");
    reader.finish();
    if (std::find(settings.special.begin(), settings.special.end(), content) == settings.special.end()) {
      settings.special.push_back(content);
    }
  }
}

void read_normalizer(const Json& document, const std::string& file, BertNormalizer& normalizer) {
  const Json& found = member(document, "normalizer");
  if (type_of(found) != "BertNormalizer") {
    unsupported(file, "the normalizer", found, "BertNormalizer");
  }
  ConfigReader reader(found, file, "normalizer");
  reader.text("type");
  normalizer.clean_text = reader.boolean("clean_text");
  normalizer.handle_chinese_chars = reader.boolean("handle_chinese_chars");
  normalizer.lowercase = reader.boolean("lowercase");
  // null: accents go where case goes.
  const bool given = reader.has("strip_accents") && !reader.at("strip_accents").is_null();
  normalizer.strip_accents = given ? reader.boolean("strip_accents") : normalizer.lowercase;
  reader.finish();
}

// {"SpecialToken": {"id": "[CLS]", "type_id": 0}} → "[CLS]"; {"Sequence": {"id": "A", "type_id": 0}} → "A".
std::string template_part(const std::string& file, const Json& part, const char* kind) {
  if (part.is_object() && part.size() == 1 && part.contains(kind)) {
    ConfigReader reader(part[kind], file, fmt::format("post_processor.single.{}", kind));
    reader.integer("type_id", 0, 0);
    std::string id = reader.text("id");
    reader.finish();
    return id;
  }
  refuse(file, fmt::format("post_processor.single: expected one special token, the sentence, one special "
                           "token; found {} where {} should be",
                           part.dump().substr(0, 80), kind));
}

void read_frame(const Json& document, const std::string& file, WordPieceSettings& settings) {
  const Json& found = member(document, "post_processor");
  const std::string type = type_of(found);
  if (type == "BertProcessing") {
    for (const auto& [key, token] : {std::pair{"cls", &settings.first}, {"sep", &settings.last}}) {
      const Json& pair = member(found, key);
      if (!pair.is_array() || pair.empty() || !pair[0].is_string()) {
        refuse(file, fmt::format("post_processor.{}: expected a token and its id", key));
      }
      *token = pair[0].get<std::string>();
    }
    return;
  }
  if (type != "TemplateProcessing") {
    unsupported(file, "the post-processor", found, "TemplateProcessing, BertProcessing");
  }
  const Json& single = member(found, "single");
  if (!single.is_array() || single.size() != 3) {
    refuse(file, "post_processor.single: expected one special token, the sentence, one special token");
  }
  settings.first = template_part(file, single[0], "SpecialToken");
  if (const std::string sequence = template_part(file, single[1], "Sequence"); sequence != "A") {
    refuse(file, fmt::format("post_processor.single: expected the sequence A, found {}", sequence));
  }
  settings.last = template_part(file, single[2], "SpecialToken");
}

void note_what_is_not_done(const Json& document, std::vector<std::string>& notes) {
  const Json& truncation = member(document, "truncation");
  if (truncation.is_object() && member(truncation, "max_length").is_number_integer()) {
    notes.push_back(
        fmt::format("its truncation at {} tokens is not applied", truncation["max_length"].dump()));
  }
}

void require_tokens(const WordPieceFile& read, const std::string& file) {
  const WordPieceSettings& settings = read.settings;
  const std::set<std::string_view> tokens(read.tokens.begin(), read.tokens.end());
  for (const std::string& token : {settings.unknown, settings.first, settings.last}) {
    if (!tokens.contains(token)) {
      refuse(file, fmt::format("the token \"{}\" is not in the vocab", token));
    }
  }
}

}  // namespace

WordPieceFile read_tokenizer_json(const std::filesystem::path& path) {
  const std::string file = path.string();
  const std::string text = io::read_file(path, "the tokenizer", kMostBytes);
  const TokenizerDocument parsed = read_tokenizer_document(text, file);
  const Json& document = parsed.root;
  WordPieceFile read;
  TokenList tokens(file);
  read_model(parsed, file, read.settings, tokens);
  read_added(document, file, read.settings, tokens);
  read.tokens = tokens.by_id();
  const std::set<std::string_view> known(read.tokens.begin(), read.tokens.end());
  if (!known.contains(read.settings.unknown)) {
    refuse(file, fmt::format("the unk_token \"{}\" is not in the vocab", read.settings.unknown));
  }
  read_normalizer(document, file, read.settings.normalizer);
  if (const Json& found = member(document, "pre_tokenizer"); type_of(found) != "BertPreTokenizer") {
    unsupported(file, "the pre-tokenizer", found, "BertPreTokenizer");
  }
  read_frame(document, file, read.settings);
  require_tokens(read, file);
  note_what_is_not_done(document, read.notes);
  return read;
}

WordPieceFile read_wordpiece_vocabulary(const std::filesystem::path& file, const BertNormalizer& normalizer) {
  const Vocabulary vocabulary = Vocabulary::read(file);
  WordPieceFile read;
  read.settings.normalizer = normalizer;
  for (std::int64_t id = 0; id < vocabulary.size(); ++id) {
    read.tokens.push_back(vocabulary.token(id));
  }
  for (const char* const token : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
    if (vocabulary.find(token)) {
      read.settings.special.emplace_back(token);
    }
  }
  require_tokens(read, file.string());
  return read;
}

std::string to_tokenizer_json(const WordPieceFile& file) {
  const WordPieceSettings& settings = file.settings;
  // Written out: a document tree searches its keys for every new one.
  std::map<std::string_view, std::size_t> ids;
  std::string vocabulary;
  for (std::size_t id = 0; id < file.tokens.size(); ++id) {
    ids.emplace(file.tokens[id], id);
    vocabulary += fmt::format("{}\n   {}: {}", id == 0 ? "" : ",", Json(file.tokens[id]).dump(), id);
  }
  Json added = Json::array();
  for (const std::string& token : settings.special) {
    added.push_back({{"id", ids.at(token)},
                     {"content", token},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  }
  const auto special = [](const std::string& token, int type) {
    return Json{{"SpecialToken", {{"id", token}, {"type_id", type}}}};
  };
  const auto sequence = [](const char* which, int type) {
    return Json{{"Sequence", {{"id", which}, {"type_id", type}}}};
  };
  const auto framed = [&](const std::string& token) {
    return Json{{"id", token}, {"ids", Json::array({ids.at(token)})}, {"tokens", Json::array({token})}};
  };
  Json document;
  document["version"] = "1.0";
  document["truncation"] = nullptr;
  document["padding"] = nullptr;
  document["added_tokens"] = std::move(added);
  document["normalizer"] = {{"type", "BertNormalizer"},
                            {"clean_text", settings.normalizer.clean_text},
                            {"handle_chinese_chars", settings.normalizer.handle_chinese_chars},
                            {"strip_accents", settings.normalizer.strip_accents},
                            {"lowercase", settings.normalizer.lowercase}};
  document["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  document["post_processor"] = {
      {"type", "TemplateProcessing"},
      {"single", Json::array({special(settings.first, 0), sequence("A", 0), special(settings.last, 0)})},
      {"pair", Json::array({special(settings.first, 0), sequence("A", 0), special(settings.last, 0),
                            sequence("B", 1), special(settings.last, 1)})},
      {"special_tokens", {{settings.first, framed(settings.first)}, {settings.last, framed(settings.last)}}}};
  document["decoder"] = {{"type", "WordPiece"}, {"prefix", settings.prefix}, {"cleanup", true}};
  document["model"] = {{"type", "WordPiece"},
                       {"unk_token", settings.unknown},
                       {"continuing_subword_prefix", settings.prefix},
                       {"max_input_chars_per_word", settings.most_characters},
                       {"vocab", nullptr}};
  std::string text = document.dump(1) + "\n";
  constexpr std::string_view kPlace = "\"vocab\": null";
  text.replace(text.rfind(kPlace), kPlace.size(), "\"vocab\": {" + vocabulary + "\n  }");
  return text;
}

std::string to_vocabulary_text(std::span<const std::string> tokens) {
  std::string text;
  for (const std::string& token : tokens) {
    text += token;
    text += '\n';
  }
  return text;
}

}  // namespace mog::model
