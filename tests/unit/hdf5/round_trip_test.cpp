// What the writer keeps, the reader gives back.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <numeric>

#include "io/hdf5/recording/journal.h"
#include "io/hdf5/recording/recording_name.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/hdf5/recording/recording_writer.h"
#include "io/recording/errors.h"
#include "samples.h"

namespace mog::io {
namespace {

using test::expect_sample;
using test::first_numbers;
using test::sample_batch;
using test::sample_header;
using test::TemporaryDirectory;

void record(const std::filesystem::path& path, std::vector<std::vector<std::int64_t>> batches,
            RecordingWriterOptions options = {}) {
  RecordingWriter writer(path, options);
  writer.begin(sample_header());
  for (const auto& batch : batches) {
    writer.write(sample_batch(sample_header(), batch));
  }
  writer.finish();
}

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Recording, ComesBackFromItsDirectoryItsVirtualFileAndItsShard) {
  const TemporaryDirectory directory;
  record(directory / "rec", {{9, 3, 1}, {2, 4, 12, 7}});
  const std::vector<std::int64_t> numbers = {1, 2, 3, 4, 7, 9, 12};
  for (const std::string name : {"rec", "rec/recording.h5", "rec/shard-00001.h5"}) {
    const RecordingReader reader(directory / name);
    EXPECT_EQ(reader.numbers(), numbers);
    expect_sample(reader, numbers);
    EXPECT_EQ(reader.header().model, sample_header().model);
    EXPECT_EQ(reader.header().provenance, sample_header().provenance);
    reader.validate();
  }
}

TEST(Recording, KeepsCorpusOrderOverManyShards) {
  const TemporaryDirectory directory;
  std::vector<std::int64_t> shuffled = first_numbers(97);
  std::sort(shuffled.begin(), shuffled.end(),
            [](std::int64_t a, std::int64_t b) { return std::pair(a % 7, a) < std::pair(b % 7, b); });
  std::vector<std::vector<std::int64_t>> batches;
  for (std::size_t at = 0; at < shuffled.size(); at += 5) {
    batches.emplace_back(shuffled.begin() + static_cast<std::ptrdiff_t>(at),
                         shuffled.begin() + static_cast<std::ptrdiff_t>(std::min(at + 5, shuffled.size())));
  }
  record(directory / "rec", batches, {.shard_sentences = 8});
  const RecordingReader reader(directory / "rec");
  EXPECT_EQ(reader.facts().shards.size(), 13U);
  EXPECT_TRUE(reader.facts().complete);
  expect_sample(reader, first_numbers(97));
  reader.validate();
}

TEST(Recording, PackedReadEqualsSingleReads) {
  const TemporaryDirectory directory;
  record(directory / "rec", {{10, 2, 6, 8}, {1, 9, 3}, {4, 5, 7}}, {.shard_sentences = 4});
  const RecordingReader reader(directory / "rec");
  for (const QuantitySchema& schema : reader.header().quantities) {
    for (std::int64_t first = 0; first < 10; ++first) {
      for (std::int64_t count = 0; first + count <= 10; ++count) {
        std::vector<float> expected;
        for (std::int64_t index = first; index < first + count; ++index) {
          const auto one = reader.read(index, schema.name).to_floats();
          expected.insert(expected.end(), one.begin(), one.end());
        }
        ASSERT_EQ(reader.read_packed(first, count, schema.name).to_floats(), expected)
            << schema.name.text() << " from " << first << ", " << count;
      }
    }
  }
}

// Every block of one sentence's tensors: the reader reads rows around it, the default cuts it out of all.
TEST(Recording, BlocksAreThoseOfWholeReads) {
  const TemporaryDirectory directory;
  record(directory / "rec", {{10, 2, 6, 8}, {1, 9, 3}, {4, 5, 7}}, {.shard_sentences = 4});
  const RecordingReader reader(directory / "rec");
  std::size_t blocks = 0;
  for (const QuantitySchema& schema : reader.header().quantities) {
    for (const std::int64_t index : {0, 5, 9}) {
      const HostTensor whole = reader.read(index, schema.name);
      for (std::int64_t part = 0; part < 4; ++part) {
        TensorBlock block;
        for (const std::int64_t extent : whole.shape()) {
          block.first.push_back(part == 0 ? 0 : extent / (part + 1));
          block.extents.push_back(part == 3 ? std::min<std::int64_t>(extent - block.first.back(), 1)
                                            : extent - block.first.back());
        }
        const HostTensor found = reader.read_block(index, schema.name, block);
        EXPECT_EQ(found.shape(), block.extents);
        EXPECT_EQ(found.to_floats(), cut(whole, block).to_floats()) << schema.name.text();
        blocks += found.empty() ? 0U : 1U;
      }
      TensorBlock beyond{std::vector<std::int64_t>(whole.shape().size(), 0), whole.shape()};
      if (!beyond.extents.empty()) {
        ++beyond.extents.back();
        EXPECT_THROW(reader.read_block(index, schema.name, beyond), UsageError);
      }
    }
  }
  EXPECT_GT(blocks, 20U);
}

TEST(Recording, ShardsEndByBytesToo) {
  const TemporaryDirectory directory;
  record(directory / "rec", {first_numbers(40)}, {.shard_bytes = 4000});
  const RecordingReader reader(directory / "rec");
  EXPECT_GT(reader.facts().shards.size(), 3U);
  expect_sample(reader, first_numbers(40));
}

// Opening and looking must not cost as many processes as there are shards.
TEST(Recording, CheckOpensTheFirstShardsAndValidateAll) {
  const TemporaryDirectory directory;
  record(directory / "few", {first_numbers(24)}, {.shard_sentences = 1, .joined_bytes = 0});
  EXPECT_EQ(RecordingReader(directory / "few").check(), 24);
  record(directory / "many", {first_numbers(30)}, {.shard_sentences = 1, .joined_bytes = 0});
  std::fstream last(directory / "many/shard-00030.h5", std::ios::in | std::ios::out | std::ios::binary);
  last.write("no HDF5 ", 8);
  last.close();
  const RecordingReader reader(directory / "many");
  EXPECT_EQ(reader.check(), 24);
  EXPECT_NE(message_of([&] { reader.validate(); }).find("shard-00030.h5"), std::string::npos);
}

TEST(Recording, CompressedValuesComeBack) {
  const TemporaryDirectory directory;
  record(directory / "rec", {first_numbers(200)}, {.deflate_level = 4});
  const RecordingReader reader(directory / "rec");
  expect_sample(reader, first_numbers(200));
  reader.validate();
}

// Zeros shrink by more than 1000:1; a reader refuses that, so a writer must not make it.
TEST(Recording, CompressedZerosAreReadable) {
  const TemporaryDirectory directory;
  RecordingHeader header = sample_header();
  header.quantities = {
      test::schema("encoder.1.gate", {Axis::token, Axis::d_model}, {0, 4096}, DType::float32)};
  {
    RecordingWriter writer(directory / "rec", {.deflate_level = 9});
    writer.begin(header);
    RecordingBatch batch;
    std::int64_t tokens = 0;
    for (std::int64_t number = 1; number <= 200; ++number) {
      batch.sentences.push_back(test::sample_sentence(number));
      tokens += static_cast<std::int64_t>(batch.sentences.back().tokens.size());
    }
    const std::vector<float> zeros(static_cast<std::size_t>(tokens * 4096), 0.0F);
    batch.quantities.emplace_back(header.quantities[0].name, HostTensor::of<float>({tokens * 4096}, zeros));
    writer.write(batch);
    writer.finish();
  }
  const RecordingReader reader(directory / "rec");
  reader.validate();
}

TEST(Recording, OfNoSentencesIsARecording) {
  const TemporaryDirectory directory;
  record(directory / "rec", {});
  for (const std::string name : {"rec", "rec/recording.h5"}) {
    const RecordingReader reader(directory / name);
    EXPECT_EQ(reader.size(), 0);
    EXPECT_TRUE(reader.facts().complete);
    reader.validate();
  }
}

TEST(Recording, OfOnlyEmptySentencesIsARecording) {
  const TemporaryDirectory directory;
  record(directory / "rec", {{7, 14, 28}});
  const RecordingReader reader(directory / "rec");
  expect_sample(reader, {7, 14, 28});
  reader.validate();
}

TEST(Recording, WithoutQuantitiesKeepsTheSentences) {
  const TemporaryDirectory directory;
  RecordingHeader header = sample_header();
  header.quantities.clear();
  RecordingWriter writer(directory / "rec");
  writer.begin(header);
  writer.write(sample_batch(header, {1, 2}));
  writer.finish();
  EXPECT_EQ(RecordingReader(directory / "rec").sentence(1), test::sample_sentence(2));
}

TEST(Recording, CommitMakesDurableWhatWasWritten) {
  const TemporaryDirectory directory;
  RecordingWriter writer(directory / "rec");
  writer.begin(sample_header());
  writer.write(sample_batch(sample_header(), {1, 2}));
  writer.commit();
  writer.write(sample_batch(sample_header(), {3}));
  const RecordingReader reader(directory / "rec");
  EXPECT_FALSE(reader.facts().complete);
  expect_sample(reader, {1, 2});
}

TEST(Recording, ResumesWithWhatIsMissing) {
  const TemporaryDirectory directory;
  {
    RecordingWriter writer(directory / "rec", {.shard_sentences = 2});
    writer.begin(sample_header());
    writer.write(sample_batch(sample_header(), {5, 1, 3}));
  }
  RecordingHeader later = sample_header();
  later.provenance.command_line = "mog record --resume";
  later.provenance.started = "2026-02-02T00:00:00Z";
  RecordingWriter writer(directory / "rec", {.resume = true});
  writer.begin(later);
  EXPECT_EQ(writer.recorded(), (std::vector<std::int64_t>{1, 3, 5}));
  writer.write(sample_batch(later, {2, 4}));
  EXPECT_NE(
      message_of([&] { writer.write(sample_batch(later, {3})); }).find("sentence 3: it is recorded already"),
      std::string::npos);
  writer.finish();
  const RecordingReader reader(directory / "rec");
  EXPECT_TRUE(reader.facts().complete);
  expect_sample(reader, first_numbers(5));
  reader.validate();
}

TEST(Recording, ResumedWhenCompleteStaysComplete) {
  const TemporaryDirectory directory;
  record(directory / "rec", {{1, 2}});
  {
    RecordingWriter writer(directory / "rec", {.resume = true});
    writer.begin(sample_header());
    EXPECT_EQ(writer.recorded().size(), 2U);
    writer.finish();
  }
  {
    RecordingWriter writer(directory / "rec", {.resume = true});
    writer.begin(sample_header());
    writer.write(sample_batch(sample_header(), {3}));
    writer.commit();
    EXPECT_FALSE(std::filesystem::exists(directory / "rec/recording.h5"));
    EXPECT_FALSE(RecordingReader(directory / "rec").facts().complete);
    writer.finish();
  }
  RecordingReader(directory / "rec").validate();
}

TEST(Recording, ResumeRefusesAnotherModelCorpusOrChoice) {
  const TemporaryDirectory directory;
  record(directory / "rec", {{1}});
  const auto attempt = [&](const RecordingHeader& header, RecordingWriterOptions options = {.resume = true}) {
    return message_of([&] { RecordingWriter(directory / "rec", options).begin(header); });
  };
  RecordingHeader header = sample_header();
  header.model.weights_sha256[0] = 'f';
  EXPECT_NE(attempt(header).find("sha256 of the model's weights"), std::string::npos);
  header = sample_header();
  header.provenance.corpus_sha256[0] = 'f';
  EXPECT_NE(attempt(header).find("sha256 of the corpus"), std::string::npos);
  header.provenance.corpus_name += ": words spaces";
  EXPECT_NE(attempt(header).find("words spaces"), std::string::npos) << attempt(header);
  header = sample_header();
  header.quantities.pop_back();
  EXPECT_NE(attempt(header).find("heads.upos.logits is recorded there, but not here"), std::string::npos);
  header = sample_header();
  header.quantities[0].dtype = DType::float32;
  EXPECT_NE(attempt(header).find("is float16 there, float32 here"), std::string::npos);
  EXPECT_NE(attempt(sample_header(), {.resume = true, .part = 2, .parts = 3}).find("part 1 of 1, not 2 of 3"),
            std::string::npos);
  EXPECT_THROW(RecordingWriter(directory / "rec", {.resume = true}).begin(header), UsageError);
}

TEST(Recording, KeepsTheNameItBeganWith) {
  const TemporaryDirectory directory;
  RecordingHeader header = sample_header();
  header.provenance.name = "news, 6 layers";
  RecordingWriter(directory / "rec").begin(header);
  EXPECT_EQ(RecordingReader(directory / "rec").header().provenance.name, "news, 6 layers");
  {
    RecordingWriter writer(directory / "rec", {.resume = true});
    writer.begin(sample_header());  // no name of its own
    writer.write(sample_batch(sample_header(), {1}));
    writer.finish();
  }
  const RecordingReader reader(directory / "rec");
  EXPECT_EQ(reader.header().provenance.name, "news, 6 layers");
  EXPECT_TRUE(reader.validate().summed);
  EXPECT_EQ(RecordingReader(directory / "rec/shard-00001.h5").header().provenance.name, "news, 6 layers");
  RecordingWriter(directory / "rec", {.resume = true}).begin(header);
  header.provenance.name = "novels";
  const auto resumed = [&] { RecordingWriter(directory / "rec", {.resume = true}).begin(header); };
  EXPECT_THROW(resumed(), UsageError);
  EXPECT_NE(message_of(resumed).find("its name is \"news, 6 layers\", not \"novels\""), std::string::npos)
      << message_of(resumed);
}

TEST(Recording, NamesAreShortAndPlain) {
  for (const std::string good : {"a", "news, 6 layers", "日本語", "\"x\"/y"}) {
    EXPECT_EQ(why_no_recording_name(good), "") << good;
  }
  std::string longest;
  for (std::size_t i = 0; i < kLongestRecordingName; ++i) {
    longest += "é";
  }
  EXPECT_EQ(why_no_recording_name(longest), "");
  EXPECT_EQ(why_no_recording_name(longest + "x"), "it has 81 characters, at most 80 are allowed");
  for (const std::string bad : {"", " a", "a ", "a\nb", "\x1b[31m", "a\xff", "\u202e", "\u2028", "\u0085"}) {
    EXPECT_NE(why_no_recording_name(bad), "") << bad;
  }
  EXPECT_NO_THROW(require_recording_name(""));
  EXPECT_THROW(require_recording_name("a\tb"), UsageError);
}

TEST(Recording, ExistingOutputIsRefusedWithoutResume) {
  const TemporaryDirectory directory;
  record(directory / "rec", {{1}});
  EXPECT_THROW(RecordingWriter(directory / "rec").begin(sample_header()), UsageError);
  std::ofstream(directory / "file") << "x";
  EXPECT_THROW(RecordingWriter(directory / "file").begin(sample_header()), UsageError);
  std::filesystem::create_directory(directory / "other");
  std::ofstream(directory / "other/notes.txt") << "x";
  EXPECT_THROW(RecordingWriter(directory / "other", {.resume = true}).begin(sample_header()), UsageError);
  EXPECT_TRUE(std::filesystem::exists(directory / "other/notes.txt"));
}

TEST(Recording, UnwritableFolderIsAStorageError) {
  try {
    RecordingWriter("/proc/mog-recording").begin(sample_header());
    FAIL();
  } catch (const StorageError& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::other);
    EXPECT_NE(std::string(error.what()).find("/proc/mog-recording"), std::string::npos);
  }
}

