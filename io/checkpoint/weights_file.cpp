#include "io/checkpoint/weights_file.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/checkpoint/safetensors_header.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"

namespace mog::io {
namespace {

// [bytes] of a file, private to this process.
class Mapping {
 public:
  explicit Mapping(const InputFile& file) : size_(static_cast<std::size_t>(file.size_bytes())) {
    void* const at = size_ == 0 ? nullptr
                                : ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                                         file.descriptor(), 0);
    if (at == MAP_FAILED) {
      throw StorageError(
          fmt::format("opening {}: mapping {} bytes: {}", file.path().string(), size_, std::strerror(errno)));
    }
    data_ = static_cast<std::byte*>(at);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (data_ != nullptr) {
      ::munmap(data_, size_);
    }
  }
  std::byte* at(std::uint64_t offset) const noexcept { return data_ + offset; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class From, class To>
HostTensor widened(const TensorInfo& info, const std::byte* data, DType type) {
  HostTensor result(type, info.shape);
  To* const to = reinterpret_cast<To*>(result.mutable_bytes().data());
  for (std::int64_t i = 0; i < result.size(); ++i) {
    From value;
    std::memcpy(&value, data + static_cast<std::size_t>(i) * sizeof(From), sizeof(From));
    to[i] = value;
  }
  return result;
}

HostTensor as_host(const TensorInfo& info, const std::shared_ptr<void>& owner, std::byte* data,
                   const std::string& file) {
  if (const auto type = info.host_dtype()) {
    return {*type, info.shape, owner, data};
  }
  if (info.dtype == "I8") {
    return widened<std::int8_t, std::int32_t>(info, data, DType::int32);
  }
  if (info.dtype == "I16") {
    return widened<std::int16_t, std::int32_t>(info, data, DType::int32);
  }
  if (info.dtype == "U16") {
    return widened<std::uint16_t, std::int64_t>(info, data, DType::int64);
  }
  if (info.dtype == "U32") {
    return widened<std::uint32_t, std::int64_t>(info, data, DType::int64);
  }
  if (info.dtype == "BOOL") {
    return widened<std::uint8_t, std::uint8_t>(info, data, DType::uint8);
  }
  throw ModelError(fmt::format("{}: tensor \"{}\" has elements of type {}, which cannot be read here", file,
                               info.name, info.dtype));
}

}  // namespace

struct WeightsFile::Contents {
  std::filesystem::path path;
  WeightsFormat format = WeightsFormat::safetensors;
  std::vector<TensorInfo> tensors;
  std::string metadata;
  std::shared_ptr<Mapping> mapping;  // nullptr without values
};

std::string_view name(WeightsFormat format) noexcept {
  static constexpr std::array<std::string_view, 3> kNames = {"safetensors", "torch", "ctranslate2"};
  return kNames[static_cast<std::size_t>(format)];
}

WeightsFile::WeightsFile(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}
WeightsFile::WeightsFile(WeightsFile&&) noexcept = default;
WeightsFile& WeightsFile::operator=(WeightsFile&&) noexcept = default;
WeightsFile::~WeightsFile() = default;

const std::filesystem::path& WeightsFile::path() const noexcept {
  return contents_->path;
}

WeightsFormat WeightsFile::format() const noexcept {
  return contents_->format;
}

const std::vector<TensorInfo>& WeightsFile::tensors() const noexcept {
  return contents_->tensors;
}

const TensorInfo* WeightsFile::find(std::string_view name) const noexcept {
  const auto& all = contents_->tensors;
  const auto at =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const TensorInfo& info, std::string_view wanted) { return info.name < wanted; });
  return at == all.end() || at->name != name ? nullptr : &*at;
}

HostTensor WeightsFile::read(std::string_view name) const {
  const TensorInfo* const info = find(name);
  if (info == nullptr) {
    throw ModelError(fmt::format("{}: there is no tensor \"{}\"", path().string(), name));
  }
  if (contents_->mapping == nullptr) {
    throw UsageError(fmt::format("{}: reading tensor \"{}\" of a file that was opened without its values",
                                 path().string(), name));
  }
  return as_host(*info, contents_->mapping, contents_->mapping->at(info->offset), path().string());
}

const std::string& WeightsFile::metadata() const noexcept {
  return contents_->metadata;
}

WeightsFile open_weights(const std::filesystem::path& path, const WeightsOptions& options) {
  TensorList list = check_tensors(path);
  auto contents = std::make_shared<WeightsFile::Contents>();
  contents->path = path;
  contents->metadata = nlohmann::json{{"format", "safetensors"}, {"data", list.metadata}}.dump();
  contents->tensors = std::move(list.tensors);
  std::sort(contents->tensors.begin(), contents->tensors.end(),
            [](const TensorInfo& left, const TensorInfo& right) { return left.name < right.name; });
  if (options.values) {
    contents->mapping = std::make_shared<Mapping>(InputFile::open(path, "the weights"));
  }
  return WeightsFile(std::move(contents));
}

}  // namespace mog::io
