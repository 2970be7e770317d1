// A sound shard with one thing changed, as a damaged disk or another program leaves it: each reader names
// file, dataset and defect. And folders of recordings whose files do not belong together.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "io/hdf5/file/hdf5_attribute.h"
#include "io/hdf5/file/hdf5_type.h"
#include "io/hdf5/recording/journal.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/hdf5/recording/recording_writer.h"
#include "io/hdf5/recording/shard_reader.h"
#include "io/recording/errors.h"
#include "made_file.h"
#include "samples.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;
using test::first_numbers;
using test::MadeFile;
using test::sample_batch;
using test::sample_header;
using test::TemporaryDirectory;

void record(const fs::path& path, std::int64_t sentences, RecordingWriterOptions options = {}) {
  RecordingWriter writer(path, options);
  writer.begin(sample_header());
  writer.write(sample_batch(sample_header(), first_numbers(sentences)));
  writer.finish();
}

template <class Thrown = FormatError, class Action>
void expect_thrown(const Action& action, const std::string& said) {
  try {
    action();
    ADD_FAILURE() << "nothing thrown; expected: " << said;
  } catch (const Thrown& error) {
    EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
  }
}

class ChangedShard : public testing::Test {
 protected:
  ChangedShard() { record(folder_ / "rec", 5); }

