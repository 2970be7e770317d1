#include "model/engine/modules/product.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/InferenceMode.h>

#include <cstdlib>
#include <optional>
#include <string_view>

namespace mog::engine {
namespace {

constexpr std::int64_t kLeastRows = 16;

// The operators behind torch.compile's products on the processor; LibTorch has no header for them.
using Linear = at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
                          std::string_view, c10::List<std::optional<at::Scalar>>,
                          std::optional<std::string_view>);
using Added = at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                         const std::optional<at::Tensor>&, std::string_view);

struct Operators {
  std::optional<c10::TypedOperatorHandle<Linear>> linear;
  std::optional<c10::TypedOperatorHandle<Added>> added;
};

bool prefers_onednn() {
  if (const char* const wanted = std::getenv("MOG_PRODUCTS"); wanted != nullptr) {
    return std::string_view(wanted) == "onednn";
  }
#if defined(__x86_64__) && defined(__GNUC__)
  return at::hasMKL() && __builtin_cpu_is("intel") == 0 && __builtin_cpu_supports("avx512f") != 0;
#else
  return false;
#endif
}

Operators find_operators() {
  Operators result;
  if (!at::hasMKLDNN() || !prefers_onednn()) {
    return result;
  }
  const auto linear = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
  const auto added = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", "binary"});
  if (linear && added) {
    result.linear = linear->typed<Linear>();
    result.added = added->typed<Added>();
  }
  return result;
}

const Operators& operators() {
  static const Operators kOperators = find_operators();
  return kOperators;
}

bool fits(const at::Tensor& x, const at::Tensor& weight) {
  return operators().linear && c10::InferenceMode::is_enabled() && x.is_cpu() &&
         x.scalar_type() == at::kFloat && weight.scalar_type() == at::kFloat && weight.is_contiguous() &&
         x.dim() >= 2 && x.numel() >= kLeastRows * x.size(-1);
}

}  // namespace

at::Tensor product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (!fits(x, weight)) {
    return at::linear(x, weight, bias);
  }
  return operators().linear->call(x.contiguous(), weight, bias.defined() ? std::optional(bias) : std::nullopt,
                                  "none", c10::List<std::optional<at::Scalar>>(), std::nullopt);
}

at::Tensor product_added(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& added) {
  if (!fits(x, weight) || x.dim() != 2 || !added.is_contiguous()) {
    return at::addmm(added, x, weight.t());
  }
  return operators().added->call(x.contiguous(), added, weight, std::nullopt, "add");
}

}  // namespace mog::engine
