// Weights taken from where they are stored, one after the other, straight to where they are used.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "model/engine/modules/weight_source.h"
#include "model/engine/runtime/device.h"
#include "model/weights/stored_weights.h"

namespace mog::engine {

// Safe from several threads.
class StoredSource final : public WeightSource {
 public:
  // Borrows `stored`.
  StoredSource(const model::StoredWeights& stored, const OpenDevice& device)
      : stored_(stored), device_(device) {}
  at::Tensor get(const WantedTensor& wanted) const override;
  at::Tensor stacked(const std::vector<WantedTensor>& wanted) const override;

 private:
  model::StoredTensor find(const WantedTensor& wanted) const;
  at::Tensor on_device(at::Tensor tensor) const;
  at::ScalarType type_of(const std::string& name) const;

  using Handle = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
  const model::StoredWeights& stored_;
  OpenDevice device_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Handle> given_;
};

}  // namespace mog::engine
