// `mog tokenize`: how a tokenizer cuts the lines of a text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "model/tokenizer/tokenizer.h"

namespace mog::app {

enum class TokenizeFormat : std::uint8_t {
  pieces,  // one space between them
  ids,
  json,  // an object a line: pieces, ids, words, bytes
};
// "pieces", "ids", "json"; throws UsageError.
TokenizeFormat parse_tokenize_format(std::string_view text);

struct TokenizeOptions {
  std::filesystem::path tokenizer;    // a tokenizer.json, a sentencepiece model, a model
  std::filesystem::path input = "-";  // one sentence a line
  TokenizeFormat format = TokenizeFormat::pieces;
  bool frame = true;  // with the special tokens around a sentence
};

// The tokenizer that `path` holds; values of weights are not looked at. Throws FormatError, ModelError,
// UsageError.
std::shared_ptr<const model::Tokenizer> open_tokenizer(const std::filesystem::path& path);

// Calls write(line with its end) for every line of the input, in order; returns the number of lines.
// Throws as open_tokenizer and CorpusReader; Interrupted.
std::int64_t tokenize(const TokenizeOptions& options, const std::function<void(std::string_view)>& write,
                      const std::stop_token& stop = {});

}  // namespace mog::app
