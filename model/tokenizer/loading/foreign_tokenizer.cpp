#include "model/tokenizer/loading/foreign_tokenizer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "io/recording/errors.h"
#include "io/text/corpus.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"
#include "model/config/config_reader.h"
#include "model/tokenizer/documents/tokenizer_document.h"
#include "model/tokenizer/json/tokenizer_json.h"
#include "model/tokenizer/sentencepiece/sentencepiece_file.h"
#include "model/tokenizer/sentencepiece/sentencepiece_folder.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostConfigBytes = std::uint64_t{16} << 20U;
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20U;

bool present(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
}

// tokenizer_config.json, an empty object where it is absent.
class Settings {
 public:
  explicit Settings(const fs::path& folder) : file_(folder / "tokenizer_config.json") {
    document_ = Json::object();
    if (present(file_)) {
      const std::string json = io::read_file(file_, "the tokenizer configuration", kMostConfigBytes);
      io::check_json(json, file_.string());
      document_ = Json::parse(json);
    }
  }
  // "GPT2Tokenizer"; without the "Fast" that its class may end with.
  std::string tokenizer_class() const {
    const auto found = document_.find("tokenizer_class");
    std::string name = found != document_.end() && found->is_string() ? found->get<std::string>() : "";
    constexpr std::string_view kFast = "Fast";
    return name.ends_with(kFast) ? name.substr(0, name.size() - kFast.size()) : name;
  }
  // Of a text or of an object's "content"; empty where there is none.
  std::string token(const char* key) const {
    const auto found = document_.find(key);
    if (found == document_.end()) {
      return "";
    }
    const Json& value = found->is_object() && found->contains("content") ? (*found)["content"] : *found;
    return value.is_string() ? value.get<std::string>() : "";
  }
  bool flag(const char* key, bool otherwise) const {
    ConfigReader reader(document_, file_.string(), "");
    return reader.has(key) && !document_[key].is_null() ? reader.boolean(key) : otherwise;
  }

 private:
  fs::path file_;
  Json document_;
};

WordPieceFile read_bert_vocabulary(const fs::path& folder) {
  const Settings settings(folder);
  BertNormalizer normalizer;
  normalizer.lowercase = settings.flag("do_lower_case", normalizer.lowercase);
  normalizer.handle_chinese_chars = settings.flag("tokenize_chinese_chars", normalizer.handle_chinese_chars);
  normalizer.strip_accents = settings.flag("strip_accents", normalizer.lowercase);
  return read_wordpiece_vocabulary(folder / "vocab.txt", normalizer);
}

std::vector<std::string> read_merges(const fs::path& file) {
  io::CorpusReader lines(file);
  io::CorpusLine line;
  std::vector<std::string> merges;
  while (lines.next(line)) {
    if (line.text.starts_with("#version") || line.text.empty()) {
      continue;
    }
    const std::size_t space = line.text.find(' ');
    if (space == std::string::npos || space == 0 || line.text.find(' ', space + 1) != std::string::npos ||
        space + 1 == line.text.size()) {
      throw FormatError(fmt::format("{}: line {}: expected two parts with one space between them",
                                    file.string(), line.number));
    }
    merges.emplace_back(line.text);
  }
  return merges;
}

Json added_token(std::int64_t id, const std::string& content, bool lstrip) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", lstrip},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

// A template of one token before a text and one behind it; either may be absent.
Json frame_of(const std::optional<std::pair<std::string, std::int64_t>>& first,
              const std::optional<std::pair<std::string, std::int64_t>>& last) {
  Json single = Json::array();
  Json tokens = Json::object();
  const auto add = [&](const std::pair<std::string, std::int64_t>& token) {
    single.push_back({{"SpecialToken", {{"id", token.first}, {"type_id", 0}}}});
    tokens[token.first] = {{"id", token.first}, {"ids", {token.second}}, {"tokens", {token.first}}};
  };
  if (first) {
    add(*first);
  }
  single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  if (last) {
    add(*last);
  }
  return {{"type", "TemplateProcessing"}, {"single", single}, {"pair", single}, {"special_tokens", tokens}};
}

