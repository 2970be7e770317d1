// Maps in 8 bits: what is promised of their error, and what comes back.
#include "io/hdf5/recording/eight_bit_maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>

#include "io/hdf5/file/hdf5_attribute.h"
#include "io/hdf5/file/hdf5_handle.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/hdf5/recording/recording_writer.h"
#include "io/recording/errors.h"
#include "samples.h"

namespace mog::io {
namespace {

using test::sample_sentence;
using test::TemporaryDirectory;

QuantitySchema map_schema(DType dtype) {
  QuantitySchema schema =
      test::schema("encoder.1.middle1.attention", {Axis::head, Axis::query, Axis::key}, {3, 0, 0}, dtype);
  schema.units = "probability";
  return schema;
}

std::int64_t tokens_of(const Sentence& sentence) {
  return static_cast<std::int64_t>(sentence.tokens.size());
}

// Rows that sum to 1, some of them sharp, some flat, with zeros.
std::vector<float> rows(const std::vector<Sentence>& sentences) {
  std::mt19937_64 random(7);
  std::vector<float> weights;
  for (const Sentence& sentence : sentences) {
    const auto keys = static_cast<std::size_t>(tokens_of(sentence));
    for (std::size_t row = 0; row < 3 * keys; ++row) {
      const double sharpness = 0.1 * static_cast<double>(row % 80);
      std::vector<double> scores(keys);
      for (double& score : scores) {
        const double uniform = static_cast<double>(random() >> 11U) * 0x1p-53;
        score = random() % 5 == 0 ? 0 : std::exp(sharpness * uniform);
      }
      scores[row % keys] += 1;
      const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
      for (const double score : scores) {
        weights.push_back(static_cast<float>(score / sum));
      }
    }
  }
  return weights;
}

std::vector<Sentence> sentences() {
  std::vector<Sentence> all;
  for (std::int64_t number = 1; number <= 30; ++number) {
    all.push_back(sample_sentence(number));
  }
  return all;
}

HostTensor decoded(const HostTensor& codes, const QuantitySchema& schema, const std::vector<Sentence>& all) {
  std::vector<std::int64_t> tokens;
  std::vector<std::int64_t> targets;
  for (const Sentence& sentence : all) {
    tokens.push_back(tokens_of(sentence));
    targets.push_back(static_cast<std::int64_t>(sentence.target_tokens.size()));
  }
  return decode_maps(codes, schema, tokens, targets);
}

TEST(EightBitMaps, KeepTheRootWithinHalfAStepAndTheSumOfARow) {
  const std::vector<Sentence> all = sentences();
  const std::vector<float> weights = rows(all);
  const auto count = static_cast<std::int64_t>(weights.size());
  const QuantitySchema schema = map_schema(DType::uint8);
  const HostTensor codes = encode(HostTensor::of<float>({count}, weights), schema, all);
  ASSERT_EQ(codes.dtype(), DType::uint8);
  const std::vector<float> back = decoded(codes, schema, all).to_floats();
  std::size_t at = 0;
  for (const Sentence& sentence : all) {
    const auto keys = static_cast<std::size_t>(tokens_of(sentence));
    for (std::size_t row = 0; row < 3 * keys; ++row) {
      double sum = 0;
      double squares = 0;
      for (std::size_t key = 0; key < keys; ++key) {
        const double root = codes.values<std::uint8_t>()[at + key] / 255.0;
        squares += root * root;
        EXPECT_LE(std::abs(root - std::sqrt(weights[at + key])), 0.5 / 255 + 1e-6);
        EXPECT_LE(std::abs(root * root - weights[at + key]), std::sqrt(weights[at + key]) / 255 + 4e-6);
      }
      for (std::size_t key = 0; key < keys; ++key, ++at) {
        const double root = codes.values<std::uint8_t>()[at] / 255.0;
        EXPECT_NEAR(back[at], root * root / squares, 1e-6);
        EXPECT_TRUE(weights[at] != 0 || back[at] == 0);
        sum += back[at];
      }
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
}

// By hand: 255 · √(.48, .26, .26, 0) = 176.7, 130.0, 130.0, 0.
TEST(EightBitMaps, OfOneRow) {
  Sentence sentence = sample_sentence(1);
  sentence.tokens.resize(4, sentence.tokens.front());
  QuantitySchema schema = map_schema(DType::uint8);
  schema.axes = {Axis::key};
  schema.extents = {0};
  const std::vector<Sentence> one = {sentence};
  const auto encoded = [&](const std::vector<float>& row) {
    return encode(HostTensor::of<float>({4}, row), schema, one);
  };
  const HostTensor codes = encoded({.48F, .26F, .26F, 0});
  const auto values = codes.values<std::uint8_t>();
  EXPECT_EQ(std::vector<int>(values.begin(), values.end()), (std::vector<int>{177, 130, 130, 0}));
  EXPECT_EQ(decoded(encoded({0, 1, 0, 0}), schema, one).to_floats(), (std::vector<float>{0, 1, 0, 0}));
  EXPECT_EQ(decoded(encoded({0, 0, 0, 0}), schema, one).to_floats(), (std::vector<float>{0, 0, 0, 0}));
  for (const std::vector<float>& bad :
       {std::vector<float>{1.3F, -.3F, 0, 0}, {NAN, .5F, .5F, 0}, {.5F, .1F, .1F, .1F}}) {
    EXPECT_THROW(encoded(bad), ShapeError);
  }
}

TEST(EightBitMaps, ComeBackFromARecordingAsFloat32) {
  const TemporaryDirectory directory;
  RecordingHeader header = test::sample_header();
  header.quantities = {map_schema(DType::uint8)};
  const std::vector<Sentence> all = sentences();
  const std::vector<float> weights = rows(all);
  {
    RecordingWriter writer(directory / "rec", {.shard_sentences = 7});
    writer.begin(header);
    RecordingBatch batch;
    batch.sentences = all;
    batch.quantities.emplace_back(
        header.quantities[0].name,
        HostTensor::of<float>({static_cast<std::int64_t>(weights.size())}, weights));
    writer.write(batch);
    writer.finish();
  }
  const RecordingReader reader(directory / "rec");
  reader.validate();
  const HostTensor packed = reader.read_packed(0, reader.size(), header.quantities[0].name);
  EXPECT_EQ(packed.dtype(), DType::float32);
  const HostTensor codes = encode(HostTensor::of<float>({packed.size()}, weights), header.quantities[0], all);
  EXPECT_EQ(packed.to_floats(), decoded(codes, header.quantities[0], all).to_floats());
  const HostTensor one = reader.read(4, header.quantities[0].name);
  EXPECT_EQ(one.shape(), (std::vector<std::int64_t>{3, tokens_of(all[4]), tokens_of(all[4])}));
  EXPECT_EQ(reader.read_packed(3, 0, header.quantities[0].name).dtype(), DType::float32);
  // Of a block whole rows are read, since a row is divided by its sum.
  const TensorBlock block{{1, 0, 1}, {2, tokens_of(all[4]) - 1, tokens_of(all[4]) - 1}};
  EXPECT_EQ(reader.read_block(4, header.quantities[0].name, block).to_floats(), cut(one, block).to_floats());
}

// A step that a stranger chose would change every weight.
TEST(EightBitMaps, AreRefusedWithAnotherStep) {
  const TemporaryDirectory directory;
  RecordingHeader header = test::sample_header();
  header.quantities = {map_schema(DType::uint8)};
  {
    RecordingWriter writer(directory / "rec");
    writer.begin(header);
    RecordingBatch batch;
    batch.sentences = {sample_sentence(1)};
    const std::int64_t tokens = tokens_of(batch.sentences[0]);
    const std::vector<float> weights(static_cast<std::size_t>(3 * tokens * tokens),
                                     1.0F / static_cast<float>(tokens));
    batch.quantities.emplace_back(
        header.quantities[0].name,
        HostTensor::of<float>({static_cast<std::int64_t>(weights.size())}, weights));
    writer.write(batch);
    writer.finish();
  }
  const std::filesystem::path shard = directory / "rec/shard-00001.h5";
  const auto with_step = [&](const std::optional<double>& step) {
    const h5::Lock lock;
    const h5::File file(H5Fopen(shard.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    const h5::Dataset maps(H5Dopen2(file.get(), "/quantities/encoder.1.middle1.attention", H5P_DEFAULT));
    if (H5Aexists(maps.get(), "root_step") > 0) {
      H5Adelete(maps.get(), "root_step");
    }
    if (step) {
      h5::write_attribute(maps.get(), "root_step", *step, shard);
    }
  };
  with_step(kRootStep);
  EXPECT_EQ(RecordingReader(shard).size(), 1);
  for (const std::optional<double> step :
       {std::optional(0.5), std::optional(std::nan("")), std::optional<double>()}) {
    with_step(step);
    EXPECT_THROW(RecordingReader{shard}, FormatError);
  }
}

TEST(EightBitMaps, AreMapsOnly) {
  const TemporaryDirectory directory;
  RecordingHeader header = test::sample_header();
  header.quantities = {test::schema("encoder.1.gate", {Axis::token, Axis::d_model}, {0, 4}, DType::uint8)};
  RecordingWriter writer(directory / "rec");
  EXPECT_THROW(writer.begin(header), UsageError);
  EXPECT_FALSE(fits_eight_bits(header.quantities[0]));
  EXPECT_TRUE(fits_eight_bits(map_schema(DType::float16)));
}

}  // namespace
}  // namespace mog::io
