// Every token becomes bytes, the bytes one text, and only that text is made sound: a character may be shared
// by several tokens. Which word a token belongs to is read off the same bytes. O(bytes).
#include "model/tokenizer/json/token_decoder.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "io/recording/pieces.h"
#include "io/recording/utf8.h"
#include "io/text/utf8.h"

namespace mog::model {
namespace {

constexpr std::string_view kMetaspace = "\u2581";
constexpr std::string_view kContinues = "##";

std::string without_spaces(std::string_view token) {
  std::string text;
  for (std::size_t at = 0; at < token.size();) {
    const std::size_t found = std::min(token.find(kMetaspace, at), token.size());
    text += token.substr(at, found - at);
    at = found + kMetaspace.size();
  }
  return text;
}

// Every byte of a broken character for itself, as single bytes that no piece covers are shown.
std::string byte_by_byte(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Sequence sequence = utf8_sequence_at(bytes, at);
    if (sequence.sound) {
      text += bytes.substr(at, sequence.length);
    } else {
      for (std::size_t i = 0; i < sequence.length; ++i) {
        text += "\uFFFD";
      }
    }
    at += sequence.length;
  }
  return text;
}

// [token]: the word of the text where the token's first byte that is no space stands, for tokens that begin
// at `begins` [token]; of spaces alone the word behind them.
std::vector<std::int64_t> words_at(std::string_view bytes, const std::vector<std::size_t>& begins) {
  std::vector<std::size_t> ends;  // of the words
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (bytes[at] != ' ' && (at + 1 == bytes.size() || bytes[at + 1] == ' ')) {
      ends.push_back(at + 1);
    }
  }
  std::vector<std::int64_t> words;
  for (const std::size_t begin : begins) {
    const auto word = std::upper_bound(ends.begin(), ends.end(), begin) - ends.begin();
    words.push_back(
        std::min<std::int64_t>(word, std::max<std::int64_t>(0, static_cast<std::int64_t>(ends.size()) - 1)));
  }
  return words;
}

}  // namespace

std::optional<PieceForm> piece_form(const nlohmann::ordered_json& decoder, std::string_view model) {
  const auto has = [](const nlohmann::ordered_json& part, std::string_view type) {
    return part.is_object() && part.contains("type") && part["type"] == type;
  };
  if (model == "SentencePiece") {
    return PieceForm::sentence;
  }
  if (model == "WordPiece") {
    return PieceForm::continuations;
  }
  if (decoder.is_null() || has(decoder, "Metaspace")) {
    return PieceForm::metaspace;
  }
  if (has(decoder, "ByteLevel")) {
    return PieceForm::bytes;
  }
  if (!has(decoder, "Sequence") || !decoder.contains("decoders") || !decoder["decoders"].is_array()) {
    return std::nullopt;
  }
  // What files of sentencepiece become: U+2581 replaced, bytes joined, the first space left out.
  std::optional<PieceForm> form;
  for (const auto& part : decoder["decoders"]) {
    if (has(part, "ByteLevel")) {
      form = PieceForm::bytes;
    } else if (has(part, "Metaspace") || has(part, "Replace")) {
      form = PieceForm::metaspace;
    } else if (!has(part, "ByteFallback") && !has(part, "Fuse") && !has(part, "Strip")) {
      return std::nullopt;
    }
  }
  return form;
}

std::string TokenDecoder::text_of(const std::string& token, bool first) const {
  if (form_ == PieceForm::continuations) {
    const bool goes_on = token.starts_with(kContinues);
    return goes_on ? token.substr(kContinues.size()) : (first ? "" : " ") + token;
  }
  return form_ == PieceForm::bytes
             ? piece_bytes(token, Pieces::byte_bpe)
             : piece_bytes(first && form_ == PieceForm::metaspace ? without_spaces(token) : token,
                           Pieces::sentencepiece);
}

DecodedText TokenDecoder::decode(std::span<const std::string> tokens) const {
  std::string bytes;
  std::vector<std::size_t> begins;
  bool first = true;
  for (const std::string& token : tokens) {
    begins.push_back(bytes.size());
    if (!special_.contains(token)) {
      bytes += text_of(token, first);
      first = false;
    }
  }
  DecodedText decoded;
  decoded.words = words_at(bytes, begins);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (special_.contains(tokens[i])) {
      decoded.words[i] = -1;
    }
  }
  std::string_view text = bytes;
  if (form_ == PieceForm::sentence) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    text.remove_suffix(text.size() - std::min(text.find_last_not_of(' ') + 1, text.size()));
  }
  decoded.text = form_ == PieceForm::bytes ? io::replace_invalid_utf8(text) : byte_by_byte(text);
  return decoded;
}

}  // namespace mog::model
