// Heat maps of any recorded quantity of two token axes: layer maps, products, propagation, logit terms.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figure_data/builders.h"
#include "analysis/statistics/table.h"

namespace mog::analysis {

// Whether a quantity is a map of tokens on tokens (or on sources), or one such map an entry.
bool is_token_map(const QuantitySchema& schema);

// Whether its values are terms of attention scores, which pieces of a word do not add up.
bool is_score(const QuantityName& name);

// What a figure of a decomposition claims: "level 1: exact for this input with …"; empty for other quantities
// (docs/quantities.md, Exact decompositions).
std::string level_text(const QuantityName& name);

// How an entry of a decomposition is drawn: a line's dash, a bar's stripes.
struct EntryStyle {
  ColourKey colour;
  Dash dash = Dash::solid;
  friend bool operator==(const EntryStyle&, const EntryStyle&) = default;
};

// A style for each entry, no two the same (of up to 30). Colours go by name (pp, carried, base …), else by
// place; entries of one cause ("u.p", "u.i") share a colour and differ in their dash.
std::vector<EntryStyle> entry_styles(const std::vector<std::string>& entries);

// What an axis of values of this quantity says, in words.
AxisText axis_text(const QuantitySchema& schema);

// Whether the entries of a quantity are parts of a whole, which may be stacked: shares, pseudo-gates, masses
// of orders, parts of vectors.
bool entries_add_up(const QuantitySchema& schema);

// From 0 to a round number at or beyond the greatest value; of values below 0 diverging, the same to both
// sides.
ColourScale scale_of_values(std::span<const double> values, const QuantitySchema& schema);

// Means of one quantity by layer (rows of entry_means, one length bin), a bar a layer, entries stacked; or
// lines with bands where `stacked` is false. The quantity's name is the y axis.
FigureData layer_figure(const Table& table, const std::string& quantity, bool stacked);

// [query, key], [token, source] (the last column is the bias), [head, query, key], or a panel an entry for
// [head, term, query, key]. head counts from 1; 0: the mean over heads. Values below 0 have a diverging
// scale. options.by_word: pieces of a word together, keys summed and queries averaged (refused for scores).
// Throws UsageError when the recording does not hold the name, for other axes, and for a head that is not
// there.
FigureData quantity_map_figure(const RecordingSource& source, std::int64_t index, const QuantityName& name,
                               std::int64_t head, const TokenOptions& options = {});

}  // namespace mog::analysis
