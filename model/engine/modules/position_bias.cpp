#include "model/engine/modules/position_bias.h"

#include <cmath>

namespace mog::engine {

at::Tensor PositionBias::map(std::int64_t queries, std::int64_t keys) const {
  if (turn == 0) {
    return values.narrow(1, first, keys).unsqueeze(1).expand({values.size(0), queries, keys});
  }
  return values.narrow(1, first - queries + 1, queries + keys - 1).unfold(1, keys, 1).flip(1);
}

at::Tensor relative_bias_by_offset(const at::Tensor& table, const at::Tensor& offsets,
                                   const RelativeForm& form) {
  const std::int64_t side = form.causal ? table.size(0) : table.size(0) / 2;
  const std::int64_t exact = side / 2;
  const at::Tensor away = form.causal ? offsets.neg().clamp_min(0) : offsets.abs();
  // In float32 and in this order, as T5 computes it: the buckets' borders depend on rounding.
  const double octaves = std::log(static_cast<double>(form.distance) / static_cast<double>(exact));
  const at::Tensor far = (at::log(away.to(at::kFloat) / static_cast<double>(exact)) / octaves *
                          static_cast<double>(side - exact))
                             .clamp(-1e6, 1e6)
                             .to(at::kLong) +
                         exact;
  at::Tensor bucket = at::where(away < exact, away, far.clamp_max(side - 1));
  if (!form.causal) {
    bucket = bucket + (offsets > 0).to(at::kLong) * side;
  }
  return table.index_select(0, bucket).t();
}

PositionBias relative_bias(const at::Tensor& table, std::int64_t length, const RelativeForm& form) {
  const auto options = at::TensorOptions().device(table.device()).dtype(at::kLong);
  return {relative_bias_by_offset(table, at::arange(1 - length, length, options), form).contiguous(),
          length - 1};
}

PositionBias alibi(const at::Tensor& slopes, std::int64_t length, bool rounded) {
  if (rounded) {
    const at::Tensor places = at::arange(length, slopes.options());
    const at::Tensor product = slopes.to(at::kBFloat16).unsqueeze(1) * places.to(at::kBFloat16);
    return {product.to(slopes.scalar_type()), 0, 0};
  }
  if (length == 0) {
    return {};
  }
  // bfloat16 cannot count beyond 256: rounded at the end.
  const at::ScalarType wide = slopes.scalar_type() == at::kBFloat16 ? at::kFloat : slopes.scalar_type();
  const at::Tensor distances = at::arange(1 - length, length, slopes.options().dtype(wide)).abs();
  return {at::outer(slopes.to(wide).neg(), distances).to(slopes.scalar_type()), length - 1};
}

}  // namespace mog::engine
