// Round numbers for axes and scales: steps of 1, 2 or 5 times a power of ten.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mog::analysis {

struct Ticks {
  double step = 1;
  std::vector<double> values;  // ascending multiples of step inside the range asked for
  // All with the same number of decimals: "0.4", "0.6"; "0" is never "-0".
  std::vector<std::string> labels() const;
};

// At most `at_most` (>= 2) multiples of the smallest round step in [low, high]. An empty range is widened.
Ticks ticks(double low, double high, std::int64_t at_most);

struct RoundRange {
  double low = 0;
  double high = 1;
};
// The smallest range of whole steps that holds [low, high] with about `steps` of them.
RoundRange round_range(double low, double high, std::int64_t steps = 5);

// A value for a read-out: four significant digits ("0.1234", "12.3"), never in exponents between 1e-4 and
// 1e6.
std::string readable(double value);

}  // namespace mog::analysis
