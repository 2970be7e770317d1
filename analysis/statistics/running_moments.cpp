#include "analysis/statistics/running_moments.h"

#include <cmath>

namespace mog::analysis {

void RunningMoments::add(double value) {
  ++count_;
  const double delta = value - mean_;
  mean_ += delta / static_cast<double>(count_);
  m2_ += delta * (value - mean_);
}

void RunningMoments::merge(const RunningMoments& other) {
  if (other.count_ == 0) {
    return;
  }
  if (count_ == 0) {
    *this = other;
    return;
  }
  const auto mine = static_cast<double>(count_);
  const auto theirs = static_cast<double>(other.count_);
  const double delta = other.mean_ - mean_;
  count_ += other.count_;
  mean_ += delta * theirs / (mine + theirs);
  m2_ += other.m2_ + delta * delta * mine * theirs / (mine + theirs);
}

double RunningMoments::variance() const noexcept {
  return count_ < 2 ? 0.0 : m2_ / static_cast<double>(count_ - 1);
}

double RunningMoments::standard_error() const noexcept {
  return count_ < 2 ? 0.0 : std::sqrt(variance() / static_cast<double>(count_));
}

}  // namespace mog::analysis
