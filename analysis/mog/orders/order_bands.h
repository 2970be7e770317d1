// Which orders each part of a layer can make: bands by disjoint joins, self entries not counted, before the
// cap at the length of the sentence (MoG paper §3.2; docs/glossary.md, band).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "io/recording/part.h"

namespace mog::analysis {

struct OrderBand {
  std::int64_t low = 1;
  std::int64_t high = 1;
  bool holds(std::int64_t order) const noexcept { return order >= low && order <= high; }
  friend bool operator==(const OrderBand&, const OrderBand&) = default;
};

// exact: every order in it is reached, no other is. nominal: as the paper prints it; wrong for the middle
// parts, which reach further.
enum class BandKind : std::uint8_t { exact, nominal };
std::string_view name(BandKind kind) noexcept;  // "exact", "nominal"

// Of a group of orders of a layer: high, middle (both parts have the same) or low; any: 1 to 2^layer. Nothing
// where the group is empty: middle and low of layer 1. Throws UsageError for layers outside 1..60, and for
// parts that neither attend nor are carried.
std::optional<OrderBand> order_band(std::int64_t layer, OrderGroup group, BandKind kind);
std::optional<OrderBand> order_band(std::int64_t layer, Part part, BandKind kind);

}  // namespace mog::analysis