TEST(Recording, SecondWriterIsRefused) {
  const TemporaryDirectory directory;
  RecordingWriter writer(directory / "rec");
  writer.begin(sample_header());
  EXPECT_NE(message_of([&] {
              RecordingWriter(directory / "rec", {.resume = true}).begin(sample_header());
            }).find("another program is recording there"),
            std::string::npos);
}

TEST(Recording, BatchesThatDoNotFitAreRefused) {
  const TemporaryDirectory directory;
  RecordingWriter writer(directory / "rec");
  writer.begin(sample_header());
  RecordingBatch batch = sample_batch(sample_header(), {1, 2});
  batch.quantities.pop_back();
  EXPECT_THROW(writer.write(batch), ShapeError);
  batch = sample_batch(sample_header(), {1, 2});
  batch.quantities[0].second = HostTensor::of<float>({1}, std::vector<float>{1.0F});
  EXPECT_THROW(writer.write(batch), ShapeError);
  batch = sample_batch(sample_header(), {1, 2});
  batch.sentences[0].text = "\xff";
  EXPECT_THROW(writer.write(batch), FormatError);
  writer.write(sample_batch(sample_header(), {1, 2}));
  writer.finish();
  expect_sample(RecordingReader(directory / "rec"), {1, 2});
}

TEST(Recording, BFloat16CannotBeKept) {
  const TemporaryDirectory directory;
  RecordingHeader header = sample_header();
  header.quantities[0].dtype = DType::bfloat16;
  EXPECT_THROW(RecordingWriter(directory / "rec").begin(header), UsageError);
  EXPECT_FALSE(std::filesystem::exists(directory / "rec"));
}

