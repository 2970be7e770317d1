// Units of the double array: bits 0-7 and 31 the label, bit 8 "a value hangs below", bits 10-30 the offset to
// the children (times 256 when bit 9 is set). A value unit has its number in bits 0-30. Every path is walked
// once when the map is read, so that looking up needs no checks but the bounds.
#include "model/tokenizer/text/precompiled_charsmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "io/recording/errors.h"
#include "io/text/utf8.h"
#include "model/tokenizer/text/reference_unicode.h"

namespace mog::model {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20U;

bool has_value(std::uint32_t unit) {
  return ((unit >> 8U) & 1U) != 0;
}
std::uint32_t label(std::uint32_t unit) {
  return unit & 0x800000FFU;
}
std::size_t offset(std::uint32_t unit) {
  return static_cast<std::size_t>(unit >> 10U) << ((unit & 0x200U) >> 6U);
}
std::size_t value(std::uint32_t unit) {
  return unit & 0x7FFFFFFFU;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

PrecompiledCharsmap::PrecompiledCharsmap(std::string_view blob, const std::string& where) {
  const auto refuse = [&](const std::string& defect) {
    throw FormatError(fmt::format("{}: {}", where, defect));
  };
  std::uint32_t size = 0;
  if (blob.size() < sizeof size || blob.size() > kMostBytes) {
    refuse(fmt::format("expected a character map of 4 bytes to 4 MiB, found {} bytes", blob.size()));
  }
  std::memcpy(&size, blob.data(), sizeof size);
  blob.remove_prefix(sizeof size);
  if (size % sizeof(std::uint32_t) != 0 || size == 0 || size > blob.size()) {
    refuse(fmt::format("its trie claims {} bytes, the map has {}", size, blob.size()));
  }
  units_.resize(size / sizeof(std::uint32_t));
  std::memcpy(units_.data(), blob.data(), size);
  replacements_ = blob.substr(size);
  if (io::first_invalid_utf8(replacements_) != std::string::npos) {
    refuse("its replacements are not UTF-8");
  }
  check(where);
  for (char32_t code = 0; code < plain_.size(); ++code) {
    const char character = static_cast<char>(code);
    plain_[code] = replacement({&character, 1}).data() == nullptr;
  }
}

void PrecompiledCharsmap::check(const std::string& where) const {
  const auto refuse = [&](const char* defect) { throw FormatError(fmt::format("{}: {}", where, defect)); };
  std::vector<bool> seen(units_.size());
  std::vector<std::size_t> open = {offset(units_[0])};
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    for (std::uint32_t byte = 1; byte < 256; ++byte) {
      const std::size_t child = node ^ byte;
      if (child >= units_.size() || label(units_[child]) != byte || seen[child]) {
        continue;
      }
      seen[child] = true;
      const std::size_t below = child ^ offset(units_[child]);
      if (has_value(units_[child])) {
        if (below >= units_.size() || value(units_[below]) >= replacements_.size()) {
          refuse("a value of its trie lies outside the map");
        }
        const auto first = static_cast<unsigned char>(replacements_[value(units_[below])]);
        if ((first & 0xC0U) == 0x80U) {
          refuse("a replacement begins inside a character");
        }
      }
      open.push_back(below);
    }
  }
}

template <class Found>
void PrecompiledCharsmap::entries(std::string_view text, Found&& found) const {
  std::size_t node = offset(units_[0]);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == 0) {
      return;
    }
    node ^= byte;
    if (node >= units_.size() || label(units_[node]) != byte) {
      return;
    }
    const std::uint32_t unit = units_[node];
    node ^= offset(unit);
    if (has_value(unit)) {
      const std::size_t begin = value(units_[node]);
      const std::size_t end = std::min(replacements_.find('\0', begin), replacements_.size());
      if (!found(at + 1, std::string_view(replacements_).substr(begin, end - begin))) {
        return;
      }
    }
  }
}

std::string_view PrecompiledCharsmap::replacement(std::string_view text) const {
  std::string_view result;
  entries(text, [&](std::size_t, std::string_view with) {
    result = with;
    return false;
  });
  return result;
}

PrecompiledCharsmap::Match PrecompiledCharsmap::longest(std::string_view text) const {
  Match match;
  entries(text, [&](std::size_t size, std::string_view with) {
    match = {with, size};
    return true;
  });
  return match;
}

void PrecompiledCharsmap::apply(AlignedText& text) const {
  constexpr std::size_t kMostWhole = 5;
  const std::string_view bytes = text.bytes;
  std::vector<Change> changes;
  changes.reserve(bytes.size());
  bool modified = false;
  const auto replace = [&](std::string_view old, std::string_view with) {
    modified = true;
    const auto before = static_cast<std::int32_t>(characters(old));
    const auto after = static_cast<std::int32_t>(characters(with));
    for (std::size_t at = 0; at < with.size();) {
      changes.push_back({next_character(with, at), 0});
    }
    for (std::int32_t i = 0; i < after - before; ++i) {
      changes[changes.size() - 1 - static_cast<std::size_t>(i)].change = 1;
    }
    if (after < before && !changes.empty()) {
      changes.back().change += after - before;
    }
  };
  for (std::size_t at = 0; at < bytes.size();) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const bool next_ascii = at + 1 >= bytes.size() || static_cast<unsigned char>(bytes[at + 1]) < 0x80;
    if (first < 0x80 && next_ascii && first != '\r') {
      if (plain_[first]) {
        changes.push_back({first, 0});
      } else {
        replace(bytes.substr(at, 1), replacement(bytes.substr(at, 1)));
      }
      ++at;
      continue;
    }
    const std::size_t end = grapheme_end(bytes, at);
    const std::string_view grapheme = bytes.substr(at, end - at);
    if (grapheme.size() <= kMostWhole) {
      if (const std::string_view with = replacement(grapheme); with.data() != nullptr) {
        replace(grapheme, with);
        at = end;
        continue;
      }
    }
    while (at < end) {
      const std::size_t begin = at;
      const char32_t code = next_character(bytes, at);
      const std::string_view part = bytes.substr(begin, at - begin);
      if (const std::string_view with = replacement(part); with.data() != nullptr) {
        replace(part, with);
      } else {
        changes.push_back({code, 0});
      }
    }
  }
  if (modified) {
    text = changed(text, changes);
  }
}

std::string encode_base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t block = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      block = block << 8U | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text.push_back(at + i > bytes.size() ? '=' : kDigits[(block >> (18U - 6U * i)) & 0x3FU]);
    }
  }
  return text;
}

std::string decode_base64(std::string_view text, const std::string& where) {
  const auto digit = [](char c) -> int {
    if (c >= 'A' && c <= 'Z') {
      return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
      return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
      return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  };
  std::string result;
  result.reserve(text.size() / 4 * 3);
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  if (text.size() % 4 != 0) {
    throw FormatError(
        fmt::format("{}: expected base64, found {} characters, not a multiple of 4", where, text.size()));
  }
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::uint32_t block = 0;
    const std::size_t digits = at + 4 == text.size() ? 4 - padding : 4;
    for (std::size_t i = 0; i < 4; ++i) {
      const int found = i < digits ? digit(text[at + i]) : 0;
      if (found < 0) {
        throw FormatError(fmt::format("{}: expected base64, character {} is none of it", where, at + i + 1));
      }
      block = (block << 6U) | static_cast<std::uint32_t>(found);
    }
    for (std::size_t i = 0; i + 1 < digits; ++i) {
      result.push_back(static_cast<char>((block >> (16U - 8U * i)) & 0xFFU));
    }
  }
  return result;
}

}  // namespace mog::model
