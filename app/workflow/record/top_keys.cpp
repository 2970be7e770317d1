#include "app/workflow/record/top_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "app/workflow/record/record_job.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

void sort_by_name(std::vector<QuantitySchema>& schemas) {
  std::sort(schemas.begin(), schemas.end(),
            [](const QuantitySchema& left, const QuantitySchema& right) { return left.name < right.name; });
}

HostTensor flat(const std::vector<float>& values) {
  return HostTensor::of<float>({std::ssize(values)}, values);
}

}  // namespace

bool is_top_key_map(const QuantitySchema& schema) {
  return schema.name.quantity() == Quantity::attention && schema.name.reduction() == Reduction::full &&
         schema.axes.size() == 3;
}

std::vector<QuantitySchema> top_key_quantities(const QuantitySchema& map, std::int64_t ranks, DType weights,
                                               std::int64_t longest) {
  const DType keys = weights == DType::float16 && longest > kMostTopKeys ? DType::float32 : weights;
  const std::vector<Axis> axes = {map.axes[0], map.axes[1], Axis::rank};
  const std::vector<std::int64_t> extents = {map.extents[0], map.extents[1], ranks};
  return {{map.name.with(Reduction::top), axes, extents, weights, "probability",
           "greatest weights of each attention row, greatest first"},
          {map.name.with(Reduction::top_key), axes, extents, keys, "1",
           "keys of the greatest weights of each attention row, counted from 0; -1 where there is none"},
          {map.name.with(Reduction::rest),
           {map.axes[0], map.axes[1]},
           {map.extents[0], map.extents[1]},
           DType::float32,
           "probability",
           "what the other keys of each attention row have together"}};
}

TopKeys::TopKeys(std::int64_t ranks, std::int64_t longest, const CaptureSet& set,
                 std::vector<QuantitySchema>& quantities, std::vector<QuantitySchema>& observed)
    : ranks_(ranks) {
  if (ranks < 1 || ranks > kMostTopKeys) {
    throw UsageError(fmt::format("--store-top-k {}: allowed are 1 to {}", ranks, kMostTopKeys));
  }
  std::copy_if(quantities.begin(), quantities.end(), std::back_inserter(maps_), is_top_key_map);
  if (maps_.empty()) {
    throw UsageError(
        "--store-top-k: it keeps the greatest weights of attention maps, and none is asked for; add "
        "--capture "
        "attention, or --quantity with the name of a map");
  }
  std::erase_if(quantities, is_top_key_map);
  const DType weights = set.store == DType::uint8 ? DType::float16 : set.store;
  for (const QuantitySchema& map : maps_) {
    for (QuantitySchema& schema : top_key_quantities(map, ranks, weights, longest)) {
      quantities.push_back(std::move(schema));
    }
    const auto there = std::find_if(observed.begin(), observed.end(),
                                    [&](const QuantitySchema& schema) { return schema.name == map.name; });
    if (there == observed.end()) {
      observed.push_back(map);
      observed.back().dtype = DType::float32;
    } else if (there->dtype != DType::float64) {
      there->dtype = DType::float32;  // before anything is rounded
    }
  }
  sort_by_name(quantities);
  sort_by_name(observed);
}

double top_keys(std::span<const float> row, std::span<float> weights, std::span<float> keys) {
  std::size_t held = 0;
  double rest = 0;
  for (std::size_t key = 0; key < row.size(); ++key) {
    const float weight = row[key];
    // Behind those that are as great: their keys are smaller.
    const auto place = static_cast<std::size_t>(
        std::upper_bound(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(held), weight,
                         [](float one, float other) { return one > other; }) -
        weights.begin());
    if (place == weights.size()) {
      rest += static_cast<double>(weight);
      continue;
    }
    if (held == weights.size()) {
      rest += static_cast<double>(weights[held - 1]);
    } else {
      ++held;
    }
    std::copy_backward(weights.begin() + static_cast<std::ptrdiff_t>(place),
                       weights.begin() + static_cast<std::ptrdiff_t>(held) - 1,
                       weights.begin() + static_cast<std::ptrdiff_t>(held));
    std::copy_backward(keys.begin() + static_cast<std::ptrdiff_t>(place),
                       keys.begin() + static_cast<std::ptrdiff_t>(held) - 1,
                       keys.begin() + static_cast<std::ptrdiff_t>(held));
    weights[place] = weight;
    keys[place] = static_cast<float>(key);
  }
  std::fill(weights.begin() + static_cast<std::ptrdiff_t>(held), weights.end(), 0.0F);
  std::fill(keys.begin() + static_cast<std::ptrdiff_t>(held), keys.end(), -1.0F);
  return rest;
}

void TopKeys::add(RecordingBatch& batch) const {
  const std::map<QuantityName, HostTensor> given(batch.quantities.begin(), batch.quantities.end());
  const auto ranks = static_cast<std::size_t>(ranks_);
  for (const QuantitySchema& map : maps_) {
    const std::vector<float> values = given.at(map.name).to_floats();
    std::vector<float> weights;
    std::vector<float> keys;
    std::vector<float> rest;
    std::size_t at = 0;
    for (const Sentence& sentence : batch.sentences) {
      const std::vector<std::int64_t> shape =
          map.shape(std::ssize(sentence.tokens), std::ssize(sentence.target_tokens));
      const auto length = static_cast<std::size_t>(shape[2]);
      for (std::int64_t row = 0; row < shape[0] * shape[1]; ++row, at += length) {
        weights.resize(weights.size() + ranks);
        keys.resize(keys.size() + ranks);
        rest.push_back(
            static_cast<float>(top_keys(std::span(values).subspan(at, length), std::span(weights).last(ranks),
                                        std::span(keys).last(ranks))));
      }
    }
    batch.quantities.emplace_back(map.name.with(Reduction::top), flat(weights));
    batch.quantities.emplace_back(map.name.with(Reduction::top_key), flat(keys));
    batch.quantities.emplace_back(map.name.with(Reduction::rest), flat(rest));
  }
}

}  // namespace mog::app
