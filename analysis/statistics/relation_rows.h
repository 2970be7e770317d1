// What the pairs of one sentence add up to, relation by relation, and the rows of a table of relations:
// whether sentences are kept (relation_effects.cpp) or pass by (running_relations.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/statistics/relation_effects.h"

namespace mog::analysis {

// Sums over pairs.
struct RelationSums {
  double pairs = 0;
  double share = 0;
  double content = 0;
  double key = 0;
  double query = 0;
  double weight = 0;
  double without = 0;

  RelationSums& operator+=(const RelationSums& other);
};

// Layer and head (from 1; 0: all), relation (0: none).
struct RelationPlace {
  std::int64_t layer = 0;
  std::int64_t head = 0;
  std::int64_t relation = 0;
  friend auto operator<=>(const RelationPlace&, const RelationPlace&) = default;
};

// What every row says of the run it is of.
struct RelationCell {
  RelationPlace place;
  std::int64_t bin = 0;
  std::int64_t sentences = 0;
  RelationSums all;
  Interval share;
  Interval difference;
};

// `header` and `relations` outlive it.
class RelationReader {
 public:
  // Throws UsageError where the graph and its terms are not recorded.
  RelationReader(const RecordingHeader& header, std::span<const RelationName> relations,
                 const RelationOptions& options);

  // Of sentence `index`, places ascending within a layer; nothing of one in no bin. Throws FormatError for a
  // relation without a name.
  void read(
      const RecordingSource& source, std::int64_t index,
      const std::function<void(const RelationPlace&, std::int64_t bin, const RelationSums&)>& use) const;
  // All places there may be, ascending.
  std::vector<RelationPlace> places() const;

  Table table() const;  // without rows
  void add_row(Table& table, const RelationCell& cell) const;

 private:
  void check(std::int64_t relation) const;

  const RecordingHeader& header_;
  QuantityName graph_;
  std::span<const RelationName> relations_;
  const RelationOptions& options_;
  std::vector<const QuantitySchema*> layers_;
};

}  // namespace mog::analysis
