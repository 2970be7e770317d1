// Two recordings of the same sentences: by how much they differ, layer by layer, and where that is more than
// chance.
#pragma once

#include "analysis/figure_data/figure_data.h"
#include "analysis/statistics/paired_difference.h"

namespace mog::analysis {

// Difference (second less first) by layer, one line a part, with bootstrap bands; marks are filled where the
// adjusted p is below kSignificant. Of the mean over heads.
FigureData corpus_difference_figure(const PairedDifference& difference);

}  // namespace mog::analysis
