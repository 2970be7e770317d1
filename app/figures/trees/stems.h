// What stands where in a derivation, before any size is known: stems, their order, the tracks of their edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/figure_data/figure_data.h"

namespace mog::figures {

// One join where it occurs.
struct StemJoin {
  std::int64_t node = 0;  // index into TreeFigure::nodes
  std::int64_t layer = 1;
  std::size_t stem = 0;   // of its owner
  std::size_t key = 0;    // the stem that it takes in
  std::size_t track = 0;  // 0: its key edge runs at the height of the row
};

// A leaf and all joins in which it is, by way of query operands, the query.
struct Stem {
  std::int64_t node = 0;  // of the leaf
  std::int64_t word = 0;
  std::vector<std::size_t> joins;       // from below
  std::optional<std::size_t> consumer;  // the join that takes it in; empty: a root
  std::int64_t number = 1;              // 1: the main stem of its word; 2, 3 …: the word again
  std::size_t lane = 0;                 // from the left
};

// Words that the graph does not use, first to last, left of lane `before`; one each in TreeFigure::all_words.
struct WordGap {
  std::size_t before = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

struct Stems {
  std::vector<Stem> stems;
  std::vector<StemJoin> joins;
  std::vector<std::size_t> lanes;  // the stem of each
  std::vector<WordGap> gaps;
  std::int64_t rows = 0;                       // the last layer that joins
  std::map<std::int64_t, std::size_t> tracks;  // of a row with joins: how many below its own height
  std::int64_t cut = 0;                        // subgraphs that occur again and are drawn as their word alone
  bool carried = false;                        // a root is carried on beyond `rows`

  // The layer in which a stem has its last join; 0: a leaf alone.
  std::int64_t top(const Stem& stem) const { return stem.joins.empty() ? 0 : joins[stem.joins.back()].layer; }
};

// A subgraph that is an operand of two joins occurs twice; once there are this many stems, it is drawn in
// full only where it occurs first.
inline constexpr std::size_t kMostStems = 512;

bool is_join(const analysis::TreeFigure& tree, std::int64_t node);
Stems stems_of(const analysis::TreeFigure& tree);

}  // namespace mog::figures