TEST(Recording, EstimateIsNearTheTruth) {
  const TemporaryDirectory directory;
  for (const std::int64_t count : {30, 3000}) {
    const RecordingWriterOptions options{.shard_sentences = 500};
    const auto path = directory / ("rec" + std::to_string(count));
    std::vector<SentenceSize> sizes;
    {
      RecordingWriter writer(path, options);
      writer.begin(sample_header());
      writer.write(sample_batch(sample_header(), first_numbers(count)));
      writer.finish();
    }
    for (std::int64_t number = 1; number <= count; ++number) {
      const Sentence sentence = test::sample_sentence(number);
      sizes.push_back({static_cast<std::int64_t>(sentence.tokens.size()),
                       static_cast<std::int64_t>(sentence.words.size()),
                       static_cast<std::int64_t>(sentence.target_tokens.size()),
                       static_cast<std::int64_t>(sentence.text.size())});
    }
    std::uint64_t truth = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      truth += entry.file_size();
    }
    const auto ratio =
        static_cast<double>(estimate_bytes(sample_header(), sizes, options)) / static_cast<double>(truth);
    EXPECT_GT(ratio, 0.95) << count << " sentences";
    EXPECT_LT(ratio, count < 100 ? 2.0 : 1.10) << count << " sentences";
  }
}

