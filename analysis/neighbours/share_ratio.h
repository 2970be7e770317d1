// A share among few beside the share among all.
#pragma once

#include <cstdint>

namespace mog::analysis {

// Both shares in [0, 1]; ratio = share / of_all.
struct ShareRatio {
  double share = 0;
  double of_all = 0;
  double ratio = 0;  // NaN where nothing of all has it
  double low = 0;    // ends of the interval of the ratio
  double high = 0;
};

// `count` of `few` beside `all_count` of `all`. The interval is Wilson's of the share (1927, z = 1.96: 95 %),
// divided by the share of all, which is taken as known. It treats the few as drawn independently, which
// neighbours are not: it is too narrow where several of them are nearly the same sentence.
ShareRatio share_ratio(std::int64_t count, std::int64_t few, std::int64_t all_count, std::int64_t all);

}  // namespace mog::analysis
