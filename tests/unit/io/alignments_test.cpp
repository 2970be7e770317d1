#include "io/text/alignments.h"

#include <gtest/gtest.h>

#include <string>

#include "io/recording/errors.h"
#include "tests/support/temporary_folder.h"

namespace mog::io {
namespace {

// "0-1 2p3 | | 1-1": words from 0, pairs apart.
std::string dump(const Alignments& alignments) {
  std::string text;
  for (std::size_t i = 0; i < alignments.pairs.size(); ++i) {
    text += (i == 0 ? "" : " | ") + alignment_line(alignments.pairs[i], AlignmentFormat::pharaoh);
  }
  return text;
}

std::string read(std::string_view text, std::string_view file = "gold.txt",
                 AlignmentFormat format = AlignmentFormat::automatic) {
  const test::TemporaryFolder folder;
  return dump(read_alignments(folder.write(file, text), format));
}

std::string refusal(std::string_view text, std::string_view file = "gold.txt") {
  try {
    read(text, file);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(Alignments, PharaohCountsFromZero) {
  EXPECT_EQ(read("0-1 2-3\n\n1-1 3?4 5p6\n"), "0-1 2-3 |  | 1-1 3p4 5p6");
}

TEST(Alignments, TalpCountsFromOne) {
  EXPECT_EQ(read("1-2 3p4\n5S6 7P8\n", "gold.talp"), "0-1 2p3 | 4-5 6p7");
}

TEST(Alignments, RowsOfNaaclMayStandInAnyOrder) {
  EXPECT_EQ(read("3 1 1 S\n1 1 2\n1 2 1 P 0.5\n", "gold.wa"), "0-1 1p0 |  | 0-0");
}

TEST(Alignments, KeepLineAndSpelling) {
  const test::TemporaryFolder folder;
  const Alignments gold = read_alignments(folder.write("gold.talp", "1-1\n2p1\n"));
  EXPECT_EQ(gold.format, AlignmentFormat::talp);
  EXPECT_EQ(gold.pairs[1][0].line, 2);
  EXPECT_EQ(gold.pairs[1][0].text, "2p1");
  EXPECT_EQ(gold.pairs[1][0].source, 1);
  EXPECT_TRUE(gold.pairs[1][0].possible);
}

TEST(Alignments, WithoutAWordZeroDoNotSayWhereTheyCountFrom) {
  EXPECT_THROW(read("1-1 2-2\n"), UsageError);
  EXPECT_EQ(read("1-1 2-2\n", "gold.pharaoh"), "1-1 2-2");
  EXPECT_EQ(read("1-1 2-2\n", "gold.txt", AlignmentFormat::talp), "0-0 1-1");
  EXPECT_EQ(read("\n\n"), " | ");  // no link at all: nothing to tell apart
}

TEST(Alignments, RefusalsNameFileLineAndLink) {
  for (const std::string_view link :
       {"1", "1-", "-1", "a-b", "1:2", "1--2", "1-2x", "99999999999999999999-1"}) {
    const std::string message = refusal("0-0\n0-1 " + std::string(link) + "\n");
    EXPECT_NE(message.find("gold.txt, line 2: \"" + std::string(link) + "\""), std::string::npos)
        << link << message;
  }
  EXPECT_NE(refusal("1-1 0-1\n", "gold.talp").find("words of the format talp count from 1"),
            std::string::npos);
  EXPECT_NE(refusal("1 1 S\n", "gold.naacl").find("line 1"), std::string::npos);
  EXPECT_NE(refusal("0 1 1 S\n", "gold.naacl").find("line 1"), std::string::npos);
  EXPECT_NE(refusal("1 1 1 X\n", "gold.naacl").find("line 1"), std::string::npos);
}

TEST(Alignments, AreWrittenAsTheyAreRead) {
  const std::vector<AlignmentLink> links = {{0, 1, false, 1, ""}, {2, 3, true, 1, ""}};
  EXPECT_EQ(alignment_line(links, AlignmentFormat::pharaoh), "0-1 2p3");
  EXPECT_EQ(alignment_line(links, AlignmentFormat::talp), "1-2 3p4");
}

}  // namespace
}  // namespace mog::io
