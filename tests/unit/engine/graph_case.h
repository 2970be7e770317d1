// A small parser that reads a graph, and sentences with arcs and without.
#pragma once

#include <cstdint>
#include <vector>

#include "model/config/config.h"
#include "model/packed_batch.h"

namespace mog::test {

inline model::ModelConfig graph_parser(model::RelationForm form) {
  model::ModelConfig config;
  model::EncoderConfig& encoder = config.encoder;
  encoder.kind = model::EncoderKind::transformer;
  encoder.layers = 2;
  encoder.d_model = encoder.attention_dim = 8;
  encoder.heads = 2;
  encoder.ffn_dim = 12;
  encoder.activation = model::Activation::gelu;
  encoder.position = model::Position::none;
  encoder.embed_scale = false;
  model::GraphConfig& graph = config.graph.emplace();
  graph.labels = {"a", "b"};
  graph.width = 6;
  graph.label_width = 4;
  model::GraphInputConfig& input = encoder.graph_input.emplace();
  input.relations = graph.relations();
  input.form = form;
  input.none = model::NoRelation::learned;
  config.vocab_size = 20;
  return config;
}

inline model::PackedBatch graph_batch() {
  model::PackedBatch batch;
  batch.append(std::vector<std::int64_t>{5, 6, 7, 2}, {{{0, 1, 1}, {1, 0, 2}, {2, 2, 3}, {3, 0, 4}}});
  batch.append(std::vector<std::int64_t>{8, 9, 2}, {{{0, 2, 2}}});
  batch.append(std::vector<std::int64_t>{10, 5, 11}, {});
  return batch;
}

}  // namespace mog::test
