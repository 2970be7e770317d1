#include <gtest/gtest.h>

#include <string>

#include "io/recording/errors.h"
#include "io/text/conllu.h"
#include "io/text/iob2.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace mog::io {
namespace {

using test::TemporaryFolder;

std::string row(const std::string& id, const std::string& form, const std::string& head,
                const std::string& upos = "NOUN", const std::string& relation = "dep") {
  return id + "\t" + form + "\tlemma\t" + upos + "\tXP\t_\t" + head + "\t" + relation +
         "\t_\tSpaceAfter=No\n";
}

TEST(Conllu, ReadsWordsCommentsAndHeads) {
  const TemporaryFolder folder;
  const auto path =
      folder.write("t.conllu", "# sent_id = a-1\n#text=vámonos al mar\n" + row("1-2", "vámonos", "_") +
                                   row("1", "vamos", "0", "VERB", "root") +
                                   row("2", "nos", "1", "PRON", "obj") + row("2.1", "ghost", "_") +
                                   row("3-4", "al", "_") + row("3", "a", "5") + row("4", "el", "5") +
                                   row("5", "mar", "1") + "\n# late comment\n\n\n" + row("1", "#", "0"));
  const auto sentences = read_conllu(path);
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_EQ(sentences[0].number, 1);
  EXPECT_EQ(sentences[0].line, 3);
  EXPECT_EQ(sentences[0].comment("sent_id"), "a-1");
  EXPECT_EQ(sentences[0].comment("text"), "vámonos al mar");
  EXPECT_EQ(sentences[0].comment("absent"), "");
  ASSERT_EQ(sentences[0].words.size(), 5U);
  EXPECT_EQ(sentences[0].words[1].form, "nos");
  EXPECT_EQ(sentences[0].words[1].upos, "PRON");
  EXPECT_EQ(sentences[0].words[1].deprel, "obj");
  EXPECT_EQ(sentences[0].words[2].head, 5);
  EXPECT_EQ(sentences[0].words[4].misc, "SpaceAfter=No");
  EXPECT_EQ(sentences[1].words.at(0).form, "#");
  EXPECT_TRUE(sentences[1].comments.empty());
}

std::string conllu_message(const std::string& text) {
  const TemporaryFolder folder;
  try {
    read_conllu(folder.write("t.conllu", text));
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(Conllu, NamesTheLineOfTheDefect) {
  const std::string good = row("1", "a", "0") + row("2", "b", "1");
  EXPECT_EQ(conllu_message(good), "");
  EXPECT_NE(conllu_message(good + row("3", "c", "4")).find("line 3"), std::string::npos);
  EXPECT_NE(conllu_message(good + row("4", "c", "1")).find("line 3"), std::string::npos);
  EXPECT_NE(conllu_message(good + row("2.2", "c", "_")).find("line 3"), std::string::npos);
  EXPECT_NE(conllu_message(good + row("4-5", "c", "_")).find("line 3"), std::string::npos);
  EXPECT_NE(conllu_message(good + row("3-4", "c", "_") + row("3", "c", "1")).find("line 3"),
            std::string::npos);
  EXPECT_NE(conllu_message(row("1", "a", "2") + row("2", "b", "1")).find("cycle"), std::string::npos);
  EXPECT_NE(conllu_message(good + row("3", "", "1")).find("column 2"), std::string::npos);
  EXPECT_NE(conllu_message(good + row("3", "c", "-1")).find("\"-1\""), std::string::npos);
  EXPECT_NE(conllu_message("").find("none"), std::string::npos);
}

// As `mog tag` writes them: whoever reads words alone takes them, whoever reads trees does not.
TEST(Conllu, HeadsMayBeAbsentFromAWholeSentence) {
  const auto read = [](const std::string& text, TreebankHeads heads) {
    ConlluReader reader(CorpusReader::of_text(text + "\n", "a.conllu"), "a.conllu", heads);
    TreebankSentence sentence;
    EXPECT_TRUE(reader.next(sentence));
    return sentence;
  };
  const std::string none = row("1", "a", "_") + row("2", "b", "_");
  const TreebankSentence sentence = read(none, TreebankHeads::optional);
  ASSERT_EQ(sentence.words.size(), 2U);
  EXPECT_EQ(sentence.words[1].form, "b");
  EXPECT_EQ(sentence.words[1].head, 0);
  EXPECT_FALSE(sentence.has_heads);
  EXPECT_THROW(read(none, TreebankHeads::checked), FormatError);
  EXPECT_EQ(read(row("1", "a", "2") + row("2", "b", "0"), TreebankHeads::optional).words[0].head, 2);
  EXPECT_THROW(read(row("1", "a", "_") + row("2", "b", "0"), TreebankHeads::optional), FormatError);
  EXPECT_THROW(read(row("1", "a", "2") + row("2", "b", "_"), TreebankHeads::optional), FormatError);
  EXPECT_THROW(read(row("1", "a", "2") + row("2", "b", "1"), TreebankHeads::optional), FormatError);
}

TEST(Conllu, NamesTheColumnOfTheField) {
  const std::string good = row("1", "日本", "0");
  EXPECT_NE(conllu_message(good + row("2", "日", "x")).find("line 2, column 21: the head \"x\""),
            std::string::npos)
      << conllu_message(good + row("2", "日", "x"));
  EXPECT_NE(conllu_message(good + row("2", "b", "9")).find("line 2, column 21"), std::string::npos);
  EXPECT_NE(conllu_message(good + row("2", "", "1")).find("line 2, column 3: column 2 of ten"),
            std::string::npos);
  EXPECT_NE(conllu_message(good + "2\tb\n").find("line 2, column 4"), std::string::npos);
  EXPECT_NE(conllu_message(good + "2\t日\xFF").find("line 2, column 4 is not UTF-8"), std::string::npos);
}

TEST(Conllu, WritesBackEveryByte) {
  const TemporaryFolder folder;
  const std::string one =
      "# x\n" + row("1-2", "ab", "_") + row("1", "a", "0") + row("2", "b", "1") + row("2.1", "c", "_");
  std::string crlf;
  for (const char c : one + "\n" + one) {
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
  }
  for (const std::string& text :
       {one + "\n", one, one.substr(0, one.size() - 1), "\xEF\xBB\xBF" + one + "\n" + one, crlf,
        crlf + "\n\r\n# z", "\n# lost\n\n" + one + "\n\n\n", row("01", "a", "00") + row("2", "b", "01")}) {
    ConlluReader reader(folder.write("t.conllu", text));
    std::string written;
    for (TreebankSentence sentence; reader.next(sentence);) {
      written += to_conllu(sentence);
    }
    EXPECT_EQ(written + reader.rest(), text);
  }
  // What was changed is written, the rest stays.
  ConlluReader reader(CorpusReader::of_text(row("01", "a", "0") + row("02", "b", "1"), "t"), "t");
  TreebankSentence sentence;
  ASSERT_TRUE(reader.next(sentence));
  sentence.words[0].head = 2;
  sentence.words[1].head = 0;
  EXPECT_EQ(to_conllu(sentence), row("1", "a", "2") + row("2", "b", "0"));
}

TEST(Iob2, DropsTheTypesThatAreNoEntities) {
  const TemporaryFolder folder;
  const auto path =
      folder.write("t.iob2",
                   "# sent_id = 1\n1\tIn\tO\t-\t-\n2\tNew\tB-LOC\t-\tx\n3\tYork\tI-LOC\t-\tx\n\n"
                   "1\tWe\tB-OTH\n2\ttwo\tI-OTH\n3\tx\tB-O\n4\tBonn\tB-LOC\n5\tRom\tB-LOC\n");
  const auto sentences = read_iob2(path);
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_EQ(sentences[0].words, (std::vector<std::string>{"In", "New", "York"}));
  EXPECT_EQ(sentences[0].tags, (std::vector<std::string>{"O", "B-LOC", "I-LOC"}));
  EXPECT_EQ(sentences[0].comments.at(0), "# sent_id = 1");
  EXPECT_EQ(sentences[1].tags, (std::vector<std::string>{"O", "O", "O", "B-LOC", "B-LOC"}));
  EXPECT_EQ(sentences[1].line, 6);
  EXPECT_EQ(read_iob2(path, {.drop_types = {}})[1].tags.at(1), "I-OTH");
}

TEST(Iob2, NamesTheLineOfTheDefect) {
  const TemporaryFolder folder;
  for (const char* const bad : {"2\tx\tI-LOC\n", "2\tx\tB-\n", "2\tx\tLOC\n", "2\tx\n", "3\tx\tO\n",
                                "2\t\tO\n", "# late\n", "2\tx\tO\xFF\n"}) {
    try {
      read_iob2(folder.write("t.iob2", std::string("1\tOrg\tB-ORG\n") + bad));
      ADD_FAILURE() << bad;
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(read_iob2(folder.write("t.iob2", "\n\n")), FormatError);
}

// Counts of the treebanks themselves, from an independent count of the rows.
TEST(Treebanks, RealFilesHaveTheirSentencesAndWords) {
  MOG_REQUIRE_SHARED(data, "data/treebanks/en_ewt-dev.conllu");
  const auto sentences = read_conllu(data);
  std::size_t words = 0;
  for (const auto& sentence : sentences) {
    words += sentence.words.size();
  }
  EXPECT_EQ(sentences.size(), 2001U);
  EXPECT_EQ(words, 25147U);
  const auto entities = read_iob2(data.parent_path().parent_path() / "ner" / "en_ewt-dev.iob2");
  EXPECT_EQ(entities.size(), 2001U);
}

}  // namespace
}  // namespace mog::io
