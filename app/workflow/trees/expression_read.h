// Expressions from documents in every format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/mog/graph_files/import_graph.h"
#include "app/workflow/trees/expression_job.h"

namespace mog::app {

// A document: a file, standard input ("-"), or a text that was given.
struct ExpressionSource {
  std::filesystem::path path;  // empty: `text` is the document
  std::string text = {};
  std::string name;  // for messages
};

// Adds the sets of a document. Throws as read_expressions.
void read_document(const ExpressionSource& source, ExpressionFormat format, const ExpressionOptions& options,
                   std::vector<ExpressionSet>& sets);
void read_json_graphs(std::string_view text, const std::string& name, const ExpressionOptions& options,
                      std::vector<ExpressionSet>& sets);

analysis::ParsedExpression parse(const std::string& text,
                                 const std::optional<std::vector<std::string>>& sentence);
// Graphs over one sentence that follow each other are its expressions while they share no word.
void add_claim(const analysis::GraphClaim& claim, const std::string& where, const ExpressionOptions& options,
               std::vector<ExpressionSet>& sets);
bool only_blanks(std::string_view text);

}  // namespace mog::app
