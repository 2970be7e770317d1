#include "analysis/statistics/sentence_key.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace mog::analysis {
namespace {

using namespace std::string_view_literals;

// White_Space beyond U+007F, in UTF-8: U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F,
// U+205F, U+3000.
constexpr std::array kWideSpaces = {"\xC2\x85"sv,     "\xC2\xA0"sv,     "\xE1\x9A\x80"sv, "\xE2\x80\x80"sv,
                                    "\xE2\x80\x81"sv, "\xE2\x80\x82"sv, "\xE2\x80\x83"sv, "\xE2\x80\x84"sv,
                                    "\xE2\x80\x85"sv, "\xE2\x80\x86"sv, "\xE2\x80\x87"sv, "\xE2\x80\x88"sv,
                                    "\xE2\x80\x89"sv, "\xE2\x80\x8A"sv, "\xE2\x80\xA8"sv, "\xE2\x80\xA9"sv,
                                    "\xE2\x80\xAF"sv, "\xE2\x81\x9F"sv, "\xE3\x80\x80"sv};

// Bytes of the white space that `text` begins with; 0: none.
std::size_t space_at(std::string_view text) {
  const char first = text.front();
  if (first == ' ' || (first >= '\t' && first <= '\r')) {
    return 1;
  }
  if (static_cast<unsigned char>(first) < 0x80) {
    return 0;
  }
  const auto* const at = std::find_if(kWideSpaces.begin(), kWideSpaces.end(),
                                      [text](std::string_view space) { return text.starts_with(space); });
  return at == kWideSpaces.end() ? 0 : at->size();
}

class Hash {
 public:
  void add(std::string_view text) {
    while (!text.empty()) {
      if (const std::size_t space = space_at(text)) {
        text.remove_prefix(space);
        continue;
      }
      value_ = (value_ ^ static_cast<unsigned char>(text.front())) * 0x100000001B3U;
      any_ = true;
      text.remove_prefix(1);
    }
  }
  std::uint64_t value() const { return any_ ? value_ : 0; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325U;
  bool any_ = false;
};

}  // namespace

std::uint64_t sentence_key(const Sentence& sentence) {
  Hash hash;
  hash.add(sentence.text);
  if (sentence.text.empty()) {
    for (const Word& word : sentence.words) {
      hash.add(word.text);
    }
  }
  return hash.value();
}

}  // namespace mog::analysis
