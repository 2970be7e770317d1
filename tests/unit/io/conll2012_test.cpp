#include "io/text/conll2012.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "io/recording/errors.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace mog::io {
namespace {

using test::TemporaryFolder;

// One document, a token a cell; an empty text between sentences.
std::string document(const std::vector<std::string>& cells, std::string_view name = "d", int part = 0) {
  std::string text = fmt::format("#begin document ({}); part {:03}\n", name, part);
  int word = 0;
  for (const std::string& cell : cells) {
    if (cell.empty()) {
      text += "\n";
      word = 0;
      continue;
    }
    text += fmt::format("{}\t{}\t{}\tw{}\t{}\n", name, part, word, word, cell);
    ++word;
  }
  return text + "\n#end document\n";
}

std::vector<CorefDocument> read(const std::string& text) {
  const TemporaryFolder folder;
  return read_conll2012(folder.write("d.conll", text));
}

std::string written(const std::string& text) {
  const TemporaryFolder folder;
  Conll2012Reader reader(folder.write("d.conll", text));
  std::string result;
  CorefDocument document;
  while (reader.next(document)) {
    result += to_conll2012(document);
  }
  return result + reader.rest();
}

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const FormatError& error) {
    const std::string message = error.what();
    return message.substr(message.find("d.conll: ") + 9);
  }
  return "";
}

using Mentions = std::vector<CorefMention>;

TEST(Conll2012, ReadsMentionsByTheirBegin) {
  const auto documents = read(document({"(3", "-", "3)", "", "(3)", "_"}) + document({"(0)"}, "e", 2));
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(documents[0].name, "d");
  EXPECT_EQ(documents[0].line, 1);
  EXPECT_EQ(documents[0].tokens.size(), 5U);
  EXPECT_EQ(documents[0].tokens[3].form, "w0");
  EXPECT_EQ(documents[0].tokens[3].line, 6);
  EXPECT_EQ(documents[0].sentences, (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(documents[0].mentions, (Mentions{{0, 3, 3}, {3, 4, 3}}));
  EXPECT_EQ(documents[1].name, "e");
  EXPECT_EQ(documents[1].part, 2);
  EXPECT_EQ(documents[1].mentions, (Mentions{{0, 1, 0}}));
}

TEST(Conll2012, MentionsMayNestCrossAndBeginTogether) {
  // Nested in one chain, crossing in two, three that begin together.
  EXPECT_EQ(read(document({"(1", "(1", "1)", "1)"}))[0].mentions, (Mentions{{0, 4, 1}, {1, 3, 1}}));
  EXPECT_EQ(read(document({"(1", "(2", "1)", "2)"}))[0].mentions, (Mentions{{0, 3, 1}, {1, 4, 2}}));
  EXPECT_EQ(read(document({"(1|(2|(3)", "2)", "1)"}))[0].mentions,
            (Mentions{{0, 3, 1}, {0, 2, 2}, {0, 1, 3}}));
}

// "5)|(5" is a token inside a longer mention, not two that meet, and so is "(5|5)".
TEST(Conll2012, InATokenMentionsOpenBeforeOthersClose) {
  for (const char* const cell : {"5)|(5", "(5|5)", "(5)"}) {
    const std::string text = document({"(5", cell, "5)"});
    EXPECT_EQ(read(text)[0].mentions, (Mentions{{0, 3, 5}, {1, 2, 5}})) << cell;
    EXPECT_EQ(written(text), text);
  }
}

TEST(Conll2012, ComesBackByteForByte) {
  const std::string plain = document({"(3", "-", "3)|(4)|(05", "05)", "", "(4)|(3)", "_"});
  EXPECT_EQ(written(plain), plain);
  // Columns by spaces, CR LF, a byte-order mark, empty lines everywhere, no line end at the end of the file.
  const std::string wild =
      "\xEF\xBB\xBF\r\n#begin document (a (b); part 0\r\n\n"
      "a (b)   000   0   in   IN   (1|(2   \r\na 0 1 it PRP 2)|1)\n\n\na 0 0 . . -\n#end document \n\n"
      "#begin document (c); part 1\n#end document";
  EXPECT_EQ(written("#begin document (x); part 0\n#end document\n\n"),
            "#begin document (x); part 0\n#end document\n\n");
  std::string sound = wild;
  sound.replace(sound.find("a (b)   000"), 11, "a       000");
  EXPECT_EQ(written(sound), sound);
}

TEST(Conll2012, ChangedMentionsAreWrittenAnew) {
  CorefDocument changed = read(document({"_", "(2|(1", "1)|2)", "(7)"}))[0];
  changed.mentions = {{3, 4, 7}, {0, 3, 4}, {1, 3, 4}, {0, 1, 9}, {0, 2, 6}};
  const std::string text = to_conll2012(changed);
  EXPECT_EQ(text, document({"(4|(6|(9)", "6)|(4", "4)|4)", "(7)"}));
  std::ranges::sort(changed.mentions);
  CorefDocument again = read(text)[0];
  std::ranges::sort(again.mentions);
  EXPECT_EQ(again.mentions, changed.mentions);
  changed.mentions = {};
  EXPECT_EQ(to_conll2012(changed), document({"_", "_", "_", "_"}));
}

TEST(Conll2012, CrossingMentionsOfOneChainCannotBeWritten) {
  CorefDocument crossed = read(document({"-", "-", "-", "-"}))[0];
  crossed.mentions = {{0, 3, 1}, {1, 4, 1}};
  EXPECT_THROW(to_conll2012(crossed), UsageError);
  crossed.mentions = {{0, 2, 1}, {1, 4, 1}};  // at one token
  EXPECT_THROW(to_conll2012(crossed), UsageError);
  EXPECT_EQ(set_crossing_apart(crossed), 1);
  EXPECT_EQ(crossed.mentions, (Mentions{{0, 2, 1}, {1, 4, 2}}));
  EXPECT_EQ(read(to_conll2012(crossed))[0].mentions, crossed.mentions);
  crossed.mentions = {{3, 5, 1}};
  EXPECT_THROW(to_conll2012(crossed), UsageError);
}

TEST(Conll2012, WhatWasSetApartCanBeWritten) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 500; ++trial) {
    CorefDocument drawn = read(document(std::vector<std::string>(9, "-")))[0];
    for (int mention = 0; mention < 8; ++mention) {
      const auto begin = static_cast<std::int64_t>(random() % 9);
      drawn.mentions.push_back(
          {begin, begin + 1 + static_cast<std::int64_t>(random() % 4), random() % 2 == 0});
      drawn.mentions.back().end = std::clamp<std::int64_t>(drawn.mentions.back().end, begin + 1, 9);
    }
    const Mentions before = drawn.mentions;
    const std::int64_t apart = set_crossing_apart(drawn);
    // Pairs of one chain that cross, by hand.
    bool crossing = false;
    for (const CorefMention& a : before) {
      crossing = crossing || std::ranges::any_of(before, [&](const CorefMention& b) {
                   return a.chain == b.chain && a.begin < b.begin && b.begin < a.end && a.end < b.end;
                 });
    }
    EXPECT_EQ(apart > 0, crossing);
    CorefDocument back = read(to_conll2012(drawn))[0];
    std::ranges::sort(drawn.mentions);
    std::ranges::sort(back.mentions);
    EXPECT_EQ(back.mentions, drawn.mentions);
  }
}

