#include "io/text/utf8.h"

#include <cstdint>
#include <cstring>

#include "io/recording/utf8.h"

namespace mog::io {
namespace {

// Index of the first byte that is not ASCII, eight at a time.
std::size_t skip_ascii(std::string_view text, std::size_t at) noexcept {
  while (at + 8 <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    if ((word & 0x8080808080808080ULL) != 0) {
      break;
    }
    at += 8;
  }
  while (at < text.size() && static_cast<std::uint8_t>(text[at]) < 0x80) {
    ++at;
  }
  return at;
}

}  // namespace

std::size_t first_invalid_utf8(std::string_view text) noexcept {
  std::size_t at = skip_ascii(text, 0);
  while (at < text.size()) {
    const Utf8Sequence sequence = utf8_sequence_at(text, at);
    if (!sequence.sound) {
      return at;
    }
    at = skip_ascii(text, at + sequence.length);
  }
  return std::string_view::npos;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const Utf8Sequence sequence = utf8_sequence_at(text, at);
    result += sequence.sound ? text.substr(at, sequence.length) : std::string_view("\xEF\xBF\xBD");
    at += sequence.length;
  }
  return result;
}

std::string replace_controls(std::string_view text, std::string_view kept) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  const std::string sound = replace_invalid_utf8(text);
  std::string result;
  result.reserve(sound.size());
  for (std::size_t i = 0; i < sound.size(); ++i) {
    const auto byte = static_cast<unsigned char>(sound[i]);
    if (byte == 0xC2 && static_cast<unsigned char>(sound[i + 1]) < 0xA0) {
      result += kReplacement;  // U+0080-9F: 0x9B begins what ESC [ begins
      ++i;
    } else if ((byte < 0x20 && kept.find(sound[i]) == std::string_view::npos) || byte == 0x7F) {
      result += kReplacement;
    } else if (const std::string_view three = std::string_view(sound).substr(i, 3);
               (three >= "\xe2\x80\xa8" && three <= "\xe2\x80\xae") ||
               (three >= "\xe2\x81\xa6" && three <= "\xe2\x81\xa9")) {
      result += kReplacement;  // U+2028-202E, U+2066-2069
      i += 2;
    } else {
      result += sound[i];
    }
  }
  return result;
}

}  // namespace mog::io
