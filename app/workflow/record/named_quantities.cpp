#include "app/workflow/record/named_quantities.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/attribution/quantities.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "model/model.h"

namespace mog::app {
namespace {

bool is_large(const QuantitySchema& schema) {
  return std::any_of(schema.axes.begin(), schema.axes.end(), [](Axis axis) {
    return axis == Axis::key || axis == Axis::target_key || axis == Axis::source || axis == Axis::d_model ||
           axis == Axis::context || axis == Axis::context_bias || axis == Axis::leaves;
  });
}

// Adds what matches; whether anything did, on any layer.
bool take(std::string_view pattern, std::span<const QuantitySchema> offered, const CaptureSet& set,
          std::vector<QuantitySchema>& chosen) {
  bool found = false;
  for (const QuantitySchema& schema : offered) {
    if (!matches_name(pattern, schema.name.text())) {
      continue;
    }
    found = true;
    const bool known = std::any_of(chosen.begin(), chosen.end(),
                                   [&](const QuantitySchema& entry) { return entry.name == schema.name; });
    if (known || !set.keeps_layer(schema.name.layer())) {
      continue;
    }
    chosen.push_back(schema);
    const bool exact = set.store == DType::float64;
    chosen.back().dtype = is_large(schema) || exact ? set.store_of(schema) : DType::float32;
  }
  return found;
}

// "encoder.3.split.norm" → "encoder.*.split.norm".
std::string of_any_layer(std::string_view name) {
  std::string result;
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t dot = std::min(name.find('.', begin), name.size());
    const std::string_view piece = name.substr(begin, dot - begin);
    const bool number = !piece.empty() && piece.find_first_not_of("0123456789") == std::string_view::npos;
    result += (begin == 0 ? "" : ".") + (number ? std::string("*") : std::string(piece));
    begin = dot + 1;
  }
  return result;
}

[[noreturn]] void refuse(std::string_view pattern, const model::ModelConfig& config) {
  const model::ModelConfig plain = model::decomposable_twin(config);  // would it have it?
  const auto would = [&](std::span<const QuantitySchema> offered) {
    return std::any_of(offered.begin(), offered.end(), [&](const QuantitySchema& schema) {
      return matches_name(pattern, schema.name.text());
    });
  };
  const std::string reason = model::why_no_decompositions(config);
  if (!reason.empty() && would(model::decoder_decompositions(plain))) {
    throw UsageError(fmt::format(
        "--quantity {}: it goes through the encoder to the source tokens, and {}; by position of the "
        "encoder's output there are decoder.memory_contribution and decoder.memory_alti",
        pattern, reason));
  }
  if (!reason.empty() && (would(model::decomposition_quantities(plain)) ||
                          would(analysis::attribution_quantities(model::system_of(config).main())))) {
    throw UsageError(fmt::format("--quantity {}: {}", pattern, reason));
  }
  std::set<std::string> names;
  const auto add = [&](std::span<const QuantitySchema> offered) {
    for (const QuantitySchema& schema : offered) {
      names.insert(of_any_layer(schema.name.text()));
    }
  };
  add(model::quantities(config));
  add(model::decoder_decompositions(config));
  if (const auto exact = model::decomposition_quantities(config); !exact.empty()) {
    add(exact);
    add(analysis::attribution_quantities(model::system_of(config).main()));
  }
  std::string near;
  if (names.contains(of_any_layer(pattern))) {
    near = fmt::format("layers are 1 to {}; ", config.encoder.layers);
  } else if (const std::vector<std::string> found =
                 nearest_names(of_any_layer(pattern), std::vector(names.begin(), names.end()));
             !found.empty()) {
    near = fmt::format("did you mean {}? ", fmt::join(found, " or "));
  }
  throw UsageError(fmt::format(
      "--quantity {}: this model has no such quantity; {}the names are in docs/quantities.md, * stands "
      "for any piece of one (an example is 'encoder.*.split.norm')",
      pattern, near));
}

void sort(std::vector<QuantitySchema>& schemas) {
  std::sort(schemas.begin(), schemas.end(),
            [](const QuantitySchema& left, const QuantitySchema& right) { return left.name < right.name; });
}

}  // namespace

// * stands for any characters but a dot.
bool matches_name(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) {
    return text.empty();
  }
  if (pattern.front() != '*') {
    return !text.empty() && text.front() == pattern.front() &&
           matches_name(pattern.substr(1), text.substr(1));
  }
  for (std::size_t taken = 0; taken <= text.size(); ++taken) {
    if (matches_name(pattern.substr(1), text.substr(taken))) {
      return true;
    }
    if (taken < text.size() && text[taken] == '.') {
      break;
    }
  }
  return false;
}

std::vector<std::string> parse_patterns(std::string_view text) {
  std::vector<std::string> patterns;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view piece = text.substr(0, comma);
    if (piece.empty()) {
      throw UsageError("--quantity: a name is empty; write them with commas between");
    }
    patterns.emplace_back(piece);
    if (comma == std::string_view::npos) {
      return patterns;
    }
    text.remove_prefix(comma + 1);
  }
}

NamedQuantities select_named(std::span<const std::string> patterns, const model::ModelConfig& config,
                             const CaptureSet& set) {
  const std::vector<QuantitySchema> basic = model::quantities(config);
  const std::vector<QuantitySchema> exact = model::decomposition_quantities(config);
  const std::vector<QuantitySchema> of_decoder = model::decoder_decompositions(config);
  const std::vector<QuantitySchema> derived =
      exact.empty() ? std::vector<QuantitySchema>()
                    : analysis::attribution_quantities(model::system_of(config).main());
  NamedQuantities chosen;
  for (const std::string& pattern : patterns) {
    const bool of_model = take(pattern, basic, set, chosen.of_model);
    const bool decomposed = take(pattern, exact, set, chosen.of_model);
    const bool translated = take(pattern, of_decoder, set, chosen.of_model);
    const bool attributed = take(pattern, derived, set, chosen.attributions);
    if (!of_model && !decomposed && !translated && !attributed) {
      refuse(pattern, config);
    }
  }
  sort(chosen.of_model);
  sort(chosen.attributions);
  return chosen;
}

}  // namespace mog::app
