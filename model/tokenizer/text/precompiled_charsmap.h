// The character map of a sentencepiece model: a trie of byte strings and what replaces them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/tokenizer/text/aligned_text.h"

namespace mog::model {

class PrecompiledCharsmap {
 public:
  // `blob`: 32-bit size in bytes of a double-array trie, its units, then the replacements, each ended by NUL.
  // Throws FormatError beginning with `where` when a path of the trie leaves it or a replacement is no text.
  PrecompiledCharsmap(std::string_view blob, const std::string& where);
  // Grapheme by grapheme, as the reference: one of at most five bytes is looked up whole, else each character
  // is. The shortest entry that begins the looked-up text decides for all of it.
  void apply(AlignedText& text) const;

  // The longest entry that begins `text`, as sentencepiece itself has it; size 0: none.
  struct Match {
    std::string_view with;
    std::size_t size = 0;
  };
  Match longest(std::string_view text) const;

 private:
  // Calls found(size, replacement) for every entry that begins `text`, the shortest first, until it says no.
  template <class Found>
  void entries(std::string_view text, Found&& found) const;
  // nullptr data: no entry.
  std::string_view replacement(std::string_view text) const;
  void check(const std::string& where) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
  std::array<bool, 128> plain_ = {};  // ASCII characters that no entry begins with alone
};

// Throws FormatError beginning with `where`.
std::string decode_base64(std::string_view text, const std::string& where);
std::string encode_base64(std::string_view bytes);

}  // namespace mog::model
