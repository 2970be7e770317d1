// Arcs over the words of a graph alone: of a long sentence they would be a knot among words that it does not
// use.
#pragma once

#include <cstdint>
#include <optional>

#include "app/gui/views/common/figure_data_tasks.h"

namespace mog::gui {

// The same figure with the words of the graph; what is left out between them is counted. Other figures, and
// arcs beside the gold syntax of the whole sentence, stay as they are.
FigurePointer with_words_of(FigurePointer figure, const analysis::Derivation& graph);
bool has_gold(const FigurePointer& figure);

// The word of the sentence at a place of the figure, -1: none; and back.
std::int64_t word_at(const analysis::FigureData& figure, std::int64_t place);
std::optional<std::int64_t> place_of_word(const analysis::FigureData& figure, std::int64_t word);

}  // namespace mog::gui
