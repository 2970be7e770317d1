// Recordings for the tests: every schema kind, sentences of all sizes, values that follow from their place.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "io/recording/sentence_recording.h"

namespace mog::test {

// A directory of its own, removed at the end; in memory where that can be had: recordings flush every shard.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    const bool memory =
        ::access("/dev/shm", W_OK) == 0 && std::filesystem::space("/dev/shm").available > (256U << 20U);
    const std::filesystem::path parent = memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string pattern = (parent / "mog-hdf5-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline QuantitySchema schema(const std::string& name, std::vector<Axis> axes,
                             std::vector<std::int64_t> extents, DType dtype) {
  return {QuantityName::parse(name), std::move(axes), std::move(extents), dtype, "1", "of " + name};
}

// Two layers, float16 and float32, token, head, query, key, target axes, a fixed shape.
inline RecordingHeader sample_header() {
  RecordingHeader header;
  header.model.name = "tiny";
  header.model.architecture = "encoder_decoder";
  header.model.encoder_kind = "graph_transformer";
  header.model.fusion = "weight_gate";
  header.model.first_layer = "incremental";
  header.model.layers = 2;
  header.model.heads = 3;
  header.model.d_model = 4;
  header.model.config_json = "{\"name\": \"tiny ü\"}";
  header.model.weights_sha256 = std::string(64, 'a');
  header.model.tokenizer_sha256 = std::string(64, 'b');
  header.model.tasks["upos"] = {"NOUN", "VERB"};
  header.provenance = {.name = "",
                       .program_version = "0.1.0",
                       .command_line = "mog record --model tiny",
                       .corpus_name = "corpus.txt",
                       .corpus_sha256 = std::string(64, 'c'),
                       .device = "cpu",
                       .precision = "float32",
                       .seed = -7,
                       .started = "2026-01-01T00:00:00Z",
                       .target = "file target.txt"};
  using enum Axis;
  for (const std::string layer : {"1", "2"}) {
    header.quantities.push_back(
        schema("encoder." + layer + ".middle1.attention", {head, query, key}, {3, 0, 0}, DType::float16));
    header.quantities.push_back(
        schema("encoder." + layer + ".high.attention.row_entropy", {head, query}, {3, 0}, DType::float32));
    header.quantities.push_back(
        schema("encoder." + layer + ".gate", {token, d_model}, {0, 4}, DType::float16));
    header.quantities.push_back(schema("encoder." + layer + ".gate.mean", {token}, {0}, DType::float32));
    header.quantities.push_back(schema("decoder." + layer + ".cross.attention", {head, target_query, key},
                                       {3, 0, 0}, DType::float16));
  }
  header.quantities.push_back(schema("heads.upos.logits", {token, tag}, {0, 2}, DType::float32));
  std::sort(header.quantities.begin(), header.quantities.end(),
            [](const QuantitySchema& a, const QuantitySchema& b) { return a.name < b.name; });
  return header;
}

// Sentence `number`: number % 7 words (0: an empty sentence), one token more, every third with a translation.
inline Sentence sample_sentence(std::int64_t number) {
  static const std::vector<std::string> kWords = {"the", "Übung", "日本", "cat", "naïve", "😀!", "x"};
  Sentence sentence;
  sentence.number = number;
  for (std::int64_t i = 0; i < number % 7; ++i) {
    const std::string& word = kWords[static_cast<std::size_t>((number + i) % 7)];
    if (i > 0) {
      sentence.text += ' ';
    }
    const auto begin = static_cast<std::int64_t>(sentence.text.size());
    sentence.text += word;
    const auto end = static_cast<std::int64_t>(sentence.text.size());
    sentence.words.push_back({word, {begin, end}});
    sentence.tokens.push_back({word + (i % 2 == 0 ? "@@" : ""), 10 + i, i, {begin, end}});
  }
  sentence.tokens.push_back({"</s>", 2, -1, {0, 0}});
  if (number % 3 == 0) {
    sentence.target_tokens = {{"das", 5, 0, {0, 0}}, {"</s>", 2, -1, {0, 0}}};
  }
  sentence.truncated = number % 5 == 0;
  return sentence;
}

// Value `at` of a quantity of a sentence: exact in float16.
inline float sample_value(std::int64_t number, std::size_t quantity, std::int64_t at) {
  return static_cast<float>((number * 31 + static_cast<std::int64_t>(quantity) * 17 + at) % 1024) / 512.0F;
}

inline RecordingBatch sample_batch(const RecordingHeader& header, const std::vector<std::int64_t>& numbers) {
  RecordingBatch batch;
  for (const std::int64_t number : numbers) {
    batch.sentences.push_back(sample_sentence(number));
  }
  for (std::size_t quantity = 0; quantity < header.quantities.size(); ++quantity) {
    std::vector<float> values;
    for (const Sentence& sentence : batch.sentences) {
      const std::int64_t elements =
          header.quantities[quantity].elements(static_cast<std::int64_t>(sentence.tokens.size()),
                                               static_cast<std::int64_t>(sentence.target_tokens.size()));
      for (std::int64_t at = 0; at < elements; ++at) {
        values.push_back(sample_value(sentence.number, quantity, at));
      }
    }
    const auto size = static_cast<std::int64_t>(values.size());
    batch.quantities.emplace_back(header.quantities[quantity].name, HostTensor::of<float>({size}, values));
  }
  return batch;
}

// 1 to `count`.
inline std::vector<std::int64_t> first_numbers(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

// Compares everything that `source` says of its sentences with the sample.
inline void expect_sample(const RecordingSource& source, const std::vector<std::int64_t>& numbers) {
  ASSERT_EQ(source.size(), static_cast<std::int64_t>(numbers.size()));
  const auto tokens = source.token_counts();
  const auto words = source.word_counts();
  for (std::int64_t index = 0; index < source.size(); ++index) {
    const std::int64_t number = numbers[static_cast<std::size_t>(index)];
    const Sentence expected = sample_sentence(number);
    ASSERT_EQ(source.sentence(index), expected) << "sentence " << number;
    ASSERT_EQ(tokens[static_cast<std::size_t>(index)], static_cast<std::int64_t>(expected.tokens.size()));
    ASSERT_EQ(words[static_cast<std::size_t>(index)], static_cast<std::int64_t>(expected.words.size()));
    for (std::size_t quantity = 0; quantity < source.header().quantities.size(); ++quantity) {
      const QuantitySchema& facts = source.header().quantities[quantity];
      const HostTensor values = source.read(index, facts.name);
      ASSERT_EQ(values.dtype(), facts.dtype);
      ASSERT_EQ(values.shape(), facts.shape(static_cast<std::int64_t>(expected.tokens.size()),
                                            static_cast<std::int64_t>(expected.target_tokens.size())));
      const auto floats = values.to_floats();
      for (std::size_t at = 0; at < floats.size(); ++at) {
        ASSERT_EQ(floats[at], sample_value(number, quantity, static_cast<std::int64_t>(at)))
            << "sentence " << number << ", " << facts.name.text() << " at " << at;
      }
    }
  }
}

}  // namespace mog::test
