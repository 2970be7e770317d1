// Two cuttings of one text, brought together.
#pragma once

#include <cstdint>
#include <vector>

#include "io/recording/sentence.h"

namespace mog::app {

// Units are the shortest stretches of text that begin and end with a token of each cutting; where both cut
// alike, every token is one. first, second: [token], the unit that it lies in, from 0; every unit has a token
// on both sides. Special tokens stand at the place where they are.
struct PieceUnits {
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> second;
  std::int64_t count = 0;
};

// `first` and `second`: the same text. A text without tokens on one side has no unit.
PieceUnits common_units(const Sentence& first, const Sentence& second);

}  // namespace mog::app
