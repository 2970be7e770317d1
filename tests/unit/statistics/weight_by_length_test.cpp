#include "analysis/statistics/weight_by_length.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "io/recording/errors.h"
#include "tests/support/places.h"
#include "tests/unit/statistics/weight_by_length.h"

namespace mog::analysis {
namespace {

constexpr std::int64_t kLayers = 3;
constexpr std::int64_t kDimensions = 4;

// Sentence `number` of the recording that tests/data/statistics/make_expected.py describes.
Sentence sentence(std::int64_t number) {
  Sentence result;
  result.number = number;
  const std::int64_t words = 1 + (number * 7) % 24;
  for (std::int64_t word = 0; word < words; ++word) {
    result.words.push_back({"w", {}});
    for (std::int64_t piece = 0; piece < (word % 3 == 2 ? 2 : 1); ++piece) {
      result.tokens.push_back({"w", 4, word, {}});
    }
  }
  result.tokens.push_back({"</s>", 2, -1, {}});
  return result;
}

float gate_value(std::int64_t number, std::int64_t layer, std::int64_t token, std::int64_t dimension) {
  return static_cast<float>((number * 7 + layer * 13 + token * 5 + dimension * 3) % 32) / 32.0F;
}

QuantityName gate(std::int64_t layer) {
  return {Stack::encoder, layer, Part::none, Quantity::gate};
}

RecordingHeader gate_header() {
  RecordingHeader header;
  header.model.name = "test";
  header.model.layers = kLayers;
  header.provenance.corpus_name = "corpus";
  for (std::int64_t layer = 1; layer <= kLayers; ++layer) {
    header.quantities.push_back(
        {gate(layer), {Axis::token, Axis::d_model}, {0, kDimensions}, DType::float32, "1", "gate"});
  }
  return header;
}

// The sentences of `numbers`; the value of </s> is far off, so that counting it would show.
void fill(MemoryRecording& recording, const std::vector<std::int64_t>& numbers) {
  recording.begin(gate_header());
  for (const std::int64_t number : numbers) {
    RecordingBatch batch;
    batch.sentences = {sentence(number)};
    const auto tokens = static_cast<std::int64_t>(batch.sentences[0].tokens.size());
    for (std::int64_t layer = 1; layer <= kLayers; ++layer) {
      std::vector<float> values;
      for (std::int64_t token = 0; token < tokens; ++token) {
        for (std::int64_t d = 0; d < kDimensions; ++d) {
          values.push_back(token + 1 == tokens ? 100.0F : gate_value(number, layer, token, d));
        }
      }
      const auto size = static_cast<std::int64_t>(values.size());
      batch.quantities.emplace_back(gate(layer), HostTensor::of<float>({size}, values));
    }
    recording.write(batch);
  }
  recording.finish();
}

std::vector<std::int64_t> range(std::int64_t first, std::int64_t last, std::int64_t step = 1) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = first; i <= last; i += step) {
    result.push_back(i);
  }
  return result;
}

LengthOptions options(Averaging averaging = Averaging::micro) {
  LengthOptions result;
  result.bins = LengthBins({0, 5, 10, 20});
  result.averaging = averaging;
  result.bootstrap = {.resamples = 200, .confidence = 0.95, .seed = 9};
  result.block_sentences = 7;
  return result;
}

void expect_near(double value, const std::string& expected, const std::string& what) {
  EXPECT_NEAR(value, std::stod(expected), 1e-12) << what;
}

TEST(WeightByLength, EqualsTheNumpyComputation) {
  MemoryRecording recording;
  fill(recording, range(1, 40));
  std::map<std::string, LengthStatistics> statistics;
  statistics["micro"] = weight_by_length(recording, options());
  statistics["macro"] = weight_by_length(recording, options(Averaging::macro));
  std::ifstream file(mog::test::data_dir() / "statistics/weight_by_length.csv");
  ASSERT_TRUE(file);
  std::string line;
  std::getline(file, line);
  int lines = 0;
  while (std::getline(file, line)) {
    std::vector<std::string> field;
    std::stringstream stream(line);
    for (std::string piece; std::getline(stream, piece, ',');) {
      field.push_back(piece);
    }
    ASSERT_EQ(field.size(), 12U);
    const LengthCell& cell = statistics.at(field[0]).cell(std::stol(field[1]) - 1, std::stol(field[2]));
    EXPECT_EQ(cell.series.layer, std::stol(field[1]));
    EXPECT_EQ(cell.sentences, std::stol(field[3])) << line;
    EXPECT_EQ(cell.tokens, std::stol(field[4])) << line;
    expect_near(cell.mean, field[5], line);
    expect_near(cell.variance, field[6], line);
    expect_near(cell.low, field[7], line);
    expect_near(cell.high, field[8], line);
    expect_near(cell.difference, field[9], line);
    expect_near(cell.difference_low, field[10], line);
    expect_near(cell.difference_high, field[11], line);
    ++lines;
  }
  EXPECT_EQ(lines, 24);
}

