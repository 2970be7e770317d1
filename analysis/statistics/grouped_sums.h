// Sums and quantiles of groups that are not known before they come, such as parts of speech: a set of each
// for every label that was met.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/statistics/additive.h"
#include "analysis/statistics/quantile_sketch.h"
#include "analysis/statistics/running_sums.h"

namespace mog::analysis {

class GroupedSums final : public Additive {
 public:
  struct Group {
    RunningSums sums;           // of one bin
    QuantileSketches sketches;  // [1, sketched]
  };
  GroupedSums() = default;
  // Of each group, as RunningSums and QuantileSketches have it; sketched 0: no quantiles.
  GroupedSums(std::int64_t columns, std::int64_t resampled, std::int64_t resamples, std::int64_t sketched);

  // The group of a label, which begins empty. Throws UsageError where the groups would take more than 4 GB.
  Group& at(const std::string& label);
  // By label.
  const std::map<std::string, Group>& groups() const noexcept { return groups_; }

  // Groups; then of each the bytes of its label and these, eight in a number, its sums, and the numbers of
  // its quantiles and these.
  std::vector<std::int64_t> words() const override;
  void add_words(std::span<const std::int64_t> words) override;

 private:
  Group empty() const;

  std::int64_t columns_ = 0;
  std::int64_t resampled_ = 0;
  std::int64_t resamples_ = 0;
  std::int64_t sketched_ = 0;
  std::map<std::string, Group> groups_;
};

}  // namespace mog::analysis
