// Processes that train one model together, free of Torch: what they tell each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace mog::model {

struct ProcessOptions {
  int rank = 0;  // from 0, as launchers count; the first one writes
  int count = 1;
  std::string address;  // of the first process
  std::uint16_t port = 0;
  int listener = -1;  // of the first: a socket that already listens there, which is taken over
  // A server of LibTorch's key-value store is there already (torchrun's), and no process has to be it.
  bool store_is_there = false;
  std::string attempt = "0";  // of those that share such a store
};

// Every function is called by all of them, in the same order. They throw Error when another process is gone.
class Processes {
 public:
  virtual ~Processes() = default;
  virtual int rank() const noexcept = 0;
  virtual int count() const noexcept = 0;
  // Sums over the processes, the same bits in each.
  virtual void sum(std::span<float> values) = 0;
  virtual void sum(std::span<double> values) = 0;
  // What `root` has, for all; as many bytes in each. The others wait for it as long as its work takes.
  virtual void share(std::span<std::byte> bytes, int root = 0) = 0;
};

// Waits for the others. Throws Error when they do not come, or the first one cannot be reached.
std::shared_ptr<Processes> join_processes(const ProcessOptions& options);

}  // namespace mog::model
