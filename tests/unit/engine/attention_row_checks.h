// One test body for everything that computes attention by rows (model/engine/cuda/attention_block.h): the
// caller brings memory of its device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "model/engine/cuda/attention_block.h"

namespace mog::test {

// Memory that lives as long as this object.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual const void* put(const void* values, std::size_t bytes) = 0;
  virtual void* room(std::size_t bytes) = 0;
  virtual void get(void* to, const void* from, std::size_t bytes) = 0;
};

using AttendRows = std::function<void(const engine::AttentionBlock&, const engine::AttentionRows&)>;
using MakeMemory = std::function<std::unique_ptr<DeviceMemory>()>;

struct AttentionChecks {
  engine::AttentionNumbers numbers = engine::AttentionNumbers::float32;
  std::int64_t most_width = engine::kMostCardWidth;
  bool detail = true;  // greatest weights and distances, too
  bool maps = false;
  bool means = false;  // over heads
};

// Full, causal, windowed, capped and grouped attention of sentences of unequal lengths (one token, and more
// than a tile), heads of several widths, biases, masked keys, rows without any key, equal scores and very
// unequal ones, against maps worked out in double.
void check_attention_rows(const AttendRows& attend, const MakeMemory& memory,
                          const AttentionChecks& checks = {});

}  // namespace mog::test
