// A text that is being normalised, each byte with the bytes of the original it came from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mog::model {

// Bytes [begin, end) of the original text.
struct Origin {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const Origin&, const Origin&) = default;
};

// A character of the text to be, in terms of the text that is.
struct Change {
  char32_t code = 0;
  // 0: in place of the next old character; 1: a new one, it shares the origin of what is before it;
  // -n: in place of the next old character, the n behind that go.
  std::int32_t change = 0;
};

struct AlignedText {
  std::string bytes;           // UTF-8
  std::vector<Origin> origin;  // [byte]; the same for all bytes of a character

  // Each character comes from itself; `offset` is added.
  void append_original(std::string_view text, std::uint32_t offset);
  void append(char32_t code, Origin from);
  void append(std::string_view text, Origin from);
  // Bytes [begin, end) of another text with their origins.
  void append_part(const AlignedText& other, std::size_t begin, std::size_t end);
  void clear() noexcept;
  bool ascii() const noexcept;
};

AlignedText changed(const AlignedText& text, std::span<const Change> changes);

}  // namespace mog::model
