// Where a value lies on a scale of colours.
#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/figure_data/figure_data.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

using Colouring = ColourScale::Colouring;

constexpr std::string_view kRootText = "colours by square root";
constexpr std::array kColourings = {Colouring::power, Colouring::root, Colouring::even, Colouring::cividis};

double power_of(Colouring colouring) {
  switch (colouring) {
    case Colouring::even:
      return 1;
    case Colouring::root:
      return 0.5;
    case Colouring::power:
    case Colouring::cividis:
      return 0.6;
  }
  return 1;
}

// Adds or takes away what the scale's title says of its colours.
void say(std::string& said, Colouring before, Colouring now) {
  if (before == Colouring::root) {
    const std::size_t at = said.size() - kRootText.size();
    said.resize(at >= 2 ? at - 2 : 0);
  }
  if (now == Colouring::root) {
    said += (said.empty() ? "" : ", ") + std::string(kRootText);
  }
}

}  // namespace

std::string_view name(ColourScale::Colouring colouring) noexcept {
  switch (colouring) {
    case Colouring::even:
      return "even";
    case Colouring::root:
      return "root";
    case Colouring::power:
      return "power";
    case Colouring::cividis:
      return "cividis";
  }
  return "even";
}

ColourScale::Colouring parse_colouring(std::string_view text) {
  for (const Colouring colouring : kColourings) {
    if (text == name(colouring)) {
      return colouring;
    }
  }
  throw unknown_choice("--colours", text, {"power", "root", "even", "cividis"});
}

double ColourScale::place(double value) const {
  const double span = high - low;
  if (!(span > 0)) {
    return 0.5;
  }
  const double even = (value - low) / span;
  return colouring == Colouring::even ? even : std::pow(std::max(even, 0.0), power_of(colouring));
}

double ColourScale::at(double place) const {
  return low + (high - low) * std::pow(place, 1 / power_of(colouring));
}

bool set_colouring(FigureData& figure, ColourScale::Colouring colouring) {
  if (auto* const panels = std::get_if<PanelFigure>(&figure.body)) {
    bool any = false;
    for (FigureData& panel : panels->panels) {
      any |= set_colouring(panel, colouring);
    }
    return any;
  }
  auto* const map = std::get_if<HeatMap>(&figure.body);
  if (map == nullptr || map->scale.kind != ColourScale::Kind::sequential || map->scale.low != 0) {
    return false;
  }
  if (map->scale.colouring != colouring) {
    say(map->scale.quantity.averaged, map->scale.colouring, colouring);
    map->scale.colouring = colouring;
  }
  return true;
}

}  // namespace mog::analysis
