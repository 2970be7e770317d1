// What a document of graphs says about where they come from.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mog::analysis {

// Name and value, in this order; what is not known is not there. Attributes of graphs in GraphML and (with
// mog_ before the name) in DOT, "about" in JSON, comments "# name = value" in text and CoNLL-U.
inline constexpr std::array<std::string_view, 6> kGraphFacts = {
    "model",
    "number",     // of the sentence in its corpus
    "goal",       // TOP, R[6,2]
    "mode",       // of the search
    "guarantee",  // what the search promises about its weights
    "choices",    // of the attention grammar: "heads uniform, gate recorded, …"
};
using GraphFacts = std::vector<std::pair<std::string, std::string>>;

}  // namespace mog::analysis
