// What a cell of a table that was read says.
#pragma once

#include <string>

#include "analysis/statistics/table.h"

namespace mog::analysis {

// As it is written in a file; empty for an absent value.
std::string text_of(const Cell& cell);
// Its number; kAbsent for a text that is none.
double number_of(const Cell& cell);

}  // namespace mog::analysis
