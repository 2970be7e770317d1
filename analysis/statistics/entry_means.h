// Means of any recorded quantity with a value a token or a sentence, entry by entry, by layer and sentence
// length: splits, shares of logit terms, pseudo-gates, orders of layer maps (docs/quantities.md).
//
// Of a quantity a token, words' tokens count the same and special ones not at all; of one a target token, all
// count; of one a sentence, sentences count the same. `covariance_sums` gives pooled shares: numerators over
// denominators, each summed over sentences (and heads). Values that are not a number (shares of a sentence of
// one token, the first token's surprisal) are absent, and a token without any is not counted. Intervals:
// percentile bootstrap over the sentences of a bin, the same draws for all series.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>

#include "analysis/random/bootstrap.h"
#include "analysis/statistics/length_bins.h"
#include "analysis/statistics/table.h"
#include "io/recording/sentence_recording.h"

namespace mog::analysis {

struct EntryOptions {
  LengthBins bins;
  bool by_position = false;  // bins of the place of the token's word, or of the target token's step, from 1
  bool by_head = false;      // else heads are averaged, or pooled
  bool quantiles = false;    // quartiles too, of the values; pooled shares have none
  BootstrapOptions bootstrap;
  std::stop_token stop;  // asked between sentences; then Interrupted is thrown
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

// Why a quantity has no values that can be averaged so (one for every key, source or dimension); empty: it
// has.
std::string why_no_entry_means(const QuantitySchema& schema);
bool has_entry_means(const QuantitySchema& schema);

// Columns: model, corpus, quantity, units, layer, part, head, entry, bin, length_low, length_high, sentences,
// tokens, mean, low, high, confidence, resamples, seed, by; with quantiles q25, q50, q75, quantile_bound
// (quantile_sketch.h). sources: shards of one recording, with the same
// quantities. Throws UsageError for a quantity that a source lacks or that has no entry means, and for one of
// whole sentences by position.
Table entry_means(std::span<const RecordingSource* const> sources, std::span<const QuantityName> names,
                  const EntryOptions& options);

}  // namespace mog::analysis