// vocab.txt of ESM: every letter is a token, between <cls> and <eos>. Letters that the vocabulary lacks are
// one unknown token as long as they follow each other.
std::string letters_document(const fs::path& file) {
  io::CorpusReader lines(file);
  io::CorpusLine line;
  Json added = Json::array();
  std::string vocabulary;
  std::map<std::string, std::int64_t, std::less<>> ids;
  while (lines.next(line)) {
    const auto id = static_cast<std::int64_t>(ids.size());
    const std::string token(line.text);
    if (token.empty() || !ids.emplace(token, id).second) {
      throw FormatError(fmt::format("{}: line {}: expected a token of its own, found \"{}\"", file.string(),
                                    line.number, token.substr(0, 80)));
    }
    vocabulary += fmt::format("{}{}:{}", id == 0 ? "" : ",", Json(token).dump(), id);
    if (token.size() > 2 && token.front() == '<' && token.back() == '>') {
      added.push_back(added_token(id, token, false));
    }
  }
  const auto of = [&](const char* token) {
    const auto found = ids.find(std::string_view(token));
    if (found == ids.end()) {
      throw FormatError(fmt::format("{}: the vocabulary lacks the token {}", file.string(), token));
    }
    return std::pair(found->first, found->second);
  };
  of("<unk>");
  return fmt::format(
      R"({{"version":"1.0","truncation":null,"padding":null,"added_tokens":{},"normalizer":null,)"
      R"("pre_tokenizer":{{"type":"WhitespaceSplit"}},"post_processor":{},"decoder":null,"model":{{"type":"BPE",)"
      R"("dropout":null,"unk_token":"<unk>","continuing_subword_prefix":null,"end_of_word_suffix":null,"fuse_unk":true,)"
      R"("byte_fallback":false,"ignore_merges":false,"vocab":{{{}}},"merges":[]}}}}
)",
      added.dump(), frame_of(of("<cls>"), of("<eos>")).dump(), vocabulary);
}

// vocab.json and merges.txt as transformers reads them: GPT-2 without a frame, or behind bos_token where
// add_bos_token says so (OPT), and with <s> … </s> where the vocabulary has both (RoBERTa, BART). "<mask>"
// takes the space before it.
std::string byte_bpe_document(const fs::path& folder) {
  const fs::path file = folder / "vocab.json";
  const std::string name = file.string();
  const std::vector<std::string> tokens =
      read_vocabulary_json(io::read_file(file, "the vocabulary", kMostBytes), name);
  if (tokens.empty()) {
    throw FormatError(fmt::format("{}: the vocabulary is empty", name));
  }
  const Settings settings(folder);
  const bool prefix_space = settings.flag("add_prefix_space", false);
  const bool free = settings.tokenizer_class() == "GPT2Tokenizer";
  std::map<std::string, std::int64_t, std::less<>> special;
  Json added = Json::array();
  std::string vocabulary;
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    vocabulary += fmt::format("{}{}:{}", id == 0 ? "" : ",", Json(tokens[id]).dump(), id);
    for (const char* const known : {"<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>"}) {
      if (tokens[id] == known) {
        special[tokens[id]] = static_cast<std::int64_t>(id);
        added.push_back(added_token(static_cast<std::int64_t>(id), tokens[id], tokens[id] == "<mask>"));
      }
    }
  }
  const Json byte_level = {
      {"type", "ByteLevel"}, {"add_prefix_space", prefix_space}, {"trim_offsets", true}, {"use_regex", true}};
  Json post = byte_level;
  if (free) {
    const std::string begin = settings.token("bos_token");
    if (settings.flag("add_bos_token", false) && special.contains(begin)) {
      post = frame_of(std::pair(begin, special[begin]), std::nullopt);
    }
  } else if (special.contains("<s>") && special.contains("</s>")) {
    post = {{"type", "RobertaProcessing"},
            {"sep", Json::array({"</s>", special["</s>"]})},
            {"cls", Json::array({"<s>", special["<s>"]})},
            {"trim_offsets", true},
            {"add_prefix_space", prefix_space}};
  }
  std::string merges;
  for (const std::string& merge : read_merges(folder / "merges.txt")) {
    merges += (merges.empty() ? "" : ",") + Json(merge).dump();
  }
  const Json unknown = special.contains("<unk>") ? Json("<unk>") : Json(nullptr);
  return fmt::format(
      R"({{"version":"1.0","truncation":null,"padding":null,"added_tokens":{},"normalizer":null,)"
      R"("pre_tokenizer":{},"post_processor":{},"decoder":{},"model":{{"type":"BPE","dropout":null,)"
      R"("unk_token":{},"continuing_subword_prefix":null,"end_of_word_suffix":null,"fuse_unk":false,)"
      R"("byte_fallback":false,"ignore_merges":false,"vocab":{{{}}},"merges":[{}]}}}}
)",
      added.dump(), byte_level.dump(), post.dump(), byte_level.dump(), unknown.dump(), vocabulary, merges);
}

