#include "app/workflow/experiment/piece_units.h"

#include <algorithm>

namespace mog::app {

namespace {

// [token] where it ends in the text; special tokens end where the token before them does.
std::vector<std::int64_t> ends_of(const Sentence& sentence) {
  std::vector<std::int64_t> ends;
  std::int64_t last = 0;
  for (const Token& token : sentence.tokens) {
    last = token.word < 0 ? last : std::max<std::int64_t>(last, token.bytes.end);
    ends.push_back(last);
  }
  return ends;
}

}  // namespace

PieceUnits common_units(const Sentence& first, const Sentence& second) {
  const std::vector<std::int64_t> left = ends_of(first);
  const std::vector<std::int64_t> right = ends_of(second);
  PieceUnits units;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() && j < right.size()) {
    units.first.push_back(units.count);
    units.second.push_back(units.count);
    ++i;
    ++j;
    while (left[i - 1] != right[j - 1] && (left[i - 1] < right[j - 1] ? i < left.size() : j < right.size())) {
      if (left[i - 1] < right[j - 1]) {
        units.first.push_back(units.count);
        ++i;
      } else {
        units.second.push_back(units.count);
        ++j;
      }
    }
    ++units.count;
  }
  // What is left over on one side belongs to the last unit.
  units.first.resize(units.count == 0 ? 0 : left.size(), units.count - 1);
  units.second.resize(units.count == 0 ? 0 : right.size(), units.count - 1);
  return units;
}

}  // namespace mog::app
