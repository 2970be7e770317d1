// What words are compared by: states by their cosine, attention rows of a head by their Jensen-Shannon
// distance.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "analysis/neighbours/relative_row.h"
#include "analysis/neighbours/row_products.h"
#include "app/workflow/neighbours/attention_rows.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

// Of one word, to be compared again: a direction of length 1 (empty: it has none), or a row.
using WordValues = std::variant<std::vector<double>, analysis::RelativeRow>;
double similarity(const WordValues& left, const WordValues& right);

// Sentences that were read; words from 0.
class WordBlock {
 public:
  virtual ~WordBlock() = default;
  // NaN: the word has no tokens, no direction, or values that are no numbers.
  virtual double similarity(std::size_t sentence, std::int64_t word) const = 0;
  virtual WordValues values(std::size_t sentence, std::int64_t word) const = 0;
};

// With one word. Immutable; safe from several threads.
class WordComparison {
 public:
  virtual ~WordComparison() = default;
  // Sentences [first, first + sentences.size()) of a source, which outlive the block.
  virtual std::unique_ptr<WordBlock> read(const RecordingSource& source, std::int64_t first,
                                          std::span<const Sentence> sentences) const = 0;
};

// The mean over the pieces, [width], of word `word`.
std::vector<double> word_state(const RecordingSource& source, std::int64_t index, const Sentence& sentence,
                               std::int64_t word, const QuantityName& name);
// Adds the states of the words of these sentences to `sum` [width] and returns how many; words with values
// that are no numbers are left out, and where tokens see only what stands before them the word of the first
// token: its state may be a hundred times as long as all others (an attention sink) and would be the mean.
std::int64_t add_states(const RecordingSource& source, std::int64_t first,
                        std::span<const Sentence> sentences, const QuantityName& name, std::span<double> sum);

// mean: may be empty.
std::unique_ptr<WordComparison> compare_states(const QuantityName& name, std::span<const double> state,
                                               std::span<const double> mean);
std::unique_ptr<WordComparison> compare_rows(const AttentionRows& rows, std::int64_t head,
                                             analysis::RelativeRow row);

}  // namespace mog::app
