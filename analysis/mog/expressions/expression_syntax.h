// The syntax tree of an expression's text: what is written, before names are resolved.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/mog/expressions/expression_parser.h"

namespace mog::analysis {

struct WrittenName {
  std::string form;
  std::int32_t position = 0;  // 0: bare
  std::int64_t column = 0;    // with its prefix
};

// Atoms and joins in post-order, the whole text last.
struct WrittenSubgraph {
  std::int32_t left = -1;  // index; -1: an atom
  std::int32_t right = -1;
  WrittenName source;  // an atom's word
  WrittenName target;
  JoinAnnotation annotation;
};

// Throws ExpressionError for everything but what names mean.
std::vector<WrittenSubgraph> read_syntax(std::string_view text);

}  // namespace mog::analysis
