#include "app/workflow/effects/ablate_cuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "app/workflow/common/text_format.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

constexpr std::array<std::pair<Cut::Kind, std::string_view>, 7> kWholes = {
    {{Cut::Kind::fresh, "new"},
     {Cut::Kind::block, "block"},
     {Cut::Kind::feed_forward, "feed_forward"},
     {Cut::Kind::layer, "layer"},
     {Cut::Kind::gate, "gate"},
     {Cut::Kind::global, "global"},
     {Cut::Kind::capsules, "capsules"}}};

bool groups(const StackDescription& stack, std::int64_t layer) {
  return stack.has_groups() && !(stack.plain_first_layer && layer == 1);
}

// What a layer has that is cut when nobody chooses.
std::vector<Cut> cuts_of(const model::Model& model, const StackDescription& stack, std::int64_t layer) {
  const std::vector<Part> parts = stack.parts_of(layer);
  std::vector<Cut> cuts(parts.begin(), parts.end());
  if (stack.recurrent()) {
    if (model.config().encoder.input_width(layer) == model.config().encoder.d_model) {
      cuts.emplace_back(Cut::Kind::layer);
    }
    if (stack.gate == GateKind::update) {
      cuts.emplace_back(Cut::Kind::gate);  // where there are two gates, none is the one
    }
  } else if (groups(stack, layer)) {
    cuts.emplace_back(Cut::Kind::fresh);
    cuts.emplace_back(Cut::Kind::block);
  }
  return cuts;
}

// Cuts that a layer has too, where somebody asks for them.
std::vector<Cut> further_cuts(const StackDescription& stack, std::int64_t layer) {
  std::vector<Cut> cuts;
  if (!stack.recurrent() && !groups(stack, layer)) {
    cuts.emplace_back(Cut::Kind::block);  // the same as the one part
  }
  if (!stack.recurrent()) {
    cuts.emplace_back(Cut::Kind::feed_forward);
  }
  if (groups(stack, layer) && stack.gate == GateKind::weight) {
    cuts.emplace_back(Cut::Kind::gate);
  }
  return cuts;
}

// Of a global representation, where they are asked for. Throws UsageError without one or without
// translations: it acts on the decoder alone.
std::vector<CutTarget> global_targets(const model::Model& model, const AblateOptions& options,
                                      const CaptureSet& chosen) {
  const auto asked = [&](Cut::Kind kind) {
    return std::find(options.cuts.begin(), options.cuts.end(), Cut(kind)) != options.cuts.end();
  };
  const bool global = asked(Cut::Kind::global);
  const bool capsules = asked(Cut::Kind::capsules);
  std::vector<CutTarget> targets;
  if (!global && !capsules) {
    return targets;
  }
  if (!model.config().gret) {
    throw UsageError("ablating: the model has no global representation (gret) to cut");
  }
  if (options.target.empty()) {
    throw UsageError(
        "ablating: the global representation changes the decoder alone; give translations of the text with "
        "--target");
  }
  const std::int64_t layers = model.config().encoder.layers;
  for (std::int64_t layer = 1; capsules && layer <= layers; ++layer) {
    for (std::int64_t capsule = 1; chosen.keeps_layer(layer) && capsule <= model.config().gret->capsules;
         ++capsule) {
      targets.push_back({.layer = layer,
                         .cut = Cut::Kind::capsules,
                         .factor = options.factor,
                         .last_layer = layer,
                         .head = capsule,
                         .interventions = {model::ScaleCapsule{layer, capsule, options.factor}}});
    }
  }
  if (global) {
    targets.push_back({.layer = 1,
                       .cut = Cut::Kind::global,
                       .factor = options.factor,
                       .last_layer = layers,
                       .interventions = {model::ScaleGlobal{options.factor}}});
  }
  return targets;
}

}  // namespace

