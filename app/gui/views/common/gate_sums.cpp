#include "app/gui/views/common/gate_sums.h"

#include <algorithm>

namespace mog::gui {

GateSums gate_sums(const RecordingSource& source, std::int64_t first, std::int64_t count,
                   std::int64_t tokens) {
  GateSums result;
  for (const QuantitySchema& schema : source.header().quantities) {
    const QuantityName& name = schema.name;
    if (name.stack() != source.header().stack().stack || name.part() != Part::none ||
        name.quantity() != Quantity::gate || name.layer() == 0) {
      continue;
    }
    const bool mean = name.reduction() == Reduction::mean;
    if (!mean && (name.reduction() != Reduction::full ||
                  source.header().find(name.with(Reduction::mean)) != nullptr)) {
      continue;
    }
    const std::vector<float> values = source.read_packed(first, count, name).to_floats();
    const std::size_t width = tokens == 0 ? 0 : values.size() / static_cast<std::size_t>(tokens);
    if (width == 0) {
      continue;
    }
    result.sums.resize(static_cast<std::size_t>(tokens));
    for (std::size_t token = 0; token < result.sums.size(); ++token) {
      double sum = 0;
      for (std::size_t d = 0; d < width; ++d) {
        sum += static_cast<double>(values[token * width + d]);
      }
      result.sums[token] += sum / static_cast<double>(width);
    }
    const std::int64_t layer = name.layer();
    result.first_layer = result.layers == 0 ? layer : std::min(result.first_layer, layer);
    result.last_layer = std::max(result.last_layer, layer);
    ++result.layers;
  }
  return result;
}

}  // namespace mog::gui