  // A copy of the shard with `change` made to it.
  fs::path changed(const std::function<void(hid_t)>& change) const {
    const fs::path copy = folder_ / "shard-00001.h5";
    fs::copy_file(folder_ / "rec/shard-00001.h5", copy, fs::copy_options::overwrite_existing);
    const h5::Lock lock;
    const h5::File file(H5Fopen(copy.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    EXPECT_TRUE(file);
    change(file.get());
    return copy;
  }
  // What a reader says of it that trusts the structure, and whether one that checks all refuses it, too.
  void refused(const std::function<void(hid_t)>& change, const std::string& said) const {
    const fs::path copy = changed(change);
    expect_thrown([&] { ShardReader(copy, ShardReader::Checks::done); }, said);
    EXPECT_THROW(ShardReader(copy, ShardReader::Checks::all), FormatError) << said;
  }
  // Values of a dataset, changed in place.
  template <class T>
  void values(const std::string& path, const std::function<void(std::vector<T>&)>& change,
              const std::string& said) const {
    refused([&](hid_t file) { rewrite<T>(file, path, change); }, said);
  }
  template <class T>
  static void rewrite(hid_t file, const std::string& path,
                      const std::function<void(std::vector<T>&)>& change) {
    const h5::Dataset dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
    ASSERT_TRUE(dataset) << path;
    const h5::Type type(H5Dget_type(dataset.get()));
    const h5::Space space(H5Dget_space(dataset.get()));
    std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
    ASSERT_GE(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    change(values);
    ASSERT_GE(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }
  // Another dataset in the place of one; its values are zeros.
  void dataset(const std::string& path, hid_t type, const std::vector<hsize_t>& shape,
               const std::string& said,
               const h5::Properties& creation = h5::Properties(H5Pcreate(H5P_DATASET_CREATE))) const {
    refused(
        [&](hid_t file) {
          H5Ldelete(file, path.c_str(), H5P_DEFAULT);
          const h5::Dataset made(H5Dcreate2(file, path.c_str(), type, MadeFile::simple(shape).get(),
                                            H5P_DEFAULT, creation.get(), H5P_DEFAULT));
          EXPECT_TRUE(made) << path;
        },
        said);
  }
  template <class T>
  static void attribute(hid_t file, const char* name, const T& value) {
    H5Adelete(file, name);
    h5::write_attribute(file, name, value, "a test");
  }
  const fs::path& folder() const { return folder_.path(); }

 private:
  const TemporaryDirectory folder_;
};

TEST_F(ChangedShard, UnchangedItIsSound) {
  const ShardReader reader(changed([](hid_t) {}));
  EXPECT_EQ(reader.table().size(), 5);
  reader.sample();
}

TEST_F(ChangedShard, TheRootSaysWhatItIs) {
  refused([](hid_t file) { H5Adelete(file, "format"); }, "an HDF5 file, but no recording");
  refused([](hid_t file) { attribute(file, "format", std::string_view("another")); },
          "an HDF5 file, but no recording");
  refused([](hid_t file) { H5Adelete(file, "format_version"); }, "is no version like");
  refused([](hid_t file) { attribute(file, "format_version", std::string_view("7.0")); },
          "format version 7.0");
  refused([](hid_t file) { H5Adelete(file, "kind"); },
          "attribute kind: expected \"shard\" or \"recording\", found \"\"");
  refused([](hid_t file) { attribute(file, "kind", std::string_view("recording")); },
          "not a shard but a recording's table of contents");
  for (const char* const name : {"part", "parts", "sentences"}) {
    const std::string said = std::string("attribute ") + name + ": a whole number is missing";
    refused([&](hid_t file) { H5Adelete(file, name); }, said);
    refused([&](hid_t file) { attribute(file, name, std::int64_t{-1}); }, said);
    const std::vector<std::int64_t> two = {1, 2};
    refused([&](hid_t file) { attribute(file, name, std::span<const std::int64_t>(two)); }, said);
  }
}

TEST_F(ChangedShard, EveryDatasetIsThereInItsForm) {
  for (const char* const path : {"/header", "/sentences/number", "/offsets/text/words", "/text/tokens",
                                 "/words/begin", "/offsets/values/token"}) {
    refused([&](hid_t file) { H5Ldelete(file, path, H5P_DEFAULT); }, std::string(path) + ": is missing");
  }
  refused([](hid_t file) { H5Ldelete(file, "/sentences", H5P_DEFAULT); }, "/sentences/number: is missing");
  refused(
      [](hid_t file) {
        H5Ldelete(file, "/sentences/tokens", H5P_DEFAULT);
        const h5::Group group(H5Gcreate2(file, "/sentences/tokens", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      },
      "/sentences/tokens: is no dataset");
  dataset("/sentences/number", H5T_STD_I32LE, {5}, "/sentences/number: expected int64, found int32");
  dataset("/sentences/number", H5T_STD_I64BE, {5}, "found big-endian 8-byte integer");
  dataset("/sentences/number", H5T_STD_I64LE, {5, 1}, "/sentences/number: expected one dimension, found 2");
  dataset("/sentences/number", H5T_STD_I64LE, {6}, "/sentences/number: expected 5 elements, found 6");
  dataset("/sentences/number", H5T_STD_I64LE, {5}, "is compressed; only quantities may be",
          MadeFile::chunked({5}, 6));
  dataset("/words/end", H5T_STD_I32LE, {1}, "/words/end: expected 15 elements, found 1");
  dataset("/text/sentences", H5T_STD_U8LE, {1}, "/text/sentences: expected");
}

TEST_F(ChangedShard, NumbersAscendAndOffsetsNeverFall) {
  using Whole = std::vector<std::int64_t>;
  using Offsets = std::vector<std::uint64_t>;
  values<std::int64_t>(
      "/sentences/number", [](Whole& v) { v[0] = 0; }, "row 0 holds 0: sentence numbers begin at 1");
  values<std::int64_t>(
      "/sentences/number", [](Whole& v) { v[1] = v[0]; }, "row 1 holds 1: sentence numbers");
  values<std::int64_t>(
      "/sentences/number", [](Whole& v) { v[2] = -4; }, "/sentences/number: row 2 holds -4");
  values<std::int64_t>(
      "/sentences/tokens", [](Whole& v) { v[2] = -4; }, "/sentences/tokens: row 2 holds -4");
  values<std::int64_t>(
      "/sentences/words", [](Whole& v) { v[2] = std::int64_t{1} << 40U; }, "/sentences/words: row 2 holds");
  values<std::int64_t>(
      "/sentences/words", [](Whole& v) { ++v[2]; },
      "/offsets/rows/words: sentence 3 has 3 rows, /sentences says 4");
  values<std::uint64_t>(
      "/offsets/rows/tokens", [](Offsets& v) { v[0] = 1; }, "offset 0 is 1: offsets begin at 0");
  values<std::uint64_t>(
      "/offsets/text/words", [](Offsets& v) { v[1] = v[2] + 1; }, "offsets begin at 0 and never fall");
  values<std::uint64_t>(
      "/offsets/values/token", [](Offsets& v) { ++v.back(); }, "sentence 5 has 7 elements; 6 tokens need 6");
}

TEST_F(ChangedShard, QuantitiesAreAsTheHeaderSays) {
  const std::string path = "/quantities/encoder.1.gate.mean";
  const auto refused_by_all = [&](const std::function<void(hid_t)>& change, const std::string& said) {
    expect_thrown([&] { ShardReader(changed(change), ShardReader::Checks::all); }, said);
  };
  const auto without = [&](hid_t file) { H5Ldelete(file, path.c_str(), H5P_DEFAULT); };
  refused_by_all(without, path);
  refused_by_all(
      [&](hid_t file) {
        const h5::Dataset dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
        H5Adelete(dataset.get(), "axes");
      },
      "its attributes \"axes\" and \"extents\" are not those of /header");
  refused_by_all(
      [&](hid_t file) {
        const h5::Dataset dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
        attribute(dataset.get(), "extents", std::int64_t{7});
      },
      "its attributes \"axes\" and \"extents\" are not those of /header");
  refused_by_all(
      [&](hid_t file) {
        H5Ldelete(file, path.c_str(), H5P_DEFAULT);
        h5::write_flat(file, {path, DType::float32, "token", "1", "too few"},
                       {h5::bytes_of(std::vector<float>(3))}, 0, "a test");
      },
      "3 elements, but its offsets end at");
}

TEST_F(ChangedShard, PlacesLieInTheirTexts) {
  const auto refused_row = [&](const std::string& path,
                               const std::function<void(std::vector<std::int32_t>&)>& change,
                               const std::string& said) {
    const ShardReader reader(changed([&](hid_t file) { rewrite<std::int32_t>(file, path, change); }));
    expect_thrown(
        [&] {
          for (std::int64_t row = 0; row < reader.table().size(); ++row) {
            reader.sentence(row);
          }
        },
        said);
  };
  using Rows = std::vector<std::int32_t>;
  refused_row(
      "/words/begin", [](Rows& v) { v[0] = -1; }, "/words/end: sentence 1: bytes [-1, ");
  refused_row(
      "/words/end", [](Rows& v) { v[0] = 1000; }, "/words/end: sentence 1: bytes [0, 1000) of a text of");
  refused_row(
      "/words/begin", [](Rows& v) { v[1] = 900; }, "/words/end: sentence 2");
  refused_row(
      "/tokens/text_end", [](Rows& v) { v[0] = 1000; }, "/tokens/text_end: sentence 1");
  refused_row(
      "/tokens/word", [](Rows& v) { v[0] = 9; }, "/tokens/word: sentence 1: word 9 of 1");
  refused_row(
      "/tokens/word", [](Rows& v) { v[0] = -2; }, "/tokens/word: sentence 1: word -2 of 1");
  refused_row(
      "/target_tokens/word", [](Rows& v) { v[0] = -2; }, "/target_tokens/word: sentence 3: word -2");
  const ShardReader reader(changed([](hid_t file) {
    rewrite<std::uint8_t>(file, "/text/sentences", [](std::vector<std::uint8_t>& v) { v[0] = 0xFF; });
  }));
  expect_thrown([&] { reader.sentence(0); }, "/text/sentences: sentence 1: byte 0 is not UTF-8");
}

TEST_F(ChangedShard, AHeaderIsJsonOfOneRecording) {
  const auto with_header = [&](const std::string& text, const std::string& said) {
    refused(
        [&](hid_t file) {
          H5Ldelete(file, "/header", H5P_DEFAULT);
          h5::write_flat(file, {"/header", DType::uint8, "byte", "bytes", "of a test"},
                         {std::as_bytes(std::span(text.data(), text.size()))}, 0, "a test");
        },
        said);
  };
  with_header("{", "/header");
  with_header("[]", "/header: expected a JSON object");
  with_header("{}", "/header: \"model\" is missing");
  with_header(std::string((16U << 20U) + 1, ' '), "at most 16 MiB are allowed");
}

class FolderOfShards : public testing::Test {
 protected:
  FolderOfShards() { record(path(), 6, {.shard_sentences = 2, .joined_bytes = 0}); }
  fs::path path() const { return folder_ / "rec"; }
  void refused(const std::string& said) const {
    expect_thrown([&] { RecordingReader(path()).validate(); }, said);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path() / name, std::ios::binary) << text;
  }
  std::string text(const std::string& name) const {
    std::ifstream file(path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  const TemporaryDirectory folder_;
};

TEST_F(FolderOfShards, HasAllThatItsJournalNames) {
  fs::rename(path() / "shard-00002.h5", path() / "kept");
  refused("shard-00002.h5 is missing, but journal.jsonl names it");
  expect_thrown([&] { RecordingWriter(path(), {.resume = true}).begin(sample_header()); },
                "shard-00002.h5 is missing, but the journal names it");
  fs::create_symlink("kept", path() / "shard-00002.h5");
  refused("shard-00002.h5 is no file of its own");
  fs::remove(path() / "shard-00002.h5");
  write("shard-00002.h5", "");
  refused("shard-00002.h5 is empty and cannot hold 2 sentences");
  write("shard-00002.h5", "x");
  refused("shard-00002.h5 is cut short to 1 bytes");
}

TEST_F(FolderOfShards, WithoutItsDocumentsIsNone) {
  const std::string journal = text("journal.jsonl");
  fs::remove(path() / "journal.jsonl");
  refused("journal.jsonl is missing: without it nobody knows what is whole");
  write("journal.jsonl", journal.substr(0, journal.find('\n', journal.find('\n') + 1) + 1));
  refused("says 6 sentences in 3 shards, journal.jsonl names 2 in 1");
  write("journal.jsonl", journal);
  RecordingReader(path()).validate();
  fs::rename(path() / "manifest.json", path() / "kept");
  refused("a directory without manifest.json: no recording");
  expect_thrown<UsageError>([&] { RecordingWriter(path(), {.resume = true}).begin(sample_header()); },
                            "but no manifest.json");
  fs::create_symlink("kept", path() / "manifest.json");
  expect_thrown<UsageError>([&] { RecordingWriter(path(), {.resume = true}).begin(sample_header()); },
                            "manifest.json is no file of its own");
}

TEST_F(FolderOfShards, AJournalWithoutItsManifestIsNotBegunAnew) {
  for (const auto& entry : fs::directory_iterator(path())) {
    if (entry.path().filename() != "journal.jsonl") {
      fs::remove(entry.path());
    }
  }
  expect_thrown([&] { RecordingWriter(path(), {.resume = true}).begin(sample_header()); },
                "journal.jsonl names shards, but manifest.json is missing");
  EXPECT_TRUE(fs::exists(path() / "journal.jsonl"));
  write("journal.jsonl", begin_line(1, 1));  // what a kill at the very beginning leaves
  RecordingWriter(path(), {.resume = true}).begin(sample_header());
  EXPECT_TRUE(fs::exists(path() / "manifest.json"));
}

TEST_F(FolderOfShards, ValidateSaysWhatIsLeftOver) {
  write("shard-00009.h5", "of nobody");
  write("recording.h5.part7", "unfinished");
  const ValidationReport report = RecordingReader(path()).validate();
  EXPECT_TRUE(report.summed);
  ASSERT_EQ(report.notes.size(), 2U);
  std::string shard = text("shard-00003.h5");
  shard[shard.size() / 2] = static_cast<char>(shard[shard.size() / 2] ^ 1);
  write("shard-00003.h5", shard);
  refused("shard-00003.h5");
}

TEST_F(FolderOfShards, ATableAloneSaysWhatItNeeds) {
  const fs::path alone = path().parent_path() / "recording.h5";
  fs::copy_file(path() / "recording.h5", alone);
  expect_thrown([&] { RecordingReader reader(alone); }, "must lie beside it");
  EXPECT_EQ(RecordingReader(path() / "recording.h5").size(), 6);
}

}  // namespace
}  // namespace mog::io
