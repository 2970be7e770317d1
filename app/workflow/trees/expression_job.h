// Expressions of multi-order graphs, checked and carried from one format to another: the work behind
// `mog expr`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "analysis/mog/dependencies/dependency_trees.h"
#include "analysis/mog/expressions/expression_parser.h"
#include "analysis/mog/expressions/graph_facts.h"
#include "io/text/conllu.h"

namespace mog::app {

enum class ExpressionFormat : std::uint8_t { report, text, json, graphml, dot, conllu };
// "report", "text", "json", "graphml", "dot", "conllu"; throws UsageError.
ExpressionFormat parse_expression_format(std::string_view text);
std::string_view name(ExpressionFormat format) noexcept;
// By the ending of a name (.txt .mog .json .jsonl .graphml .xml .dot .gv .conllu); text for others.
ExpressionFormat expression_format_of(const std::filesystem::path& path);

// The expressions of one sentence: several where a dependency tree has several roots.
struct ExpressionSet {
  std::vector<analysis::ParsedExpression> expressions;
  std::optional<std::vector<std::string>> sentence;  // all words in order; absent: only those that appear
  std::optional<io::TreebankSentence> treebank;      // the rest of the rows, where it came from a treebank
  std::string place;                                 // for messages: "line 3", "sentence 2"
  analysis::GraphFacts facts = {};                   // what the document says of where they come from
};

struct ExpressionOptions {
  std::vector<std::string> texts;        // expressions themselves
  std::filesystem::path input;           // or a file with several, "-" for standard input; empty: none
  std::optional<ExpressionFormat> from;  // absent: by the file's name
  std::optional<std::vector<std::string>> sentence;  // that names must be words of
  analysis::DependentOrder dependents = analysis::DependentOrder::nearest_first;  // of trees from a treebank
  std::int64_t number = 0;  // only this set, from 1; 0: all
};

// Reads and checks everything. Throws ExpressionError (exit code 3; of a file FormatError with the file's
// name and line), FormatError, UsageError.
std::vector<ExpressionSet> read_expressions(const ExpressionOptions& options);

// What the sets are in a format; ends with a newline. For CoNLL-U each set is one sentence: throws
// analysis::DependencyError where it is no dependency tree, UsageError where the order of the words is not
// known.
std::string print_expressions(std::span<const ExpressionSet> sets, ExpressionFormat format);
// The same, a document an expression.
std::vector<std::string> print_apart(std::span<const ExpressionSet> sets, ExpressionFormat format);

// "tree" or "arcs" of one set; several expressions are panels. Throws UsageError.
analysis::FigureData expression_figure(std::span<const ExpressionSet> sets, std::string_view kind);

}  // namespace mog::app
