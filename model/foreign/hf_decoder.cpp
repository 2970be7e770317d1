#include <fmt/format.h>

#include "model/foreign/blueprint.h"

namespace mog::model {

bool has_decoder(HfConfig& config) {
  const std::string classes = config.architectures();
  const bool encoder_class = classes.ends_with("EncoderModel") || classes.ends_with("Encoder");
  return config.flag("is_encoder_decoder", true) && !encoder_class;
}

std::vector<std::string> embedding_names(const std::string& stack, bool shared) {
  std::vector<std::string> names = {stack + ".embed_tokens.weight"};
  if (shared) {
    names.insert(
        names.end(),
        {"shared.weight", stack == "encoder" ? "decoder.embed_tokens.weight" : "encoder.embed_tokens.weight",
         "/lm_head.weight"});
  }
  return names;
}

std::string name_of(const char* family, const Blueprint& blueprint) {
  return blueprint.target ? fmt::format("{} with {} and {} layers", family, blueprint.encoder.layers,
                                        blueprint.target->decoder.layers)
                          : fmt::format("the encoder of {} with {} layers", family, blueprint.encoder.layers);
}

}  // namespace mog::model
