#include "analysis/figure_data/weight_scale.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "analysis/random/bootstrap.h"

namespace mog::analysis {
namespace {

constexpr double kQuantile = 0.995;
constexpr std::size_t kMostNames = 3;

double readable_end(double value) {
  constexpr std::array kDigits = {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0};
  const double decade = std::pow(10.0, std::floor(std::log10(value)));
  for (const double digit : kDigits) {
    if (digit * decade >= value * (1 - 1e-9)) {
      return digit * decade;
    }
  }
  return 10 * decade;
}

}  // namespace

double weight_scale_end(std::vector<double> weights) {
  std::erase_if(weights, [](double weight) { return !std::isfinite(weight); });
  if (weights.empty()) {
    return 1;
  }
  const double end = quantile(weights, kQuantile);
  // Where nearly all are 0 the quantile is, too.
  const double least = end > 0 ? end : *std::max_element(weights.begin(), weights.end());
  return least > 0 ? readable_end(least) : 1;
}

void add_scaled_weights(const HeatMap& map, std::vector<double>& weights) {
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      if (map.special_in_scale || !map.is_special(row, column)) {
        weights.push_back(map.values[row * map.columns.size() + column]);
      }
    }
  }
}

bool exceeds(const HeatMap& map, double high) {
  return std::any_of(map.values.begin(), map.values.end(),
                     [high](double value) { return value > high * (1 + 1e-9); });
}

std::string out_of_scale_text(const HeatMap& map) {
  if (map.special_in_scale) {
    return "";
  }
  std::vector<std::string> names;
  for (const auto* const side : {&map.rows, &map.columns}) {
    for (const WordLabel& label : *side) {
      if (label.special && std::find(names.begin(), names.end(), label.text) == names.end()) {
        names.push_back(label.text);
      }
    }
  }
  if (names.empty()) {
    return "";
  }
  if (names.size() > kMostNames) {
    names.resize(kMostNames);
    names.emplace_back("…");
  }
  return fmt::format("{} out of the scale", fmt::join(names, ", "));
}

std::vector<std::int64_t> strongest_keys(const HeatMap& map, std::int64_t row, std::int64_t count) {
  std::vector<std::int64_t> keys;
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  if (map.rows[static_cast<std::size_t>(row)].special || most == 0) {
    return keys;
  }
  const auto stronger = [&](std::int64_t a, std::int64_t b) {
    const double left = map.value(row, a);
    const double right = map.value(row, b);
    return left != right ? left > right : a < b;
  };
  // The weakest of those kept is on top of a heap: most keys are compared with it alone.
  for (std::int64_t column = 0; column < static_cast<std::int64_t>(map.columns.size()); ++column) {
    if (map.columns[static_cast<std::size_t>(column)].special || !(map.value(row, column) > 0)) {
      continue;
    }
    if (keys.size() < most) {
      keys.push_back(column);
      std::push_heap(keys.begin(), keys.end(), stronger);
    } else if (stronger(column, keys.front())) {
      std::pop_heap(keys.begin(), keys.end(), stronger);
      keys.back() = column;
      std::push_heap(keys.begin(), keys.end(), stronger);
    }
  }
  std::sort_heap(keys.begin(), keys.end(), stronger);
  return keys;
}

void scale_weights(HeatMap& map) {
  std::vector<double> weights;
  add_scaled_weights(map, weights);
  map.scale.low = 0;
  map.scale.high = weight_scale_end(std::move(weights));
  map.scale.more = exceeds(map, map.scale.high);
}

}  // namespace mog::analysis
