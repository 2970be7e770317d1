// Multi-order graphs from GraphML and DOT, as export_graph writes them or as other programs pass them on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/mog/expressions/expression_parser.h"
#include "analysis/mog/expressions/graph_facts.h"

namespace mog::analysis {

// What a file says about one edge; 0 and "" where it says nothing. `place` is where it says so, for messages:
// "line 3, column 5"; "" where that is not known.
struct EdgeClaim {
  std::int64_t id = 0;
  std::int64_t source = 0;  // place of the word in GraphClaim::words, from 1
  std::int64_t target = 0;
  std::int64_t order = 0;
  std::int64_t kind = 0;
  std::string left = {};  // canonical texts
  std::string right = {};
  std::string made = {};
  std::string place = {};
};

// What a file says about one graph.
struct GraphClaim {
  std::string expression;   // with annotations where there are some; "": only words and edges tell
  std::string plain = {};   // the expression without annotations, where the file has both: to be compared
  bool of_sentence = true;  // the words are a whole sentence
  std::vector<std::string> words;
  std::vector<EdgeClaim> edges;  // empty: nothing to compare
  std::string derivation =
      {};                  // the expression that a derivation tree spells, to be compared with `expression`
  std::string place = {};  // as in EdgeClaim
  GraphFacts facts = {};   // not compared
  // Where a column of `expression` stands in the file, as `place`; empty: not known. Not to be called when
  // the text that was read is gone.
  std::function<std::string(std::int64_t column)> place_of_column = {};
};

// The expression, after everything that the file says about it was compared with it. `where` begins the
// messages. Without a text it is what the edges make, where they say it ("sub") or where only one order of
// joining can be meant: one edge, or edges that make a tree and have ids or orders. Throws FormatError naming
// the edge and what differs, or what is missing.
ParsedExpression checked_expression(const GraphClaim& claim, const std::string& where);

// All graphs of a document: multi-order graphs and derivation trees, as export_graph and export_forest write
// them or other programs pass them on. Attributes that are not known are passed over. Throws FormatError with
// line and column.
std::vector<GraphClaim> read_graphml(std::string_view text, const std::string& where);
std::vector<GraphClaim> read_dot(std::string_view text, const std::string& where);

}  // namespace mog::analysis
