// Arcs of a dependency tree that are set by hand: to be in it, or not to be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/recording/errors.h"
#include "io/recording/sentence.h"

namespace mog::app {

// Words count from 1; head 0 is the root.
struct TreeArc {
  std::int32_t dependent = 1;
  std::int32_t head = 0;
  friend auto operator<=>(const TreeArc&, const TreeArc&) = default;
};

struct TreeConstraints {
  std::vector<TreeArc> forced;
  std::vector<TreeArc> forbidden;
  bool empty() const noexcept { return forced.empty() && forbidden.empty(); }
  friend bool operator==(const TreeConstraints&, const TreeConstraints&) = default;
};

// The arcs that were set are at fault: one cannot be set, or no tree obeys them all.
class ConstraintError : public UsageError {
 public:
  using UsageError::UsageError;
};

// "7:2": word 7 hangs on word 2, as the columns ID and HEAD of CoNLL-U say it; "2:0": word 2 is the root.
std::string tree_arc_text(const TreeArc& arc);
// `option` is named in messages ("--force"). Throws UsageError.
TreeArc parse_tree_arc(std::string_view option, std::string_view text);

// Throws ConstraintError where the sentence has no such word or the model no token of it, for an arc of a
// word to itself, one that is both forced and forbidden, two heads of one word and two roots.
void check_constraints(const TreeConstraints& constraints, const Sentence& sentence);

}  // namespace mog::app
