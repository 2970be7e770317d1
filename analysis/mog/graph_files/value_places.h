// Where a character of a value stands in the GraphML or DOT that it was read from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analysis/mog/graph_files/attributed_graph.h"

namespace mog::analysis {

// `begin`: the byte of `document` at which the value begins (GraphML: its first character; DOT: its token,
// with the quote). `column`: of the value as it was read, in code points from 1; behind its end, the place
// where it ends. Entities, sections and escapes count as what they stand for. O(begin + column); asked only
// when something is wrong there.
TextPlace place_in_graphml(std::string_view document, std::size_t begin, std::int64_t column);
TextPlace place_in_dot(std::string_view document, std::size_t begin, std::int64_t column);

}  // namespace mog::analysis
