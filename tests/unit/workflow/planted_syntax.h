// Recordings whose attention follows known trees, beside a treebank of these trees.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/recording/sentence_recording.h"

namespace mog::app {

// Sentences with gold heads, and a plain encoder of one layer whose head 1 attends from each word to its
// dependents, and whose head 2 attends from each word to its head.
class Planted {
 public:
  explicit Planted(int maps = 2) : maps_(maps) {}

  // Words are w0, w1 …, one piece each; the last is punctuation.
  void add(const std::vector<std::int32_t>& heads) {
    std::vector<std::string> forms;
    for (std::size_t i = 0; i < heads.size(); ++i) {
      forms.push_back("w" + std::to_string(i));
    }
    add(forms, forms, heads);
  }
  // The recording has its own words; what is planted is about the treebank's.
  void add(const std::vector<std::string>& forms, const std::vector<std::string>& recorded,
           const std::vector<std::int32_t>& heads) {
    Sentence sentence;
    sentence.number = static_cast<std::int64_t>(sentences_.size()) + 1;
    for (const std::string& word : recorded) {
      const auto begin = static_cast<std::int64_t>(sentence.text.size());
      const auto end = begin + static_cast<std::int64_t>(word.size());
      sentence.words.push_back({word, {begin, end}});
      sentence.text += word + " ";
    }
    // Pieces are the treebank's words; they lie somewhere in the recording's.
    std::int64_t at = 0;
    for (std::size_t i = 0; i < forms.size(); ++i) {
      at = static_cast<std::int64_t>(sentence.text.find(forms[i], static_cast<std::size_t>(at)));
      const ByteSpan bytes{at, at + static_cast<std::int64_t>(forms[i].size())};
      std::int64_t word = 0;
      while (sentence.words[static_cast<std::size_t>(word)].bytes.end < bytes.end) {
        ++word;
      }
      sentence.tokens.push_back({forms[i], 4, word, bytes});
      at = bytes.end;
      treebank += std::to_string(i + 1) + "\t" + forms[i] + "\t_\t" +
                  (i + 1 == forms.size() ? "PUNCT" : "NOUN") + "\t_\t_\t" + std::to_string(heads[i]) + "\t" +
                  (heads[i] == 0                             ? "root"
                   : heads[i] > static_cast<std::int32_t>(i) ? "left"
                                                             : "right") +
                  "\t_\t_\n";
    }
    treebank += "\n";
    sentence.tokens.push_back({"</s>", 2, -1, {}});
    plant(heads);
    sentences_.push_back(std::move(sentence));
  }

  void fill(MemoryRecording& memory) const {
    RecordingHeader header;
    header.model.encoder_kind = "transformer";
    header.model.layers = 1;
    header.model.heads = maps_;
    header.quantities.push_back({QuantityName::parse("encoder.1.full.attention"),
                                 {Axis::head, Axis::query, Axis::key},
                                 {maps_, 0, 0},
                                 DType::float32,
                                 "1",
                                 ""});
    memory.begin(header);
    RecordingBatch batch;
    batch.sentences = sentences_;
    batch.quantities.emplace_back(
        header.quantities.front().name,
        HostTensor::of<float>({static_cast<std::int64_t>(values_.size())}, values_));
    memory.write(batch);
    memory.finish();
  }
  std::vector<Sentence>& sentences() { return sentences_; }

  std::string treebank;

 private:
  void plant(const std::vector<std::int32_t>& heads) {
    const std::size_t words = heads.size();
    for (int map = 0; map < maps_; ++map) {
      for (std::size_t q = 0; q <= words; ++q) {
        std::vector<float> row(words + 1, 1.0F);
        float sum = static_cast<float>(words) + 1;
        for (std::size_t k = 0; k < words && q < words; ++k) {
          const bool edge = map == 0 ? heads[k] == static_cast<std::int32_t>(q) + 1
                                     : heads[q] == static_cast<std::int32_t>(k) + 1;
          row[k] += edge ? 50.0F : 0.0F;
          sum += edge ? 50.0F : 0.0F;
        }
        for (const float value : row) {
          values_.push_back(value / sum);
        }
      }
    }
  }

  int maps_;
  std::vector<Sentence> sentences_;
  std::vector<float> values_;
};

}  // namespace mog::app
