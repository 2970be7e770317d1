// Multi-order graphs from GraphML and DOT, as export_graph writes them or as other programs pass them on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/mog/expression_parser.h"

namespace mog::analysis {

// What a file says about one edge; 0 and "" where it says nothing.
struct EdgeClaim {
  std::int64_t id = 0;
  std::int64_t source = 0;  // place of the word in GraphClaim::words, from 1
  std::int64_t target = 0;
  std::int64_t order = 0;
  std::int64_t kind = 0;
  std::string left = {};  // canonical texts
  std::string right = {};
  std::string made = {};
};

// What a file says about one graph.
struct GraphClaim {
  std::string expression;   // with annotations where there are some; "": only the edges tell
  bool of_sentence = true;  // the words are a whole sentence
  std::vector<std::string> words;
  std::vector<EdgeClaim> edges;  // empty: nothing to compare
};

// The expression, after everything that the file says about it was compared with it. `where` begins the
// messages. Throws FormatError naming the edge and what differs, ExpressionError for the text.
ParsedExpression checked_expression(const GraphClaim& claim, const std::string& where);

// All graphs of a document. Throws FormatError.
std::vector<GraphClaim> read_graphml(std::string_view text, const std::string& where);
std::vector<GraphClaim> read_dot(std::string_view text, const std::string& where);

}  // namespace mog::analysis
