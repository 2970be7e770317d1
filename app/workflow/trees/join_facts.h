// One join of a graph in numbers and words: what the inspector of the window says of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/recording/quantity_name.h"

namespace mog::app {

// Words are those of the grammar, from 0; layers from 1.
struct JoinFacts {
  std::int64_t node = -1;  // of TreeFigure::nodes
  std::int64_t layer = 1;  // that makes it
  Part part = Part::none;
  std::int64_t query = -1;                // word: the owner
  std::int64_t key = -1;                  // word
  std::vector<std::int64_t> left_words;   // of the operand that it had, in the order of its leaves
  std::vector<std::int64_t> right_words;  // of the one that it takes in
  std::int64_t left_layer = 0;            // that made the operand; 0: a word
  std::int64_t right_layer = 0;
  std::int64_t kind = 1;            // 1 simple, 2 overlap, 3 overlap and loop, 4 loop only
  std::int64_t order = 2;           // different words
  std::string tuple;                // the 6-tuple as text
  double weight = 0;                // of the rule: attention × share
  std::optional<double> attention;  // mean over heads, of words; empty: not recorded
  std::optional<double> share;      // of the part
  std::optional<double> gate;       // of the owner in that layer, mean over dimensions
  std::vector<double> heads;        // the attention of each head; empty: not recorded
};

}  // namespace mog::app
