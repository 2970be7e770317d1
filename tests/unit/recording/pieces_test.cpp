// What pieces of words stand for.
#include <gtest/gtest.h>

#include <set>

#include "io/recording/pieces.h"

namespace mog {
namespace {

TEST(Pieces, HaveNames) {
  for (const Pieces pieces :
       {Pieces::none, Pieces::wordpiece, Pieces::bpe, Pieces::byte_bpe, Pieces::sentencepiece}) {
    EXPECT_EQ(pieces_named(name(pieces)), pieces);
  }
  EXPECT_FALSE(pieces_named("byte_bpe").has_value());
  EXPECT_EQ(pieces_of("byte_bpe"), Pieces::byte_bpe);
  EXPECT_EQ(pieces_of("unigram"), Pieces::sentencepiece);
  EXPECT_EQ(pieces_of("whitespace"), Pieces::none);
  EXPECT_EQ(pieces_of("imported"), Pieces::none);
  // Brackets say what the kind does not.
  EXPECT_EQ(with_pieces("byte_bpe", Pieces::byte_bpe), "byte_bpe");
  for (const char* const name : {"byte_bpe", "unigram", "facebook/bart (base)", ""}) {
    for (const Pieces pieces : {Pieces::none, Pieces::byte_bpe, Pieces::sentencepiece}) {
      EXPECT_EQ(pieces_of(with_pieces(name, pieces)), pieces) << name;
    }
  }
  EXPECT_EQ(pieces_of("bart (base)"), Pieces::none);
}

TEST(Pieces, EveryByteHasItsCharacter) {
  std::set<char32_t> characters;
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t character = byte_character(static_cast<unsigned char>(byte));
    characters.insert(character);
    EXPECT_EQ(character_byte(character), byte);
  }
  EXPECT_EQ(characters.size(), 256U);
  // As GPT-2's encoder.json has them: a space, a line's end, 0x7F, 0xA0, 0xAD.
  EXPECT_EQ(character_byte(0x120), 0x20);
  EXPECT_EQ(character_byte(0x10A), 0x0A);
  EXPECT_EQ(character_byte(0x121), 0x7F);
  EXPECT_EQ(character_byte(0x142), 0xA0);
  EXPECT_EQ(character_byte(0x143), 0xAD);
  EXPECT_FALSE(character_byte(U' ').has_value());
  EXPECT_FALSE(character_byte(0x144).has_value());
}

TEST(Pieces, StandForBytes) {
  EXPECT_EQ(piece_bytes("##ing", Pieces::wordpiece), "ing");
  EXPECT_EQ(piece_bytes("##", Pieces::wordpiece), "##");
  EXPECT_EQ(piece_bytes("over@@", Pieces::bpe), "over");
  EXPECT_EQ(piece_bytes("@@", Pieces::bpe), "@@");
  EXPECT_EQ(piece_bytes("\u0120caf\u00c3\u00a9", Pieces::byte_bpe), " caf\u00e9");
  EXPECT_EQ(piece_bytes("\u00e2\u0126", Pieces::byte_bpe), "\xE2\x84");
  EXPECT_EQ(piece_bytes("a word \u4e2d", Pieces::byte_bpe), "a word \u4e2d");  // added to the vocabulary
  EXPECT_EQ(piece_bytes("\u2581over\u2581it", Pieces::sentencepiece), " over it");
  EXPECT_EQ(piece_bytes("<0xE2>", Pieces::sentencepiece), "\xE2");
  EXPECT_EQ(piece_bytes("<0xG2>", Pieces::sentencepiece), "<0xG2>");
  for (const Pieces other : {Pieces::none, Pieces::wordpiece, Pieces::bpe, Pieces::sentencepiece}) {
    EXPECT_EQ(piece_bytes("\u0120a", other), "\u0120a");
  }
}

TEST(Pieces, AreShownAsTextThatCanBeRead) {
  EXPECT_EQ(shown_bytes(" caf\u00e9 "), "caf\u00e9");
  EXPECT_EQ(shown_bytes(""), "");
  EXPECT_EQ(shown_bytes(" "), "\u2581");
  EXPECT_EQ(shown_bytes("   "), "\u2581\u2581\u2581");
  EXPECT_EQ(shown_bytes("        "), "\u2581\u00d78");
  EXPECT_EQ(shown_bytes("a b"), "a b");
  EXPECT_EQ(shown_bytes("\xE2"), "\u27e8E2\u27e9");
  EXPECT_EQ(shown_bytes("\xE2\x82"), "\u27e8E2\u27e9\u27e882\u27e9");
  EXPECT_EQ(shown_bytes("x\xF0\x9F\x98\x80\x80y"), "x\U0001F600\u27e880\u27e9y");
  EXPECT_EQ(shown_bytes("\r\n"), "\u27e80D\u27e9\u21b5");
  EXPECT_EQ(shown_bytes("\t\tif"), "\u21e5\u21e5if");
  EXPECT_EQ(shown_bytes("\x1b"), "\u27e81B\u27e9");
  EXPECT_EQ(shown_bytes("\u0085"), "\u27e8C2\u27e9\u27e885\u27e9");
  EXPECT_EQ(shown_bytes(" \u732b"), "\u732b");
}

TEST(Pieces, OfAVocabularyShowTheSpaceThatBeginsThem) {
  EXPECT_EQ(shown_piece("\u0120the", Pieces::byte_bpe), "\u2581the");
  EXPECT_EQ(shown_piece("the", Pieces::byte_bpe), "the");
  EXPECT_EQ(shown_piece("\u0120\u0120", Pieces::byte_bpe), "\u2581\u2581");
  EXPECT_EQ(shown_piece("\u010a", Pieces::byte_bpe), "\u21b5");
  EXPECT_EQ(shown_piece("\u2581the", Pieces::sentencepiece), "\u2581the");
  EXPECT_EQ(shown_piece("<0x0A>", Pieces::sentencepiece), "\u21b5");
  EXPECT_EQ(shown_piece("##ing", Pieces::wordpiece), "ing");
}

TEST(Pieces, ShowWhatNobodySees) {
  EXPECT_EQ(shown_bytes("\u200b"), "\u27e8U+200B\u27e9");
  EXPECT_EQ(shown_bytes("a\u202eb"), "a\u27e8U+202E\u27e9b");  // would turn what follows
  EXPECT_EQ(shown_bytes("\ufeffThe"), "\u27e8U+FEFF\u27e9The");
  EXPECT_EQ(shown_bytes("\uf8ff"), "\u27e8U+F8FF\u27e9");
  EXPECT_EQ(shown_bytes("\uffff"), "\u27e8U+FFFF\u27e9");
  EXPECT_EQ(shown_bytes("\U0001ffff"), "\u27e8U+1FFFF\u27e9");
  // Spaces other than U+0020, where there is nothing else.
  EXPECT_EQ(shown_bytes("\u3000"), "\u27e8U+3000\u27e9");
  EXPECT_EQ(shown_bytes("10\u00a0km"), "10\u00a0km");
  // What joins or changes what stands before it.
  EXPECT_EQ(shown_bytes("\U0001f469\u200d\U0001f4bb"), "\U0001f469\u200d\U0001f4bb");
  EXPECT_EQ(shown_bytes("\u2764\ufe0f"), "\u2764\ufe0f");
  EXPECT_EQ(shown_bytes("\u200d"), "\u27e8U+200D\u27e9");
  EXPECT_EQ(shown_bytes("\ufe0f"), "\u27e8U+FE0F\u27e9");
  EXPECT_EQ(shown_bytes("\u0301"), "\u25cc\u0301");
  EXPECT_EQ(shown_bytes("e\u0301"), "e\u0301");
}

}  // namespace
}  // namespace mog
