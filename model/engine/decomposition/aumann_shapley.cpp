#include "model/engine/decomposition/aumann_shapley.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace mog::engine {
namespace {

constexpr std::int64_t kTileBytes = 64 << 20;

std::int64_t rows_of_a_tile(std::int64_t doubles_a_row) {
  return std::max<std::int64_t>(1, kTileBytes / (8 * doubles_a_row));
}

// Rows [begin, begin + count) of uniform attention, of rows that are queries of one pattern after another.
at::Tensor uniform_rows(const at::Tensor& uniform, std::int64_t begin, std::int64_t count) {
  const at::Tensor rows =
      at::arange(begin, begin + count, at::TensorOptions().device(uniform.device()).dtype(at::kLong));
  return uniform.index_select(0, rows.remainder(uniform.size(0)));
}

at::Tensor hide(const at::Tensor& scores, const at::Tensor& uniform) {
  return scores.masked_fill(uniform == 0.0, -std::numeric_limits<double>::infinity());
}

// [row, term, key] of the rows, [row] of their residuals.
void integrate(const at::Tensor& terms, const Quadrature& quadrature, const at::Tensor& all,
               const at::Tensor& maps, const at::Tensor& residual) {
  const auto count = static_cast<std::int64_t>(quadrature.nodes.size());
  const at::Tensor nodes = at::tensor(quadrature.nodes, terms.options());
  const at::Tensor weights = at::tensor(quadrature.weights, terms.options()).view({1, count, 1});
  const std::int64_t tile = rows_of_a_tile(terms.size(2) * (2 * count + terms.size(1)));
  for (std::int64_t begin = 0; begin < terms.size(0); begin += tile) {
    const std::int64_t rows = std::min(tile, terms.size(0) - begin);
    const at::Tensor own = terms.narrow(0, begin, rows);
    const at::Tensor score = own.sum(1);  // [row, key]
    const at::Tensor uniform = all.defined() ? uniform_rows(all, begin, rows) : at::Tensor();
    at::Tensor along = score.unsqueeze(1) * nodes.view({1, count, 1});
    if (uniform.defined()) {
      along = hide(along, uniform.unsqueeze(1));
    }
    const at::Tensor path = at::softmax(along, -1);                         // [row, node, key]
    const at::Tensor means = at::bmm(path, own.transpose(1, 2)) * weights;  // [row, node, term]
    const at::Tensor density = (path * weights).sum(1, /*keepdim=*/true);   // [row, 1, key]
    at::Tensor out = maps.narrow(0, begin, rows);
    at::mul_out(out, own, density);
    out.baddbmm_(means.transpose(1, 2), path, /*beta=*/1.0, /*alpha=*/-1.0);
    const at::Tensor sum =
        uniform.defined() ? out.sum(1) + uniform : out.sum(1) + 1.0 / static_cast<double>(terms.size(2));
    const at::Tensor pattern = at::softmax(uniform.defined() ? hide(score, uniform) : score, -1);
    residual.narrow(0, begin, rows).copy_((sum - pattern).abs().amax(-1));
  }
}

// A pattern of one token is uniform: nothing is shared out, and rounding must not look like it.
at::Tensor no_shares(const ShapleyMaps& maps) {
  return at::full({maps.maps.size(0), maps.maps.size(2)}, std::numeric_limits<double>::quiet_NaN(),
                  maps.maps.options());
}

at::Tensor pattern_less_uniform(const ShapleyMaps& maps) {
  return maps.maps.sum(2, /*keepdim=*/true);  // [b, query, 1, key]
}

}  // namespace

Quadrature gauss_legendre(int nodes) {
  Quadrature result;
  for (int i = 0; i < nodes; ++i) {
    // Newton's method from the usual first guess, on the Legendre polynomial of degree `nodes` over [-1, 1].
    double x = std::cos(std::numbers::pi * (i + 0.75) / (nodes + 0.5));
    double slope = 1.0;
    for (int step = 0; step < 100; ++step) {
      double before = 1.0;
      double value = x;
      for (int degree = 2; degree <= nodes; ++degree) {
        const double next = ((2 * degree - 1) * x * value - (degree - 1) * before) / degree;
        before = value;
        value = next;
      }
      slope = nodes * (x * value - before) / (x * x - 1);
      const double change = value / slope;
      x -= change;
      if (std::abs(change) < 1e-16) {
        break;
      }
    }
    result.nodes.push_back((1 - x) / 2);
    result.weights.push_back(1 / ((1 - x * x) * slope * slope));
  }
  return result;
}

