#include "io/recording/top_keys.h"

#include <fmt/format.h>

namespace mog {

std::int64_t top_keys_held(const RecordingHeader& header) noexcept {
  for (const QuantitySchema& schema : header.quantities) {
    if (schema.name.quantity() == Quantity::attention && schema.name.reduction() == Reduction::top &&
        !schema.extents.empty() && header.find(schema.name.with(Reduction::rest)) != nullptr) {
      return schema.extents.back();
    }
  }
  return 0;
}

std::string only_top_keys(const RecordingHeader& header) {
  const std::int64_t held = top_keys_held(header);
  return held == 0 ? ""
                   : fmt::format(
                         "; of its attention it holds the {} greatest weights of each row alone "
                         "(--store-top-k), which are no map: record again without that option",
                         held);
}

}  // namespace mog
