#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "io/recording/errors.h"
#include "io/text/corpus.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"
#include "io/text/output_file.h"
#include "io/text/sha256.h"
#include "io/text/utf8.h"
#include "tests/support/temporary_folder.h"

namespace mog::io {
namespace {

using test::TemporaryFolder;

template <class Exception, class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(Sha256, GivesTheValuesOfTheStandard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PortableRoundsGiveTheSame) {
  for (const std::size_t size : {0U, 1U, 55U, 56U, 63U, 64U, 65U, 1000U, 4096U}) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) {
      text[i] = static_cast<char>(i * 37 + i / 256);
    }
    Sha256 hash(true);
    hash.update(text);
    EXPECT_EQ(hash.hex(), sha256(text)) << size;
  }
}

TEST(Sha256, TakesAnyCuts) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += static_cast<char>(i * 7);
  }
  for (std::size_t cut = 0; cut <= 200; ++cut) {
    Sha256 hash;
    hash.update(text.substr(0, cut));
    hash.update(text.substr(cut));
    EXPECT_EQ(hash.hex(), sha256(text)) << cut;
  }
}

TEST(Utf8, FindsTheFirstBadByte) {
  EXPECT_EQ(first_invalid_utf8("plain text, longer than eight bytes"), std::string::npos);
  EXPECT_EQ(first_invalid_utf8("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z"), std::string::npos);
  EXPECT_EQ(first_invalid_utf8("12345678\xC3"), 8U);
  EXPECT_EQ(first_invalid_utf8("\xC0\x80"), 0U);
  EXPECT_EQ(first_invalid_utf8("ab\xED\xA0\x80"), 2U);
  EXPECT_EQ(first_invalid_utf8("\xF4\x90\x80\x80"), 0U);
}

// One U+FFFD for each maximal bad part, as table 3-8 of the Unicode Standard has it.
TEST(Utf8, ReplacesMaximalBadParts) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(replace_invalid_utf8("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64"),
            "a" + r + r + r + "b" + r + "c" + r + r + "d");
  EXPECT_EQ(replace_invalid_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
            r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(replace_invalid_utf8("ok \xC3\xA4"), "ok \xC3\xA4");
  EXPECT_EQ(replace_controls("a\x1b\tä\u0085\u202e\u2066\x7f\xff", "\t"),
            "a\uFFFD\tä\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
}

std::vector<std::string> numbered(const std::filesystem::path& path, const CorpusOptions& options = {}) {
  CorpusReader reader(path, options);
  std::vector<std::string> result;
  CorpusLine line;
  while (reader.next(line)) {
    result.push_back(std::to_string(line.number) + ":" + std::string(line.text));
  }
  return result;
}

TEST(Corpus, KeepsThePlaceOfEmptyLines) {
  const TemporaryFolder folder;
  const auto path = folder.write("c.txt", "\xEF\xBB\xBFone\r\n\n  \nfour\rx\n\r\nlast");
  EXPECT_EQ(numbered(path), (std::vector<std::string>{"1:one", "2:", "3:  ", "4:four\rx", "5:", "6:last"}));
  const CorpusSummary summary = summarize_corpus(path);
  EXPECT_EQ(summary.sentences, 6);
  EXPECT_EQ(summary.empty, 3);
  EXPECT_EQ(summary.words, 3);
}

TEST(Corpus, TreatsInvalidUtf8AsAsked) {
  const TemporaryFolder folder;
  const auto path = folder.write("c.txt", "one\ntw\xFFo\nthree\n");
  const std::string message = message_of<FormatError>([&] { numbered(path); });
  EXPECT_NE(message.find("line 2"), std::string::npos) << message;
  EXPECT_NE(message.find("0xff"), std::string::npos) << message;
  EXPECT_EQ(numbered(path, {.invalid_utf8 = InvalidUtf8::replace}),
            (std::vector<std::string>{"1:one", "2:tw\xEF\xBF\xBDo", "3:three"}));
  EXPECT_EQ(numbered(path, {.invalid_utf8 = InvalidUtf8::skip}),
            (std::vector<std::string>{"1:one", "3:three"}));
  EXPECT_THROW(parse_invalid_utf8("ignore"), UsageError);
}

TEST(Corpus, RefusesNulUnderEveryPolicy) {
  const TemporaryFolder folder;
  const auto path = folder.write("c.txt", std::string("one\ntw\0o\n", 9));
  for (const InvalidUtf8 policy : {InvalidUtf8::error, InvalidUtf8::replace, InvalidUtf8::skip}) {
    EXPECT_THROW(numbered(path, {.invalid_utf8 = policy}), FormatError);
  }
}

TEST(Corpus, ReadsLinesAcrossBlocks) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 1; i <= 40; ++i) {
    text += std::string(static_cast<std::size_t>(i) * 1999, static_cast<char>('a' + i % 26)) + "\xC3\xA4\r\n";
  }
  const auto lines = read_corpus(folder.write("c.txt", text));
  ASSERT_EQ(lines.size(), 40U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].size(), (i + 1) * 1999 + 2);
    EXPECT_TRUE(lines[i].ends_with("\xC3\xA4"));
  }
  EXPECT_THROW(read_corpus(folder.file("c.txt"), {.max_line_bytes = 50000}), FormatError);
}

