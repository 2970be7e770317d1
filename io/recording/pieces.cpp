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

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t Count>
constexpr bool in(const std::array<Range, Count>& ranges, char32_t character) {
  return std::ranges::any_of(ranges, [character](const Range& range) {
    return character >= range.first && character <= range.last;
  });
}

constexpr bool is_control(char32_t character) {
  return character < 0x20 || (character >= 0x7F && character < 0xA0);
}

// Characters that draw nothing wherever they stand, turn the text around them, or that no font agrees on:
// marks of format, fillers, private use, and what is no character at all.
constexpr std::array<Range, 21> kHidden = {
    {{0xAD, 0xAD},       {0x34F, 0x34F},   {0x61C, 0x61C},     {0x115F, 0x1160},   {0x17B4, 0x17B5},
     {0x180B, 0x180F},   {0x200B, 0x200B}, {0x200E, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},
     {0x3164, 0x3164},   {0xE000, 0xF8FF}, {0xFDD0, 0xFDEF},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
     {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE001F},
     {0xE01F0, 0x10FFFF}}};
// Those that change or join what stands before them, and are nothing by themselves.
constexpr std::array<Range, 4> kJoining = {
    {{0x200C, 0x200D}, {0xFE00, 0xFE0F}, {0xE0020, 0xE007F}, {0xE0100, 0xE01EF}}};
constexpr std::array<Range, 7> kSpaces = {{{0x20, 0x20},
                                           {0xA0, 0xA0},
                                           {0x1680, 0x1680},
                                           {0x2000, 0x200A},
                                           {0x202F, 0x202F},
                                           {0x205F, 0x205F},
                                           {0x3000, 0x3000}}};
// Marks that are drawn over the letter before them.
constexpr std::array<Range, 5> kCombining = {
    {{0x300, 0x34E}, {0x350, 0x36F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}}};

// Spaces and nothing else: how many there are can be seen.
std::string shown_spaces(std::size_t count) {
  constexpr std::size_t kMostSpaces = 4;
  if (count > kMostSpaces) {
    return fmt::format("{}\u00D7{}", kMetaspace, count);
  }
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += kMetaspace;
  }
  return text;
}

std::string shown_byte(char byte) {
  return fmt::format("\u27E8{:02X}\u27E9", static_cast<unsigned char>(byte));
}

// A sound character as it is read; `before`: what stands before it can be seen.
std::string shown_character(char32_t character, std::string_view bytes, bool before, bool only_spaces) {
  if (character == U'\n') {
    return "\u21B5";
  }
  if (character == U'\t') {
    return "\u21E5";
  }
  if (is_control(character)) {
    std::string text;
    for (const char byte : bytes) {
      text += shown_byte(byte);
    }
    return text;
  }
  const bool hidden = in(kHidden, character) || (character & 0xFFFE) == 0xFFFE ||
                      (!before && in(kJoining, character)) || (only_spaces && in(kSpaces, character));
  if (hidden) {
    return fmt::format("\u27E8U+{:04X}\u27E9", static_cast<std::uint32_t>(character));
  }
  return (!before && in(kCombining, character) ? "\u25CC" : "") + std::string(bytes);
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
    return shown_spaces(bytes.size());
  }
  bytes = bytes.substr(first, bytes.find_last_not_of(' ') + 1 - first);
  bool only_spaces = true;
  for (std::size_t at = 0; at < bytes.size() && only_spaces;) {
    const Utf8Sequence sequence = utf8_sequence_at(bytes, at);
    std::size_t end = at;
    only_spaces = sequence.sound && in(kSpaces, next_code_point(bytes, end));
    at += sequence.length;
  }
  std::string text;
  bool before = false;
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Sequence sequence = utf8_sequence_at(bytes, at);
    const std::string_view part = bytes.substr(at, sequence.length);
    std::size_t end = at;
    if (sequence.sound) {
      text += shown_character(next_code_point(bytes, end), part, before, only_spaces);
    } else {
      for (const char byte : part) {
        text += shown_byte(byte);
      }
    }
    before = sequence.sound;
    at += sequence.length;
  }
  return text;
}

std::string shown_piece(std::string_view piece, Pieces pieces) {
  const std::string bytes = piece_bytes(piece, pieces);
  const bool spaced = bytes.starts_with(' ') && bytes.find_first_not_of(' ') != std::string::npos &&
                      (pieces == Pieces::byte_bpe || pieces == Pieces::sentencepiece);
  return (spaced ? std::string(kMetaspace) : std::string()) + shown_bytes(bytes);
}

}  // namespace mog