TEST(WeightByLength, ShardsInAnyOrderGiveTheSameBitsAsOneRun) {
  MemoryRecording whole;
  MemoryRecording odd;
  MemoryRecording even;
  fill(whole, range(1, 40));
  fill(odd, range(1, 40, 2));
  fill(even, range(2, 40, 2));
  const std::string expected = to_csv(weight_by_length(whole, options()).table());
  LengthAccumulator first(options());
  first.add(even);
  first.add(odd);
  EXPECT_EQ(to_csv(first.finish().table()), expected);
  LengthAccumulator left(options());
  left.add(odd);
  LengthOptions other_blocks = options();
  other_blocks.block_sentences = 1;
  LengthAccumulator right(other_blocks);
  right.add(even);
  left.merge(right);
  const LengthStatistics merged = left.finish();
  EXPECT_EQ(to_csv(merged.table()), expected);
  // A sentence is found again in its own source.
  for (const auto& bin : merged.bin_sentences) {
    for (const BinnedSentence& found : bin) {
      const MemoryRecording& source = found.source == 0 ? odd : even;
      EXPECT_EQ(source.sentence(found.index).number, found.number);
      EXPECT_EQ(static_cast<std::int64_t>(source.sentence(found.index).words.size()), found.words);
    }
  }
}

TEST(WeightByLength, RefusesDoubledSentencesAndOtherModels) {
  MemoryRecording recording;
  fill(recording, range(1, 5));
  LengthAccumulator doubled(options());
  doubled.add(recording);
  doubled.add(recording);
  EXPECT_THROW(doubled.finish(), UsageError);

  MemoryRecording empty;
  RecordingHeader header = gate_header();
  header.quantities.pop_back();
  empty.begin(header);
  empty.finish();
  LengthAccumulator mixed(options());
  mixed.add(recording);
  EXPECT_THROW(mixed.add(empty), UsageError);
  LengthOptions entropy = options();
  entropy.measure = Measure::entropy;
  try {
    weight_by_length(recording, entropy);
    FAIL() << "expected UsageError";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("encoder.1.gate"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("--capture"), std::string::npos) << error.what();
  }
}

TEST(WeightByLength, AnEmptyRecordingAndEmptyBinsHaveNoNumbers) {
  MemoryRecording recording;
  fill(recording, {});
  const LengthStatistics none = weight_by_length(recording, options());
  EXPECT_EQ(none.sentences, 0);
  EXPECT_EQ(none.first_bin, -1);
  for (const LengthCell& cell : none.cells) {
    EXPECT_EQ(cell.sentences, 0);
    EXPECT_TRUE(std::isnan(cell.mean));
    EXPECT_TRUE(std::isnan(cell.low));
  }
  MemoryRecording one;
  fill(one, {1});  // 8 words: the first bin that has sentences is the second
  const LengthStatistics single = weight_by_length(one, options());
  EXPECT_EQ(single.first_bin, 1);
  EXPECT_DOUBLE_EQ(single.cell(0, 1).difference, 0);
  EXPECT_EQ(single.table().rows[0][single.table().column("mean")].index(), 2U);
  EXPECT_NE(to_csv(single.table()).find("1–4,0,5,0,0,,,,,,,"), std::string::npos) << to_csv(single.table());
}

TEST(WeightByLength, StopsWhenAsked) {
  MemoryRecording recording;
  fill(recording, range(1, 20));
  std::stop_source stop;
  LengthOptions stoppable = options();
  stoppable.stop = stop.get_token();
  std::int64_t seen = 0;
  stoppable.progress = [&](std::int64_t done, std::int64_t total) {
    EXPECT_EQ(total, 20);
    seen = done;
    stop.request_stop();
  };
  EXPECT_THROW(weight_by_length(recording, stoppable), Interrupted);
  EXPECT_EQ(seen, 7);
}

