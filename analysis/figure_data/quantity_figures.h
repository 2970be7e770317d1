// Heat maps of any recorded quantity of two token axes: layer maps, products, propagation, logit terms.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/figure_data/builders.h"

namespace mog::analysis {

// Whether a quantity is a map of tokens on tokens (or on sources), or one such map an entry.
bool is_token_map(const QuantitySchema& schema);

// What a figure of a decomposition claims: "level 1: exact for this input with …"; empty for other quantities
// (docs/quantity-names.md, Exact decompositions).
std::string level_text(const QuantityName& name);

// [query, key], [token, source] (the last column is the bias), [head, query, key], or a panel an entry for
// [head, term, query, key]. head counts from 1; 0: the mean over heads. Values below 0 have a diverging
// scale. Throws UsageError when the recording does not hold the name, for other axes, and for a head that is
// not there.
FigureData quantity_map_figure(const RecordingSource& source, std::int64_t index, const QuantityName& name,
                               std::int64_t head, const TokenOptions& options = {});

}  // namespace mog::analysis
