// The capture `orders`: order statistics of every word and layer under the attention grammar, computed
// beside the run from the maps it just gave (docs/glossary.md, order; the model does not know the analysis).
//
//   encoder.L.order.mean  [token]         expected number of leaves (words, repeats counted)
//   encoder.L.order       [token, order]  masses of 1, 2, 3-4, 5-8, 9-16, 17-32, 33-64 and more leaves
// Values belong to words and stand on each of a word's tokens; special tokens have 0.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "analysis/mog/orders/posteriors.h"
#include "app/workflow/record/capture.h"
#include "io/recording/sentence_recording.h"
#include "model/observer.h"

namespace mog::app {

inline constexpr std::int64_t kOrderBins = 8;

// Both of one layer.
std::vector<QuantitySchema> order_quantities(Stack stack, std::int64_t layer);

class OrderPass;

// Immutable after construction; const functions are safe from several threads.
class OrderComputer {
 public:
  // `kept`: the header without orders; `offered`: what the model can give.
  // Throws UsageError when the model offers no attention maps or no gate to compute orders from.
  OrderComputer(RecordingHeader kept, std::span<const QuantitySchema> offered, const CaptureSet& set);

  // The header of the recording, orders included.
  const RecordingHeader& header() const noexcept { return header_; }
  // The orders of one run of these sentences, as it goes.
  std::unique_ptr<OrderPass> begin(std::span<const Sentence> sentences, std::stop_token stop = {}) const;

  // Without a run: what a batch must hold, and the batch with the header's quantities in their place.
  const std::vector<QuantitySchema>& observed() const noexcept { return observed_; }
  void add(RecordingBatch& batch) const;

 private:
  friend class OrderPass;

  RecordingHeader inputs_;  // what the grammar reads
  RecordingHeader header_;
  RecordingHeader layer_;  // of a plain Transformer: one layer's map, as layer 1
  std::vector<QuantitySchema> observed_;
  std::vector<std::int64_t> layers_;  // whose orders are kept
};

// Watches one run. A plain Transformer's map is read as it comes and not kept: the orders of a layer need
// those of the layer below and its own map alone. What other encoders give is kept until the end.
class OrderPass final : public model::Observer {
 public:
  OrderPass(const OrderComputer& computer, std::span<const Sentence> sentences, std::stop_token stop);

  // Inputs of the grammar, in float32.
  std::optional<DType> wants(const QuantityName& name) const override;
  // Throws ModelError for maps that are no probabilities and for layers out of order.
  bool observe(const QuantityName& name, const model::PackedValues& values) override;
  // Appends the orders to what else was kept of the run. Throws ModelError where a layer is missing.
  void finish(RecordingBatch& batch);

 private:
  // Of one sentence, up to the last layer that came.
  struct Words {
    std::vector<double> mean;  // [word]; empty: no word is above another yet
    std::vector<analysis::LeavesDistribution> masses;
  };
  // Of all sentences, [token] and [token, bin].
  struct Values {
    std::vector<float> mean;
    std::vector<float> masses;
  };

  bool layer_by_layer() const;
  void add_layer(const QuantityName& name, const HostTensor& maps);
  void add_all();
  // Puts down what the words of a sentence have in a layer, if it is kept.
  void put(std::int64_t layer, std::size_t first_token, std::span<const std::int64_t> word_of_token,
           const Words& words);

  const OrderComputer& computer_;
  std::vector<Sentence> sentences_;
  std::stop_token stop_;
  std::vector<Words> below_;  // [sentence]
  std::int64_t layers_done_ = 0;
  std::map<QuantityName, HostTensor> given_;
  std::map<std::int64_t, Values> orders_;  // by layer that is kept
};

}  // namespace mog::app
