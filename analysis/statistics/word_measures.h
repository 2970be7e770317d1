// What can be asked of the words of a sentence under the attention grammar (docs/glossary.md), as series of
// numbers by layer, part and order.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/search/search_control.h"
#include "analysis/statistics/word_statistics.h"

namespace mog::analysis {

enum class WordMeasure : std::uint8_t {
  leaves,         // E[leaves] of R[layer, word]
  leaves_mass,    // P(leaves = k), k = 1..orders, and what is above ("more")
  joins,          // expected joins of each layer and part in a derivation of R[L, word]
  edges,          // expected different pairs word -> any word in a derivation of the sentence (TOP)
  bands,          // share of what each part makes that lies in its order band, exact and nominal
  part_leaves,    // expected leaves of what each part makes
  distinct,       // E[distinct words] of R[layer, word]; exact up to 12 words, else sampled
  distinct_mass,  // P(distinct words = k), so too
  simple,         // P(no overlap), so too
  layers_needed,  // of gold trees; not of a grammar
};
std::string_view name(WordMeasure measure) noexcept;         // "leaves-mass", …
std::string_view units(WordMeasure measure) noexcept;        // "leaves", "1", …
std::string_view description(WordMeasure measure) noexcept;  // "expected order (distinct words)", for axes
std::vector<WordMeasure> word_measures();

struct WordMeasureOptions {
  std::int64_t orders = 64;    // k of leaves_mass and distinct_mass; 1..4096
  std::int64_t samples = 200;  // derivations a word where sampling is needed
  std::uint64_t seed = 1;
  std::function<bool(std::int64_t layer)> keeps_layer{};  // empty: all
  SearchControl control{};                                // asked while the values of a sentence are made
};
// Throws UsageError.
void check(const WordMeasureOptions& options);

// The series of a measure for sentences of any length, sorted. Throws UsageError for a measure that this kind
// of encoder does not have.
std::vector<WordSeries> series_of(WordMeasure measure, const RuleSet& rules, std::int64_t layers,
                                  const WordMeasureOptions& options);
// Whether `values_of` samples derivations of a sentence of so many words.
bool is_sampled(WordMeasure measure, std::int64_t words) noexcept;
// `number`: of the sentence; with the seed it makes the random numbers. Throws Interrupted.
SentenceValues values_of(WordMeasure measure, const AttentionGrammar& grammar,
                         const std::vector<WordSeries>& series, std::int64_t number,
                         const WordMeasureOptions& options);

// A recorded quantity (gate, share …) by words: mean over a word's tokens. The series of a recording:
std::vector<WordSeries> recorded_series(const RecordingHeader& header, Measure measure, bool by_head,
                                        const std::function<bool(std::int64_t layer)>& keeps_layer);
// Throws UsageError when the recording holds nothing of it.
SentenceValues recorded_values(const RecordingSource& source, std::int64_t index, Measure measure,
                               bool by_head, const std::function<bool(std::int64_t layer)>& keeps_layer);

}  // namespace mog::analysis
