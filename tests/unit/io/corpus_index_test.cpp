// Parts of a corpus against the whole, for every number of parts; indexes that are old, damaged or made up.
#include "io/text/corpus_index.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/conllu.h"
#include "io/text/output_file.h"
#include "io/text/sha256.h"
#include "tests/support/temporary_folder.h"

namespace mog::io {
namespace {

using Numbered = std::pair<std::int64_t, std::string>;

std::vector<Numbered> lines_of(const std::filesystem::path& path,
                               const std::optional<TextRange>& range = {}) {
  CorpusReader reader(path, {.range = range});
  std::vector<Numbered> lines;
  CorpusLine line;
  while (reader.next(line)) {
    lines.emplace_back(line.number, line.text);
  }
  return lines;
}

std::vector<Numbered> trees_of(const std::filesystem::path& path,
                               const std::optional<TextRange>& range = {}) {
  ConlluReader reader(path, TreebankHeads::checked, range);
  std::vector<Numbered> trees;
  TreebankSentence tree;
  while (reader.next(tree)) {
    trees.emplace_back(tree.number, std::to_string(tree.line) + "\n" + to_conllu(tree));
  }
  return trees;
}

// Every part of every number of parts up to `most`: together they are the whole, and contiguous.
template <class Read>
void expect_parts_are_the_whole(const std::filesystem::path& path, const CorpusIndex& index, Read read,
                                std::int64_t most) {
  const std::vector<Numbered> whole = read(path, std::nullopt);
  ASSERT_EQ(index.sentences, static_cast<std::int64_t>(whole.size()));
  for (std::int64_t parts = 1; parts <= most; ++parts) {
    std::vector<Numbered> joined;
    std::uint64_t end = 0;
    for (std::int64_t part = 1; part <= parts; ++part) {
      const TextRange range = range_of_part(index, path, part, parts);
      EXPECT_EQ(range.begin, end);
      end = range.end;
      const std::vector<Numbered> own = read(path, range);
      EXPECT_EQ(range.sentences, static_cast<std::int64_t>(own.size()));
      EXPECT_TRUE(own.empty() || own.front().first == range.first);
      EXPECT_TRUE(!own.empty() || parts > index.sentences) << part << " of " << parts << " is empty";
      joined.insert(joined.end(), own.begin(), own.end());
    }
    EXPECT_EQ(end, index.size_bytes);
    EXPECT_EQ(joined, whole) << parts << " parts";
  }
}

class CorpusIndexTest : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_.file(name);
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  test::TemporaryFolder folder_;
};

const std::string kTree = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t1\tdep\t_\t_\n";

TEST_F(CorpusIndexTest, PartsOfLinesAreTheWhole) {
  const std::string texts[] = {
      "one\ntwo\n\nfour\nfive is long, much longer than all the others together\nsix\n",
      "one\r\n\r\nthree\r\nno end",
      "\xEF\xBB\xBF\nmarked\nthree\n",
      "\n",
      "a\n\n\n\n",
      "only"};
  for (const std::string& text : texts) {
    const auto path = write("c.txt", text);
    for (const std::int64_t every : {1, 2, 3, 1000}) {
      expect_parts_are_the_whole(path, make_corpus_index(path, every), lines_of, 9);
    }
  }
}

TEST_F(CorpusIndexTest, PartsOfTreesAreTheWhole) {
  const std::string texts[] = {
      kTree + "\n" + kTree + "\n" + kTree + "\n",
      "# newdoc\n\n\n# sent_id = 1\n" + kTree + "\n\n# nobody's\n\n# sent_id = 2\n# text\n" + kTree,
      "\xEF\xBB\xBF\n# sent_id = 1\n" + kTree + "\n" + kTree + "\n# behind the last\n",
      "\xEF\xBB\xBF# sent_id = 1\r\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\r\n\r\n" + kTree + "\n"};
  for (const std::string& text : texts) {
    const auto path = write("c.conllu", text);
    for (const std::int64_t every : {1, 2, 1000}) {
      expect_parts_are_the_whole(path, make_corpus_index(path, every), trees_of, 5);
    }
  }
}

// Large enough to be cut by bytes, over many blocks: parts have the same share of them, not of the sentences.
TEST_F(CorpusIndexTest, LargeCorporaAreCutByBytes) {
  std::string text;
  for (int line = 0; line < 6000; ++line) {
    text += std::string(line < 3000 ? 20 : 400, static_cast<char>('a' + line % 26)) + "\n";
  }
  const auto path = write("c.txt", text);
  const CorpusIndex index = make_corpus_index(path, 700);
  expect_parts_are_the_whole(path, index, lines_of, 7);
  for (std::int64_t part = 1; part <= 4; ++part) {
    const TextRange range = range_of_part(index, path, part, 4);
    EXPECT_NEAR(static_cast<double>(range.end - range.begin), static_cast<double>(text.size()) / 4, 401);
  }
  // Where it is cut does not depend on the marks.
  const CorpusIndex other = make_corpus_index(path, 1);
  for (std::int64_t part = 1; part <= 4; ++part) {
    EXPECT_EQ(range_of_part(index, path, part, 4).begin, range_of_part(other, path, part, 4).begin);
    EXPECT_EQ(range_of_part(index, path, part, 4).first_line, range_of_part(other, path, part, 4).first_line);
  }
}

TEST_F(CorpusIndexTest, AnyStretchOfSentencesIsFound) {
  const auto path = write("c.txt", "1\n2\n3\n4\n5\n6\n7\n");
  const CorpusIndex index = make_corpus_index(path, 3);
  for (std::int64_t first = 1; first <= 8; ++first) {
    for (std::int64_t count = 0; first + count <= 8; ++count) {
      std::vector<Numbered> expected;
      for (std::int64_t number = first; number < first + count; ++number) {
        expected.emplace_back(number, std::to_string(number));
      }
      EXPECT_EQ(lines_of(path, range_of_sentences(index, path, first, count)), expected);
    }
  }
  EXPECT_THROW(range_of_sentences(index, path, 7, 2), UsageError);
  EXPECT_THROW(range_of_sentences(index, path, 0, 1), UsageError);
  EXPECT_THROW(range_of_sentences(index, path, 9, 0), UsageError);
}

TEST_F(CorpusIndexTest, MessagesNameTheLineOfTheFile) {
  const auto path = write("c.conllu", kTree + "\n" + kTree + "\nno row\n");
  const CorpusIndex index = make_corpus_index(path);
  try {
    trees_of(path, range_of_part(index, path, 3, 3));
    FAIL() << "was read";
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("line 7, column"), std::string::npos) << error.what();
  }
}

