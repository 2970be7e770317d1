// How faithful an attribution is to a model (DeYoung et al. 2020): what happens when the units that it calls
// most important are erased (comprehensiveness), or kept alone (sufficiency), and how well its values agree
// with the effects of erasing one unit at a time (leave-one-out).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mog::analysis {

// Pearson's correlation; NaN where x or y does not vary. Throws UsageError for spans of different lengths.
double pearson(std::span<const double> x, std::span<const double> y);

// values: [unit]. The units from the greatest value to the least; of equal ones the earlier first.
std::vector<std::size_t> units_by_value(std::span<const double> values);

// How many of so many units a fraction is, rounded up; one at least, and one at least stays. fraction in
// (0, 1), units >= 2.
std::size_t units_of_fraction(double fraction, std::size_t units);

// Two sets of units a fraction, one after another: the first units by value, then all others. [set][unit].
// Throws UsageError for a fraction outside (0, 1) or fewer than two units.
std::vector<std::vector<bool>> erasure_sets(std::span<const double> values,
                                            std::span<const double> fractions);

// Of one sentence and attribution. NaN: not defined (an attribution or effect that does not vary or is not
// finite, fewer than kFewestForAgreement units for the correlations).
struct SentenceFaithfulness {
  double spearman = 0;  // with leave-one-out, over units
  double pearson = 0;
  std::vector<double> comprehensiveness;  // [fraction]: effect of erasing the first units
  std::vector<double> sufficiency;        // [fraction]: effect of keeping them alone
};
inline constexpr std::size_t kFewestForAgreement = 3;

// values, leave_one_out: [unit]; effects: [set], of erasing each set of erasure_sets(). Throws UsageError for
// spans of different lengths or an odd number of effects.
SentenceFaithfulness sentence_faithfulness(std::span<const double> values,
                                           std::span<const double> leave_one_out,
                                           std::span<const double> effects);

// Of several outputs of one sentence (the tokens of its translation): the mean of each measure over those for
// which it is defined. Throws UsageError for none, or for curves of different lengths.
SentenceFaithfulness mean_faithfulness(std::span<const SentenceFaithfulness> outputs);

struct FaithfulnessMeasure {
  std::string_view name;  // a literal: "spearman", "pearson", "comprehensiveness", …
  double fraction = 0;    // NaN where there is none
  double value = 0;
};
// All that is measured of one sentence and attribution: spearman, pearson, comprehensiveness by fraction,
// comprehensiveness_area, sufficiency by fraction, sufficiency_area. An area is the mean over the fractions.
// Throws UsageError for another number of fractions than the curves have.
std::vector<FaithfulnessMeasure> faithfulness_measures(const SentenceFaithfulness& found,
                                                       std::span<const double> fractions);

struct MeasureSeries {
  std::string measure;
  double fraction = 0;         // NaN where there is none
  std::vector<double> values;  // [sentence]; NaN: not defined there
};
// Sentence by sentence, one attribution: a series for every measure, in their order. Empty for no sentences.
std::vector<MeasureSeries> measure_series(std::span<const SentenceFaithfulness> sentences,
                                          std::span<const double> fractions);

}  // namespace mog::analysis
