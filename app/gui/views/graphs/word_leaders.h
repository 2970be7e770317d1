// Lines from the words of the strip to the columns of a graph below it.
#pragma once

#include <QPointF>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "app/figures/painter.h"
#include "app/gui/views/common/figure_data_tasks.h"

namespace mog::gui {

class FigureCanvas;

// The foot of a token, on the screen; nothing where no line begins.
using WordFeet = std::function<std::optional<QPointF>(std::int64_t token)>;

// Of the words of a graph.
std::vector<figures::Leader> leaders_to(const FigureCanvas& picture, const SentenceGraphs& graphs,
                                        const std::vector<analysis::DerivationNode>& nodes,
                                        const WordFeet& feet);

}  // namespace mog::gui
