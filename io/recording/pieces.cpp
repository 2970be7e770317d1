#include "io/recording/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "io/recording/named_values.h"
#include "io/recording/utf8.h"

namespace mog {
namespace {

constexpr std::array kNames = {std::pair{Pieces::none, std::string_view("none")},
                               std::pair{Pieces::wordpiece, std::string_view("wordpiece")},
                               std::pair{Pieces::bpe, std::string_view("bpe")},
                               std::pair{Pieces::byte_bpe, std::string_view("byte-bpe")},
                               std::pair{Pieces::sentencepiece, std::string_view("sentencepiece")}};

constexpr std::string_view kContinues = "##";
constexpr std::string_view kContinued = "@@";
constexpr std::string_view kBracket = " (";
constexpr std::string_view kMetaspace = "\u2581";

constexpr bool is_printable(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr std::array<char32_t, 256> kCharacters = [] {
  std::array<char32_t, 256> characters = {};
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < characters.size(); ++byte) {
    characters[byte] = is_printable(byte) ? static_cast<char32_t>(byte) : next++;
  }
  return characters;
}();

// A piece with a character that stands for no byte was added to the vocabulary: it is text.
std::string spelled_bytes(std::string_view piece) {
  std::string bytes;
  for (std::size_t at = 0; at < piece.size();) {
    const auto byte = character_byte(next_code_point(piece, at));
    if (!byte) {
      return std::string(piece);
    }
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

// "<0x0A>": a byte that no piece covers.
std::optional<char> single_byte(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') {
    return std::nullopt;
  }
  unsigned value = 0;
  const auto [end, error] = std::from_chars(piece.data() + 3, piece.data() + 5, value, 16);
  return error == std::errc() && end == piece.data() + 5 ? std::optional(static_cast<char>(value))
                                                         : std::nullopt;
}

std::string with_spaces(std::string_view piece) {
  std::string text;
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t found = std::min(piece.find(kMetaspace, at), piece.size());
    text += piece.substr(at, found - at);
    text += found < piece.size() ? " " : "";
    at = found + kMetaspace.size();
  }
  return text;
}

// Of sound text.
bool is_control(std::string_view character) {
  std::size_t at = 0;
  const char32_t code = next_code_point(character, at);
  return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

}  // namespace

std::string_view name(Pieces pieces) noexcept {
  return name_in(kNames, pieces);
}

std::optional<Pieces> pieces_named(std::string_view name) noexcept {
  return find_in(kNames, name);
}

Pieces pieces_of(std::string_view tokenizer) noexcept {
  const std::size_t bracket = tokenizer.rfind(kBracket);
  if (bracket != std::string_view::npos && tokenizer.ends_with(')')) {
    const std::string_view inside = tokenizer.substr(bracket + kBracket.size());
    if (const auto pieces = pieces_named(inside.substr(0, inside.size() - 1))) {
      return *pieces;
    }
  }
  return tokenizer == "wordpiece"  ? Pieces::wordpiece
         : tokenizer == "bpe"      ? Pieces::bpe
         : tokenizer == "byte_bpe" ? Pieces::byte_bpe
         : tokenizer == "unigram"  ? Pieces::sentencepiece
                                   : Pieces::none;
}

std::string with_pieces(std::string_view tokenizer, Pieces pieces) {
  return pieces_of(tokenizer) == pieces ? std::string(tokenizer)
                                        : fmt::format("{}{}{})", tokenizer, kBracket, name(pieces));
}

char32_t byte_character(unsigned char byte) noexcept {
  return kCharacters[byte];
}

std::optional<unsigned char> character_byte(char32_t character) noexcept {
  if (character < 0x100) {
    const auto byte = static_cast<unsigned char>(character);
    return is_printable(byte) ? std::optional(byte) : std::nullopt;
  }
  const auto* const found = std::find(kCharacters.begin(), kCharacters.end(), character);
  return found == kCharacters.end()
             ? std::nullopt
             : std::optional(static_cast<unsigned char>(std::distance(kCharacters.begin(), found)));
}

std::string piece_bytes(std::string_view piece, Pieces pieces) {
  switch (pieces) {
    case Pieces::none:
      break;
    case Pieces::wordpiece:
      return std::string(piece.size() > kContinues.size() && piece.starts_with(kContinues)
                             ? piece.substr(kContinues.size())
                             : piece);
    case Pieces::bpe:
      return std::string(piece.size() > kContinued.size() && piece.ends_with(kContinued)
                             ? piece.substr(0, piece.size() - kContinued.size())
                             : piece);
    case Pieces::byte_bpe:
      return spelled_bytes(piece);
    case Pieces::sentencepiece: {
      const auto byte = single_byte(piece);
      return byte ? std::string(1, *byte) : with_spaces(piece);
    }
  }
  return std::string(piece);
}

std::string shown_bytes(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(' ');
  if (first == std::string_view::npos) {
    return std::string(bytes.empty() ? std::string_view() : kMetaspace);
  }
  bytes = bytes.substr(first, bytes.find_last_not_of(' ') + 1 - first);
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Sequence sequence = utf8_sequence_at(bytes, at);
    const std::string_view part = bytes.substr(at, sequence.length);
    if (sequence.sound && !is_control(part)) {
      text += part;
    } else {
      for (const char byte : part) {
        text += fmt::format("\u27E8{:02X}\u27E9", static_cast<unsigned char>(byte));
      }
    }
    at += sequence.length;
  }
  return text;
}

}  // namespace mog
