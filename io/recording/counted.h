// "1 sentence", "12 sentences", "1,234,567".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mog {

// What is counted, in the singular of one. `many` where it is not `one` and an s.
inline std::string plural(std::int64_t count, std::string_view one, std::string_view many = "") {
  if (count == 1) {
    return std::string(one);
  }
  return many.empty() ? std::string(one) + "s" : std::string(many);
}

inline std::string counted(std::int64_t count, std::string_view one, std::string_view many = "") {
  return std::to_string(count) + " " + plural(count, one, many);
}

inline std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > sign + 3; at -= 3) {
    digits.insert(at - 3, ",");
  }
  return digits;
}

}  // namespace mog