TEST_F(CorpusIndexTest, HoldsTheSumOfTheCorpus) {
  const auto path = write("c.txt", "abc\n");
  EXPECT_EQ(make_corpus_index(path).sha256, file_sha256(path));
}

TEST_F(CorpusIndexTest, ComesBackFromItsFile) {
  const auto path = write("c.txt", "a\nb\nc\nd\n");
  const CorpusIndex index = make_corpus_index(path, 2);
  write_corpus_index(folder_.file("index"), index);
  EXPECT_EQ(read_corpus_index(folder_.file("index")), index);
  require_same_corpus(index, folder_.file("index"), path);
}

TEST_F(CorpusIndexTest, IsMadeOnceBesideTheCorpusOrElsewhere) {
  const auto path = write("c.txt", "a\nb\n");
  const CorpusIndex made = open_corpus_index(path);
  EXPECT_EQ(read_corpus_index(folder_.file("c.txt.mogindex")), made);
  const auto stamp = std::filesystem::last_write_time(folder_.file("c.txt.mogindex"));
  EXPECT_EQ(open_corpus_index(path), made);
  EXPECT_EQ(std::filesystem::last_write_time(folder_.file("c.txt.mogindex")), stamp);
  std::filesystem::create_directory(folder_.file("elsewhere"));
  EXPECT_EQ(open_corpus_index(path, folder_.file("elsewhere")), made);
  EXPECT_EQ(read_corpus_index(index_path(path, folder_.file("elsewhere"))), made);
  EXPECT_NE(index_path("a/c.txt", "i"), index_path("b/c.txt", "i"));
  EXPECT_EQ(index_path("a/c.txt", "i"), index_path("a/../a/c.txt", "i"));
  EXPECT_THROW(open_corpus_index(path, folder_.file("no/folder")), StorageError);
}

