#include "model/tokenizer/text/aligned_text.h"

#include <algorithm>

#include "io/recording/utf8.h"
#include "model/tokenizer/text/reference_unicode.h"

namespace mog::model {

void AlignedText::append_original(std::string_view text, std::uint32_t offset) {
  bytes.append(text);
  origin.reserve(origin.size() + text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = static_cast<std::uint32_t>(at);
    next_character(text, at);
    const Origin from{offset + begin, offset + static_cast<std::uint32_t>(at)};
    origin.insert(origin.end(), at - begin, from);
  }
}

void AlignedText::append(char32_t code, Origin from) {
  append_utf8(bytes, code);
  origin.resize(bytes.size(), from);
}

void AlignedText::append(std::string_view text, Origin from) {
  bytes.append(text);
  origin.resize(bytes.size(), from);
}

void AlignedText::append_part(const AlignedText& other, std::size_t begin, std::size_t end) {
  bytes.append(other.bytes, begin, end - begin);
  origin.insert(origin.end(), other.origin.begin() + static_cast<std::ptrdiff_t>(begin),
                other.origin.begin() + static_cast<std::ptrdiff_t>(end));
}

void AlignedText::clear() noexcept {
  bytes.clear();
  origin.clear();
}

bool AlignedText::ascii() const noexcept {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

AlignedText changed(const AlignedText& text, std::span<const Change> changes) {
  AlignedText result;
  result.bytes.reserve(text.bytes.size());
  result.origin.reserve(text.bytes.size());
  const std::size_t size = text.bytes.size();
  const Origin start = size == 0 ? Origin{} : Origin{text.origin[0].begin, text.origin[0].begin};
  std::size_t at = 0;
  for (const Change& change : changes) {
    if (change.change > 0) {
      result.append(change.code, at == 0 ? start : text.origin[at - 1]);
      continue;
    }
    result.append(change.code, at < size ? text.origin[at] : size == 0 ? start : text.origin[size - 1]);
    for (std::int32_t count = change.change; count <= 0 && at < size; ++count) {
      next_character(text.bytes, at);
    }
  }
  return result;
}

}  // namespace mog::model
