// Tables of counts: what plain, Graph-Transformer and recurrent encoders can make (`mog counts`).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "analysis/statistics/table.h"

namespace mog::app {

struct CountsKind {
  std::string_view name;         // "generation"
  std::string_view description;  // one line
};
// In the order in which `mog counts list` prints them.
std::span<const CountsKind> counts_kinds();

struct CountsOptions {
  std::string kind = "generation";
  std::int64_t words = 4;
  std::int64_t layers = 6;
  std::int64_t order = 0;       // only this one; 0: all up to `words`
  std::string expression = {};  // multiplicity
};

// Counts are decimal digits in text cells, however large. Throws UsageError (no such table, sizes that are
// not allowed), ExpressionError.
analysis::Table counts_table(const CountsOptions& options);
// Throws UsageError naming the tables there are.
void check_counts_kind(std::string_view kind);

}  // namespace mog::app
