#include "app/workflow/describe/describe_job.h"

#include <gtest/gtest.h>

#include "app/workflow/common/text_format.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "tests/unit/workflow/recorded_corpus.h"

namespace mog::app {
namespace {

TEST(Describe, DetectsKindsByNameAndFirstBytes) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(detect_path_kind(folder.write("a.conllu", "")), PathKind::conllu);
  EXPECT_EQ(detect_path_kind(folder.write("joint.codes", "x")), PathKind::bpe_codes);
  EXPECT_EQ(detect_path_kind(folder.write("merges", "#version: 0.2\na b\n")), PathKind::bpe_codes);
  EXPECT_EQ(detect_path_kind(folder.write("target_vocab.txt", "a\n")), PathKind::vocab_lines);
  EXPECT_EQ(detect_path_kind(folder.write("dict.en.txt", "a 1\n")), PathKind::vocab_counts);
  EXPECT_EQ(detect_path_kind(folder.write("dictionary.txt", "a b\n")), PathKind::text);
  EXPECT_EQ(detect_path_kind(folder.write("w.safetensors", "")), PathKind::safetensors);
  EXPECT_EQ(detect_path_kind(folder.write("data", "\x89HDF\r\n\x1a\n")), PathKind::recording);
  EXPECT_EQ(detect_path_kind(folder.write("m.pt", "PK")), PathKind::torch);
  EXPECT_THROW(detect_path_kind(folder / "nothing"), UsageError);
  std::filesystem::create_directory(folder / "empty");
  EXPECT_THROW(detect_path_kind(folder / "empty"), FormatError);
}

TEST(Describe, CountsTheSentencesOfACorpus) {
  const test::TemporaryFolder folder;
  const Description found = describe(folder.write("c.txt", "a b c\n\nd\n"));
  EXPECT_EQ(found.kind, PathKind::text);
  EXPECT_NE(found.json.find("\"sentences\": 3"), std::string::npos) << found.json;
  EXPECT_NE(found.json.find("\"longest_words\": 3"), std::string::npos) << found.json;
  EXPECT_THROW(describe(folder.write("e.txt", "")), FormatError);
}

TEST(Describe, SaysWhatARecordingHolds) {
  const test::TemporaryFolder folder;
  RecordOptions options;
  options.input = folder.write("c.txt", test::corpus_text(7));
  options.output = folder / "r";
  RecordJob(test::fake_loaded(), options).run();
  for (const auto& path : {options.output, options.output / "recording.h5"}) {
    const Description found = describe(path);
    EXPECT_EQ(found.kind, PathKind::recording);
    EXPECT_NE(found.json.find("\"sentences\": 7"), std::string::npos) << found.json;
    EXPECT_NE(found.text().find("encoder.L.gate.mean [token] float32, L = 1-3"), std::string::npos)
        << found.text();
  }
}

TEST(Describe, RefusesWhatItDoesNotOpen) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(describe(folder.write("m.pt", "x")), FormatError);
  EXPECT_THROW(describe(folder.write("tokenizer.json", "{}")), FormatError);
  EXPECT_THROW(parse_path_kind("zip"), UsageError);
}

TEST(TextFormat, NumbersForPeople) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(byte_text(812), "812 bytes");
  EXPECT_EQ(byte_text(1500), "1.5 kB");
  EXPECT_EQ(byte_text(999'999'999), "1.0 GB");
  EXPECT_EQ(duration_text(1.25), "1.2 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(printable("a\x1b[31m\xff"), "a\xef\xbf\xbd[31m\xef\xbf\xbd");
}

}  // namespace
}  // namespace mog::app
