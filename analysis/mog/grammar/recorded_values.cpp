// The door between files and the grammar: whatever was recorded is read as float64, has the shape that the
// sentence asks for, and is what it claims to be (rows of probabilities, shares in [0, 1]), or the message
// names quantity, sentence, head and row. Tolerances are those of the stored type; what rounding took away
// is given back by dividing each row by its sum.
//
// The maps of all heads pass here: 12 layers of 12 heads and three parts over 512 pieces are 113 million
// values. So half floats are widened in blocks that stay in the cache, and eight rows are summed side by
// side, because one sum alone waits for its own addition at every step. Each row is still summed in its
// order, so that the result does not depend on how many go together.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/mog/grammar/recorded_values.h"
#include "io/recording/errors.h"
#include "io/recording/top_keys.h"

namespace mog::analysis {
namespace {

// How far an attention row may miss 1 before it is refused: what the stored precision explains.
double row_tolerance(DType dtype) {
  return dtype == DType::float16 ? 5e-3 : dtype == DType::bfloat16 ? 2e-2 : 1e-3;
}

// Half floats in blocks that stay in the cache: neither kind is made of the whole tensor in between.
std::vector<double> widened(std::span<const Float16> values) {
  constexpr std::size_t kBlock = 2048;
  std::array<float, kBlock> block;
  std::vector<double> wide;
  wide.reserve(values.size());
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const auto count = std::min(kBlock, values.size() - first);
    convert(values.subspan(first, count), std::span(block).first(count));
    wide.insert(wide.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return wide;
}

// Sums and least values of `rows` neighbours: one sum alone waits for itself at every step.
template <std::size_t rows>
void add_rows(const double* values, std::size_t keys, double* sum, double* least) {
  for (std::size_t k = 0; k < keys; ++k) {
    for (std::size_t row = 0; row < rows; ++row) {
      sum[row] += values[row * keys + k];
      least[row] = std::min(least[row], values[row * keys + k]);
    }
  }
}

}  // namespace

RecordedValues::Tensor RecordedValues::read(const QuantityName& name,
                                            std::span<const std::int64_t> shape) const {
  return widen(source_.read(index_, name), name, shape);
}

RecordedValues::Tensor RecordedValues::widen(const HostTensor& tensor, const QuantityName& name,
                                             std::span<const std::int64_t> shape) const {
  bool same = tensor.shape().size() == shape.size();
  for (std::size_t i = 0; same && i < shape.size(); ++i) {
    same = shape[i] == 0 || tensor.shape()[i] == shape[i];
  }
  if (!same) {
    throw ShapeError(fmt::format("{} of sentence {}: expected the shape {}, found {} (0: any)", name.text(),
                                 sentence_.number, shape_text(shape), shape_text(tensor.shape())));
  }
  Tensor result;
  result.dtype = tensor.dtype();
  result.extent = tensor.shape().empty() ? 1 : tensor.shape().front();
  if (result.dtype == DType::float64) {
    const auto values = tensor.values<double>();
    result.values.assign(values.begin(), values.end());
  } else if (result.dtype == DType::float16) {
    result.values = widened(tensor.values<Float16>());
  } else if (result.dtype == DType::float32) {
    const auto values = tensor.values<float>();
    result.values.assign(values.begin(), values.end());
  } else {
    const std::vector<float> values = tensor.to_floats();
    result.values.assign(values.begin(), values.end());
  }
  return result;
}

void RecordedValues::refuse_missing(const QuantityName& name, std::string_view what,
                                    std::string_view capture) const {
  throw UsageError(fmt::format("the recording does not hold {}, which {}: record with --capture {}{}",
                               name.text(), what, capture,
                               name.quantity() == Quantity::attention ? only_top_keys(header()) : ""));
}

// Refuses rows that are no probabilities; renormalises the others, which storing has rounded. Each row is
// summed in its order.
void RecordedValues::check_rows(const QuantityName& name, Tensor& map, std::int64_t queries,
                                std::int64_t first_query) const {
  constexpr std::size_t kTogether = 8;
  const auto keys = static_cast<std::size_t>(pieces());
  const std::size_t rows = map.values.size() / keys;
  const double tolerance = row_tolerance(map.dtype);
  for (std::size_t first = 0; first < rows; first += kTogether) {
    const std::size_t count = std::min(kTogether, rows - first);
    double* const values = map.values.data() + first * keys;
    std::array<double, kTogether> sum = {};
    std::array<double, kTogether> least = {};
    if (count == kTogether) {
      add_rows<kTogether>(values, keys, sum.data(), least.data());
    } else {
      for (std::size_t row = 0; row < count; ++row) {
        add_rows<1>(values + row * keys, keys, &sum[row], &least[row]);
      }
    }
    for (std::size_t row = 0; row < count; ++row) {
      if (!(std::abs(sum[row] - 1) <= tolerance) || least[row] < 0) {
        const auto at = static_cast<std::int64_t>(first + row);
        throw FormatError(
            fmt::format("{} of sentence {}, head {}, query {}: expected probabilities with sum 1, found the "
                        "sum {}{}; the recording is damaged or its maps were changed",
                        name.text(), sentence_.number, at / queries + 1, first_query + at % queries + 1,
                        sum[row], least[row] < 0 ? " and negative values" : ""));
      }
      for (std::size_t k = 0; k < keys; ++k) {
        values[row * keys + k] /= sum[row];
      }
    }
  }
}

QuantityName RecordedValues::recorded_maps(const QuantityName& whole, std::string_view capture) const {
  QuantityName name = has(whole) ? whole : whole.with(Reduction::mean_heads);
  if (!has(name)) {
    refuse_missing(whole, "trees need", capture);
  }
  return name;
}

RecordedValues::Maps RecordedValues::attention(const QuantityName& whole, std::int64_t queries,
                                               std::string_view capture) const {
  const QuantityName name = recorded_maps(whole, capture);
  const bool every_head = name == whole;
  const std::int64_t shape[] = {0, queries, pieces()};
  Tensor tensor = read(name, std::span(shape).subspan(every_head ? 0 : 1));
  check_rows(name, tensor, queries);
  return {std::move(tensor.values), every_head ? tensor.extent : 1, !every_head};
}

void RecordedValues::attention_rows(const QuantityName& whole, std::string_view capture,
                                    const std::function<void(const Maps& rows)>& visit) const {
  constexpr std::int64_t kAtOnce = std::int64_t{1} << 22U;  // values
  const QuantityName name = recorded_maps(whole, capture);
  const bool every_head = name == whole;
  const std::vector<std::int64_t> whole_shape = header().find(name)->shape(pieces());
  const bool sound = whole_shape.size() == (every_head ? 3 : 2) && whole_shape.back() == pieces() &&
                     whole_shape[whole_shape.size() - 2] == pieces();
  const std::int64_t heads = sound && every_head ? whole_shape.front() : 1;
  const std::int64_t rows = std::max<std::int64_t>(1, kAtOnce / std::max<std::int64_t>(1, heads * pieces()));
  if (!sound || rows >= pieces()) {  // which refuses another shape
    visit(attention(whole, pieces(), capture));
    return;
  }
  for (std::int64_t first = 0; first < pieces(); first += rows) {
    const std::int64_t shape[] = {heads, std::min(rows, pieces() - first), pieces()};
    const std::int64_t from[] = {0, first, 0};
    const std::ptrdiff_t axes = every_head ? 0 : 1;
    const TensorBlock block{{from + axes, std::end(from)}, {shape + axes, std::end(shape)}};
    Tensor tensor = widen(source_.read_block(index_, name, block), name, block.extents);
    check_rows(name, tensor, shape[1], first);
    visit({std::move(tensor.values), heads, !every_head});
  }
}

void RecordedValues::check_unit(const QuantityName& name, std::vector<double>& values) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] >= -1e-3 && values[i] <= 1 + 1e-3)) {
      throw FormatError(fmt::format("{} of sentence {}: expected numbers in [0, 1], found {} at place {}",
                                    name.text(), sentence_.number, values[i], i + 1));
    }
    values[i] = std::clamp(values[i], 0.0, 1.0);
  }
}

std::vector<double> RecordedValues::unit(const QuantityName& name) const {
  const std::int64_t shape[] = {pieces()};
  std::vector<double> values = read(name, shape).values;
  check_unit(name, values);
  return values;
}

}  // namespace mog::analysis
