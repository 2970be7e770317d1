#include "app/workflow/models/tokenize_job.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "io/text/corpus.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"
#include "model/config/config.h"
#include "model/foreign/foreign_model.h"
#include "model/foreign/sentence_transformers.h"
#include "model/tokenizer/json/tokenizer_json.h"
#include "model/tokenizer/loading/foreign_tokenizer.h"

namespace mog::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostConfigBytes = std::uint64_t{16} << 20U;

// The text of a config.json when it is one of a model directory (docs/model-directory.md), else empty.
std::string own_config(const fs::path& folder) {
  std::error_code error;
  const fs::path file = folder / "config.json";
  if (!fs::exists(file, error)) {
    return "";
  }
  std::string text = io::read_file(file, "the model configuration", kMostConfigBytes);
  io::check_json(text, file.string());
  const Json document = Json::parse(text);
  return document.is_object() && document.contains("format") ? text : "";
}

// Weights whose tokenizer lies beside or in them: fairseq, torch.nn.TransformerEncoder, CTranslate2, GGUF.
bool is_checkpoint(const fs::path& file) {
  const std::string ending = file.extension().string();
  return ending == ".pt" || ending == ".pth" || ending == ".ckpt" || ending == ".bin" ||
         ending == ".safetensors" || ending == ".gguf";
}

std::shared_ptr<const model::Tokenizer> tokenizer_of_model(const fs::path& path) {
  model::ForeignOptions options;
  options.weights = false;
  return model::read_foreign_model(path, options).tokenizer;
}

std::string line_of(const Sentence& sentence, TokenizeFormat format, bool frame) {
  Json tokens = Json::array();
  std::string line;
  for (const Token& token : sentence.tokens) {
    // A piece of spaces in a text without words has no word either, but it has a place.
    const bool framed = token.word < 0 && token.bytes.begin == token.bytes.end;
    if (framed && !frame) {
      continue;
    }
    if (format == TokenizeFormat::json) {
      Json entry = {{"piece", token.text}, {"id", token.id}};
      entry["word"] = token.word < 0 ? Json(nullptr) : Json(token.word + 1);
      entry["bytes"] = Json::array({token.bytes.begin, token.bytes.end});
      tokens.push_back(std::move(entry));
    } else {
      line += line.empty() ? "" : " ";
      line += format == TokenizeFormat::ids ? std::to_string(token.id) : token.text;
    }
  }
  if (format != TokenizeFormat::json) {
    return line + "\n";
  }
  Json words = Json::array();
  for (const Word& word : sentence.words) {
    words.push_back(word.text);
  }
  const Json document = {
      {"sentence", sentence.number}, {"text", sentence.text}, {"words", words}, {"tokens", tokens}};
  return document.dump() + "\n";
}

}  // namespace

TokenizeFormat parse_tokenize_format(std::string_view text) {
  if (text == "pieces") {
    return TokenizeFormat::pieces;
  }
  if (text == "ids") {
    return TokenizeFormat::ids;
  }
  if (text == "json") {
    return TokenizeFormat::json;
  }
  throw unknown_choice("--format", text, {"pieces", "ids", "json"});
}

std::shared_ptr<const model::Tokenizer> open_tokenizer(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw UsageError(
        fmt::format("opening the tokenizer {}: there is no such file or directory", path.string()));
  }
  if (!fs::is_directory(path, error)) {
    return is_checkpoint(path) ? tokenizer_of_model(path) : model::open_tokenizer_file(path);
  }
  if (const std::string text = own_config(path); !text.empty()) {
    const model::ModelConfig config = model::parse_config(text, path / "config.json");
    return model::make_tokenizer(config.tokenizer, {config.eos_id, config.unk_id, config.bos_id}, path);
  }
  if (fs::exists(path / "model.bin", error) || model::gguf_of(path)) {
    return tokenizer_of_model(path);  // CTranslate2: its vocabulary must fit its embeddings
  }
  return model::read_foreign_tokenizer(model::transformer_folder(path)).tokenizer;
}

std::int64_t tokenize(const TokenizeOptions& options, const std::function<void(std::string_view)>& write,
                      const std::stop_token& stop) {
  const auto tokenizer = open_tokenizer(options.tokenizer);
  io::CorpusReader reader(options.input);
  io::CorpusLine line;
  std::int64_t lines = 0;
  while (reader.next(line)) {
    if (stop.stop_requested()) {
      throw Interrupted(fmt::format("cutting {}: interrupted after {} lines", options.input.string(), lines));
    }
    write(line_of(tokenizer->encode(line.text, line.number), options.format, options.frame));
    ++lines;
  }
  return lines;
}

}  // namespace mog::app
