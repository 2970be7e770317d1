// A first look at GraphML and DOT: one graph at a time, and no deeper nesting than a reader by recursion can
// bear.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mog::analysis {

// The graphs directly under <graphml>, each as a document of its own with all that stands outside of graphs.
// Throws FormatError: nested too deeply, a document type declaration, none.
std::vector<std::string> split_graphml_graphs(std::string_view text, const std::string& where);
// The graphs of a DOT file, each with its header and braces. Throws FormatError.
std::vector<std::string_view> split_dot_graphs(std::string_view text, const std::string& where);
std::string without_doubled_backslashes(std::string_view text);

}  // namespace mog::analysis
