#include "app/workflow/record/top_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "app/workflow/record/record_job.h"
#include "io/recording/errors.h"
#include "model/model.h"

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
                 std::vector<QuantitySchema>& quantities, std::vector<QuantitySchema>& observed,
                 std::span<const QuantitySchema> by_model)
    : ranks_(ranks) {
  if (ranks < 1 || ranks > kMostTopKeys) {
    throw UsageError(fmt::format("--store-top-k {}: allowed are 1 to {}", ranks, kMostTopKeys));
  }
  const auto find = [](auto& schemas, const QuantityName& name) {
    return std::find_if(schemas.begin(), schemas.end(),
                        [&](const QuantitySchema& schema) { return schema.name == name; });
  };
  for (const QuantitySchema& schema : quantities) {
    if (is_top_key_map(schema)) {
      maps_.push_back({schema, ranks <= model::kTopKeys &&
                                   find(by_model, schema.name.with(Reduction::top)) != by_model.end()});
    }
  }
  if (maps_.empty()) {
    throw UsageError(
        "--store-top-k: it keeps the greatest weights of attention maps, and none is asked for; add "
        "--capture "
        "attention, or --quantity with the name of a map");
  }
  for (const Map& map : maps_) {
    for (const Reduction reduction : {Reduction::top, Reduction::top_key}) {
      const QuantityName name = map.schema.name.with(reduction);
      if (find(quantities, name) != quantities.end()) {
        throw UsageError(fmt::format(
            "--store-top-k {}: --quantity asks for {}, which has {} of them; leave out one of the two", ranks,
            name.text(), model::kTopKeys));
      }
    }
  }
  std::erase_if(quantities, is_top_key_map);
  const auto observe = [&](const QuantitySchema& schema) {
    const auto there = find(observed, schema.name);
    if (there == observed.end()) {
      observed.push_back(schema);
      observed.back().dtype = DType::float32;
    } else if (there->dtype != DType::float64) {
      there->dtype = DType::float32;  // before anything is rounded
    }
  };
  const DType weights = set.store == DType::uint8 ? DType::float16 : set.store;
  for (const Map& map : maps_) {
    for (QuantitySchema& schema : top_key_quantities(map.schema, ranks, weights, longest)) {
      quantities.push_back(std::move(schema));
    }
    if (map.by_model) {
      std::erase_if(observed, [&](const QuantitySchema& other) { return other.name == map.schema.name; });
      observe(*find(by_model, map.schema.name.with(Reduction::top)));
      observe(*find(by_model, map.schema.name.with(Reduction::top_key)));
    } else {
      observe(map.schema);
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
    if (weight == 0.0F) {
      continue;  // what is not seen, too
    }
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
  for (const Map& map : maps_) {
    if (map.by_model) {
      cut_ranks(batch, map.schema.name);
    } else {
      add_from_map(batch, map.schema);
    }
  }
}

// The first ranks of what the model gave, and what they leave.
void TopKeys::cut_ranks(RecordingBatch& batch, const QuantityName& map) const {
  const auto take = [&](Reduction reduction) {
    const auto found =
        std::find_if(batch.quantities.begin(), batch.quantities.end(),
                     [name = map.with(reduction)](const auto& entry) { return entry.first == name; });
    std::vector<float> values = found->second.to_floats();
    batch.quantities.erase(found);
    return values;
  };
  const std::vector<float> given = take(Reduction::top);
  const std::vector<float> given_keys = take(Reduction::top_key);
  const auto width = static_cast<std::size_t>(model::kTopKeys);
  const auto ranks = static_cast<std::size_t>(ranks_);
  std::vector<float> weights;
  std::vector<float> keys;
  std::vector<float> rest;
  for (std::size_t row = 0; row + width <= given.size(); row += width) {
    const auto own = std::span(given).subspan(row, ranks);
    weights.insert(weights.end(), own.begin(), own.end());
    const auto own_keys = std::span(given_keys).subspan(row, ranks);
    keys.insert(keys.end(), own_keys.begin(), own_keys.end());
    const double sum = std::accumulate(own.begin(), own.end(), 0.0);
    const std::span<const float> others = std::span(given).subspan(row + ranks, width - ranks);
    const double known = std::accumulate(others.begin(), others.end(), 0.0);
    const bool all = given_keys[row + width - 1] < 0;  // no key is left that the model did not give
    rest.push_back(static_cast<float>(all ? known : std::max(known, 1.0 - sum)));
  }
  batch.quantities.emplace_back(map.with(Reduction::top), flat(weights));
  batch.quantities.emplace_back(map.with(Reduction::top_key), flat(keys));
  batch.quantities.emplace_back(map.with(Reduction::rest), flat(rest));
}

void TopKeys::add_from_map(RecordingBatch& batch, const QuantitySchema& map) const {
  const auto given = std::find_if(batch.quantities.begin(), batch.quantities.end(),
                                  [&](const auto& entry) { return entry.first == map.name; });
  const auto ranks = static_cast<std::size_t>(ranks_);
  const std::vector<float> values = given->second.to_floats();
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

}  // namespace mog::app