ForeignTokenizer finish(std::string json, const std::string& file) {
  TokenizerJson read = parse_tokenizer_json(json, file);
  ForeignTokenizer foreign;
  foreign.tokenizer = std::move(read.tokenizer);
  foreign.config = {.kind = read.kind,
                    .lowercase = read.lowercase,
                    .codes = "",
                    .file = "tokenizer.json",
                    .vocab = "vocab.txt",
                    .target_vocab = "",
                    .target_file = ""};
  foreign.first = read.first;
  foreign.last = read.last;
  foreign.unknown = read.unknown;
  foreign.padding = read.padding;
  foreign.notes = std::move(read.notes);
  foreign.decodes = read.decodes;
  foreign.files = {{"tokenizer.json", std::move(json)}};
  try {
    foreign.files["vocab.txt"] = vocabulary_lines(foreign.tokenizer->vocabulary(), file);
  } catch (const FormatError&) {
    // A token is a line end (Gemma). The model opens; a model directory cannot hold it, which is told then.
  }
  return foreign;
}

// BERT's own form, for pruning; other WordPiece tokenizers have none.
std::optional<WordPieceFile> bert_form(const fs::path& file) {
  try {
    return read_tokenizer_json(file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::string vocabulary_lines(const Vocabulary& vocabulary, const std::string& file) {
  std::string lines;
  for (std::int64_t id = 0; id < vocabulary.size(); ++id) {
    const std::string token = vocabulary.token(id);
    check_vocabulary_line(token, file);
    lines += token + "\n";
  }
  return lines;
}

std::optional<ForeignTokenizer> read_foreign_target_tokenizer(const fs::path& folder) {
  const fs::path file = folder / "target.spm";
  if (present(folder / "tokenizer.json") || !present(file) || !present(folder / "source.spm")) {
    return std::nullopt;
  }
  return finish(sentencepiece_folder_document(folder, file), file.string());
}

std::shared_ptr<const Tokenizer> open_tokenizer_file(const fs::path& file) {
  return is_sentencepiece_file(file)
             ? parse_tokenizer_json(sentencepiece_file_document(file), file.string()).tokenizer
             : open_tokenizer_json(file).tokenizer;
}

ForeignTokenizer foreign_tokenizer_of(std::string json, const std::string& file) {
  return finish(std::move(json), file);
}

ForeignTokenizer read_foreign_tokenizer_file(const fs::path& file) {
  return is_sentencepiece_file(file) ? finish(sentencepiece_file_document(file), file.string())
                                     : read_foreign_tokenizer_json(file);
}

ForeignTokenizer read_foreign_tokenizer_json(const fs::path& file) {
  ForeignTokenizer foreign = finish(io::read_file(file, "the tokenizer", kMostBytes), file.string());
  if (foreign.config.kind == TokenizerKind::wordpiece) {
    foreign.wordpiece = bert_form(file);
  }
  return foreign;
}

ForeignTokenizer read_foreign_tokenizer(const fs::path& folder) {
  if (present(folder / "tokenizer.json")) {
    return read_foreign_tokenizer_json(folder / "tokenizer.json");
  }
  if (present(folder / "vocab.txt") && Settings(folder).tokenizer_class() == "EsmTokenizer") {
    return finish(letters_document(folder / "vocab.txt"), (folder / "vocab.txt").string());
  }
  if (present(folder / "vocab.txt")) {
    WordPieceFile bert = read_bert_vocabulary(folder);
    ForeignTokenizer foreign = finish(to_tokenizer_json(bert), (folder / "vocab.txt").string());
    foreign.wordpiece = std::move(bert);
    return foreign;
  }
  if (present(folder / "vocab.json") && present(folder / "merges.txt")) {
    return finish(byte_bpe_document(folder), (folder / "vocab.json").string());
  }
  if (const auto file = sentencepiece_in(folder)) {
    return finish(sentencepiece_folder_document(folder, *file), file->string());
  }
  throw FormatError(fmt::format(
      "opening the model {}: it has no tokenizer: neither tokenizer.json nor vocab.txt, nor vocab.json with "
      "merges.txt, nor a sentencepiece model (spiece.model, sentencepiece.bpe.model, source.spm)",
      folder.string()));
}

}  // namespace mog::model
