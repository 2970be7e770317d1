// The same map of two sentences beside each other, and their difference: two models on one sentence, two
// sentences, one sentence before and after a change inside the model.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/figure_data/builders.h"

namespace mog::analysis {

// A sentence of a recording; `name` stands over its panel, empty: its model and number.
struct ComparedSentence {
  const RecordingSource& source;
  std::int64_t index = 0;
  std::string name{};
};

// Pairs of places of two lists of words, in order: a longest common subsequence is paired, what is only in
// one has -1 on the other side. Words are paired by their text; `first` comes before `second` where neither
// is.
std::vector<std::pair<std::int64_t, std::int64_t>> align_words(const std::vector<WordLabel>& first,
                                                               const std::vector<WordLabel>& second);

// What is compared.
enum class Compared : std::uint8_t {
  attention,  // rows: queries; layer, part, head and options as for attention_figure
  gate,       // rows: layers; mean over dimensions
};
struct ComparisonOptions {
  Compared what = Compared::attention;
  std::int64_t layer = 0;
  Part part = Part::none;
  std::int64_t head = 0;
  TokenOptions tokens{};
};
// Three panels: first, second (one scale), second − first on the words of both (absent where one has no such
// word). Throws UsageError when a recording lacks the map.
FigureData difference_figure(const ComparedSentence& first, const ComparedSentence& second,
                             const ComparisonOptions& options = {});

}  // namespace mog::analysis
