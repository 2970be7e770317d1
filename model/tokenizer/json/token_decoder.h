// Tokens of a tokenizer.json as text again.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "model/tokenizer/tokenizer.h"

namespace mog::model {

// How pieces say where words begin.
enum class PieceForm : std::uint8_t {
  bytes,         // characters stand for bytes, U+0120 for a space
  metaspace,     // U+2581 stands for a space; those of the first piece are left out
  sentence,      // the same, and spaces at both ends of the text are left out (sentencepiece)
  continuations  // "##" goes on
};
// `decoder`: that object of the file, may be null; `model`: the type of its model. Nothing for a decoder that
// is not known.
std::optional<PieceForm> piece_form(const nlohmann::ordered_json& decoder, std::string_view model);

// What the reference does with skip_special_tokens and without cleaning up spaces. Words are what U+0020
// separates; a token belongs to that of its first byte that is no space.
class TokenDecoder {
 public:
  using Tokens = std::set<std::string, std::less<>>;
  TokenDecoder() = default;
  TokenDecoder(PieceForm form, Tokens special) : form_(form), special_(std::move(special)) {}
  DecodedText decode(std::span<const std::string> tokens) const;

 private:
  std::string text_of(const std::string& token, bool first) const;

  PieceForm form_ = PieceForm::metaspace;
  Tokens special_;
};

}  // namespace mog::model
