// Where a value lies on a scale of colours.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figure_data/figure_data.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

constexpr std::string_view kRootText = "colours by square root";

}  // namespace

std::string_view name(ColourScale::Spacing spacing) noexcept {
  return spacing == ColourScale::Spacing::root ? "root" : "even";
}

ColourScale::Spacing parse_spacing(std::string_view text) {
  for (const auto spacing : {ColourScale::Spacing::even, ColourScale::Spacing::root}) {
    if (text == name(spacing)) {
      return spacing;
    }
  }
  throw unknown_choice("--colours", text, {"even", "root"});
}

double ColourScale::place(double value) const {
  const double span = high - low;
  if (!(span > 0)) {
    return 0.5;
  }
  const double even = (value - low) / span;
  return spacing == Spacing::root ? std::sqrt(std::max(even, 0.0)) : even;
}

bool set_spacing(FigureData& figure, ColourScale::Spacing spacing) {
  if (auto* const panels = std::get_if<PanelFigure>(&figure.body)) {
    bool any = false;
    for (FigureData& panel : panels->panels) {
      any |= set_spacing(panel, spacing);
    }
    return any;
  }
  auto* const map = std::get_if<HeatMap>(&figure.body);
  if (map == nullptr || map->scale.kind != ColourScale::Kind::sequential || map->scale.low != 0) {
    return false;
  }
  if (map->scale.spacing != spacing) {
    map->scale.spacing = spacing;
    std::string& said = map->scale.quantity.averaged;
    if (spacing == ColourScale::Spacing::root) {
      said += (said.empty() ? "" : ", ") + std::string(kRootText);
    } else {
      const std::size_t at = said.size() - kRootText.size();
      said.resize(at >= 2 ? at - 2 : 0);
    }
  }
  return true;
}

}  // namespace mog::analysis
