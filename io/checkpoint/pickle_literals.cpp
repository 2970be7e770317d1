// Protocol 0 writes lines for people, the later ones bytes. Both are read strictly: where Python is generous
// (spaces around a number, underscores in it), the line is refused. Integers of more than 64 bits are kept as
// they stand and never calculated with: the magic number of PyTorch's older form has ten bytes. Each function
// takes time in the order of the bytes that it reads.
#include "io/checkpoint/pickle_literals.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <optional>

#include "io/checkpoint/printable.h"
#include "io/recording/utf8.h"

namespace mog::io {
namespace {

constexpr std::size_t kMaxLong = 64;  // bytes of an integer

std::optional<std::uint32_t> hexadecimal(std::string_view digits, std::size_t count) {
  std::uint32_t value = 0;
  if (digits.size() < count) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + count, value, 16);
  return error == std::errc() && end == digits.data() + count ? std::optional(value) : std::nullopt;
}

}  // namespace

PickleInteger integer_of(std::string_view line, const PickleBytes& bytes) {
  if (!line.empty() && line.back() == 'L') {
    line.remove_suffix(1);
  }
  const char* const last = line.data() + line.size();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), last, number);
  if (error == std::errc() && end == last) {
    return number;
  }
  if (error == std::errc::result_out_of_range && end == last && line.size() <= kMaxLong) {
    return line;
  }
  bytes.refuse(
      fmt::format("\"{}\" is no integer of at most {} digits", printable(line.substr(0, 40)), kMaxLong));
}

PickleInteger read_integer(PickleBytes& bytes, std::uint64_t size) {
  if (size > kMaxLong) {
    bytes.refuse(fmt::format("an integer of {} bytes", static_cast<std::int32_t>(size)));
  }
  const std::string_view part = bytes.take(size);
  if (part.size() > 8) {
    return part;
  }
  std::uint64_t bits = 0;
  for (std::size_t i = part.size(); i-- > 0;) {
    bits = bits << 8U | static_cast<unsigned char>(part[i]);
  }
  if (!part.empty() && part.size() < 8 && (static_cast<unsigned char>(part.back()) & 0x80U) != 0) {
    bits |= ~std::uint64_t{0} << 8 * part.size();
  }
  return static_cast<std::int64_t>(bits);
}

double read_real_line(PickleBytes& bytes) {
  const std::string_view text = bytes.line();
  double read = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (error != std::errc() || end != text.data() + text.size()) {
    bytes.refuse(fmt::format("\"{}\" is no number", printable(text)));
  }
  return read;
}

double read_real(PickleBytes& bytes) {
  std::uint64_t bits = 0;
  for (const char byte : bytes.take(8)) {
    bits = bits << 8U | static_cast<unsigned char>(byte);
  }
  return std::bit_cast<double>(bits);
}

std::string read_quoted(PickleBytes& bytes) {
  std::string_view text = bytes.line();
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  if (text.size() < 2 || (text.front() != '\'' && text.front() != '"') || text.back() != text.front()) {
    bytes.refuse("a text without quotation marks");
  }
  text = text.substr(1, text.size() - 2);
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      decoded += text[i];
      continue;
    }
    const char escaped = text[++i];
    if (escaped == 'n' || escaped == 't' || escaped == 'r') {
      decoded += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : '\r';
    } else if (const auto code = hexadecimal(text.substr(i + 1), 2); escaped == 'x' && code) {
      decoded += static_cast<char>(static_cast<unsigned char>(*code));
      i += 2;
    } else {
      if (escaped != '\\' && escaped != '\'' && escaped != '"') {
        decoded += '\\';
      }
      decoded += escaped;
    }
  }
  return decoded;
}

std::string read_escaped(PickleBytes& bytes) {
  const std::string_view text = bytes.line();
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool four = text.substr(i, 2) == "\\u";
    if (four || text.substr(i, 2) == "\\U") {
      const std::size_t digits = four ? 4 : 8;
      const auto point = hexadecimal(text.substr(i + 2), digits);
      if (!point || *point > 0x10FFFF || (*point >= 0xD800 && *point < 0xE000)) {
        bytes.refuse("a text with a bad escape");
      }
      append_utf8(decoded, *point);
      i += digits + 1;
    } else {
      append_utf8(decoded, static_cast<unsigned char>(text[i]));
    }
  }
  return decoded;
}

std::uint64_t read_slot_line(PickleBytes& bytes) {
  const std::string_view text = bytes.line();
  std::uint64_t slot = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slot);
  if (error != std::errc() || end != text.data() + text.size()) {
    bytes.refuse(fmt::format("\"{}\" is no memo slot", printable(text)));
  }
  return slot;
}

}  // namespace mog::io