TEST_F(CorpusIndexTest, OfSeveralTasksAtOnceIsOne) {
  std::string text;
  for (int line = 0; line < 20000; ++line) {
    text += "line " + std::to_string(line) + "\n";
  }
  const auto path = write("c.txt", text);
  std::vector<std::thread> tasks;
  std::vector<CorpusIndex> found(8);
  for (CorpusIndex& one : found) {
    tasks.emplace_back([&] { one = open_corpus_index(path); });
  }
  for (std::thread& task : tasks) {
    task.join();
  }
  for (const CorpusIndex& one : found) {
    EXPECT_EQ(one, found.front());
  }
  const auto begin = std::filesystem::directory_iterator(folder_.path());
  EXPECT_EQ(std::distance(begin, {}), 2);  // the corpus and one index
}

TEST_F(CorpusIndexTest, OfAnotherCorpusIsRefused) {
  const auto path = write("c.txt", "a\nb\n");
  open_corpus_index(path);
  const auto stamp = std::filesystem::last_write_time(path);
  write("c.txt", "a\nb\nc\n");
  EXPECT_THROW(open_corpus_index(path), FormatError);  // size
  write("c.txt", "a\nc\n");
  std::filesystem::last_write_time(path, stamp);
  EXPECT_THROW(open_corpus_index(path), FormatError);  // ends
  write("c.txt", "a\nb\n");
  std::filesystem::last_write_time(path, stamp);
  EXPECT_NO_THROW(open_corpus_index(path));
  std::filesystem::last_write_time(path, stamp + std::chrono::seconds(1));
  EXPECT_THROW(open_corpus_index(path), FormatError);  // time
}

TEST_F(CorpusIndexTest, OfWhatHasNoPartsIsRefused) {
  EXPECT_THROW(make_corpus_index("-"), UsageError);
  EXPECT_THROW(make_corpus_index(write("c.gz", "\x1f\x8b\x08 more")), UsageError);
  EXPECT_THROW(make_corpus_index(folder_.file("nothing.txt")), UsageError);
  EXPECT_THROW(make_corpus_index(folder_.path()), FormatError);
}

// Bytes of an index file changed, with the sum put right: whoever makes one up is refused, too.
TEST_F(CorpusIndexTest, MadeUpFilesAreRefused) {
  const auto corpus = write("c.txt", "aa\nbb\ncc\ndd\n");
  write_corpus_index(folder_.file("index"), make_corpus_index(corpus, 1));
  std::ifstream stream(folder_.file("index"), std::ios::binary);
  const std::string sound{std::istreambuf_iterator<char>(stream), {}};
  const auto read_back = [&](std::string bytes, bool sum) {
    if (sum) {
      bytes.resize(bytes.size() - 64);
      bytes += sha256(bytes);
    }
    return read_corpus_index(write("changed", bytes));
  };
  EXPECT_NO_THROW(read_back(sound, true));
  for (std::size_t cut = 0; cut < sound.size(); ++cut) {
    EXPECT_THROW(read_back(sound.substr(0, cut), false), FormatError) << cut;
  }
  for (std::size_t byte = 0; byte < sound.size(); ++byte) {
    std::string changed = sound;
    changed[byte] = static_cast<char>(changed[byte] ^ 0x80);
    EXPECT_THROW(read_back(changed, false), FormatError) << byte;
    const bool counts = byte < 24 || (byte >= 40 && byte < 48) || byte >= 176;  // not size, time and sums
    if (counts && byte + 64 < sound.size()) {
      EXPECT_THROW(read_back(changed, true), FormatError) << byte;
    }
  }
}

// Marks that are in order and yet no beginnings of sentences.
TEST_F(CorpusIndexTest, MarksInsideALineAreRefused) {
  const auto corpus = write("c.txt", "aa\nbb\ncc\ndd\n");
  CorpusIndex index = make_corpus_index(corpus, 1);
  index.marks[2].offset += 1;
  EXPECT_THROW(range_of_part(index, corpus, 2, 2), FormatError);
}

}  // namespace
}  // namespace mog::io
