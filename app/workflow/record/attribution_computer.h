// Products of layer maps, attention flow and orders of them, computed beside the run from the maps it just
// gave (analysis/attribution; the model does not know the analysis).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/workflow/record/identity_report.h"
#include "io/recording/sentence_recording.h"

namespace mog::app {

// Immutable after construction; add() is safe from several threads.
class AttributionComputer {
 public:
  // wanted: of analysis::attribution_quantities(stack). With `check` the identities of products and orders
  // are computed for every sentence too. offered: the model's quantities and decompositions, where the inputs
  // are.
  AttributionComputer(std::vector<QuantitySchema> wanted, std::span<const QuantitySchema> offered,
                      StackDescription stack, bool check, double tolerance);

  // What the model has to show for it, in float64.
  const std::vector<QuantitySchema>& inputs() const noexcept { return inputs_; }
  // Appends the wanted quantities to a batch that has the inputs. report: only
  // with `check`. Throws as IdentityReport::add.
  void add(RecordingBatch& batch, IdentityReport* report) const;

 private:
  std::vector<QuantitySchema> wanted_;
  std::vector<QuantitySchema> inputs_;
  StackDescription stack_;
  bool check_;
  double tolerance_;
};

// float64 becomes float32, as the other computers expect it.
void narrow_to_float32(RecordingBatch& batch);

// Leaves the quantities of the header, in its order and types.
void keep_only(RecordingBatch& batch, const RecordingHeader& header);

}  // namespace mog::app