TEST(InputFile, NeverOpensWhatIsNoRegularFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", folder.file("zero"));
  EXPECT_NE(message_of<FormatError>([&] { read_corpus(folder.file("pipe")); }).find("pipe"),
            std::string::npos);
  EXPECT_NE(message_of<FormatError>([&] { read_corpus(folder.file("zero")); }).find("device"),
            std::string::npos);
  EXPECT_NE(message_of<FormatError>([&] { read_corpus(folder.path()); }).find("directory"),
            std::string::npos);
  EXPECT_THROW(read_corpus(folder.file("absent")), UsageError);
}

TEST(OutputFile, LeavesNothingBehindUnlessCommitted) {
  const TemporaryFolder folder;
  {
    OutputFile file(folder.file("out"));
    file.write(std::string_view("half"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  write_file(folder.file("out"), "whole");
  write_file(folder.file("out"), "again");
  EXPECT_EQ(read_file(folder.file("out"), "the test", 100), "again");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  EXPECT_THROW(read_file(folder.file("out"), "the test", 4), FormatError);
  EXPECT_THROW(write_file(folder.file("absent") / "out", "x"), StorageError);
}

TEST(OutputFile, WhatAKilledProgramLeftIsRemovedAndWhatIsWrittenNowIsNot) {
  const TemporaryFolder folder;
  const auto leave = [&](const char* name) { std::ofstream(folder.file(name)) << "half"; };
  leave("out.part-99-abc-0");
  leave("other.part-99-abc-0");
  leave("out.partial");
  std::filesystem::create_directory(folder.file("out.part-folder"));
  OutputFile file(folder.file("out"));
  file.write("all");
  remove_unfinished(folder.file("out"));
  file.commit();
  EXPECT_EQ(read_file(folder.file("out"), "the test", 100), "all");
  EXPECT_FALSE(std::filesystem::exists(folder.file("out.part-99-abc-0")));
  for (const char* const kept : {"other.part-99-abc-0", "out.partial", "out.part-folder"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.file(kept))) << kept;
  }
  remove_unfinished(folder.file("no/such/folder"));
}

TEST(OutputFile, WhereAPersonNamedItAPipeIsWrittenAndALinkStays) {
  const TemporaryFolder folder;
  const auto pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  write_file(pipe, "through", Links::follow);
  std::string got(16, ' ');
  EXPECT_EQ(::read(reader, got.data(), got.size()), 7);
  ::close(reader);
  EXPECT_EQ(got.substr(0, 7), "through");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe)) << "what was a pipe is a file now";

  write_file(folder.file("real"), "old");
  std::filesystem::create_symlink("real", folder.file("link"));
  write_file(folder.file("link"), "new", Links::follow);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(read_file(folder.file("real"), "the test", 100), "new");
}

TEST(OutputFile, InAFolderOfTheProgramNothingThatSomebodyPutThereIsWritten) {
  const TemporaryFolder folder;
  write_file(folder.file("real"), "old");
  std::filesystem::create_symlink("real", folder.file("link"));
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600),
            0);  // without a reader: opening it would wait for ever
  for (const char* const name : {"link", "pipe"}) {
    write_file(folder.file(name), "new");
    EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(folder.file(name)))) << name;
    EXPECT_EQ(read_file(folder.file(name), "the test", 100), "new");
  }
  EXPECT_EQ(read_file(folder.file("real"), "the test", 100), "old");
}

// A file size limit gives the answer of a full disk and needs no disk of its own.
[[noreturn]] void write_beyond_the_limit() {
  const TemporaryFolder folder;
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit = {};
  limit.rlim_cur = 4096;
  limit.rlim_max = 4096;
  setrlimit(RLIMIT_FSIZE, &limit);
  int code = 98;
  try {
    write_file(folder.file("out"), std::string(100000, 'x'));
  } catch (const StorageError& error) {
    code = std::filesystem::is_empty(folder.path()) ? static_cast<int>(error.exit_code()) : 99;
  }
  std::filesystem::remove_all(folder.path());
  std::_Exit(code);
}

TEST(OutputFile, SaysWhenTheDiskIsFull) {
  EXPECT_EXIT(write_beyond_the_limit(), testing::ExitedWithCode(4), "");
}

TEST(CheckJson, RefusesWhatIsNoPlainDocument) {
  const auto message = [](std::string_view text) {
    return message_of<FormatError>([&] { check_json(text, "f.json"); });
  };
  check_json(R"({"a": [1, 2.5, {"b": null}], "c": {"b": true}})", "f.json");
  EXPECT_NE(message(R"({"a": 1, "b": {"x": 1, "x": 2}})").find("\"x\""), std::string::npos);
  EXPECT_NE(message("{\"a\": 1,}").find("byte"), std::string::npos);
  EXPECT_NE(message("{\"a\": 1} {}").find("f.json"), std::string::npos);
  EXPECT_NE(message(std::string(33, '[') + std::string(33, ']')).find("deep"), std::string::npos);
  EXPECT_NE(message(std::string_view("{}\0", 3)).find("NUL"), std::string::npos);
  EXPECT_NE(message("{\"a\": \"\xFF\"}").find("UTF-8"), std::string::npos);
  EXPECT_NE(message(" \n").find("empty"), std::string::npos);
  EXPECT_NE(message("<!DOCTYPE html><p>").find("HTML"), std::string::npos);
  EXPECT_NE(message("{\"a\": NaN}").find("f.json"), std::string::npos);
}

}  // namespace
}  // namespace mog::io
