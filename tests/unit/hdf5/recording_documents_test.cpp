// The journal and the manifest of a recording: what no program of ours wrote is refused, with file and place.
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "io/hdf5/recording/journal.h"
#include "io/hdf5/recording/manifest.h"
#include "io/hdf5/recording/recorded_count.h"
#include "io/hdf5/recording/recording_json.h"
#include "io/recording/errors.h"
#include "samples.h"

namespace mog::io {
namespace {

namespace fs = std::filesystem;
using test::sample_header;
using test::TemporaryDirectory;

template <class Thrown, class Action>
void expect_thrown(const Action& action, const std::string& said) {
  try {
    action();
    ADD_FAILURE() << "nothing thrown; expected: " << said;
  } catch (const Thrown& error) {
    EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
  }
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// A line of the journal with the sum of its record.
std::string framed(const std::string& record) {
  const auto sum = crc32_z(0, reinterpret_cast<const unsigned char*>(record.data()), record.size());
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08lx", sum);
  return std::string(R"({"crc32":")") + digits + R"(","record":)" + record + "}\n";
}

JournalShard sample_shard() {
  JournalShard shard;
  shard.file = "shard-00001.h5";
  shard.sentences = 3;
  shard.tokens = 12;
  shard.size_bytes = 1000;
  shard.sha256 = std::string(64, 'a');
  shard.numbers = {{1, 2}, {5, 5}};
  shard.sentence_tokens = {3, 4, 5};
  shard.sentence_words = {2, 3, 4};
  return shard;
}

class Journal : public testing::Test {
 protected:
  JournalContent read(const std::string& text) const {
    write_text(path(), text);
    return read_journal(path());
  }
  // `record` after the first line, and what is said of it.
  void refused(const std::string& record, const std::string& said) const {
    expect_thrown<FormatError>([&] { read(begin_line(1, 1) + framed(record)); }, said);
  }
  // The sample's line with one member another, in JSON.
  void with(const char* key, const char* value, const std::string& said) const {
    Json record = Json::parse(
        R"({"type":"shard","file":"shard-00001.h5","sentences":3,"tokens":12,"bytes":1000,"numbers":[[1,2],[5,5]]})");
    record[key] = Json::parse(value);
    refused(record.dump(), said);
  }
  fs::path path() const { return folder_ / "journal.jsonl"; }

 private:
  const TemporaryDirectory folder_;
};

TEST_F(Journal, ComesBack) {
  const JournalContent content =
      read(begin_line(2, 3) + shard_line(sample_shard()) + framed(R"({"type":"later"})"));
  EXPECT_TRUE(content.begun);
  EXPECT_EQ(content.part, 2);
  EXPECT_EQ(content.parts, 3);
  EXPECT_TRUE(content.has_others);
  ASSERT_EQ(content.shards.size(), 1U);
  const JournalShard& shard = content.shards.front();
  EXPECT_EQ(shard.sentence_tokens, sample_shard().sentence_tokens);
  EXPECT_EQ(shard.sentence_words, sample_shard().sentence_words);
  ASSERT_EQ(shard.numbers.size(), 2U);
  EXPECT_EQ(shard.numbers.back().first, 5);
  EXPECT_EQ(content.torn_bytes, 0U);
  EXPECT_EQ(recorded_sentences(path().parent_path()), 3);
  EXPECT_EQ(recorded_sentences(path().parent_path() / "absent"), 0);
  EXPECT_EQ(to_ranges({1, 2, 5}).size(), 2U);
  EXPECT_TRUE(to_ranges({}).empty());
}

TEST_F(Journal, ALineThatWasBeingWrittenIsLeftOut) {
  const std::string whole = begin_line(1, 1);
  const std::string line = shard_line(sample_shard());
  for (const std::size_t left : {std::size_t{1}, std::size_t{30}, line.size() - 1}) {
    const JournalContent content = read(whole + line.substr(0, left));
    EXPECT_TRUE(content.shards.empty());
    EXPECT_EQ(content.sound_bytes, whole.size());
    EXPECT_EQ(content.torn_bytes, left);
  }
  std::string zeros = line;
  std::fill(zeros.begin() + 20, zeros.end() - 1, '\0');  // blocks of a last line that the disk never got
  EXPECT_EQ(read(whole + zeros).torn_bytes, line.size());
  EXPECT_FALSE(read("").begun);
  EXPECT_FALSE(read(whole.substr(0, 5)).begun);
}

TEST_F(Journal, DamageBeforeTheEndIsRefused) {
  std::string line = shard_line(sample_shard());
  line[line.find("12")] = '7';
  expect_thrown<FormatError>([&] { read(begin_line(1, 1) + line + framed(R"({"type":"later"})")); },
                             "line 2: the checksum does not hold");
  for (const char* const frame :
       {"{\"crc\":\"", "no line at all, but long enough to be one of the journal's", "x"}) {
    expect_thrown<FormatError>([&] { read(begin_line(1, 1) + frame + "\n" + shard_line(sample_shard())); },
                               "line 2: the checksum");
  }
  expect_thrown<FormatError>([&] { read("another file\n"); }, "it is no journal");
  expect_thrown<FormatError>([&] { read(shard_line(sample_shard())); },
                             "a \"shard\" line does not belong there");
  refused(R"({"type":"begin","part":1,"parts":1})", "a \"begin\" line does not belong there");
  refused(R"({"type":)", "line 2");
  refused(R"([1])", "line 2: expected a JSON object");
  refused(R"({"type":3})", "\"type\" must be a string");
}

TEST_F(Journal, ALineThatContradictsItselfIsRefused) {
  with("file", R"("shard.h5")", "is no name of a shard");
  with("file", "7", "\"file\" must be a string");
  with("sentences", "4", "4 sentences, but the ranges name 3");
  with("sentences", "-1", "\"sentences\" must be a whole number");
  with("tokens", "1.5", "\"tokens\" must be a whole number");
  with("numbers", "{}", "\"numbers\" must be a list");
  with("numbers", "[]", "3 sentences, but the ranges name 0");
  for (const char* const pairs : {"[1]", "[[1]]", "[[1,2,3]]", R"([["1",2]])", "[[1,2.5]]"}) {
    with("numbers", pairs, "must hold pairs");
  }
  for (const char* const ranges : {"[[0,2]]", "[[3,2]]", "[[1,2],[2,3]]", "[[1,281474976710657]]"}) {
    with("numbers", ranges, "does not follow");
  }
  for (const char* const counts : {R"([3,4,"5"])", "[3,4,-5]", "[3,4,2147483648]"}) {
    with("sentence_tokens", counts, "\"sentence_tokens\" must hold counts");
  }
  with("sentence_tokens", "[12]", "\"sentence_tokens\" holds 1 counts for 3 sentences");
  with("sentence_words", "[1,2,3,4]", "\"sentence_words\" holds 4 counts");
  with("sentence_tokens", "[3,4,6]", "12 tokens, but \"sentence_tokens\" sums to another");
  with("sha256", "1", "\"sha256\" must be a string");
}

TEST_F(Journal, NothingIsTwice) {
  JournalShard other = sample_shard();
  other.numbers = {{6, 8}};
  expect_thrown<FormatError>([&] { read(begin_line(1, 1) + shard_line(sample_shard()) + shard_line(other)); },
                             "shard-00001.h5 is named twice");
  other.file = "shard-00002.h5";
  other.numbers = {{2, 4}};
  expect_thrown<FormatError>([&] { read(begin_line(1, 1) + shard_line(sample_shard()) + shard_line(other)); },
                             "sentence 2 is recorded twice");
}

TEST_F(Journal, OneWritesAndOnlyToAFileOfItsOwn) {
  {
    JournalWriter writer(path());
    EXPECT_TRUE(writer.was_empty());
    writer.append(begin_line(1, 1));
    EXPECT_FALSE(writer.may_hold_line());
    expect_thrown<StorageError>([&] { const JournalWriter second(path()); },
                                "another program is recording there");
    writer.append(shard_line(sample_shard()));
    writer.cut(begin_line(1, 1).size());
    EXPECT_TRUE(read_journal(path()).shards.empty());
    writer.append("torn");
    writer.replace(begin_line(1, 1).size(), shard_line(sample_shard()));
    EXPECT_EQ(read_journal(path()).shards.size(), 1U);
    expect_thrown<StorageError>([&] { const JournalWriter second(path()); },
                                "another program is recording there");
    expect_thrown<StorageError>([&] { writer.replace(1'000'000, ""); }, "another program has cut it short");
  }
  EXPECT_FALSE(JournalWriter(path()).was_empty());
  fs::create_hard_link(path(), path().string() + ".copy");
  expect_thrown<UsageError>([&] { const JournalWriter writer(path()); }, "further names (hard links)");
  fs::remove(path());
  fs::create_symlink(path().string() + ".copy", path());
  expect_thrown<UsageError>([&] { const JournalWriter writer(path()); }, "no file of its own");
}

class ManifestFile : public testing::Test {
 protected:
  // As version 1.0 wrote it, which has no sum of itself.
  static Json sample() {
    Json json{{"format", "mog-recording"},
              {"version", "1.0"},
              {"complete", false},
              {"part", 1},
              {"parts", 1},
              {"sentences", 0},
              {"tokens", 0},
              {"shards", 0}};
    const Json header = header_to_json(header_of_all());
    for (const auto& [key, value] : header.items()) {
      json[key] = value;
    }
    return json;
  }
  static RecordingHeader header_of_all() {
    RecordingHeader header = sample_header();
    header.model.bidirectional = header.model.causal = true;
    header.describe_system();
    header.provenance.name = "news";
    return header;
  }
  Manifest read(const Json& json) const {
    write_text(path(), json.dump());
    return read_manifest(path());
  }
  // With what lies at `pointer` replaced (`value` null: taken away).
  void with(const char* pointer, const char* value, const std::string& said) const {
    Json json = sample();
    const Json::json_pointer at(pointer);
    ASSERT_TRUE(json.contains(at)) << pointer;
    if (value == nullptr) {
      json.at(at.parent_pointer()).erase(at.back());
    } else {
      json[at] = Json::parse(value);
    }
    expect_thrown<FormatError>([&] { read(json); }, said);
  }
  fs::path path() const { return folder_ / "manifest.json"; }

 private:
  const TemporaryDirectory folder_;
};

TEST_F(ManifestFile, ComesBack) {
  Manifest manifest;
  manifest.version = "1.3";
  manifest.part = 2;
  manifest.parts = 4;
  manifest.sentences = 7;
  manifest.files["recording.h5"] = std::string(64, 'd');
  manifest.header = header_of_all();
  write_manifest(path(), manifest);
  const Manifest found = read_manifest(path());
  EXPECT_TRUE(found.summed);
  EXPECT_EQ(found.files, manifest.files);
  EXPECT_EQ(found.parts, 4);
  EXPECT_TRUE(full_difference(found.header, manifest.header).empty())
      << full_difference(found.header, manifest.header);
  EXPECT_EQ(found.header.provenance.name, "news");
  EXPECT_FALSE(read(sample()).summed);
}

TEST_F(ManifestFile, ThatWasChangedIsRefused) {
  Manifest manifest;
  manifest.header = header_of_all();
  write_manifest(path(), manifest);
  std::ifstream file(path());
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text[text.find("\"parts\": 1") + 9] = '2';
  write_text(path(), text);
  expect_thrown<FormatError>([&] { read_manifest(path()); }, "the sum of itself, does not hold");
  Json later = sample();
  later["version"] = "1.3";
  expect_thrown<FormatError>([&] { read(later); }, "the sum of itself");
  later["version"] = "2.0";
  expect_thrown<FormatError>([&] { read(later); }, "a recording of format version 2.0");
  for (const char* const version : {"", "1", "x.1", "0.9", "-1.0"}) {
    later["version"] = version;
    expect_thrown<FormatError>([&] { read(later); }, "is no version like");
  }
  write_text(path(), "");
  expect_thrown<FormatError>([&] { read_manifest(path()); }, "the file is empty");
  with("/format", "\"another\"", "it is no recording's");
  with("/format", nullptr, "it is no recording's");
}

TEST_F(ManifestFile, WithoutWhatItMustSayIsRefused) {
  for (const char* const key :
       {"complete", "part", "parts", "sentences", "tokens", "shards", "model", "provenance", "quantities"}) {
    with((std::string("/") + key).c_str(), nullptr, std::string("\"") + key + "\" is missing");
  }
  with("/complete", "1", "\"complete\" must be true or false");
  with("/model", "[]", "expected a JSON object");
  with("/model/layers", "-2", "\"layers\" must be a whole number");
  with("/model/tasks/upos", "[1]", "the tags of \"upos\" must be strings");
  with("/model/causal", "3", "\"causal\" must be true or false");
  with("/model/bidirectional", "3", "\"bidirectional\" must be true or false");
  with("/provenance/seed", "\"x\"", "\"seed\" must be a whole number");
  with("/provenance/name", "\"a\\nb\"", "\"name\": ");
  with("/provenance/target", "1", "\"target\" must be a string");
  Json json = sample();
  json["files"] = Json{{"recording.h5", 1}};
  expect_thrown<FormatError>([&] { read(json); }, "\"recording.h5\" must be a string");
}

TEST_F(ManifestFile, QuantitiesAreThoseOfRecordings) {
  with("/quantities/0/name", "\"one\"", "quantity 1");
  with("/quantities/0/name", "\"a..b\"", "quantity 1");
  with("/quantities/0/name", "\"a.b!\"", "quantity 1");
  with("/quantities/0/dtype", "\"float5\"", "float5");
  with("/quantities/0/axes", "[3]", "quantity 1");
  with("/quantities/0/axes", "[\"corner\"]", "corner");
  for (const char* const extents : {"[-1,0,0]", "[1.5,0,0]", "[4294967297,0,0]"}) {
    with("/quantities/0/extents", extents, "\"extents\" must hold whole numbers");
  }
  with("/quantities/0/extents", "[1]", "expected as many, at most 8");
  with("/quantities/1/name", sample()["quantities"][0]["name"].dump().c_str(), "sorted and different");
  // What a later program records stays unknown, and is no damage.
  Json json = sample();
  json["quantities"][0]["name"] = "encoder.1.later_thing";
  EXPECT_EQ(read(json).header.unknown_quantities, std::vector<std::string>{"encoder.1.later_thing"});
}

TEST_F(ManifestFile, ASystemIsDescribedWithoutContradictions) {
  const Json sound = sample();
  ASSERT_TRUE(sound.contains("/system/stacks/0/parts/0"_json_pointer)) << sound.dump(1);
  with("/system/stacks", "[]", "\"stacks\" must have 1 to 8 entries");
  with("/system/stacks/0/layers", "1000001", "at most 1000000 are read");
  with("/system/stacks/0/label", "\"two\\nlines\"", "must be one line");
  with("/system/stacks/0/label", ("\"" + std::string(401, 'x') + "\"").c_str(), "must be one line");
  with("/system/stacks/0/label", "\"\\u007f\"", "must be one line");
  with("/system/stacks/0/input", "\"air\"", "stack 1");
  with("/system/stacks/0/parts/0/role", "\"none of ours\"", "stack 1");
  Json json = sound;
  json["system"]["stacks"].push_back(sound["system"]["stacks"][0]);
  expect_thrown<FormatError>([&] { read(json); }, "is one of the stack");
  json = sound;
  json["system"]["stacks"].push_back(sound["system"]["stacks"][0]);
  json["system"]["stacks"].back()["parts"] = Json::array();
  expect_thrown<FormatError>([&] { read(json); }, "a second stack");
  json = sound;
  auto& parts = json["system"]["stacks"][0]["parts"];
  parts.push_back(parts[0]);
  expect_thrown<FormatError>([&] { read(json); }, "a second part");
  while (parts.size() <= 32) {
    parts.push_back(parts[0]);
  }
  expect_thrown<FormatError>([&] { read(json); }, "at most 32 are read");
}

// Every fact in which two recordings may differ has its words; the same header has none.
TEST(HeaderDifference, NamesTheFirstFactThatDiffers) {
  const RecordingHeader sample = [] {
    RecordingHeader header = sample_header();
    header.describe_system();
    return header;
  }();
  EXPECT_EQ(difference(sample, sample), "");
  EXPECT_EQ(full_difference(sample, sample), "");
  const auto said = [&](const auto& change) {
    RecordingHeader other = sample;
    change(other);
    EXPECT_NE(full_difference(sample, other), "");
    return difference(sample, other);
  };
  using H = RecordingHeader;
  EXPECT_NE(said([](H& h) { h.model.weights_sha256 = "x"; }).find("the model's weights"), std::string::npos);
  EXPECT_EQ(said([](H& h) { h.model.layers = 9; }), "the number of layers is 2 there, 9 here");
  EXPECT_EQ(said([](H& h) { h.model.bidirectional = true; }), "the number of directions is 1 there, 2 here");
  EXPECT_EQ(said([](H& h) { h.model.tasks["upos"] = {"NOUN"}; }),
            "the tags of \"upos\" are others there than here");
  EXPECT_EQ(said([](H& h) { h.model.tasks.clear(); }), "the tags of \"upos\" are others there than here");
  EXPECT_EQ(said([](H& h) { h.model.tasks["ner"] = {"PER"}; }), "there are fewer tasks there than here");
  EXPECT_EQ(said([](H& h) { h.provenance.corpus_sha256 = h.provenance.corpus_name = "other"; }),
            "the corpus is \"corpus.txt\" there, \"other\" here");
  EXPECT_NE(said([](H& h) { h.provenance.corpus_sha256 = "other"; }).find("the sha256 of the corpus"),
            std::string::npos);
  EXPECT_EQ(said([](H& h) { h.provenance.precision = "float16"; }),
            "the precision is \"float32\" there, \"float16\" here");
  EXPECT_NE(said([](H& h) { h.provenance.target = ""; }).find("the target"), std::string::npos);
  const std::string first = sample.quantities[0].name.text();
  EXPECT_EQ(said([](H& h) { h.quantities.erase(h.quantities.begin()); }),
            first + " is recorded there, but not here");
  EXPECT_NE(said([](H& h) {
              h.quantities.push_back(test::schema("encoder.3.gate.mean", {Axis::token}, {0}, DType::float32));
            }).find("is not recorded there, but here"),
            std::string::npos);
  EXPECT_NE(said([](H& h) { h.quantities[0].extents[0] = 7; }).find(" there, "), std::string::npos);
  EXPECT_NE(said([](H& h) { h.quantities[0].dtype = DType::float64; }).find("float64 here"),
            std::string::npos);
  EXPECT_NE(said([](H& h) { h.quantities[0].units = "m"; }).find("the unit of "), std::string::npos);
  // These do not keep a recording from being gone on with.
  EXPECT_EQ(said([](H& h) { h.model.name = "renamed"; }), "");
  EXPECT_EQ(said([](H& h) { h.provenance.name = "renamed"; }), "");
  EXPECT_EQ(said([](H& h) { h.system.stacks.clear(); }), "");
  EXPECT_EQ(said([](H& h) { h.unknown_quantities = {"a.b"}; }), "");
  EXPECT_EQ(said([](H& h) { h.quantities[0].description = "other words"; }), "");
}

// The same weights under another activation are another model; how the document is spelt does not count.
TEST(HeaderDifference, ConfigurationsAreComparedByWhatTheySay) {
  RecordingHeader one = sample_header();
  one.model.config_json = R"({"activation": "relu", "layer_norm_eps": 1e-5, "_name_or_path": "a"})";
  RecordingHeader other = one;
  other.model.config_json = R"({"layer_norm_eps":0.00001,"activation":"relu","transformers_version":"5"})";
  EXPECT_EQ(difference(one, other), "");
  other.model.config_json = R"({"activation": "gelu", "layer_norm_eps": 1e-5})";
  EXPECT_EQ(difference(one, other),
            "\"activation\" of the model's configuration is another one there than here");
  other.model.config_json = R"({"activation": "relu", "layer_norm_eps": 1e-5, "scale": 2})";
  EXPECT_EQ(difference(one, other), "the model's configuration is another one there than here");
  other.model.config_json = "no JSON";
  EXPECT_NE(difference(one, other), "");
  other.model.config_json = std::string(2'000'000, '[') + std::string(2'000'000, ']');  // nobody follows it
  EXPECT_NE(difference(one, other), "");
  one.model.config_json = other.model.config_json + " ";
  EXPECT_NE(difference(one, other), "");
  other.model.config_json = "no JSON";
  one.model.config_json = "no JSON";
  EXPECT_EQ(difference(one, other), "");
}

// Orders with repeats were called words once.
TEST(HeaderDifference, LeavesThatWereCalledWordsAreTheSame) {
  RecordingHeader one = sample_header();
  one.quantities = {test::schema("encoder.1.order", {Axis::token}, {0}, DType::float32)};
  RecordingHeader other = one;
  one.quantities[0].units = "words";
  other.quantities[0].units = "leaves";
  EXPECT_EQ(difference(one, other), "");
}

}  // namespace
}  // namespace mog::io