std::vector<Part> parts_of(Cut cut, const StackDescription& stack, std::int64_t layer) {
  if (cut.kind == Cut::Kind::part) {
    return {cut.part};
  }
  std::vector<Part> parts;
  if (cut.kind == Cut::Kind::fresh) {
    parts = stack.parts_of(layer);
    std::erase_if(parts, [](Part part) { return !part.attends(); });
  }
  return parts;
}

std::vector<CutTarget> cut_targets(const model::Model& model, const AblateOptions& options) {
  const SystemDescription system = model.system();
  const StackDescription& stack = system.main();
  CaptureSet chosen;
  chosen.layers = options.layers;
  for (const LayerRange& range : options.layers) {
    if (range.last > stack.layers) {
      throw UsageError(fmt::format("--layers {}: the encoder has {}, counted from 1", text(range),
                                   counted(stack.layers, "layer")));
    }
  }
  std::vector<CutTarget> targets;
  for (std::int64_t layer = 1; layer <= stack.layers; ++layer) {
    if (!chosen.keeps_layer(layer)) {
      continue;
    }
    if (options.cuts.empty() && (options.heads || !options.terms.empty() || !options.graph_terms.empty())) {
      break;
    }
    std::vector<Cut> possible = cuts_of(model, stack, layer);
    if (!options.cuts.empty()) {
      const std::vector<Cut> further = further_cuts(stack, layer);
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
                       .factor = cut.kind == Cut::Kind::gate ? options.gate : options.factor,
                       .last_layer = layer,
                       .interventions = {}};
      for (const Part part : parts_of(cut, stack, layer)) {
        target.interventions.push_back(model::ScalePart{layer, part, options.factor});
      }
      if (cut.kind == Cut::Kind::block || cut.kind == Cut::Kind::layer) {
        target.interventions.push_back(model::ScaleLayer{layer, options.factor});
      } else if (cut.kind == Cut::Kind::feed_forward) {
        target.interventions.push_back(model::ScaleFeedForward{layer, options.factor});
      } else if (cut.kind == Cut::Kind::gate) {
        target.interventions.push_back(model::SetGate{layer, std::nullopt, std::nullopt, options.gate});
      }
      targets.push_back(std::move(target));
    }
  }
  for (auto* const more : {&global_targets, &head_targets, &term_targets, &graph_term_targets}) {
    std::vector<CutTarget> found = more(model, options, chosen);
    targets.insert(targets.end(), std::make_move_iterator(found.begin()),
                   std::make_move_iterator(found.end()));
  }
  if (options.together) {
    targets = joined_layers(std::move(targets));
  }
  if (targets.empty()) {
    std::string possible;
    for (std::int64_t layer = 1; layer <= stack.layers; ++layer) {
      std::vector<Cut> of_layer = cuts_of(model, stack, layer);
      const std::vector<Cut> further = further_cuts(stack, layer);
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
  const auto found = std::find_if(kWholes.begin(), kWholes.end(),
                                  [&](const auto& entry) { return entry.first == cut.kind; });
  return found == kWholes.end() ? mog::name(cut.part) : found->second;
}

std::vector<Cut> parse_cuts(std::string_view text) {
  std::vector<Cut> cuts;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view piece = text.substr(0, comma);
    const auto found = std::find_if(kWholes.begin(), kWholes.end(),
                                    [&](const auto& entry) { return entry.second == piece; });
    if (found != kWholes.end()) {
      cuts.emplace_back(found->first);
    } else if (const auto part = Part::find(piece)) {
      cuts.emplace_back(*part);
    } else {
      std::vector<std::string> allowed = Part::names();
      for (const auto& [kind, word] : kWholes) {
        allowed.emplace_back(word);
      }
      throw UsageError(fmt::format("--parts: \"{}\" is no part; allowed are {}, commas between{}", piece,
                                   joined(allowed, ", "), did_you_mean(piece, allowed)));
    }
    if (comma == std::string_view::npos) {
      return cuts;
    }
    text.remove_prefix(comma + 1);
  }
}

}  // namespace mog::app
