// What captions say, taken from what is drawn.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/figure_data/figure_data.h"
#include "analysis/random/bootstrap.h"

namespace mog::analysis {

// Begins the clause of a caption that says what kind of statement its numbers are.
inline constexpr std::string_view kLevelOfClaim = "level of the claim: ";

// A point of a bin of lengths with fewer sentences than this is drawn open, its line dashed, without a band.
inline constexpr std::int64_t kFewSentences = 10;
bool of_few_sentences(const LinePlot& plot, const LineSeries& series, const LinePoint& point);

// Whether a line or bar of the figure, panels too, has an interval with a width that is drawn.
bool shows_intervals(const FigureData& figure);
// "; bands: 95 % bootstrap over sentences", "; open marks: fewer than 10 sentences"; each where the figure
// shows some.
std::string bands_clause(const FigureData& figure, const BootstrapOptions& bootstrap);
// "95 % bootstrap intervals over sentences", which tables of effects bring with them; empty where the figure
// shows none.
std::string intervals_clause(const FigureData& figure);
// The most sentences that a point or bar of the figure stands for; 0: none says.
std::int64_t most_sentences(const FigureData& figure);

// `clause`, before the level of the claim where the caption has one; nothing where it is empty.
void add_to_caption(FigureData& figure, const std::string& clause);
// What is drawn: the caption without the level of the claim and all that follows it, in clauses between "; ".
std::string short_caption(const std::string& caption);

}  // namespace mog::analysis
