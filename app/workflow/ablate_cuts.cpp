#include "app/workflow/ablate_cuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr std::array<std::pair<Cut, std::string_view>, 7> kCuts = {{{Cut::high, "high"},
                                                                    {Cut::middle1, "middle1"},
                                                                    {Cut::middle2, "middle2"},
                                                                    {Cut::low, "low"},
                                                                    {Cut::full, "full"},
                                                                    {Cut::fresh, "new"},
                                                                    {Cut::block, "block"}}};

std::vector<Cut> cuts_of(const model::EncoderConfig& encoder, std::int64_t layer) {
  if (!encoder.graph()) {
    return {Cut::full};
  }
  if (!encoder.has_groups(layer)) {
    return {Cut::high};
  }
  return {Cut::high, Cut::middle1, Cut::middle2, Cut::low, Cut::fresh, Cut::block};
}

}  // namespace

std::vector<Part> parts_of(Cut cut) {
  switch (cut) {
    case Cut::high:
      return {Part::high};
    case Cut::middle1:
      return {Part::middle1};
    case Cut::middle2:
      return {Part::middle2};
    case Cut::low:
      return {Part::low};
    case Cut::full:
      return {Part::full};
    case Cut::fresh:
      return {Part::high, Part::middle1, Part::middle2};
    case Cut::block:
      break;
  }
  return {};
}

std::vector<CutTarget> cut_targets(const model::EncoderConfig& encoder, const AblateOptions& options) {
  if (encoder.recurrent()) {
    throw UsageError(
        "ablating: this encoder is recurrent (GRU or LSTM); its layers have no parts or blocks beside a "
        "residual that could be cut");
  }
  CaptureSet chosen;
  chosen.layers = options.layers;
  for (const LayerRange& range : options.layers) {
    if (range.last > encoder.layers) {
      throw UsageError(fmt::format("--layers {}-{}: the encoder has {} layers, counted from 1", range.first,
                                   range.last, encoder.layers));
    }
  }
  std::vector<CutTarget> targets;
  for (std::int64_t layer = 1; layer <= encoder.layers; ++layer) {
    if (!chosen.keeps_layer(layer)) {
      continue;
    }
    std::vector<Cut> possible = cuts_of(encoder, layer);
    const bool has_block = std::find(possible.begin(), possible.end(), Cut::block) != possible.end();
    if (!options.cuts.empty() && !has_block) {
      possible.push_back(Cut::block);  // the same as the one part, but one may ask for it
    }
    for (const Cut cut : possible) {
      const bool wanted = options.cuts.empty() ||
                          std::find(options.cuts.begin(), options.cuts.end(), cut) != options.cuts.end();
      if (!wanted) {
        continue;
      }
      CutTarget target{layer, cut, {}};
      for (const Part part : parts_of(cut)) {
        target.interventions.push_back(model::ScalePart{layer, part, options.factor});
      }
      if (cut == Cut::block) {
        target.interventions.push_back(model::ScaleLayer{layer, options.factor});
      }
      targets.push_back(std::move(target));
    }
  }
  if (targets.empty()) {
    throw UsageError(
        fmt::format("ablating: none of the layers asked for has such a part; this encoder has {}",
                    !encoder.graph() ? "full and block"
                                     : "high, middle1, middle2, low, new and block (high and block alone "
                                       "in a plain first layer)"));
  }
  return targets;
}

std::string_view name(Cut cut) noexcept {
  for (const auto& [value, text] : kCuts) {
    if (value == cut) {
      return text;
    }
  }
  return "";
}

std::vector<Cut> parse_cuts(std::string_view text) {
  std::vector<Cut> cuts;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view piece = text.substr(0, comma);
    const auto found =
        std::find_if(kCuts.begin(), kCuts.end(), [&](const auto& entry) { return entry.second == piece; });
    if (found == kCuts.end()) {
      throw UsageError(
          fmt::format("--parts: \"{}\" is no part; allowed are high, middle1, middle2, low, full, new, "
                      "block, commas between",
                      piece));
    }
    cuts.push_back(found->first);
    if (comma == std::string_view::npos) {
      return cuts;
    }
    text.remove_prefix(comma + 1);
  }
}

}  // namespace mog::app
