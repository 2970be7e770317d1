#include "model/engine/decomposition/identities.h"

#include <algorithm>
#include <limits>

namespace mog::engine {
namespace {

constexpr double kSingle = 1e-5;   // float32
constexpr double kDouble = 1e-10;  // float64
constexpr double kQuadrature = 1e-6;

// Greatest entry over all but the first axes.
at::Tensor greatest(const at::Tensor& values, std::int64_t axes) {
  return values.dim() == axes ? values : values.flatten(axes).amax(-1);
}

}  // namespace

Identities::Identities(std::span<model::Observer* const> observers, at::ScalarType precision)
    : tolerance_(precision == at::kDouble ? kDouble : kSingle) {
  for (model::Observer* const observer : observers) {
    if (observer->checks_identities()) {
      observers_.push_back(observer);
    }
  }
}

at::Tensor Identities::relative_error(const at::Tensor& found, const at::Tensor& expected, bool heads) {
  const at::Tensor whole = greatest(expected.abs(), 1).clamp_min(std::numeric_limits<float>::min());
  const at::Tensor error = greatest((found - expected).abs(), heads ? 2 : 1);
  return heads ? error / whole.unsqueeze(1) : error / whole;
}

void Identities::compare(std::string_view identity, const AttentionGroup& group, const at::Tensor& found,
                         const at::Tensor& expected, bool heads) {
  add(identity, group, relative_error(found, expected, heads), tolerance_);
}

void Identities::after_quadrature(std::string_view identity, const AttentionGroup& group,
                                  const at::Tensor& found, const at::Tensor& expected, bool heads) {
  add(identity, group, relative_error(found, expected, heads), std::max(kQuadrature, tolerance_));
}

void Identities::sums_to(std::string_view identity, const AttentionGroup& group, const at::Tensor& parts,
                         const at::Tensor& expected) {
  const at::Tensor largest = at::maximum(greatest(parts.abs(), 1), greatest(expected.abs(), 1))
                                 .clamp_min(std::numeric_limits<float>::min());
  add(identity, group, greatest((parts.sum(-1) - expected).abs(), 1) / largest, tolerance_);
}

void Identities::sums_to_one(std::string_view identity, const AttentionGroup& group, const at::Tensor& shares,
                             bool heads) {
  const std::int64_t axes = heads ? 2 : 1;
  // Shares of both signs may be far larger than their sum.
  const at::Tensor largest = greatest(shares.abs(), axes).clamp_min(1.0);
  add(identity, group, greatest((shares.sum(-1) - 1.0).abs(), axes) / largest, tolerance_);
}

void Identities::add(std::string_view identity, const AttentionGroup& group, const at::Tensor& error,
                     double tolerance) {
  const double infinite = std::numeric_limits<double>::infinity();
  const at::Tensor flat = at::nan_to_num(error.to(at::kDouble), infinite, infinite).cpu().flatten();
  const auto place = flat.argmax().item<std::int64_t>();
  const auto residual = flat[place].item<double>();
  const auto found = worst_.find(identity);
  if (found != worst_.end() && found->second.residual >= residual) {
    return;
  }
  const std::int64_t heads = error.dim() == 2 ? error.size(1) : 1;
  worst_[identity] = {.identity = identity,
                      .layer = layer_,
                      .head = error.dim() == 2 ? place % heads + 1 : 0,
                      .sentence = group.first_sentence + place / heads,
                      .residual = residual,
                      .tolerance = tolerance};
}

void Identities::end_layer() {
  for (const auto& [identity, check] : worst_) {
    for (model::Observer* const observer : observers_) {
      observer->identity(check);
    }
  }
  worst_.clear();
}

}  // namespace mog::engine
