#include "analysis/figure_data/axis_limits.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

// Whether `set` took the limits in any of the figure's plots.
template <class Set>
bool set_in_plots(FigureData& figure, const Set& set) {
  auto* const panels = std::get_if<PanelFigure>(&figure.body);
  if (panels == nullptr) {
    return set(figure);
  }
  bool any = false;
  for (FigureData& panel : panels->panels) {
    any |= set_in_plots(panel, set);
  }
  return any;
}

// A bar that were cut, or did not begin at 0, would show another length.
void require_whole_bars(const BarPlot& bars, AxisLimits limits) {
  if (limits.low > 0 || limits.high < 0) {
    throw UsageError("--x-limits: bars begin at 0, which must lie between the ends");
  }
  for (const BarRow& row : bars.rows) {
    for (const double value : {row.value, row.low, row.high}) {
      if (value < limits.low || value > limits.high) {
        throw UsageError(fmt::format(
            "--x-limits: the bar \"{}\" reaches {:.4g}; one that is cut would show another length", row.label,
            value));
      }
    }
  }
}

}  // namespace

AxisLimits parse_axis_limits(std::string_view option, std::string_view text) {
  const auto number = [](std::string_view digits, double& value) {
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, value);
    return error == std::errc() && end == last && std::isfinite(value);
  };
  AxisLimits limits;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || !number(text.substr(0, colon), limits.low) ||
      !number(text.substr(colon + 1), limits.high) || !(limits.low < limits.high)) {
    throw UsageError(std::string(option) + " " + std::string(text) +
                     ": expected LOW:HIGH, two numbers, the first the smaller, for example 0.2:0.3");
  }
  return limits;
}

bool set_x_limits(FigureData& figure, AxisLimits limits) {
  return set_in_plots(figure, [&](FigureData& one) {
    if (auto* const bars = std::get_if<BarPlot>(&one.body)) {
      require_whole_bars(*bars, limits);
      bars->x_low = limits.low;
      bars->x_high = limits.high;
      return true;
    }
    auto* const plot = std::get_if<LinePlot>(&one.body);
    if (plot == nullptr || !plot->x_categories.empty()) {
      return false;
    }
    plot->x_limits = limits;
    return true;
  });
}

bool set_y_limits(FigureData& figure, AxisLimits limits) {
  return set_in_plots(figure, [&](FigureData& one) {
    auto* const plot = std::get_if<LinePlot>(&one.body);
    if (plot == nullptr || plot->stacked) {
      return false;
    }
    plot->y_limits = limits;
    return true;
  });
}

}  // namespace mog::analysis
