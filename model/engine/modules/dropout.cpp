#include "model/engine/modules/dropout.h"

namespace mog::engine {

at::Tensor Dropout::apply(const at::Tensor& x, double probability) const {
  if (probability <= 0.0) {
    return x;
  }
  at::Tensor mask;
  {
    const at::NoGradGuard no_grad;
    mask = at::empty(x.sizes(), x.options().requires_grad(false));
    mask.bernoulli_(1.0 - probability, generator);
    mask.mul_(1.0 / (1.0 - probability));
  }
  return x * mask;
}

}  // namespace mog::engine
