// Single rows of recorded attention, from maps or from the greatest weights of their rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/workflow/neighbours/neighbours_job.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

struct TokenRow {
  std::vector<double> weights;  // [token]
  double unknown = 0;           // what a row that was cut does not say
};

// The attention of one layer of the main stack, of one part or the mean over all.
class AttentionRows {
 public:
  // none: all parts that have maps. `mean_only`: means over heads will do.
  AttentionRows(const RecordingHeader& header, std::int64_t layer, Part part, bool mean_only);

  bool empty() const noexcept { return maps_.empty(); }
  const std::vector<QuantityName>& names() const noexcept { return maps_; }  // of maps or top
  std::int64_t heads() const noexcept { return heads_; }                     // of the first of them

  // What was recorded of a sentence.
  class OfSentence {
   public:
    // The mean over `tokens` of their rows; head from 1, 0: the mean over heads.
    TokenRow row(std::span<const std::int64_t> tokens, std::int64_t head) const;

   private:
    friend class AttentionRows;
    struct One {
      HostTensor values;               // map, or the greatest weights
      std::vector<std::int64_t> keys;  // as many, of rows that were cut; -1: none
      HostTensor rest;
    };
    std::vector<One> all_;
    std::int64_t tokens_ = 0;
  };
  // Throws FormatError for keys that the sentence does not have.
  OfSentence read(const RecordingSource& source, std::int64_t index, std::int64_t tokens) const;

 private:
  std::vector<QuantityName> maps_;
  std::int64_t heads_ = 0;
};

// The tokens of word `word` (from 0).
std::vector<std::int64_t> tokens_of(const Sentence& sentence, std::int64_t word);

// What a word gives to each word and to special tokens.
struct WordWeights {
  std::vector<double> words;  // [word]; kUnseen where no token of the word sees one of that word
  double special = 0;         // sum over all of them
};
// Of word `word` (from 0); nothing where nothing was recorded.
std::optional<WordWeights> word_weights(const AttentionRows& rows, const RecordingSource& source,
                                        std::int64_t index, const Sentence& sentence, std::int64_t word,
                                        std::int64_t head);
// The greatest; nothing where there is none above 0.
std::optional<AttendedWord> strongest_word(const Sentence& sentence, std::span<const double> weights);

}  // namespace mog::app
