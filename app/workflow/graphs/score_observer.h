// The scores of a model's heads on one batch.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "model/observer.h"

namespace mog::app {

class ScoreObserver final : public model::Observer {
 public:
  std::optional<DType> wants(const QuantityName& name) const override {
    const bool wanted = name.of_task() && name.reduction() == Reduction::full;
    return wanted ? std::optional<DType>(DType::float32) : std::nullopt;
  }
  bool observe(const QuantityName& name, const model::PackedValues& values) override {
    (name.quantity() == Quantity::pair_scores ? pairs_ : tags_)[name.task()] = values;
    return true;
  }
  // Of a sentence of the batch.
  std::span<const float> pairs(const std::string& head, std::size_t sentence) const {
    return of(pairs_.at(head), sentence);
  }
  std::span<const float> tags(const std::string& task, std::size_t sentence) const {
    return of(tags_.at(task), sentence);
  }

 private:
  static std::span<const float> of(const model::PackedValues& values, std::size_t sentence) {
    const auto begin = static_cast<std::size_t>(values.offsets[sentence]);
    const auto end = static_cast<std::size_t>(values.offsets[sentence + 1]);
    return values.values.values<float>().subspan(begin, end - begin);
  }
  std::map<std::string, model::PackedValues> pairs_;
  std::map<std::string, model::PackedValues> tags_;
};

}  // namespace mog::app
