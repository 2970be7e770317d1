#include "io/checkpoint/plain_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>

#include "io/checkpoint/safetensors_header.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr std::uint64_t kAliveEvery = std::uint64_t{256} << 20U;
constexpr std::uint64_t kMaxHeader = 100'000'000;
constexpr std::size_t kAlignment = 64;  // of the first value

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump();
}

std::string places_text(const PlainWeights& weights) {
  std::string text = "{";
  for (const PlainTensor& tensor : weights.tensors) {
    if (!tensor.place) {
      continue;
    }
    const std::string place = std::to_string(*tensor.place);
    text += fmt::format("{}{}:{}", text.size() == 1 ? "" : ",", quoted(tensor.name),
                        tensor.blocks.empty() ? place : fmt::format("[{},{}]", place, quoted(tensor.blocks)));
  }
  return text + "}";
}

}  // namespace

std::uint64_t plain_memory_limit(std::uint64_t file_bytes) noexcept {
  return values_limit(file_bytes, WeightsFormat::gguf) + kMaxHeader + kAlignment;
}

MemorySink::MemorySink(int descriptor, bool values, std::function<void()> alive)
    : descriptor_(descriptor), values_(values), alive_(std::move(alive)) {}

void MemorySink::begin(const PlainWeights& weights) {
  std::vector<std::size_t> order(weights.tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto bits = [&](std::size_t i) { return safetensors_bits(weights.tensors[i].dtype); };
  // Large elements first: all are aligned then.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t left, std::size_t right) { return bits(left) > bits(right); });
  std::string header = fmt::format(
      "{{\"__metadata__\":{{\"{}\":{},\"{}\":{},\"{}\":{},\"{}\":{}}}", kPlainFormat,
      quoted(std::string(name(weights.format))), kPlainMetadata, quoted(weights.metadata), kPlainAliases,
      quoted(nlohmann::json(weights.aliases).dump()), kPlainPlaces, quoted(places_text(weights)));
  places_.resize(weights.tensors.size());
  written_.resize(weights.tensors.size());
  std::uint64_t at = 0;
  std::uint64_t memory_needed = 0;
  for (const std::size_t i : order) {
    const PlainTensor& tensor = weights.tensors[i];
    places_[i] = at;
    written_[i] = (values_ && !tensor.place) || tensor.always;
    memory_needed += written_[i] ? tensor.size_bytes : 0;
    at += tensor.size_bytes;
    header += fmt::format(R"(,{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", quoted(tensor.name),
                          tensor.dtype, fmt::join(tensor.shape, ","), places_[i], at);
  }
  header += '}';
  header.append((kAlignment - (8 + header.size()) % kAlignment) % kAlignment, ' ');
  if (header.size() > kMaxHeader) {
    throw FormatError(fmt::format("the list of its {} tensors takes {} bytes, at most {} are read",
                                  order.size(), header.size(), kMaxHeader));
  }
  const std::uint64_t data = 8 + header.size();
  if (values_ || std::ranges::find(written_, true) != written_.end()) {
    const auto memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    if (values_ && memory_needed > memory) {
      throw StorageError(
          fmt::format("the weights need {} bytes of memory, this machine has {}", memory_needed, memory));
    }
    if (::ftruncate(descriptor_, static_cast<off_t>(data + at)) != 0) {
      throw StorageError(fmt::format("taking {} bytes of memory: {}", data + at, std::strerror(errno)));
    }
  }
  std::uint64_t length = header.size();
  put(0, std::as_bytes(std::span(&length, 1)));
  put(8, std::as_bytes(std::span(header)));
  for (std::uint64_t& place : places_) {
    place += data;
  }
}

void MemorySink::write(std::size_t tensor, std::uint64_t offset, std::span<const std::byte> bytes) {
  if (written_[tensor]) {
    put(places_[tensor] + offset, bytes);
  }
  working(bytes.size());
}

void MemorySink::working(std::uint64_t bytes) {
  since_alive_ += bytes;
  if (since_alive_ >= kAliveEvery) {
    since_alive_ = 0;
    alive_();
  }
}

void MemorySink::put(std::uint64_t at, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) {
      continue;
    }
    if (done <= 0) {
      throw StorageError(fmt::format("keeping the weights in memory: {}", std::strerror(errno)));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    at += static_cast<std::uint64_t>(done);
  }
}

}  // namespace mog::io
