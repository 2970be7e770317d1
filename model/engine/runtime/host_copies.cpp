// Copies from a graphics card go by a stream of their own into pages that stay where they are (the card
// writes them by itself, and LibTorch keeps them for the next), so that the card goes on with the next layer
// and the processor with handing over the last. Events order the two streams. At most kMostBytes are under
// way, some layers of a usual batch: beyond that the pass waits for its first copies, since pages that stay
// where they are take longer to get than to fill.
//
// Trap: memory that is given back on the pass's stream is used again at once, though the other stream may
// still read it; so values are held until they have come, also when the pass ends by an error.
#include "model/engine/runtime/host_copies.h"

#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <map>
#include <optional>
#include <utility>

namespace mog::engine {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{64} << 20U;

// Shares the memory of a contiguous tensor on the host.
HostTensor shared(const at::Tensor& host, DType dtype) {
  auto owner = std::make_shared<at::Tensor>(host);
  void* const data = owner->data_ptr();
  return {dtype, {host.numel()}, std::move(owner), data};
}

}  // namespace

struct HostCopies::Copy {
  at::Tensor from;
  at::Tensor host;
  DType dtype = DType::float32;
  Arrived arrived;
  std::optional<c10::Event> done;  // none: it has come
  std::int64_t bytes = 0;
};

struct HostCopies::Side {
  explicit Side(at::Device device) : guard(device.type()), stream(of(device, guard)) {}
  c10::impl::VirtualGuardImpl guard;
  c10::Stream stream;

 private:
  // One a thread and device: a stream's first use costs milliseconds.
  static c10::Stream of(at::Device device, const c10::impl::VirtualGuardImpl& guard) {
    thread_local std::map<at::DeviceIndex, c10::Stream> streams;
    const auto found = streams.find(device.index());
    return found != streams.end()
               ? found->second
               : streams
                     .emplace(device.index(), guard.getStreamFromGlobalPool(device, /*isHighPriority=*/false))
                     .first->second;
  }
};

HostCopies::HostCopies() = default;

HostCopies::~HostCopies() {
  for (const Copy& copy : under_way_) {
    if (copy.done) {
      try {
        copy.done->synchronize();
      } catch (const c10::Error&) {  // the card is lost, and its memory with it
        return;
      }
    }
  }
}

void HostCopies::start(Copy& copy, const at::Tensor& values) {
  try {
    copy.host = at::empty(values.sizes(), values.options().device(at::kCPU).pinned_memory(true));
  } catch (const c10::Error&) {  // where so much may not be locked
    copy.host = values.cpu();
    return;
  }
  if (side_ == nullptr) {
    side_ = std::make_unique<Side>(values.device());
  }
  c10::Event ready(values.device().type());
  ready.record(side_->guard.getStream(values.device()));
  ready.block(side_->stream);
  copy.from = values;
  c10::Event done(values.device().type());
  try {
    const c10::StreamGuard on_side(side_->stream);
    copy.host.copy_(values, /*non_blocking=*/true);
    done.record(side_->stream);
  } catch (...) {
    side_->stream.synchronize();  // it may have begun
    throw;
  }
  copy.done.emplace(std::move(done));
}

void HostCopies::send(const at::Tensor& values, DType dtype, Arrived arrived) {
  if (values.is_cpu()) {
    arrived(shared(values, dtype));
    return;
  }
  Copy copy;
  copy.dtype = dtype;
  copy.arrived = std::move(arrived);
  copy.bytes = static_cast<std::int64_t>(values.nbytes());
  while (!under_way_.empty() && bytes_ + copy.bytes > kMostBytes) {
    deliver_first();
  }
  start(copy, values);
  bytes_ += copy.bytes;
  under_way_.push_back(std::move(copy));
}

void HostCopies::deliver_first() {
  if (under_way_.front().done) {
    under_way_.front().done->synchronize();
  }
  const Copy copy = std::move(under_way_.front());
  under_way_.pop_front();
  bytes_ -= copy.bytes;
  copy.arrived(shared(copy.host, copy.dtype));
}

void HostCopies::deliver() {
  while (!under_way_.empty() && (!under_way_.front().done || under_way_.front().done->query())) {
    deliver_first();
  }
}

void HostCopies::finish() {
  while (!under_way_.empty()) {
    deliver_first();
  }
}

}  // namespace mog::engine
