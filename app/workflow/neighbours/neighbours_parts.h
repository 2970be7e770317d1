// Parts of find_neighbours: what is compared, what is said of each word, how shares are counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "analysis/neighbours/nearest.h"
#include "app/workflow/neighbours/attention_rows.h"
#include "app/workflow/neighbours/neighbours_job.h"
#include "app/workflow/neighbours/word_comparison.h"
#include "app/workflow/neighbours/word_tags.h"

namespace mog::app {

struct ComparedQuantity {
  QuantityName name;  // of states, or of a map or its greatest weights
  std::int64_t head = 0;
  AttentionRows rows;  // of the head; else of the layer, perhaps none
};
// Throws UsageError.
ComparedQuantity compared_quantity(const RecordingHeader& header, const NeighboursOptions& options);

// Throws UsageError for a word that the sentence does not have, or that has no token.
void check_word(const Sentence& sentence, std::int64_t word);

struct NeighbourFacts {
  const RecordingSource& source;
  const WordTags& tags;
  const ComparedQuantity& compared;
  NeighbourWord of(const analysis::NearWord& near) const;
};

struct TagCounts {
  const std::map<std::string, std::int64_t>& upos;
  const std::map<std::string, std::int64_t>& relations;
};
// From the neighbours, and the k-occurrences that they have.
void add_shares(Neighbours& neighbours, const TagCounts& all);

}  // namespace mog::app