TEST(Conll2012, NamesTheLineAndColumnOfTheDefect) {
  EXPECT_EQ(refusal(document({"(3", "-"})),
            "line 2, column 10: a mention of chain 3 opens and does not close before its sentence ends");
  EXPECT_EQ(refusal(document({"(3", "-", "", "3)"})).substr(0, 20), "line 2, column 10: a");
  EXPECT_EQ(refusal(document({"-", "(2)|3)"})),
            "line 3, column 14: a mention of chain 3 closes, and none is open in this sentence");
  EXPECT_EQ(refusal(document({"(3(4"})),
            "line 2, column 10: \"(3(4\" is no mention; expected (CHAIN, CHAIN) or "
            "(CHAIN) with | between, or -");
  for (const char* const cell : {"()", "(", ")", "(3)|", "3", "(-3)", "(3)x", "(99999999999999999999)"}) {
    EXPECT_NE(refusal(document({cell})).find("is no mention"), std::string::npos) << cell;
  }
}

TEST(Conll2012, RowsAndDocumentsMustBeWhole) {
  const std::string begin = "#begin document (d); part 0\n";
  const std::string row = "d\t0\t0\tw\t-\n";
  EXPECT_EQ(refusal(begin + row + "d\t0\t1\tw\tNN\t-\n#end document\n"),
            "line 3, column 12: expected 5 columns as in line 2, where the sentence begins, found 6");
  EXPECT_EQ(refusal(begin + row + "\nd\t0\t0\tw\tNN\t-\n#end document\n"), "");  // another sentence
  EXPECT_EQ(refusal(begin + "d 0 0 -\n#end document\n").substr(0, 44),
            "line 2, column 1: expected at least 5 column");
  EXPECT_EQ(refusal(begin + "d\t0\t0\t\t-\n#end document\n"), "line 2, column 7: column 4 of 5 is empty");
  EXPECT_EQ(refusal(begin + "d\t1\t0\tw\t-\n#end document\n"),
            "line 2, column 3: expected the part 0 of the document of line 1, found \"1\"");
  EXPECT_EQ(refusal(begin + "d\t0\t1\tw\t-\n#end document\n"),
            "line 2, column 5: expected the word number 0, found \"1\"");
  EXPECT_EQ(refusal(begin + row), "line 1, column 1: the document has no \"#end document\"");
  EXPECT_EQ(refusal(begin + row + begin),
            "line 3, column 1: a document begins before the one of line 1 ends");
  EXPECT_EQ(refusal(document({"-"}) + document({"-"})),
            "line 5, column 1: part 0 of the document \"d\" stands in line 1 already");
  for (const char* const wrong : {"#begin document (d)\n", "#begin document (d); part x\n", "d\t0\t0\tw\t-\n",
                                  "#end document\n", "#begin document d; part 0\n"}) {
    EXPECT_NE(
        refusal(wrong).find("line 1, column 1: expected \"#begin document (NAME); part NUMBER\", found"),
        std::string::npos)
        << wrong;
  }
  EXPECT_NE(refusal("\n").find("found none"), std::string::npos);
}

TEST(Conll2012, NamesOfFiles) {
  EXPECT_TRUE(is_conll2012("a/b.conll"));
  EXPECT_TRUE(is_conll2012("b.conll.gz"));
  EXPECT_TRUE(is_conll2012("chtb_0009.v4_gold_conll"));
  EXPECT_FALSE(is_conll2012("b.conllu"));
}

TEST(Conll2012, LitBankComesBackByteForByte) {
  MOG_REQUIRE_SHARED(folder, "data/coref/litbank");
  std::int64_t files = 0;
  std::int64_t mentions = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    Conll2012Reader reader(entry.path());
    CorefDocument document;
    ASSERT_TRUE(reader.next(document)) << entry.path();
    EXPECT_EQ(to_conll2012(document) + reader.rest(), text.str()) << entry.path();
    ++files;
    mentions += std::ssize(document.mentions);
  }
  EXPECT_EQ(files, 80);
  EXPECT_EQ(mentions, 23150);
}

}  // namespace
}  // namespace mog::io
