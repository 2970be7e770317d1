#include "model/engine/modules/dropout.h"

#include <cstring>
#include <span>

#include "model/engine/modules/dropout_mask.h"

namespace mog::engine {
namespace {

// Of the next mask; the generator moves on.
std::uint64_t next_key(const std::optional<at::Generator>& generator) {
  const at::Tensor bits = at::empty({8}, at::kByte).random_(0, 256, generator);
  std::uint64_t key = 0;
  std::memcpy(&key, bits.const_data_ptr<std::uint8_t>(), sizeof key);
  return key;
}

}  // namespace

at::Tensor Dropout::apply(const at::Tensor& x, double probability) const {
  if (probability <= 0.0) {
    return x;
  }
  at::Tensor mask;
  {
    const at::NoGradGuard no_grad;
    mask = at::empty(x.sizes(), x.options().requires_grad(false));
    if (x.is_cpu() && x.scalar_type() == at::kFloat) {
      fill_dropout_mask({mask.mutable_data_ptr<float>(), static_cast<std::size_t>(mask.numel())}, probability,
                        next_key(generator));
    } else {
      mask.bernoulli_(1.0 - probability, generator).mul_(1.0 / (1.0 - probability));
    }
  }
  return x * mask;
}

}  // namespace mog::engine
