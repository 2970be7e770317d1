// One bit of one file of a recording is flipped: whoever opens or validates it is told. MOG_FLIPS_STEP=1
// tries every bit (some minutes); the default tries every so many, with another place in the byte each time.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "io/hdf5/recording/recording_layout.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/hdf5/recording/recording_writer.h"
#include "io/recording/errors.h"
#include "tests/unit/hdf5/samples.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Two shards of few quantities: small files, in which every kind of byte occurs.
void record(const fs::path& path, bool complete) {
  RecordingHeader header = test::sample_header();
  std::erase_if(header.quantities, [](const QuantitySchema& entry) {
    return entry.name.layer() != 1 || entry.name.text().starts_with("decoder");
  });
  RecordingWriter writer(path, {.shard_sentences = 3});
  writer.begin(header);
  writer.write(test::sample_batch(header, {1, 2, 3, 4, 5, 6}));
  writer.commit();
  if (complete) {
    writer.finish();
  }
}

// What a person is told: the words of the refusal, or the notes of a recording that is taken for sound.
std::string told(const fs::path& path) {
  try {
    std::string notes;
    for (const std::string& note : RecordingReader(path).validate().notes) {
      notes += note;
    }
    return notes;
  } catch (const Error& error) {
    return error.what();
  }
}

std::size_t step_for(std::size_t bits, std::size_t trials) {
  if (const char* const asked = std::getenv("MOG_FLIPS_STEP")) {
    return std::max<std::size_t>(1, std::strtoull(asked, nullptr, 10));
  }
  return std::max<std::size_t>(1, bits / trials) | 1U;  // odd: every place in a byte comes up
}

void flip_all(const fs::path& path, std::size_t trials) {
  ASSERT_EQ(told(path), "");
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string sound = bytes_of(entry.path());
    const std::size_t bits = 8 * sound.size();
    std::size_t tried = 0;
    std::size_t unseen = 0;
    for (std::size_t bit = 0; bit < bits; bit += step_for(bits, trials)) {
      std::string changed = sound;
      changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
      write_bytes(entry.path(), changed);
      ++tried;
      if (told(path).empty()) {
        ++unseen;
        ADD_FAILURE() << entry.path().filename() << ": bit " << bit % 8 << " of byte " << bit / 8;
      }
    }
    write_bytes(entry.path(), sound);
    std::printf("%-16s %8zu bits, %8zu flipped, %zu not seen\n", entry.path().filename().c_str(), bits, tried,
                unseen);
  }
  EXPECT_EQ(told(path), "");
}

TEST(Flips, OfACompleteRecordingAreAllReported) {
  const test::TemporaryDirectory directory;
  record(directory / "rec", true);
  flip_all(directory / "rec", 60);
}

TEST(Flips, OfAnUnfinishedRecordingAreAllReported) {
  const test::TemporaryDirectory directory;
  record(directory / "rec", false);
  flip_all(directory / "rec", 40);
}

std::string without(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin);
  return text.substr(0, at) + text.substr(text.find(end, at + begin.size()) + end.size());
}

std::string current_version() {
  return "\"" + std::string(layout::kVersion) + "\"";
}

// The manifest of a recording that an older version made.
void make_old_manifest(const fs::path& path) {
  const fs::path manifest = path / "manifest.json";
  std::string text = bytes_of(manifest);
  text = without(text, ",\n  \"files\": {", "}");
  text = without(text, ",\n  \"sha256\": \"", "\"");
  const std::string current = current_version();
  text.replace(text.find(current), current.size(), "\"1.0\"");
  write_bytes(manifest, text);
}

TEST(Flips, AnOldRecordingWithoutSumsIsReadAndSaysSo) {
  const test::TemporaryDirectory directory;
  const fs::path path = directory / "rec";
  record(path, true);
  make_old_manifest(path);
  const ValidationReport report = RecordingReader(path).validate();
  EXPECT_FALSE(report.summed);
  // A manifest of the new version without its sum is not an old one.
  std::string text = bytes_of(path / "manifest.json");
  text.replace(text.find("\"1.0\""), 5, current_version());
  write_bytes(path / "manifest.json", text);
  EXPECT_NE(told(path).find("sum of itself"), std::string::npos) << told(path);
}

// The defect that was found: "layers" 6 became 4 and nobody noticed. The shards know better.
TEST(Flips, AnOldManifestIsComparedWithTheShards) {
  const test::TemporaryDirectory directory;
  const fs::path path = directory / "rec";
  record(path, true);
  make_old_manifest(path);
  const std::string sound = bytes_of(path / "manifest.json");
  for (const auto& [from, to, words] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"\"layers\": 2", "\"layers\": 3", "the number of layers is 3 there, 2 here"},
           {"\"heads\": 3", "\"heads\": 2", "the number of heads"},
           {"\"VERB\"", "\"VERC\"", "the tags of \"upos\""},
           {"\"units\": \"1\"", "\"units\": \"0\"", "the unit of "},
           {"weight_gate", "weight_gatf", "the fusion"},
           {"\"sentences\": 6", "\"sentences\": 7", "7 sentences"}}) {
    std::string text = sound;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    write_bytes(path / "manifest.json", text);
    EXPECT_NE(told(path).find(words), std::string::npos) << told(path);
  }
}

}  // namespace
}  // namespace mog::io
