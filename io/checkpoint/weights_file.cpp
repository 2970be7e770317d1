// The loader's answer is a safetensors image in memory that both processes share (decision 14). It is sealed
// before this process reads a byte: from then on nobody can change or shrink it, so what was checked stays
// true and a mapping cannot fault. Tensors are handed out as places in that mapping and keep it alive; no
// value is copied on this side, and the values lie outside the heap.
//
// Values that lie in the file as they are, or as blocks of a quantised GGUF, do not take that way: the loader
// looks at them and says where they are, and they are read there when they are asked for. What it says is
// held against the file's size; a place that is wrong gives wrong numbers, as a wrong file does, and nothing
// else. Unpacking a block is arithmetic on so many bytes, whatever they are.
//
// The header is parsed as strictly as any file's, by the same code. Types that the program does not compute
// with are widened when they are asked for.
//
// Trap: the mapping is private and writable. A tensor that is changed gets pages of its own, and the file in
// memory stays as it was.
#include "io/checkpoint/weights_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "io/checkpoint/float_values.h"
#include "io/checkpoint/gguf.h"
#include "io/checkpoint/plain_memory.h"
#include "io/checkpoint/safetensors_header.h"
#include "io/loader/loader_process.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"

namespace mog::io {
namespace {

constexpr std::uint64_t kMaxHeader = 100'000'000;

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
    to[i] = static_cast<To>(value);  // NOLINT(bugprone-signed-char-misuse): a number, no character
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

// Where the values of a tensor lie in the file, and as what.
struct Place {
  std::uint64_t begin = 0;
  std::string blocks;  // TensorInfo::blocks
};

}  // namespace

struct WeightsFile::Contents {
  std::filesystem::path path;
  WeightsFormat format = WeightsFormat::safetensors;
  std::vector<TensorInfo> tensors;
  std::string metadata;
  bool values = true;
  std::shared_ptr<Mapping> mapping;  // nullptr without any
  std::optional<TensorFile> file;    // of the values in place
  std::map<std::string, Place, std::less<>> places;
  // As the file has it; nothing for values that are not in place.
  std::optional<TensorInfo> in_place(const TensorInfo& info) const {
    const auto found = places.find(info.name);
    if (found == places.end()) {
      return std::nullopt;
    }
    TensorInfo result = info;
    result.offset = found->second.begin;
    result.blocks = found->second.blocks;
    return result;
  }
};

std::string_view name(WeightsFormat format) noexcept {
  static constexpr std::array<std::string_view, 5> kNames = {"safetensors", "torch", "ctranslate2",
                                                             "sentencepiece", "gguf"};
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

const TensorInfo& WeightsFile::readable(std::string_view name) const {
  const TensorInfo* const info = find(name);
  if (info == nullptr) {
    throw ModelError(fmt::format("{}: there is no tensor \"{}\"", path().string(), name));
  }
  const bool list = name.starts_with(kGgufList) || name.starts_with(kGgufEnds);
  if (contents_->mapping == nullptr || !(contents_->values || list)) {
    throw UsageError(fmt::format("{}: reading tensor \"{}\" of a file that was opened without its values",
                                 path().string(), name));
  }
  return *info;
}

HostTensor WeightsFile::read(std::string_view name) const {
  const TensorInfo& info = readable(name);
  if (const auto stored = contents_->in_place(info)) {
    HostTensor tensor(*stored->host_dtype(), stored->shape);
    if (stored->blocks.empty()) {
      contents_->file->read_bytes(*stored, tensor.mutable_bytes());
    } else {
      contents_->file->read_floats(*stored, 0, tensor.dtype(), tensor.mutable_bytes());
    }
    return tensor;
  }
  return as_host(info, contents_->mapping, contents_->mapping->at(info.offset), path().string());
}

bool WeightsFile::read_in_place(std::string_view name) const {
  return contents_->places.contains(name);
}

void WeightsFile::read_floats(std::string_view name, std::uint64_t first, DType type,
                              std::span<std::byte> to) const {
  const TensorInfo& info = readable(name);
  if (const auto stored = contents_->in_place(info)) {
    return contents_->file->read_floats(*stored, first, type, to);
  }
  const HostTensor values = read(name);
  const auto width = static_cast<std::size_t>(size_bytes(values.dtype()));
  const std::size_t count = to.size() / static_cast<std::size_t>(size_bytes(type));
  convert_floats(values.dtype(),
                 values.bytes().subspan(static_cast<std::size_t>(first) * width, count * width), type, to);
}

const std::string& WeightsFile::metadata() const noexcept {
  return contents_->metadata;
}

bool WeightsFile::has_values() const noexcept {
  return contents_->values;
}

namespace {

// Owns a file in memory that the loader fills.
class Memory {
 public:
  explicit Memory(const std::string& file)
      : descriptor_(::memfd_create("weights", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    if (descriptor_ < 0) {
      throw StorageError(fmt::format("opening {}: taking memory: {}", file, std::strerror(errno)));
    }
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { ::close(descriptor_); }
  int descriptor() const noexcept { return descriptor_; }
  // From here on nobody changes it.
  void seal(const std::string& file) const {
    if (::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0) {
      throw StorageError(fmt::format("opening {}: sealing memory: {}", file, std::strerror(errno)));
    }
  }

 private:
  int descriptor_;
};

// `values`: whether there are any; set where a list comes without the others.
TensorList read_plain(const InputFile& memory, bool& values) {
  std::uint64_t length = 0;
  memory.read_at(0, std::as_writable_bytes(std::span(&length, 1)));
  if (length > kMaxHeader || length > memory.size_bytes() - 8) {
    throw FormatError(fmt::format("{}: the loader's answer is damaged", memory.path().string()));
  }
  values = values || memory.size_bytes() > 8 + length;
  std::string header(static_cast<std::size_t>(length), '\0');
  memory.read_at(8, std::as_writable_bytes(std::span(header)));
  return parse_safetensors_header(memory.path().string(), header,
                                  values ? std::optional(memory.size_bytes()) : std::nullopt);
}

using Aliases = std::map<std::string, std::string>;  // another name → the name of a tensor

void add_aliases(std::vector<TensorInfo>& tensors, const Aliases& aliases) {
  std::map<std::string, TensorInfo> by_name;
  for (TensorInfo& info : tensors) {
    by_name.emplace(info.name, std::move(info));
  }
  for (const auto& [alias, target] : aliases) {
    TensorInfo info = by_name.at(target);
    info.name = alias;
    by_name.emplace(alias, std::move(info));
  }
  tensors.clear();
  for (auto& [key, info] : by_name) {
    tensors.push_back(std::move(info));
  }
}

// What a tensor takes in the file.
std::uint64_t bytes_in_file(const TensorInfo& info, const std::string& blocks) {
  if (blocks.empty()) {
    return info.size_bytes;
  }
  const GgufType* const type = find_gguf_type(blocks);
  const std::uint64_t elements = info.size_bytes / sizeof(float);
  if (type == nullptr || type->dtype != "F32" || type->name == type->dtype || info.dtype != "F32" ||
      elements % type->elements != 0) {
    throw std::out_of_range(info.name + ": " + blocks);
  }
  return elements / type->elements * type->bytes;
}

// Of the tensors of a file of so many bytes, aliases among them.
std::map<std::string, Place, std::less<>> read_places(const std::vector<TensorInfo>& tensors,
                                                      const Aliases& aliases, const std::string& json,
                                                      std::uint64_t file_bytes) {
  std::map<std::string, Place, std::less<>> places;
  const nlohmann::json given = nlohmann::json::parse(json);
  if (!given.is_object()) {
    throw std::out_of_range(json);
  }
  for (const TensorInfo& info : tensors) {
    const auto alias = aliases.find(info.name);
    const auto found = given.find(alias == aliases.end() ? info.name : alias->second);
    if (found == given.end()) {
      continue;
    }
    Place place;
    if (found->is_array()) {
      place.begin = found->at(0).get<std::uint64_t>();
      place.blocks = found->at(1).get<std::string>();
    } else {
      place.begin = found->get<std::uint64_t>();
    }
    const std::uint64_t bytes = bytes_in_file(info, place.blocks);
    if (!info.host_dtype() || bytes > file_bytes || place.begin > file_bytes - bytes) {
      throw std::out_of_range(info.name);
    }
    places.emplace(info.name, std::move(place));
  }
  return places;
}

}  // namespace

WeightsFile open_weights(const std::filesystem::path& path, const WeightsOptions& options) {
  InputFile file = InputFile::open(path, "the weights");
  const Memory memory(path.string());
  LoaderProcess loader({.program = options.loader.empty() ? loader_program() : options.loader,
                        .file = path,
                        .arguments = {"weights", options.format ? std::string(name(*options.format)) : "any",
                                      options.values ? "values" : "list", path.string()},
                        .doing = "opening",
                        .parser = "its parser",
                        .input = file.descriptor(),
                        .memory = memory.descriptor()},
                       options.stop);
  loader.finish();
  memory.seal(path.string());
  const InputFile plain = InputFile::of_descriptor(memory.descriptor(), path);
  auto contents = std::make_shared<WeightsFile::Contents>();
  contents->path = path;
  bool filled = options.values;
  try {
    TensorList list = read_plain(plain, filled);
    contents->tensors = std::move(list.tensors);
    contents->metadata = list.metadata.at(kPlainMetadata);
    const Aliases aliases = nlohmann::json::parse(list.metadata.at(kPlainAliases));
    add_aliases(contents->tensors, aliases);
    if (options.values) {
      contents->places =
          read_places(contents->tensors, aliases, list.metadata.at(kPlainPlaces), file.size_bytes());
      contents->file.emplace(std::move(file));
    }
    const std::string& format = list.metadata.at(kPlainFormat);
    while (name(contents->format) != format) {
      contents->format = static_cast<WeightsFormat>(static_cast<int>(contents->format) + 1);
      if (contents->format > WeightsFormat::gguf) {
        throw std::out_of_range(format);
      }
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw FormatError(fmt::format("{}: the loader's answer is damaged: {}", path.string(), error.what()));
  }
  contents->values = options.values;
  if (filled) {
    contents->mapping = std::make_shared<Mapping>(plain);
  }
  return WeightsFile(std::move(contents));
}

}  // namespace mog::io
