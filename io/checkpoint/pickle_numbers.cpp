// Numbers and texts as the protocols write them.
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <optional>

#include "io/checkpoint/pickle_machine.h"
#include "io/recording/errors.h"
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

// ---- numbers and texts
void PickleMachine::integer_text(std::string_view text, bool truth) {
  if (truth && (text == "00" || text == "01")) {
    push(text == "01" ? kTrue : kFalse);
    return;
  }
  if (!text.empty() && text.back() == 'L') {
    text.remove_suffix(1);
  }
  std::int64_t number_read = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number_read);
  if (error == std::errc() && end == text.data() + text.size()) {
    push_integer(number_read);
  } else if (error == std::errc::result_out_of_range && end == text.data() + text.size() &&
             text.size() <= kMaxLong) {
    push_text(PickleKind::long_integer, text);
  } else {
    refuse(fmt::format("\"{}\" is no integer of at most {} digits", printable(text.substr(0, 40)), kMaxLong));
  }
}

void PickleMachine::float_text() {
  const std::string_view text = line();
  double read = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse(fmt::format("\"{}\" is no number", printable(text)));
  }
  push_real(read);
}

void PickleMachine::push_real(double number_read) {
  const PickleRef ref = make(PickleKind::real);
  value(ref).real = number_read;
  push(ref);
}

void PickleMachine::float_binary() {
  const std::string_view part = take(8);
  std::uint64_t bits = 0;
  for (const char byte : part) {
    bits = bits << 8U | static_cast<unsigned char>(byte);
  }
  push_real(std::bit_cast<double>(bits));
}

void PickleMachine::long_binary(std::uint64_t size) {
  if (size > kMaxLong) {
    refuse(fmt::format("an integer of {} bytes", static_cast<std::int32_t>(size)));
  }
  const std::string_view part = take(size);
  if (part.size() > 8) {
    push_text(PickleKind::long_integer, part);
    return;
  }
  std::uint64_t bits = 0;
  for (std::size_t i = part.size(); i-- > 0;) {
    bits = bits << 8U | static_cast<unsigned char>(part[i]);
  }
  if (!part.empty() && part.size() < 8 && (static_cast<unsigned char>(part.back()) & 0x80U) != 0) {
    bits |= ~std::uint64_t{0} << 8 * part.size();
  }
  push_integer(static_cast<std::int64_t>(bits));
}

void PickleMachine::quoted_text() {
  std::string_view text = line();
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  if (text.size() < 2 || (text.front() != '\'' && text.front() != '"') || text.back() != text.front()) {
    refuse("a text without quotation marks");
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
  push_string(keep(std::move(decoded)));
}

void PickleMachine::escaped_unicode() {
  const std::string_view text = line();
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool four = text.substr(i, 2) == "\\u";
    if (four || text.substr(i, 2) == "\\U") {
      const std::size_t digits = four ? 4 : 8;
      const auto point = hexadecimal(text.substr(i + 2), digits);
      if (!point || *point > 0x10FFFF || (*point >= 0xD800 && *point < 0xE000)) {
        refuse("a text with a bad escape");
      }
      append_utf8(decoded, *point);
      i += digits + 1;
    } else {
      append_utf8(decoded, static_cast<unsigned char>(text[i]));
    }
  }
  push_unicode(keep(std::move(decoded)));
}

}  // namespace mog::io
