// Count, mean and sum of squared deviations of a stream of numbers, mergeable.
#pragma once

#include <cstdint>

namespace mog::analysis {

// Welford's update and Chan's merge: no cancellation for values with a large mean. Merging in a fixed order
// gives the same bits every time.
class RunningMoments {
 public:
  RunningMoments() = default;
  // From sums kept elsewhere; m2 = Σ (x - mean)².
  RunningMoments(std::int64_t count, double mean, double m2) : count_(count), mean_(mean), m2_(m2) {}
  void add(double value);
  void merge(const RunningMoments& other);

  std::int64_t count() const noexcept { return count_; }
  double mean() const noexcept { return mean_; }  // 0 when empty
  double m2() const noexcept { return m2_; }
  double variance() const noexcept;        // m2 / (count - 1); 0 for fewer than two values
  double standard_error() const noexcept;  // sqrt(variance / count); 0 for fewer than two values
  friend bool operator==(const RunningMoments&, const RunningMoments&) = default;

 private:
  std::int64_t count_ = 0;
  double mean_ = 0;
  double m2_ = 0;
};

}  // namespace mog::analysis
