// Figures with realistic contents, for the tests and the gallery.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "analysis/statistics/weight_by_length.h"

namespace mog::test {

// Gate weights by layer and bin that look like a trained model's; bands, counts, an empty bin if asked for.
analysis::LengthStatistics example_statistics(std::int64_t layers, bool with_empty_bin = false);
std::vector<std::string> example_words(std::int64_t count);
// Words and pieces, </s> at the end.
std::vector<analysis::WordLabel> example_tokens(std::int64_t count);
analysis::FigureData example_attention(std::int64_t tokens, bool with_absent = false);
analysis::FigureData example_difference(std::int64_t tokens);
analysis::FigureData example_gates(std::int64_t tokens, std::int64_t layers);
analysis::FigureData example_dimensions(std::int64_t tokens, std::int64_t dimensions);
analysis::FigureData example_tree(std::int64_t words, std::int64_t layers);
analysis::FigureData example_arcs(std::int64_t words);
// Several parts into each state, carried ones beside them; two steps within a row.
analysis::FigureData example_flow(std::int64_t words, std::int64_t layers);
// Signed shares of four terms, stacked, with a sum mark in each bar.
analysis::FigureData example_bars(std::int64_t categories);
// Three parts of which every second layer differs; p alternates around .05.
analysis::FigureData example_corpus_difference(std::int64_t layers);
analysis::FigureData example_scripts();
analysis::FigureData example_script_arcs();
analysis::FigureData example_grid(std::int64_t layers, std::int64_t heads, std::int64_t tokens);
// Everything the gallery draws, with file names.
std::vector<std::pair<std::string, analysis::FigureData>> example_figures();

}  // namespace mog::test
