#include "io/recording/utf8.h"

#include <gtest/gtest.h>

namespace mog {
namespace {

TEST(Utf8, EveryCharacterIsWrittenAndReadBack) {
  for (char32_t character = 1; character <= 0x10FFFF; ++character) {
    const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
    std::string text;
    append_utf8(text, character);
    ASSERT_EQ(text.size(), utf8_length(character)) << std::uint32_t{character};
    const Utf8Sequence sequence = utf8_sequence_at(text, 0);
    ASSERT_EQ(sequence.sound, !surrogate) << std::uint32_t{character};
    if (!surrogate) {
      ASSERT_EQ(sequence.length, text.size()) << std::uint32_t{character};
      ASSERT_EQ(count_characters(text), 1) << std::uint32_t{character};
    }
    std::size_t at = 0;
    ASSERT_EQ(next_code_point(text, at), character);
    ASSERT_EQ(at, text.size());
  }
}

TEST(Utf8, BytesAreThoseOfTheStandard) {
  std::string text;
  for (const char32_t character : {U'$', U'\u00A3', U'\u20AC', U'\U00010348'}) {
    append_utf8(text, character);
  }
  EXPECT_EQ(text, "$\xC2\xA3\xE2\x82\xAC\xF0\x90\x8D\x88");
  EXPECT_EQ(count_characters(text), 4);
}

TEST(Utf8, WhatIsNotSoundIsSeen) {
  const auto is = [](std::string_view text, std::size_t length) {
    const Utf8Sequence sequence = utf8_sequence_at(text, 0);
    return !sequence.sound && sequence.length == length;
  };
  EXPECT_TRUE(is("\x80", 1));
  EXPECT_TRUE(is("\xC0\x80", 1));      // overlong
  EXPECT_TRUE(is("\xE0\x9F\xBF", 1));  // overlong
  EXPECT_TRUE(is("\xE2\x82", 2));      // cut short: the maximal bad part
  EXPECT_TRUE(is("\xF0\x9F\x98", 3));
  EXPECT_TRUE(is("\xF4\x90\x80\x80", 1));  // above U+10FFFF
  EXPECT_TRUE(is("\xFF", 1));
  std::size_t at = 0;
  next_code_point("\xF0", at);
  EXPECT_EQ(at, 1U);  // never beyond the end
}

TEST(Utf8, TextsAreCutBetweenCharacters) {
  const std::string text = "a\xE2\x82\xACz";
  EXPECT_EQ(character_boundary(text, 1), 1U);
  EXPECT_EQ(character_boundary(text, 2), 1U);
  EXPECT_EQ(character_boundary(text, 3), 1U);
  EXPECT_EQ(character_boundary(text, 4), 4U);
  EXPECT_EQ(character_boundary(text, 99), text.size());
  EXPECT_EQ(character_boundary("", 3), 0U);
}

}  // namespace
}  // namespace mog
