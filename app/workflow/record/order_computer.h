// The capture `orders`: order statistics of every word and layer under the attention grammar, computed
// beside the run from the maps it just gave (docs/glossary.md, order; the model does not know the analysis).
//
//   encoder.L.order.mean  [token]         expected number of leaves (words, repeats counted)
//   encoder.L.order       [token, order]  masses of 1, 2, 3-4, 5-8, 9-16, 17-32, 33-64 and more leaves
// Values belong to words and stand on each of a word's tokens; special tokens have 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/workflow/record/capture.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

inline constexpr std::int64_t kOrderBins = 8;

// Both of one layer.
std::vector<QuantitySchema> order_quantities(Stack stack, std::int64_t layer);

// Immutable after construction; add() is safe from several threads.
class OrderComputer {
 public:
  // `kept`: the header without orders; `offered`: what the model can give.
  // Throws UsageError when the model offers no attention maps or no gate to compute orders from.
  OrderComputer(RecordingHeader kept, std::span<const QuantitySchema> offered, const CaptureSet& set);

  // What the model has to show: what is kept, and what the orders are computed from.
  const std::vector<QuantitySchema>& observed() const noexcept { return observed_; }
  // The header of the recording, orders included.
  const RecordingHeader& header() const noexcept { return header_; }
  // Takes a batch with the observed quantities and leaves one with the header's.
  void add(RecordingBatch& batch) const;

 private:
  RecordingHeader inputs_;  // what the grammar reads
  RecordingHeader header_;
  std::vector<QuantitySchema> observed_;
  std::vector<std::int64_t> layers_;
};

}  // namespace mog::app
