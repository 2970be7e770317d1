#include "model/patching.h"

#include <algorithm>
#include <array>
#include <utility>

#include "io/recording/errors.h"
#include "io/recording/named_values.h"

namespace mog::model {
namespace {

constexpr std::array kPlaces = {std::pair{PatchPlace::residual, std::string_view("residual")},
                                std::pair{PatchPlace::attention, std::string_view("attention")},
                                std::pair{PatchPlace::feed_forward, std::string_view("feed_forward")},
                                std::pair{PatchPlace::head, std::string_view("head")}};

// Parts of a layer that have heads.
std::vector<Part> parts_with_heads(const EncoderConfig& encoder, std::int64_t layer) {
  if (encoder.has_groups(layer)) {
    return {Part::high, Part::middle1, Part::middle2};
  }
  return {encoder.graph() ? Part::high : Part::full};
}

}  // namespace

std::string_view name(PatchPlace place) noexcept {
  return kPlaces[static_cast<std::size_t>(place)].second;
}

std::optional<PatchPlace> find_patch_place(std::string_view text) noexcept {
  return find_in(kPlaces, text);
}

std::vector<PatchPlace> patch_places() {
  return {PatchPlace::residual, PatchPlace::attention, PatchPlace::feed_forward, PatchPlace::head};
}

const Patching& patching_of(const Model& model) {
  const auto* const patching = dynamic_cast<const Patching*>(&model);
  if (patching == nullptr) {
    throw UsageError("patching the model " + model.card().name +
                     ": its activations cannot be replaced; use --precision float32 or float64, or bfloat16 "
                     "with --method exact");
  }
  return *patching;
}

std::vector<PatchSite> patch_sites(const ModelConfig& config, PatchPlace place, std::int64_t tokens,
                                   bool by_token) {
  const EncoderConfig& encoder = config.encoder;
  std::vector<PatchSite> sites;
  if (encoder.recurrent() && place != PatchPlace::residual) {
    return sites;
  }
  const auto add = [&](PatchSite site) {
    if (!by_token) {
      sites.push_back(site);
      return;
    }
    for (std::int64_t token = 0; token < tokens; ++token) {
      site.token = token;
      sites.push_back(site);
    }
  };
  for (std::int64_t layer = place == PatchPlace::residual ? 0 : 1; layer <= encoder.layers; ++layer) {
    if (place != PatchPlace::head) {
      add({.place = place, .layer = layer});
      continue;
    }
    for (const Part part : parts_with_heads(encoder, layer)) {
      for (std::int64_t head = 1; head <= encoder.heads; ++head) {
        add({.place = place, .layer = layer, .part = part, .head = head});
      }
    }
  }
  return sites;
}

}  // namespace mog::model
