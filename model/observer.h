// How a caller sees what a model computes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "io/recording/axes.h"
#include "io/recording/host_tensor.h"
#include "io/recording/quantity_name.h"

namespace mog::model {

// One quantity of one packed batch.
// values: flat; sentence s of the batch holds elements [offsets[s], offsets[s + 1]) in its schema's shape.
struct PackedValues {
  HostTensor values;
  std::vector<std::int64_t> offsets;  // [sentence + 1], in elements
};

// How well one identity of the exact decompositions holds in one layer of one batch: its worst entry.
struct IdentityCheck {
  std::string_view identity;  // "split", "softmax of logit terms", …: a literal
  std::int64_t layer = 0;     // from 1; 0: of the whole encoder
  std::int64_t head = 0;      // from 1; 0: of no single head
  std::int64_t sentence = 0;  // of the batch, from 0
  double residual =
      0.0;  // relative to the largest entry of the tensor, or of the parts that are summed; infinite for NaN
  double tolerance = 0.0;  // of the precision of this run
};

// Called on the thread that runs the model. Model::quantities() lists what can be wanted.
class Observer {
 public:
  virtual ~Observer() = default;
  // Asked once per quantity and run, before the forward pass; what nobody wants is not computed.
  virtual std::optional<DType> wants(const QuantityName& name) const = 0;
  // Returning false cancels the run, which then throws Interrupted.
  virtual bool observe(const QuantityName& name, const PackedValues& values) = 0;
  // Whether wants() is asked for the exact decompositions too (decomposition_quantities() of model.h). They
  // need float32 or float64 and a run without interventions, else it throws UsageError.
  virtual bool wants_decompositions() const { return false; }
  // Whether every identity of the exact decompositions is to be computed for the batch (slow; plain
  // Transformers alone have them, for others the run throws UsageError).
  virtual bool checks_identities() const { return false; }
  // One call an identity and layer when checks_identities(); holding is residual <= tolerance.
  virtual void identity(const IdentityCheck& /*check*/) {}
};

}  // namespace mog::model
