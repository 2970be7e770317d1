// Which head of a plain attention goes to which part of the student's.
#pragma once

#include <cstdint>
#include <vector>

namespace mog::engine {

// error[head][part]: what is lost when the part plays the head; total[head]: what the head gives. Every part
// has `slots` places. First every head gets one place: in turn the head that would lose most by taking its
// second best part instead of its best one. Then the places that are left get second copies of the worst
// served heads, none twice in a part. Result: [part][slot] head, in ascending order of first copies.
std::vector<std::vector<std::int64_t>> assign_heads(const std::vector<std::vector<double>>& error,
                                                    const std::vector<double>& total, std::int64_t slots);

}  // namespace mog::engine
