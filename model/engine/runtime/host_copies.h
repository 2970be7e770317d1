// Values on their way from the device to the host.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "io/recording/host_tensor.h"

namespace mog::engine {

// Calls what waits for values in the order in which they were sent, in the sender's thread: at once where
// they lie on the host already, else in deliver() or finish(). What has not been delivered when it ends is
// dropped.
class HostCopies {
 public:
  using Arrived = std::function<void(HostTensor values)>;

  HostCopies();
  HostCopies(const HostCopies&) = delete;
  HostCopies& operator=(const HostCopies&) = delete;
  ~HostCopies();

  // values: contiguous, of `dtype`, not changed afterwards. Waits where too much is under way.
  void send(const at::Tensor& values, DType dtype, Arrived arrived);
  // What has come.
  void deliver();
  // All.
  void finish();

 private:
  struct Copy;
  struct Side;

  void start(Copy& copy, const at::Tensor& values);
  void deliver_first();

  std::unique_ptr<Side> side_;  // with the first copy from a card
  std::deque<Copy> under_way_;
  std::int64_t bytes_ = 0;
};

}  // namespace mog::engine
