// Weights of a table: handles are given as they are, what is stacked is a copy, through which gradients find
// their way back.
#include "model/engine/modules/weight_source.h"

#include "io/recording/errors.h"
#include "io/recording/host_tensor.h"
#include "model/engine/common/text.h"

namespace mog::engine {
namespace {

class TableSource final : public WeightSource {
 public:
  explicit TableSource(const TensorTable& table) : table_(table) {}
  at::Tensor get(const WantedTensor& wanted) const override {
    const auto found = table_.find(wanted.name);
    if (found == table_.end()) {
      refuse_missing(wanted);
    }
    require_shape(wanted, found->second.sizes());
    return found->second;
  }
  at::Tensor stacked(const std::vector<WantedTensor>& wanted) const override {
    std::vector<at::Tensor> tensors;
    tensors.reserve(wanted.size());
    for (const WantedTensor& one : wanted) {
      tensors.push_back(get(one));
    }
    return at::cat(tensors);
  }

 private:
  const TensorTable& table_;
};

}  // namespace

void refuse_missing(const WantedTensor& wanted) {
  throw ModelError(concat("binding the weights: tensor \"", wanted.name, "\" is missing; expected shape ",
                          shape_text(wanted.shape)));
}

void require_shape(const WantedTensor& wanted, at::IntArrayRef found) {
  bool fits = found.size() == wanted.shape.size();
  for (std::size_t i = 0; fits && i < found.size(); ++i) {
    fits = wanted.shape[i] < 0 || wanted.shape[i] == found[i];
  }
  if (!fits) {
    throw ModelError(concat("binding the weights: tensor \"", wanted.name, "\" has shape ",
                            shape_text({found.data(), found.size()}), "; the configuration demands ",
                            shape_text(wanted.shape)));
  }
}

Weights bind_weights(const model::ModelConfig& config, const TensorTable& table) {
  return bind_weights(config, TableSource(table));
}

}  // namespace mog::engine
