// How well chains of mentions agree with gold ones: MUC (Vilain et al. 1995), B³ (Bagga & Baldwin 1998), CEAF
// (Luo 2005) by mentions (φ3) and by entities (φ4), BLANC (Luo et al. 2014), LEA (Moosavi & Strube 2016), and
// the mean of the F1 of MUC, B³ and CEAFφ4 that the shared task of CoNLL-2012 ranked systems by.
//
// The sums are those of the reference scorer (conll/reference-coreference-scorers 8.01; LEA: coval), which
// takes mentions as they are: a predicted one that the key lacks, or one of the key that was not found, is
// wrong in every metric and nowhere made up for. Mentions agree when both ends do.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metrics/summed_metric.h"

namespace mog::analysis {

// Tokens [begin, end) of a document, from 0.
struct Mention {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend auto operator<=>(const Mention&, const Mention&) = default;
};

// Mentions of one entity, in any order. A chain of one mention (a singleton) counts as others do.
using Chain = std::vector<Mention>;

enum class CoreferenceMetric : std::uint8_t {
  mentions,  // F1 of the mentions themselves, whatever their chains
  muc,
  b_cubed,
  ceaf_mentions,
  ceaf_entities,
  blanc,
  lea,
  conll,
};

// "muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll", "mentions"; throws UsageError that names them.
CoreferenceMetric parse_coreference_metric(std::string_view text);
std::vector<std::string> coreference_metric_names();

// What a document adds, always as many numbers: what recall found and what there was to find, the same of
// precision; of BLANC for coreference links, then for the others; of conll for MUC, B³ and CEAFφ4. Adding
// them over documents gives the sums of the corpus. A mention that is given twice counts once, in the first
// chain that has it. O(mentions log mentions); CEAF besides O(fewer chains² · more chains).
std::vector<double> coreference_sums(CoreferenceMetric metric, std::span<const Chain> key,
                                     std::span<const Chain> response);

// 0 … 1 each; 0 where there is nothing to divide by. Of conll only f1 is published, recall and precision are
// the means of the three.
struct CoreferenceScore {
  double recall = 0;
  double precision = 0;
  double f1 = 0;
};
// BLANC is the mean over both kinds of links; where the key has only one kind, that of this kind.
CoreferenceScore coreference_score(CoreferenceMetric metric, std::span<const double> sums);

// For bootstrap intervals and paired tests over documents (resampling.h).
std::unique_ptr<SummedMetric> make_metric(CoreferenceMetric metric);

}  // namespace mog::analysis
