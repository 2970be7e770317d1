// What a file is that is no text, texts that come packed or through a pipe, and where a value stands in JSON.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlib.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/corpus.h"
#include "io/text/file_kind.h"
#include "io/text/gzip_stream.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"
#include "tests/support/temporary_folder.h"

namespace mog::io {
namespace {

using test::TemporaryFolder;
using namespace std::string_literals;

template <class Refusal>
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Refusal& error) {
    return error.what();
  }
  return "";
}

std::string packed(const std::string& text) {
  std::string bytes(text.size() + 100, '\0');
  z_stream stream = {};
  ::deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  ::deflateEnd(&stream);
  return bytes;
}

// Standard input is this descriptor until the end of the scope.
class AsInput {
 public:
  explicit AsInput(int descriptor) : kept_(::dup(STDIN_FILENO)) { ::dup2(descriptor, STDIN_FILENO); }
  AsInput(const AsInput&) = delete;
  AsInput& operator=(const AsInput&) = delete;
  ~AsInput() {
    ::dup2(kept_, STDIN_FILENO);
    ::close(kept_);
  }

 private:
  int kept_;
};

// ---- kinds of files
TEST(FileKind, IsToldByTheFirstBytes) {
  const std::string zero(1, '\0');
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"},
      {"PK\x03\x04", "zip archive"},
      {"\x1f\x8b\x08", "gzip file"},
      {"BZh91AY&SY", "bzip2 file"},
      {"BZh was a band", ""},
      {"%PDF-1.4", "a PDF"},
      {"GIF89a", "an image (GIF)"},
      {"GIF87a", "an image (GIF)"},
      {"GIF8 is no image", ""},
      {"PAR1" + zero, "a table (Parquet)"},
      {"PAR1 is a word", ""},
      {"ARROW1" + zero, "a table (Arrow)"},
      {"SQLite format 3" + zero, "a data base"},
      {"GGUF" + zero, "weights (GGUF)"},
      {"GGUF is a format", ""},
      {"  <!DOCTYPE HTML>", "a web page"},
      {"<HTML lang=de>", "a web page"},
      {"\x80\x02}.", "a Python pickle"},
      {"\x80\x09", ""},
      {"\x10\0\0\0\0\0\0\0{\"a\": 1}"s, "weights (safetensors)"},
      {"\x10\0\0\0\0\0\0\0{a: 1}"s, ""},
      {"{\"a\": 1}", "JSON"},
      {"[1]", "JSON"},
      {"A sentence.", ""},
      {"", ""}};
  for (const auto& [bytes, words] : kinds) {
    const std::string said = looks_like(bytes);
    EXPECT_EQ(said.empty(), words.empty()) << bytes << ": " << said;
    EXPECT_NE(said.find(words), std::string::npos) << bytes << ": " << said;
  }
}

TEST(FileKind, OfTextsThatAreNoSentences) {
  std::string tar(600, 'x');
  tar.replace(257, 5, "ustar");
  const std::vector<std::tuple<std::string, std::string, std::string>> kinds = {
      {tar, "f", "a tar archive"},
      {"<?xml version=\"1.0\"?>", "f", "XML"},
      {"{\"text\": \"a\"}\n", "f", "JSON"},
      {"{\"text\" is what I said\n", "f", ""},
      {"id,text,tag\n1,one,A\n2,\"two, quoted\",B\n", "f.txt", "a table (CSV)"},
      {"id;text;tag\n1;one;A\n2;two;B\n", "f.txt", "a table (CSV)"},
      {"text,tag\none,A\ntwo,B\n", "f.csv", "a table (CSV)"},
      {"text,tag\none,A\ntwo,B\n", "f.txt", ""},
      {"id,text,tag\n1,one\n2,two,B\n", "f.csv", ""},
      {"id,text,tag\n1,\"open,A\n2,two,B\n", "f.csv", ""},
      {"First, second, third\nOne, two, three\nA, b, c\n", "f.csv", ""},
      {"1,2,3\n4,5,6\n7,8,9\n", "f.csv", ""},
      {"[model]\n# a comment\nlayers = 3  # three\nheads = 2\n", "f", "a configuration (TOML)"},
      {"[[tasks]]\nname = 'a'\nkind = 'b'\n", "f", "a configuration (TOML)"},
      {"[model]\nThis is a sentence.\nAnother = one.\n", "f", ""},
      {"layers = 3\nheads = 2\nwidth = 4\n", "f", ""},
      {"One sentence.\nTwo sentences.\nThree.\n", "f", ""},
      {"id,text,tag\n1,one,A\n", "f", ""}};
  for (const auto& [bytes, name, words] : kinds) {
    const std::string said = no_sentences(bytes, true, name);
    EXPECT_EQ(said.empty(), words.empty()) << bytes << ": " << said;
    EXPECT_NE(said.find(words), std::string::npos) << bytes << ": " << said;
  }
  // A line that is cut off is no line.
  EXPECT_EQ(no_sentences("id,text,tag\n1,one,A\n2,two,B", false, "f"), "");
  EXPECT_NE(no_sentences("id,text,tag\n1,one,A\n2,two,B", true, "f"), "");
  EXPECT_TRUE(is_gzip("\x1f\x8b\x08"));
  EXPECT_FALSE(is_gzip("\x1f"));
}

