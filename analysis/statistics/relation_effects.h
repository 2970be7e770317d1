// What the relations of a graph do to the attention that reads it, relation by relation, by layer, head and
// sentence length (docs/command-line.md, stats).
//
// Of a pair with content score c and relation terms k (with the query) and q (with the key), each counted
// from the mean of its row, which moves all scores of a row alike:
//   share       |k + q| / (|c| + |k + q|), 0 where all are 0
//   weight      softmax of the scores, the attention itself
//   without     softmax of c alone, everything else as it was
// Pairs count the same. Intervals: percentile bootstrap over the sentences that have such a pair.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/random/bootstrap.h"
#include "analysis/statistics/length_bins.h"
#include "analysis/statistics/table.h"
#include "io/recording/sentence_recording.h"

namespace mog::analysis {

struct RelationName {
  std::string name;
  std::string direction;  // from the query's side: "to head", …; may be empty
};

struct RelationOptions {
  LengthBins bins;       // of the sentence, in words
  bool by_head = false;  // else heads are averaged
  std::function<bool(std::int64_t)> keeps_layer;
  BootstrapOptions bootstrap;
  std::stop_token stop;  // asked between sentences; then Interrupted is thrown
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

// Columns: model, corpus, layer, head, relation, direction, bin, length_low, length_high, sentences, pairs,
// share, share_low, share_high, content, relation_key, relation_query (means, from the row's), weight,
// without, difference, difference_low, difference_high (weight less without), confidence, resamples, seed. A
// row for every relation that a bin has, relations in their order; relation_query is empty where there is no
// such term. sources: shards of one recording; relations: by number, 0 is none. Needs `encoder.graph` and
// `encoder.L.full.graph_terms`; throws UsageError where they are not recorded, FormatError for a relation
// without a name. O(heads · tokens²) a sentence and layer.
Table relation_effects(std::span<const RecordingSource* const> sources,
                       std::span<const RelationName> relations, const RelationOptions& options);

}  // namespace mog::analysis
