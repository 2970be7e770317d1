// How a job tells how far it is. Jobs know neither stdout nor Qt.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace mog::app {

struct Progress {
  std::int64_t done = 0;
  std::int64_t total = 0;  // 0: not known
  std::string unit;        // "sentences", "steps"
  std::string message;     // what is being done; may be empty
};

// Called from the job's threads, one call at a time; must return quickly.
using ProgressCallback = std::function<void(const Progress&)>;

}  // namespace mog::app