// Two shards; what `change` makes of the entries of the journal is written over it.
void record_two_shards(const std::filesystem::path& path,
                       const std::function<void(std::vector<JournalShard>&)>& change) {
  record(path, {{1, 2, 3}, {4, 5, 6}}, {.shard_sentences = 3});
  JournalContent journal = read_journal(path / "journal.jsonl");
  ASSERT_EQ(journal.shards.size(), 2U);
  change(journal.shards);
  std::ofstream stream(path / "journal.jsonl", std::ios::binary);
  stream << begin_line(1, 1);
  for (const JournalShard& shard : journal.shards) {
    stream << shard_line(shard);
  }
}

TEST(Recording, LengthsOfSentencesNeedNoShard) {
  const TemporaryDirectory directory;
  record_two_shards(directory / "rec", [](const auto&) {});
  const RecordingReader whole(directory / "rec");
  std::vector<std::int64_t> tokens;
  std::vector<std::int64_t> words;
  for (std::int64_t i = 0; i < whole.size(); ++i) {
    tokens.push_back(static_cast<std::int64_t>(whole.sentence(i).tokens.size()));
    words.push_back(static_cast<std::int64_t>(whole.sentence(i).words.size()));
  }
  const auto shard = directory / "rec" / "shard-00002.h5";
  const std::string zeros(std::filesystem::file_size(shard), '\0');
  std::ofstream(shard, std::ios::binary) << zeros;
  const RecordingReader reader(directory / "rec");
  EXPECT_EQ(reader.token_counts(), tokens);
  EXPECT_EQ(reader.word_counts(), words);
  EXPECT_EQ(reader.sentence(0).number, 1);
  EXPECT_THROW(reader.sentence(5), FormatError);
}

