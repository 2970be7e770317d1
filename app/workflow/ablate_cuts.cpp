#include "app/workflow/ablate_cuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "app/workflow/text_format.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

constexpr std::array<std::pair<Cut, std::string_view>, 17> kCuts = {
    {{Cut::high, "high"},
     {Cut::middle1, "middle1"},
     {Cut::middle2, "middle2"},
     {Cut::low, "low"},
     {Cut::full, "full"},
     {Cut::fresh, "new"},
     {Cut::block, "block"},
     {Cut::below, "below"},
     {Cut::recurrent, "recurrent"},
     {Cut::forward, "forward"},
     {Cut::forward_below, "forward_below"},
     {Cut::forward_recurrent, "forward_recurrent"},
     {Cut::backward, "backward"},
     {Cut::backward_below, "backward_below"},
     {Cut::backward_recurrent, "backward_recurrent"},
     {Cut::layer, "layer"},
     {Cut::gate, "gate"}}};

std::vector<Cut> recurrent_cuts(const model::EncoderConfig& encoder, std::int64_t layer) {
  std::vector<Cut> cuts = {Cut::below, Cut::recurrent};
  if (encoder.bidirectional) {
    cuts = {Cut::forward,  Cut::forward_below,  Cut::forward_recurrent,
            Cut::backward, Cut::backward_below, Cut::backward_recurrent};
  }
  if (encoder.input_width(layer) == encoder.d_model) {
    cuts.push_back(Cut::layer);
  }
  if (encoder.kind == model::EncoderKind::gru) {
    cuts.push_back(Cut::gate);  // an LSTM has no single gate
  }
  return cuts;
}

// Cuts that a layer has too, where somebody asks for them.
std::vector<Cut> further_cuts(const model::EncoderConfig& encoder, std::int64_t layer) {
  std::vector<Cut> cuts;
  if (!encoder.recurrent() && !encoder.has_groups(layer)) {
    cuts.push_back(Cut::block);  // the same as the one part
  }
  if (encoder.has_groups(layer) && encoder.fusion == model::Fusion::weight_gate) {
    cuts.push_back(Cut::gate);
  }
  return cuts;
}

std::vector<Cut> cuts_of(const model::EncoderConfig& encoder, std::int64_t layer) {
  if (encoder.recurrent()) {
    return recurrent_cuts(encoder, layer);
  }
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
    case Cut::below:
      return {Part::below};
    case Cut::recurrent:
      return {Part::recurrent};
    case Cut::forward:
      return {Part::forward};
    case Cut::forward_below:
      return {Part::forward_below};
    case Cut::forward_recurrent:
      return {Part::forward_recurrent};
    case Cut::backward:
      return {Part::backward};
    case Cut::backward_below:
      return {Part::backward_below};
    case Cut::backward_recurrent:
      return {Part::backward_recurrent};
    case Cut::block:
    case Cut::layer:
    case Cut::gate:
      break;
  }
  return {};
}

std::vector<CutTarget> cut_targets(const model::EncoderConfig& encoder, const AblateOptions& options) {
  CaptureSet chosen;
  chosen.layers = options.layers;
  for (const LayerRange& range : options.layers) {
    if (range.last > encoder.layers) {
      throw UsageError(fmt::format("--layers {}: the encoder has {}, counted from 1", text(range),
                                   counted(encoder.layers, "layer")));
    }
  }
  std::vector<CutTarget> targets;
  for (std::int64_t layer = 1; layer <= encoder.layers; ++layer) {
    if (!chosen.keeps_layer(layer)) {
      continue;
    }
    if (options.cuts.empty() && (options.heads || !options.terms.empty())) {
      break;
    }
    std::vector<Cut> possible = cuts_of(encoder, layer);
    if (!options.cuts.empty()) {
      const std::vector<Cut> further = further_cuts(encoder, layer);
      possible.insert(possible.end(), further.begin(), further.end());
    }
    for (const Cut cut : possible) {
      const bool wanted = options.cuts.empty() ||
                          std::find(options.cuts.begin(), options.cuts.end(), cut) != options.cuts.end();
      if (!wanted) {
        continue;
      }
      CutTarget target{.layer = layer,
                       .cut = cut,
                       .factor = cut == Cut::gate ? options.gate : options.factor,
                       .last_layer = layer,
                       .interventions = {}};
      for (const Part part : parts_of(cut)) {
        target.interventions.push_back(model::ScalePart{layer, part, options.factor});
      }
      if (cut == Cut::block || cut == Cut::layer) {
        target.interventions.push_back(model::ScaleLayer{layer, options.factor});
      } else if (cut == Cut::gate) {
        target.interventions.push_back(model::SetGate{layer, std::nullopt, std::nullopt, options.gate});
      }
      targets.push_back(std::move(target));
    }
  }
  for (auto* const more : {&head_targets, &term_targets}) {
    std::vector<CutTarget> found = more(encoder, options, chosen);
    targets.insert(targets.end(), std::make_move_iterator(found.begin()),
                   std::make_move_iterator(found.end()));
  }
  if (options.together) {
    targets = joined_layers(std::move(targets));
  }
  if (targets.empty()) {
    std::string possible;
    for (std::int64_t layer = 1; layer <= encoder.layers; ++layer) {
      std::vector<Cut> of_layer = cuts_of(encoder, layer);
      const std::vector<Cut> further = further_cuts(encoder, layer);
      of_layer.insert(of_layer.end(), further.begin(), further.end());
      std::string names;
      for (const Cut cut : of_layer) {
        names += (names.empty() ? "" : ", ") + std::string(name(cut));
      }
      if (layer == 1 || !possible.ends_with(names)) {
        possible += fmt::format("{}from layer {} on {}", possible.empty() ? "" : "; ", layer, names);
      }
    }
    throw UsageError(
        fmt::format("ablating: none of the layers asked for has such a part; this encoder has {}", possible));
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
      std::vector<std::string> allowed;
      for (const auto& [cut, word] : kCuts) {
        allowed.emplace_back(word);
      }
      throw UsageError(fmt::format("--parts: \"{}\" is no part; allowed are {}, commas between{}", piece,
                                   joined(allowed, ", "), did_you_mean(piece, allowed)));
    }
    cuts.push_back(found->first);
    if (comma == std::string_view::npos) {
      return cuts;
    }
    text.remove_prefix(comma + 1);
  }
}

}  // namespace mog::app
