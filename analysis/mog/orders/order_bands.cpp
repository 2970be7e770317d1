#include "analysis/mog/orders/order_bands.h"

#include <fmt/format.h>

#include "io/recording/errors.h"

namespace mog::analysis {

std::string_view name(BandKind kind) noexcept {
  return kind == BandKind::exact ? "exact" : "nominal";
}

std::optional<OrderBand> order_band(std::int64_t layer, Part part, BandKind kind) {
  if (!part.attends() && part.role() != PartRole::carried) {
    throw UsageError(fmt::format("order bands: {} is no part of an encoder layer", mog::name(part)));
  }
  return order_band(layer, part.description().order, kind);
}

std::optional<OrderBand> order_band(std::int64_t layer, OrderGroup group, BandKind kind) {
  constexpr std::int64_t kMostLayers = 60;
  if (layer < 1 || layer > kMostLayers) {
    throw UsageError(
        fmt::format("order bands: layer {} is not allowed; allowed are 1 to {}", layer, kMostLayers));
  }
  const auto power = [](std::int64_t exponent) { return std::int64_t{1} << exponent; };
  const bool exact = kind == BandKind::exact;
  const bool first = layer == 1;
  switch (group) {
    case OrderGroup::high:
      // Both operands are made by the layer before, which makes nothing smaller than `layer` words.
      return OrderBand{exact ? 2 * layer : power(layer - 1), power(layer)};
    case OrderGroup::middle:
      if (first) {
        return std::nullopt;
      }
      return exact ? OrderBand{layer + 1, 3 * power(layer - 2)}
                   : OrderBand{power(layer - 2), power(layer - 1)};
    case OrderGroup::low:
      return first ? std::nullopt : std::optional(OrderBand{1, power(layer - 2)});
    case OrderGroup::any:
      break;
  }
  return OrderBand{1, power(layer)};
}

}  // namespace mog::analysis