TEST(Recording, OlderJournalsWithoutLengthsAreCountedFromTheShards) {
  const TemporaryDirectory directory;
  record(directory / "new", {{1, 2, 3}, {4, 5, 6}}, {.shard_sentences = 3});
  record_two_shards(directory / "old", [](std::vector<JournalShard>& shards) {
    for (JournalShard& shard : shards) {
      shard.sentence_tokens.clear();
      shard.sentence_words.clear();
    }
  });
  EXPECT_TRUE(read_journal(directory / "old" / "journal.jsonl").shards.front().sentence_tokens.empty());
  EXPECT_EQ(RecordingReader(directory / "old").token_counts(),
            RecordingReader(directory / "new").token_counts());
  EXPECT_EQ(RecordingReader(directory / "old").word_counts(),
            RecordingReader(directory / "new").word_counts());
}

TEST(Recording, LengthsThatAreNotTheShardsAreRefused) {
  const TemporaryDirectory directory;
  record_two_shards(directory / "rec",
                    [](std::vector<JournalShard>& shards) { ++shards[1].sentence_words.front(); });
  const RecordingReader reader(directory / "rec");
  EXPECT_EQ(reader.sentence(0).number, 1);
  EXPECT_NE(message_of([&] { reader.sentence(3); }).find("journal.jsonl"), std::string::npos);
  record_two_shards(directory / "sum",
                    [](std::vector<JournalShard>& shards) { ++shards[1].sentence_tokens.front(); });
  EXPECT_NE(message_of([&] { RecordingReader again(directory / "sum"); }).find("sentence_tokens"),
            std::string::npos);
  record_two_shards(directory / "few",
                    [](std::vector<JournalShard>& shards) { shards[0].sentence_words.pop_back(); });
  EXPECT_NE(message_of([&] { RecordingReader again(directory / "few"); }).find("2 counts for 3 sentences"),
            std::string::npos);
}

TEST(Recording, ReaderSaysWhatItDoesNotHold) {
  const TemporaryDirectory directory;
  record(directory / "rec", {{1}});
  const RecordingReader reader(directory / "rec");
  EXPECT_THROW(reader.read(0, QuantityName::parse("encoder.1.fused")), UsageError);
  EXPECT_THROW(reader.read(1, reader.header().quantities[0].name), UsageError);
  EXPECT_THROW(reader.read_packed(0, 2, reader.header().quantities[0].name), UsageError);
  EXPECT_THROW(reader.sentence(-1), UsageError);
}

}  // namespace
}  // namespace mog::io
