// Plain weights in shared memory: written by mog-loader, read by WeightsFile. The memory is a safetensors
// file whose __metadata__ holds format, metadata and aliases; without values it ends after its header, or
// where some tensors always come, or are read in their own file, is a hole everywhere else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/checkpoint/plain_weights.h"

namespace mog::io {

constexpr const char* kPlainFormat = "format";
constexpr const char* kPlainMetadata = "metadata";
constexpr const char* kPlainAliases = "aliases";
// {"tensor": byte of its file}, or of blocks {"tensor": [byte, "Q4_K"]}
constexpr const char* kPlainPlaces = "places";

// The most that the memory may hold for a file of so many bytes, whatever its format.
std::uint64_t plain_memory_limit(std::uint64_t file_bytes) noexcept;

class MemorySink : public WeightsSink {
 public:
  // Writes to `descriptor`, an empty file in memory. `alive` is called now and then.
  MemorySink(int descriptor, bool values, std::function<void()> alive);
  // Throws StorageError when there is less memory than the values need.
  void begin(const PlainWeights& weights) override;
  void write(std::size_t tensor, std::uint64_t offset, std::span<const std::byte> bytes) override;
  void working(std::uint64_t bytes) override;

 private:
  void put(std::uint64_t at, std::span<const std::byte> bytes);

  int descriptor_;
  bool values_;
  std::function<void()> alive_;
  std::uint64_t since_alive_ = 0;
  std::vector<std::uint64_t> places_;  // of the tensors
  std::vector<bool> written_;          // whether their values are
};

}  // namespace mog::io
