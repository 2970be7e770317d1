// Integrated gradients (Sundararajan, Taly and Yan 2017) of a target, along the straight way from the
// sentence without its units to the whole one. The caller runs and differentiates the model; this says where,
// and by what.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/effects/readout.h"

namespace mog::analysis {

// What goes from 0 to 1 along the way: the scale of a token's embedding; or its presence as a key of every
// attention and, where the target shrinks, its weight in the mean.
enum class PathKind : std::uint8_t { scale, presence };

// The midpoints of `steps` equal parts of the way are taken in batches: start(), cotangent() while the model
// is differentiated, add(). O(steps · token · width) over all of them. Not for several threads.
class PathIntegral {
 public:
  // `readout` is borrowed. before: the target's vector of the whole sentence. Throws UsageError for steps
  // < 1.
  PathIntegral(const Readout& readout, std::vector<double> before, PathKind kind, std::int64_t steps);

  // A batch of `count` midpoints from number `first` on, counted from 0. [copy, token], each in (0, 1]: how
  // far a token has come, 1 where it is in no unit.
  const std::vector<double>& start(std::int64_t first, std::int64_t count);
  // values: [copy, token, width], the outputs (or tag scores) there; slopes is set to the derivative of
  // 1 - effect by them. Throws ShapeError for values that do not fit the batch.
  void cotangent(std::span<const double> values, std::span<double> slopes);
  // found: [copy, token], the derivative of 1 - effect by what moves, through the model; what the weights of
  // the mean do is added here. Throws ShapeError.
  void add(std::span<const double> found);

  // [token], once every midpoint was added.
  const std::vector<double>& values() const { return result_; }

 private:
  const Readout& readout_;
  std::vector<double> before_;
  PathKind kind_;
  std::int64_t steps_;
  ErasedTokens moves_;
  std::vector<double> result_;
  std::vector<double> place_;   // of the batch
  std::vector<double> direct_;  // by the weights of the mean, [copy, token]
};

}  // namespace mog::analysis