// One sentence of two words and </s>; two heads whose rows are known.
TEST(WeightByLength, EntropyAndMaximumComeFromFullMapsToo) {
  const QuantityName full(Stack::encoder, 1, Part::high, Quantity::attention);
  MemoryRecording recording;
  RecordingHeader header;
  header.quantities = {{full, {Axis::head, Axis::query, Axis::key}, {2, 0, 0}, DType::float32, "1", ""}};
  recording.begin(header);
  RecordingBatch batch;
  Sentence text;
  text.number = 1;
  text.words = {{"a", {}}, {"b", {}}};
  text.tokens = {{"a", 4, 0, {}}, {"b", 5, 1, {}}, {"</s>", 2, -1, {}}};
  batch.sentences = {text};
  batch.quantities.emplace_back(
      full, HostTensor::of<float>(
                {18}, std::vector<float>{1, 0, 0, 0.5F, 0.5F, 0, 1, 0, 0,  // head 1: rows of a, b, </s>
                                         0.25F, 0.25F, 0.5F, 0, 0, 1, 0.5F, 0.5F, 0}));  // head 2
  recording.write(batch);
  recording.finish();

  LengthOptions entropy;
  entropy.measure = Measure::entropy;
  // Head 1: 0, ln 2. Head 2: 1.5 ln 2, 0. The row of </s> does not count.
  EXPECT_NEAR(weight_by_length(recording, entropy).cell(0, 0).mean, 2.5 * std::log(2.0) / 4, 1e-12);
  entropy.by_head = true;
  const LengthStatistics heads = weight_by_length(recording, entropy);
  ASSERT_EQ(heads.series.size(), 2U);
  EXPECT_EQ(heads.series[1].head, 2);
  EXPECT_EQ(heads.series[1].part, Part::high);
  EXPECT_NEAR(heads.cell(0, 0).mean, std::log(2.0) / 2, 1e-12);
  EXPECT_NEAR(heads.cell(1, 0).mean, 1.5 * std::log(2.0) / 2, 1e-12);
  LengthOptions maximum;
  maximum.measure = Measure::maximum;
  EXPECT_NEAR(weight_by_length(recording, maximum).cell(0, 0).mean, (1 + 0.5 + 0.5 + 1) / 4, 1e-12);
  LengthOptions sink;
  sink.measure = Measure::sink;
  const LengthCell others = weight_by_length(recording, sink).cell(0, 0);  // without the first word's own row
  EXPECT_NEAR(others.mean, (0.5 + 0) / 2, 1e-12);
  EXPECT_EQ(others.tokens, 1);
  sink.words = WordRange::parse("1");
  EXPECT_EQ(weight_by_length(recording, sink).sentences, 0);
}

// What was recorded of the rows, without their maps; of two heads, and without the first word's own rows.
TEST(WeightByLength, ARecordedSinkIsReadAsItIs) {
  MemoryRecording recording;
  RecordingHeader header;
  header.model = gate_header().model;
  const QuantityName map = {Stack::encoder, 1, Part::high, Quantity::attention};
  header.quantities = {
      {map.with(Reduction::sink), {Axis::head, Axis::query}, {2, 0}, DType::float32, "1", ""}};
  recording.begin(header);
  RecordingBatch batch;
  Sentence text;
  text.number = 1;
  text.words = {{"a", {}}, {"b", {}}, {"c", {}}};
  text.tokens = {{"a", 4, 0, {}}, {"b", 5, 1, {}}, {"c", 6, 2, {}}, {"</s>", 2, -1, {}}};
  batch.sentences = {text};
  batch.quantities.emplace_back(
      map.with(Reduction::sink),
      HostTensor::of<float>({8}, std::vector<float>{1, 0.5F, 0.25F, 0.125F, 1, 0.75F, 0, 0.125F}));
  recording.write(batch);
  recording.finish();
  LengthOptions sink;
  sink.measure = Measure::sink;
  const LengthCell both = weight_by_length(recording, sink).cell(0, 0);
  EXPECT_NEAR(both.mean, (0.5 + 0.25 + 0.75 + 0) / 4, 1e-12);
  EXPECT_EQ(both.tokens, 2);
  sink.by_head = true;
  const LengthStatistics heads = weight_by_length(recording, sink);
  ASSERT_EQ(heads.series.size(), 2U);
  EXPECT_NEAR(heads.cell(0, 0).mean, 0.375, 1e-12);
  EXPECT_NEAR(heads.cell(1, 0).mean, 0.375, 1e-12);
}

TEST(WeightByLength, RecordedReductionsComeBeforeFullQuantities) {
  MemoryRecording recording;
  RecordingHeader header = gate_header();
  header.quantities.insert(header.quantities.begin() + 1,
                           {gate(1).with(Reduction::mean), {Axis::token}, {0}, DType::float32, "1", ""});
  recording.begin(header);
  RecordingBatch batch;
  batch.sentences = {sentence(24)};  // one word
  for (const QuantitySchema& schema : header.quantities) {
    const std::int64_t size = schema.elements(2);
    const float value = schema.name.reduction() == Reduction::mean ? 0.25F : 0.75F;
    batch.quantities.emplace_back(
        schema.name,
        HostTensor::of<float>({size}, std::vector<float>(static_cast<std::size_t>(size), value)));
  }
  recording.write(batch);
  recording.finish();
  const LengthStatistics statistics = weight_by_length(recording);
  ASSERT_EQ(statistics.series.size(), 3U);
  EXPECT_DOUBLE_EQ(statistics.cell(0, 0).mean, 0.25);
  EXPECT_DOUBLE_EQ(statistics.cell(1, 0).mean, 0.75);
}

TEST(Measure, NamesAreParsed) {
  for (const Measure measure :
       {Measure::gate, Measure::share, Measure::entropy, Measure::maximum, Measure::leaves}) {
    EXPECT_EQ(parse_measure(name(measure)), measure);
  }
  EXPECT_THROW(parse_measure("gates"), UsageError);
}

}  // namespace
}  // namespace mog::analysis
