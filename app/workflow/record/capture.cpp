#include "app/workflow/record/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "io/hdf5/recording/eight_bit_maps.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

constexpr std::array<std::pair<CaptureName, std::string_view>, 7> kNames = {{
    {CaptureName::summary, "summary"},
    {CaptureName::attention, "attention"},
    {CaptureName::gates, "gates"},
    {CaptureName::shares, "shares"},
    {CaptureName::orders, "orders"},
    {CaptureName::hidden, "hidden"},
    {CaptureName::all, "all"},
}};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const auto end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return pieces;
    }
    text.remove_prefix(end + 1);
  }
}

bool is_statistic(const QuantityName& name) {
  return name.reduction() != Reduction::full || (name.of_task() && name.quantity() == Quantity::logits) ||
         name.quantity() == Quantity::graph || name.quantity() == Quantity::self_gate ||
         name.quantity() == Quantity::pooling;
}

bool in_summary(const QuantityName& name) {
  switch (name.quantity()) {
    case Quantity::gate:
    case Quantity::reset:
    case Quantity::input_gate:
    case Quantity::forget_gate:
    case Quantity::output_gate:
    case Quantity::global_gate:
      return name.reduction() == Reduction::mean;
    case Quantity::self_gate:
    case Quantity::pooling:
      return true;
    case Quantity::capsules:
      return name.reduction() == Reduction::norm;
    case Quantity::attention:
    case Quantity::routing:
      return name.reduction() == Reduction::row_entropy || name.reduction() == Reduction::row_max;
    case Quantity::output:
      return name.reduction() == Reduction::share;
    case Quantity::logits:
      return name.of_task();
    default:
      return false;
  }
}

bool is_gate(Quantity quantity) {
  switch (quantity) {
    case Quantity::gate:
    case Quantity::self_gate:
    case Quantity::reset:
    case Quantity::input_gate:
    case Quantity::forget_gate:
    case Quantity::output_gate:
    case Quantity::global_gate:
      return true;
    default:
      return false;
  }
}

bool in_hidden(const QuantityName& name) {
  if (name.reduction() != Reduction::full || name.part() != Part::none) {
    return false;
  }
  return name.quantity() == Quantity::embedding || name.quantity() == Quantity::output ||
         name.quantity() == Quantity::capsules;
}

bool is_of_maps(const QuantityName& name) {
  switch (name.reduction()) {
    case Reduction::mean_heads:
    case Reduction::sink:
    case Reduction::distance:
    case Reduction::top:
    case Reduction::top_key:
      return true;
    default:
      return false;
  }
}

bool wanted(const QuantityName& name, const CaptureSet& set) {
  const Quantity quantity = name.quantity();
  const bool full = name.reduction() == Reduction::full;
  if (set.has(CaptureName::all)) {
    // What can be had from the maps themselves is not kept beside them; a row of the vocabulary for every
    // token and layer is far more than all the rest, and is asked for by name.
    return !is_of_maps(name) && !(full && quantity == Quantity::next_token);
  }
  return (set.has(CaptureName::summary) && in_summary(name)) ||
         (set.has(CaptureName::attention) && full &&
          (quantity == Quantity::attention || quantity == Quantity::carry ||
           quantity == Quantity::routing)) ||
         (set.has(CaptureName::gates) && is_gate(quantity)) ||
         (set.has(CaptureName::shares) && (quantity == Quantity::output || quantity == Quantity::attention) &&
          (name.reduction() == Reduction::share || name.reduction() == Reduction::norm)) ||
         (set.has(CaptureName::hidden) && in_hidden(name));
}

}  // namespace

std::string_view name(CaptureName capture) noexcept {
  for (const auto& [value, text] : kNames) {
    if (value == capture) {
      return text;
    }
  }
  return "";
}

bool CaptureSet::keeps_layer(std::int64_t layer) const {
  return layer == 0 || layers.empty() ||
         std::any_of(layers.begin(), layers.end(),
                     [&](const LayerRange& range) { return range.first <= layer && layer <= range.last; });
}

std::set<CaptureName> parse_captures(std::string_view text) {
  std::set<CaptureName> result;
  if (text == "none") {
    return result;
  }
  for (const std::string_view piece : split(text, ',')) {
    const auto found =
        std::find_if(kNames.begin(), kNames.end(), [&](const auto& entry) { return entry.second == piece; });
    if (found == kNames.end()) {
      throw UsageError(fmt::format(
          "--capture {}: \"{}\" is not a capture; allowed: summary, attention, gates, shares, "
          "orders, hidden, all, separated by commas{}",
          text, piece,
          did_you_mean(piece,
                       {"summary", "attention", "gates", "shares", "orders", "hidden", "all", "none"})));
    }
    result.insert(found->first);
  }
  return result;
}

std::string text(const LayerRange& range) {
  return range.first == range.last ? std::to_string(range.first)
                                   : fmt::format("{}-{}", range.first, range.last);
}

std::vector<LayerRange> parse_layers(std::string_view text) {
  const auto number = [&](std::string_view piece) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), value);
    if (error != std::errc() || end != piece.data() + piece.size() || value < 1) {
      throw UsageError(
          fmt::format("--layers {}: \"{}\" is not a layer; layers count from 1, for example 1-6 or 1,3,5-6",
                      text, piece));
    }
    return value;
  };
  std::vector<LayerRange> result;
  for (const std::string_view piece : split(text, ',')) {
    const auto dash = piece.find('-');
    LayerRange range;
    range.first = number(piece.substr(0, dash));
    range.last = dash == std::string_view::npos ? range.first : number(piece.substr(dash + 1));
    if (range.last < range.first) {
      throw UsageError(fmt::format("--layers {}: \"{}\" ends before it begins", text, piece));
    }
    result.push_back(range);
  }
  return result;
}

DType CaptureSet::store_of(const QuantitySchema& schema) const {
  return store != DType::uint8 || io::fits_eight_bits(schema) ? store : DType::float16;
}

std::vector<QuantitySchema> select_quantities(std::span<const QuantitySchema> offered, const CaptureSet& set,
                                              bool decoder) {
  std::int64_t deepest = 0;
  for (const QuantitySchema& schema : offered) {
    if (!schema.of_target()) {
      deepest = std::max(deepest, schema.name.layer());
    }
  }
  for (const LayerRange& range : set.layers) {
    if (range.last > deepest) {
      throw UsageError(fmt::format("--layers {}: the encoder has {}, counted from 1", text(range),
                                   counted(deepest, "layer")));
    }
  }
  std::vector<QuantitySchema> result;
  for (const QuantitySchema& schema : offered) {
    const bool of_decoder = schema.of_target();
    // The encoder's layer range does not cut the decoder, which may be shallower.
    if ((of_decoder && !decoder) || schema.name.quantity() == Quantity::order ||
        (!of_decoder && !set.keeps_layer(schema.name.layer())) || !wanted(schema.name, set)) {
      continue;
    }
    result.push_back(schema);
    result.back().dtype = is_statistic(schema.name) ? DType::float32 : set.store_of(schema);
  }
  std::sort(result.begin(), result.end(),
            [](const QuantitySchema& left, const QuantitySchema& right) { return left.name < right.name; });
  return result;
}

}  // namespace mog::app