// ---- packed texts
TEST(GzipStream, MembersFollowEachOther) {
  const TemporaryFolder folder;
  const std::string text(300'000, 'a');
  const auto path = folder.write("c.txt.gz", packed("one\n") + packed("two\n") + packed(text + "\n"));
  EXPECT_EQ(read_corpus(path), (std::vector<std::string>{"one", "two", text}));
}

TEST(GzipStream, DamagedOnesAreRefused) {
  const TemporaryFolder folder;
  const std::string whole = packed("one sentence\nand another\n");
  const auto message = [&](const std::string& bytes) {
    return refusal<FormatError>([&] { read_corpus(folder.write("c.gz", bytes)); });
  };
  EXPECT_NE(message(whole.substr(0, whole.size() - 5)).find("c.gz: the gzip file ends before its text does"),
            std::string::npos);
  EXPECT_NE(message(whole.substr(0, 12)).find("it was cut"), std::string::npos);
  std::string damaged = whole;
  damaged[whole.size() - 7] = static_cast<char>(damaged[whole.size() - 7] ^ 1);  // in the checksum
  EXPECT_NE(message(damaged).find("the gzip file is damaged (incorrect data check)"), std::string::npos)
      << message(damaged);
  damaged = whole;
  damaged[2] = '\x07';
  EXPECT_NE(message(damaged).find("the gzip file is damaged (unknown compression method)"),
            std::string::npos);
  EXPECT_NE(message(whole + "no gzip").find("the gzip file is damaged"), std::string::npos);
}

// ---- files that are open already
TEST(InputFile, StandardInputMayBeAPipe) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  const AsInput input(ends[0]);
  CorpusLine line;
  ASSERT_EQ(::write(ends[1], "one\ntwo", 7), 7);
  CorpusReader reader("-");
  EXPECT_FALSE(reader.would_wait());  // a whole line is there
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line.text, "one");
  EXPECT_TRUE(reader.would_wait());
  ASSERT_EQ(::write(ends[1], "!\n", 2), 2);
  EXPECT_FALSE(reader.would_wait());
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line.text, "two!");
  ::close(ends[1]);
  EXPECT_FALSE(reader.next(line));
  EXPECT_FALSE(reader.would_wait());
  ::close(ends[0]);
}

TEST(InputFile, StandardInputThatIsNoneIsRefused) {
  const TemporaryFolder folder;
  const int directory = ::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY);
  {
    const AsInput input(directory);
    EXPECT_NE(refusal<FormatError>([] { CorpusReader("-"); }).find("standard input: it is a directory"),
              std::string::npos);
  }
  ::close(directory);
  const AsInput kept(STDIN_FILENO);
  ::close(STDIN_FILENO);
  EXPECT_NE(refusal<UsageError>([] { CorpusReader("-"); }).find("standard input: it is closed"),
            std::string::npos);
}

TEST(InputFile, EveryReasonThatItCannotBeOpenedIsSaid) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("round", folder.file("round"));
  folder.write("file", "text");
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, folder.file("socket").c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  const auto open = [&](const char* name) { return InputFile::open(folder.file(name), "the text"); };
  EXPECT_NE(refusal<FormatError>([&] { open("round"); }).find("a symbolic link that leads nowhere"),
            std::string::npos);
  EXPECT_NE(refusal<FormatError>([&] { open("socket"); }).find("found a socket"), std::string::npos);
  EXPECT_NE(refusal<UsageError>([&] { open("file/below"); }).find("there is no such file"),
            std::string::npos);
  EXPECT_NE(refusal<StorageError>([&] { open(std::string(300, 'n').c_str()); }).find("File name too long"),
            std::string::npos);
  EXPECT_THROW(InputFile::of_descriptor(-1, "none"), FormatError);
  EXPECT_THROW(InputFile::of_descriptor(socket, "socket"), FormatError);
  ::close(socket);
}

