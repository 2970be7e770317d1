// A plain encoder that reads a graph, written out in loops (one token, head, relation and source at a time,
// in float64), with what its exact decompositions should be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/recording/host_tensor.h"
#include "model/config/config.h"
#include "model/packed_batch.h"

namespace mog::test {

struct GraphSentence {
  std::vector<std::int64_t> ids;
  std::vector<model::GraphArc> arcs;  // tokens of the sentence
};

// What one layer does to a sentence, and what the decompositions should say of it.
struct WrittenLayer {
  using Values = std::vector<double>;
  std::vector<Values> output;                // [token][d_model]
  std::vector<std::vector<Values>> sources;  // [token][source][d_model], the bias last
  std::map<std::string, Values> terms;       // pr, ir, br, rp, ri, rb: [head, query, key]
  Values alti;                               // [query, key]
  Values uniform;                            // what uniform attention takes of relations: [token, d_model]
};

// [layer] of a sentence. Without positions, with relu and layer norms; weights: as model::tensor_table names
// them.
std::vector<WrittenLayer> written_layers(const model::ModelConfig& config,
                                         const std::map<std::string, HostTensor>& weights,
                                         const GraphSentence& sentence);

}  // namespace mog::test
