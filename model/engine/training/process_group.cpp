// Gloo over TCP: a ring, so that a sum of n bytes costs every process about 2n bytes in and out, whatever
// their number; each stretch of the ring is summed by one process and then passed on, so that all get the
// same bits. Of few numbers a ring is mostly waiting for its many messages; these are collected by all and
// added up in the order of the ranks. The processes meet in a key-value store that the first one serves.
//
// A process that dies closes its connections, and the others see that at once. Only one that is cut off
// without a word (its machine gone) is noticed by time. What the first process does alone, a validation of
// hours, is no silence: sharing has a longer time.
//
// The only file that sees c10d. Its header names types of Gloo, whose own headers the wheel leaves out; those
// in gloo/ stand in for them (docs/decisions/0048).
#include "model/engine/training/process_group.h"

#include <c10/util/Exception.h>

#include <chrono>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#include <vector>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"

namespace mog::engine {
namespace {

using c10d::ProcessGroupGloo;

#if defined(__x86_64__) && defined(__GLIBCXX__)
// As libtorch_cpu.so makes them, so that a header which says otherwise does not compile.
static_assert(sizeof(ProcessGroupGloo) == 488 && sizeof(ProcessGroupGloo::Options) == 176);
#endif

constexpr std::size_t kFew = 1024;        // values
constexpr std::chrono::minutes kNear{5};  // until processes of one machine have started
constexpr std::chrono::minutes kSilence{30};
constexpr std::chrono::hours kAlone{6};  // that the first validates and writes

// Without the place in Gloo's sources: "[/gloo/pair.cc:538] Read error …".
std::string first_line(const std::exception& error) {
  const auto* const torch = dynamic_cast<const c10::Error*>(&error);
  const std::string text = torch != nullptr ? torch->what_without_backtrace() : error.what();
  const std::size_t place = text.starts_with('[') ? text.find("] ") : std::string::npos;
  const std::size_t begin = place == std::string::npos ? 0 : place + 2;
  return text.substr(begin, text.find('\n', begin) - begin);
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "localhost" || address == "::1";
}

class GlooProcesses final : public model::Processes {
 public:
  explicit GlooProcesses(const model::ProcessOptions& options) : rank_(options.rank), count_(options.count) {
    try {
      meet(options);
    } catch (const std::exception& error) {
      throw Error(concat(name(), ": the ", count_, " processes did not meet at ", options.address, " port ",
                         options.port, " (", first_line(error),
                         "); are all of them started, and is MASTER_ADDR the first one's machine?"));
    }
  }

  int rank() const noexcept override { return rank_; }
  int count() const noexcept override { return count_; }

  void sum(std::span<float> values) override { sum(values.data(), values.size(), at::kFloat); }
  void sum(std::span<double> values) override {
    if (values.size() > kFew) {
      sum(values.data(), values.size(), at::kDouble);
      return;
    }
    const at::Tensor own = view(values.data(), values.size(), at::kDouble);
    std::vector<std::vector<at::Tensor>> all(1);
    for (int rank = 0; rank < count_; ++rank) {
      all.front().push_back(at::empty_like(own));
    }
    std::vector<at::Tensor> given = {own.clone()};
    finish([&] { return group_->allgather(all, given); });
    own.zero_();
    for (const at::Tensor& one : all.front()) {
      own.add_(one);
    }
  }

  void share(std::span<std::byte> bytes, int root) override {
    std::vector<at::Tensor> tensors = {view(bytes.data(), bytes.size(), at::kByte)};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    options.timeout = kAlone;
    finish([&] { return group_->broadcast(tensors, options); });
  }

 private:
  void meet(const model::ProcessOptions& options) {
    c10d::TCPStoreOptions meeting;
    meeting.port = options.port;
    meeting.isServer = options.rank == 0 && !options.store_is_there;
    meeting.numWorkers = static_cast<std::size_t>(options.count);
    meeting.waitWorkers = !options.store_is_there;
    meeting.timeout = is_loopback(options.address) ? kNear : kSilence;
    if (options.listener >= 0) {
      meeting.masterListenFd = options.listener;
    }
    auto store = c10::make_intrusive<c10d::PrefixStore>(
        concat("mog-", options.attempt), c10::make_intrusive<c10d::TCPStore>(options.address, meeting));
    auto gloo = ProcessGroupGloo::Options::create(kSilence);
    if (is_loopback(options.address)) {
      gloo->devices = {ProcessGroupGloo::createDeviceForHostname("127.0.0.1")};
    } else {
      gloo = ProcessGroupGloo::Options::create_default(kSilence);  // heeds GLOO_SOCKET_IFNAME
    }
    gloo->threads = 1;
    group_ = c10::make_intrusive<ProcessGroupGloo>(std::move(store), options.rank, options.count, gloo);
  }

  static at::Tensor view(void* data, std::size_t size, at::ScalarType type) {
    return at::from_blob(data, {static_cast<std::int64_t>(size)}, type);
  }

  void sum(void* data, std::size_t size, at::ScalarType type) {
    std::vector<at::Tensor> tensors = {view(data, size, type)};
    finish([&] { return group_->allreduce(tensors); });
  }

  template <class Start>
  void finish(Start start) const {
    try {
      start()->wait();
    } catch (const std::exception& error) {
      throw Error(concat(name(), ": another process of the run was lost (", first_line(error),
                         "). What was saved is whole: go on from the last checkpoint with --resume, with "
                         "as many processes as you like."));
    }
  }

  std::string name() const { return concat("process ", rank_ + 1, " of ", count_); }

  int rank_;
  int count_;
  c10::intrusive_ptr<ProcessGroupGloo> group_;
};

}  // namespace

std::shared_ptr<model::Processes> join_processes(const model::ProcessOptions& options) {
  return std::make_shared<GlooProcesses>(options);
}

}  // namespace mog::engine