TEST(InputFile, APartOfItEndsWhereItWasTold) {
  const TemporaryFolder folder;
  InputFile file = InputFile::open(folder.write("file", "0123456789"), "the text");
  std::string bytes(8, '\0');
  const auto room = std::as_writable_bytes(std::span(bytes));
  file.keep_to(2, 5);
  EXPECT_EQ(file.read(room), 3U);
  EXPECT_EQ(bytes.substr(0, 3), "234");
  EXPECT_EQ(file.read(room), 0U);
  file.keep_to(8, 20);
  EXPECT_NE(refusal<FormatError>([&] { file.read(room); }).find("it ends 10 bytes early; the file was cut"),
            std::string::npos);
  EXPECT_NE(refusal<FormatError>([&] {
              file.read_at(5, room);
            }).find("expected 8 bytes at byte 5, found 5; the file was cut"),
            std::string::npos);
  EXPECT_EQ(read_file(folder.file("file"), "the text", 10), "0123456789");
  EXPECT_THROW(read_file(folder.file("file"), "the text", 9), FormatError);
  InputFile other = InputFile::open(folder.write("other", "x"), "the text");
  other = std::move(file);
  EXPECT_EQ(other.size_bytes(), 10U);
  EXPECT_EQ(file.descriptor(), -1);  // NOLINT(bugprone-use-after-move): what is left is asked for
}

// ---- JSON
TEST(CheckJson, EveryLimitIsSaidWithItsPlace) {
  const auto message = [](std::string_view text, const JsonLimits& limits = {}) {
    return refusal<FormatError>([&] { check_json(text, "f", limits); });
  };
  EXPECT_EQ(message("[1, 2,\n {}]", {.depth = 4, .values = 3}),
            "f: line 2, column 2: it has more than 3 values");
  EXPECT_NE(message("[[[[[1]]]]]", {.depth = 4}).find("it is nested more than 4 deep"), std::string::npos);
  EXPECT_NE(message("{\"\xc3\xa4\": 1,\n\"\xc3\xa4\": 2}", {.first_line = 7}).find("f: line 8, column "),
            std::string::npos);
  EXPECT_NE(message("{\"a\" 1}").find("it is no sound JSON at byte "), std::string::npos);
  EXPECT_NE(message("[1").find("it is no sound JSON at byte "), std::string::npos);
  EXPECT_EQ(message("[-1, 1, 1.5, true, null, \"x\", {}]"), "");
}

constexpr std::string_view kDocument = R"({"a": [10, {"b": [true, "x,]}\"y"]}, [], {}],
  "long":   {"c": -1.5e3,
"d": null}, "\u00e4": 3})";

TEST(JsonPlace, IsThatOfTheValueOrOfTheInnermostThatIsThere) {
  const std::vector<std::pair<std::string, std::string>> places = {
      {"", "line 1, column 1"},           {"/a", "line 1, column 7"},      {"/a/0", "line 1, column 8"},
      {"/a/1/b/1", "line 1, column 25"},  {"/a/2", "line 1, column 38"},   {"/a/2/0", "line 1, column 38"},
      {"/a/3/x", "line 1, column 42"},    {"/a/9", "line 1, column 7"},    {"/a/0/x", "line 1, column 8"},
      {"/long/c", "line 2, column 19"},   {"/long/d", "line 3, column 6"}, {"/nowhere", "line 1, column 1"},
      {"/long/d/e/f", "line 3, column 6"}};
  for (const auto& [pointer, place] : places) {
    EXPECT_EQ(json_place(kDocument, pointer), place) << pointer;
  }
  EXPECT_EQ(json_place("[\n[]]", "/0", 5), "line 6, column 1");
}

TEST(JsonPlace, OfAllValuesOfAList) {
  EXPECT_EQ(json_places(kDocument, "/a"),
            (std::vector<std::string>{"line 1, column 8", "line 1, column 12", "line 1, column 38",
                                      "line 1, column 42"}));
  EXPECT_EQ(json_places("[\"\xc3\xa4\", 1,\n2]", "", 3),
            (std::vector<std::string>{"line 3, column 2", "line 3, column 7", "line 4, column 1"}));
  EXPECT_TRUE(json_places("[]", "").empty());
  EXPECT_TRUE(json_places(kDocument, "/long").empty());
  EXPECT_TRUE(json_places(kDocument, "/nowhere").empty());
}

}  // namespace
}  // namespace mog::io
