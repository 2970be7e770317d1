// Groups of words that a parser's errors are shown by: length of the sentence, length of the dependency,
// distance to the root, relation (McDonald and Nivre 2007; MaltEval).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metrics/parsed_text.h"
#include "analysis/statistics/length_bins.h"

namespace mog::analysis {

enum class ParseGrouping : std::uint8_t {
  sentence_length,    // words of the reference's sentence, of both files' words
  dependency_length,  // |word - head|, or "root" for words that hang on it; each file by its own heads
  root_distance,  // arcs from the root to the word, 1 for a word that hangs on it; each file by its own heads
  relation,       // without its subtype; each file by its own
};
inline constexpr std::size_t kParseGroupings = 4;
std::string_view name(ParseGrouping grouping) noexcept;  // "sentence-length"
// Throws UsageError.
ParseGrouping parse_parse_grouping(std::string_view text);
// Those that have bins: all but relations. 1–9, 10–19 … of sentences; 1, 2, 3, 4, 5–6, 7–10, 11–15, 16+ of
// dependencies; 1 … 7, 8+ of distances.
std::optional<LengthBins> usual_bins(ParseGrouping grouping);

struct ParseGroup {
  std::string label;       // "10–19", "root", "nsubj"
  std::int64_t low = -1;   // of a bin; -1: it is none
  std::int64_t high = -1;  // first number beyond; -1: without an end
};

// Which group the words of a reference and of parses of the same text are in.
struct ParseGroups {
  std::vector<ParseGroup>
      groups;  // bins ascending, "root" first; relations by how often the reference has them
  std::vector<std::int32_t> reference;                // [word] index of its group, -1: below the first bin
  std::vector<std::vector<std::int32_t>> hypotheses;  // [hypothesis][word]
};

// `bins` are not used for relations. O(words), of relations O(words log relations).
ParseGroups parse_groups(ParseGrouping grouping, const LengthBins& bins, const ParsedText& reference,
                         const std::vector<const ParsedText*>& hypotheses);

}  // namespace mog::analysis