ShapleyMaps aumann_shapley(const at::Tensor& terms, const ShapleyOptions& options) {
  const std::int64_t patterns = terms.size(0);
  const std::int64_t queries = terms.size(1);
  const at::Tensor exact = terms.to(at::kDouble).contiguous();
  ShapleyMaps result;
  result.maps = at::empty_like(exact);
  result.nodes = at::full({patterns}, static_cast<double>(options.first), exact.options());
  result.residual = at::empty({patterns}, exact.options());
  at::Tensor open = at::arange(patterns, exact.options().dtype(at::kLong));
  for (int nodes = options.first; nodes <= options.last && open.numel() > 0; nodes *= 2) {
    const bool all = open.numel() == patterns;
    const at::Tensor chosen = (all ? exact : exact.index_select(0, open)).flatten(0, 1);
    at::Tensor maps = all ? result.maps.flatten(0, 1) : at::empty_like(chosen);
    const at::Tensor rows = at::empty({chosen.size(0)}, exact.options());
    integrate(chosen, gauss_legendre(nodes), options.uniform, maps, rows);
    const at::Tensor residual = rows.view({open.numel(), queries}).amax(-1);
    if (!all) {
      result.maps.index_copy_(0, open, maps.view({open.numel(), queries, terms.size(2), terms.size(3)}));
    }
    result.residual.index_copy_(0, open, residual);
    result.nodes.index_fill_(0, open, static_cast<double>(nodes));
    open = open.index_select(0, (residual > options.residual).nonzero().flatten());
  }
  return result;
}

at::Tensor signed_shares(const ShapleyMaps& maps) {
  if (maps.maps.size(3) == 1) {
    return no_shares(maps);
  }
  const at::Tensor effect = pattern_less_uniform(maps);
  const at::Tensor whole = effect.square().sum(at::IntArrayRef{1, 2, 3});
  return (maps.maps * effect).sum(at::IntArrayRef{1, 3}) / whole.unsqueeze(1);
}

at::Tensor absolute_shares(const ShapleyMaps& maps) {
  if (maps.maps.size(3) == 1) {
    return no_shares(maps);
  }
  const at::Tensor sums = maps.maps.abs().sum(at::IntArrayRef{1, 3});
  return sums / sums.sum(1, /*keepdim=*/true);
}

at::Tensor leave_out(const at::Tensor& terms, const at::Tensor& uniform) {
  // Σ_j A (l − lse(l) − (l − l_t) + lse(l − l_t)) = Σ_j A l_t − lse(l) + lse(l − l_t)
  const at::Tensor rows = terms.flatten(0, 1);
  const at::Tensor result = at::empty({rows.size(0), rows.size(1)}, rows.options().dtype(at::kDouble));
  const std::int64_t tile = rows_of_a_tile(3 * rows.size(1) * rows.size(2));
  for (std::int64_t begin = 0; begin < rows.size(0); begin += tile) {
    const std::int64_t count = std::min(tile, rows.size(0) - begin);
    const at::Tensor own = rows.narrow(0, begin, count).to(at::kDouble);
    at::Tensor score = own.sum(1, /*keepdim=*/true);
    if (uniform.defined()) {
      score = hide(score, uniform_rows(uniform, begin, count).unsqueeze(1));
    }
    const at::Tensor given = (at::softmax(score, -1) * own).sum(-1);
    result.narrow(0, begin, count).copy_(given - at::logsumexp(score, -1) + at::logsumexp(score - own, -1));
  }
  return result.view({terms.size(0), terms.size(1), -1}).mean(1);
}

}  // namespace mog::engine
