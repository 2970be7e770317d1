// How often words are among the k nearest of others (hubness), and how similar any two words are.
//
// N_k(x) is the number of words whose k nearest hold x (Radovanović, Nanopoulos, Ivanović 2010). In many
// dimensions few words, the hubs, are near to nearly everything: that one of them is a neighbour says little.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mog::analysis {

struct KOccurrence {
  std::int64_t k = 0;
  std::vector<std::int64_t> sample;  // N_k of each word of the sample, among the sample
  // Of each further word: how many words of the sample would have it among their k nearest if it were there,
  // too.
  std::vector<std::int64_t> others;
  // Of the N_k of the sample; their mean is k (less where similarities are no numbers).
  double skewness = 0;    // NaN where all are equal
  double never = 0;       // share of those that are nobody's neighbour
  std::int64_t most = 0;  // the greatest
  // Of the similarity of all pairs of the sample; NaN without a pair.
  double pair_mean = 0;
  double pair_deviation = 0;
};

// similarity(i, j), i < j, of words [0, sample) and others [sample, sample + others); symmetric; NaN: none.
// Of equal similarities the word that stands first is nearer. O(sample * (sample + others)) similarities,
// and as many doubles of memory as pairs of the sample. `stop` is asked a row at a time; true: what is left
// is not counted.
KOccurrence k_occurrence(std::int64_t sample, std::int64_t others, std::int64_t k,
                         const std::function<double(std::int64_t, std::int64_t)>& similarity,
                         const std::function<bool()>& stop = {});

}  // namespace mog::analysis
