#include "model/logit_attribution.h"

#include <array>

#include "io/recording/errors.h"

namespace mog::model {

std::string_view name(LogitPart part) noexcept {
  constexpr std::array<std::string_view, 6> kNames = {"embedding",    "head",      "attention_bias",
                                                      "feed_forward", "norm_bias", "output_bias"};
  return kNames[static_cast<std::size_t>(part)];
}

const LogitAttribution& logit_attribution_of(const Model& model) {
  const auto* const attribution = dynamic_cast<const LogitAttribution*>(&model);
  if (attribution == nullptr) {
    throw UsageError("taking a logit of the model " + model.card().name +
                     " apart: it gives no parts; use --precision float32 or float64");
  }
  return *attribution;
}

}  // namespace mog::model
