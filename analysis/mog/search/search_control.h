// How a long computation tells how far it is, and how it is stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

#include "io/recording/errors.h"

namespace mog::analysis {

struct SearchControl {
  std::stop_token stop{};
  // Called from the searching thread, many times a second at most; empty: nobody listens.
  std::function<void(std::string_view what, std::int64_t done, std::int64_t total)> progress{};

  // Between two pieces of work, each well below a second. Throws Interrupted.
  void check() const {
    if (stop.stop_requested()) {
      throw Interrupted("the computation was stopped before it was done");
    }
  }
  void step(std::string_view what, std::int64_t done, std::int64_t total) const {
    check();
    if (progress && (done % 64 == 0 || done == total)) {
      progress(what, done, total);
    }
  }
};

}  // namespace mog::analysis
