// How a caller sees what a model computes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "io/recording/axes.h"
#include "io/recording/host_tensor.h"
#include "io/recording/quantity_name.h"

namespace mog::model {

// How a quantity leaves the device. Reductions are part of its name (QuantityName::reduction): they run on
// the device in float32; the cast comes last.
struct Capture {
  DType dtype = DType::float32;  // float32 or float16
};

// One quantity of one packed batch.
// values: flat; sentence s of the batch holds elements [offsets[s], offsets[s + 1]) in its schema's shape.
struct PackedValues {
  HostTensor values;
  std::vector<std::int64_t> offsets;  // [sentence + 1], in elements
};

// Called on the thread that runs the model. Model::quantities() lists what can be wanted.
class Observer {
 public:
  virtual ~Observer() = default;
  // Asked once per quantity and run, before the forward pass; what nobody wants is not computed.
  virtual std::optional<Capture> wants(const QuantityName& name) const = 0;
  // Returning false cancels the run, which then throws Interrupted.
  virtual bool observe(const QuantityName& name, const PackedValues& values) = 0;
};

}  // namespace mog::model
