#include "model/known_systems.h"

namespace mog::model {
namespace {

ModelConfig system(EncoderKind kind, bool bidirectional = false) {
  ModelConfig config;
  config.encoder.kind = kind;
  config.encoder.layers = 1;
  config.encoder.bidirectional = bidirectional;
  return config;
}

}  // namespace

std::vector<ModelConfig> known_systems() {
  ModelConfig gated = system(EncoderKind::graph_transformer);
  gated.encoder.fusion = Fusion::weight_gate;
  gated.tasks["task"] = {"TAG"};
  gated.decoder.emplace().layers = 1;
  ModelConfig self_gated = system(EncoderKind::graph_transformer);
  self_gated.encoder.fusion = Fusion::self_gate;
  ModelConfig global = system(EncoderKind::transformer);
  global.decoder.emplace().layers = 1;
  global.gret.emplace();
  ModelConfig plain = system(EncoderKind::transformer);
  plain.decoder.emplace().layers = 1;  // whose decompositions go through to source tokens
  ModelConfig parser = system(EncoderKind::transformer);
  parser.encoder.graph_input.emplace();
  parser.graph.emplace().labels = {"TAG"};
  ModelConfig reader = system(EncoderKind::transformer);
  reader.encoder.mask = Mask::causal;
  reader.language_model.emplace();
  return {gated,
          self_gated,
          parser,
          reader,
          global,
          plain,
          system(EncoderKind::gru),
          system(EncoderKind::gru, true),
          system(EncoderKind::lstm),
          system(EncoderKind::lstm, true)};
}

}  // namespace mog::model
