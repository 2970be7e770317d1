// What a run tells of its exact decompositions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"

namespace mog::test {

using Values = std::vector<double>;

// Keeps decompositions as they were computed, and the worst residual of every identity.
class Watcher final : public model::Observer {
 public:
  explicit Watcher(bool keep, bool check) : keep_(keep), check_(check) {}
  std::optional<DType> wants(const QuantityName& /*name*/) const override {
    return keep_ ? std::optional(DType::float64) : std::nullopt;
  }
  bool wants_decompositions() const override { return keep_; }
  bool checks_identities() const override { return check_; }
  bool observe(const QuantityName& name, const model::PackedValues& values) override {
    EXPECT_FALSE(values_.contains(name)) << name.text() << " was shown twice";
    values_[name] = values;
    return true;
  }
  void identity(const model::IdentityCheck& check) override {
    EXPECT_LE(check.residual, check.tolerance) << check.identity << ", layer " << check.layer << ", head "
                                               << check.head << ", sentence " << check.sentence;
    double& worst = worst_[std::string(check.identity)];
    worst = std::max(worst, check.residual);
  }
  bool has(const QuantityName& name) const { return values_.contains(name); }
  Values of(const QuantityName& name, std::size_t sentence) const {
    const model::PackedValues& values = values_.at(name);
    const auto all = values.values.values<double>();
    const auto first = static_cast<std::size_t>(values.offsets.at(sentence));
    const auto last = static_cast<std::size_t>(values.offsets.at(sentence + 1));
    return {all.begin() + static_cast<std::ptrdiff_t>(first),
            all.begin() + static_cast<std::ptrdiff_t>(last)};
  }
  const std::map<std::string, double>& worst() const { return worst_; }

 private:
  bool keep_;
  bool check_;
  std::map<QuantityName, model::PackedValues> values_;
  std::map<std::string, double> worst_;
};

}  // namespace mog::test
