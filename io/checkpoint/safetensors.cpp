#include "io/checkpoint/safetensors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/checkpoint/safetensors_header.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/output_file.h"

namespace mog::io {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20U;

// Index of the first element whose exponent bits are all set (NaN or infinity), in little-endian order.
template <class Word>
std::optional<std::size_t> first_not_finite(std::span<const std::byte> bytes, Word exponent) {
  const std::size_t count = bytes.size() / sizeof(Word);
  const auto at = [&](std::size_t i) {
    Word word = 0;
    std::memcpy(&word, bytes.data() + i * sizeof(Word), sizeof(Word));
    return word;
  };
  constexpr std::size_t kStep = 4096;
  for (std::size_t begin = 0; begin < count; begin += kStep) {
    const std::size_t end = std::min(count, begin + kStep);
    unsigned bad = 0;
    for (std::size_t i = begin; i < end; ++i) {
      bad |= static_cast<unsigned>((at(i) & exponent) == exponent);
    }
    for (std::size_t i = begin; bad != 0 && i < end; ++i) {
      if ((at(i) & exponent) == exponent) {
        return i;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> first_bad_value(const std::string& dtype, std::span<const std::byte> bytes) {
  if (dtype == "F32" || dtype == "C64") {
    return first_not_finite<std::uint32_t>(bytes, 0x7F800000U);
  }
  if (dtype == "F16") {
    return first_not_finite<std::uint16_t>(bytes, std::uint16_t{0x7C00U});
  }
  if (dtype == "BF16") {
    return first_not_finite<std::uint16_t>(bytes, std::uint16_t{0x7F80U});
  }
  if (dtype == "F64") {
    return first_not_finite<std::uint64_t>(bytes, 0x7FF0000000000000ULL);
  }
  if (dtype == "F8_E5M2") {
    return first_not_finite<std::uint8_t>(bytes, std::uint8_t{0x7CU});
  }
  if (dtype == "F8_E4M3") {
    return first_not_finite<std::uint8_t>(bytes, std::uint8_t{0x7FU});
  }
  if (dtype == "BOOL") {
    const auto bad = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
    return bad == bytes.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(std::distance(bytes.begin(), bad)));
  }
  return std::nullopt;
}

void refuse_bad_values(const std::string& file, const TensorInfo& info, std::span<const std::byte> bytes,
                       std::uint64_t before_bytes) {
  if (const auto bad = first_bad_value(info.dtype, bytes)) {
    const std::uint64_t element_bytes = std::max<std::uint64_t>(1, safetensors_bits(info.dtype) / 8);
    throw FormatError(fmt::format("{}: tensor \"{}\": element {} is {}; a model with such values is damaged",
                                  file, info.name, before_bytes / element_bytes + *bad + 1,
                                  info.dtype == "BOOL" ? "neither 0 nor 1" : "NaN or infinite"));
  }
}

HostTensor read_values(const InputFile& file, const TensorInfo& info) {
  const auto dtype = info.host_dtype();
  if (!dtype) {
    throw ModelError(fmt::format("{}: tensor \"{}\" has elements of type {}, which cannot be read here",
                                 file.path().string(), info.name, info.dtype));
  }
  try {
    HostTensor tensor(*dtype, info.shape);
    file.read_at(info.offset, tensor.mutable_bytes());
    refuse_bad_values(file.path().string(), info, tensor.bytes(), 0);
    return tensor;
  } catch (const std::bad_alloc&) {
    throw StorageError(fmt::format("{}: tensor \"{}\" needs {} bytes of memory, which are not there",
                                   file.path().string(), info.name, info.size_bytes));
  }
}

// Checks [begin, end) of the file block by block; what the file system knows to be a hole is zeros.
void check_values(const InputFile& file, const TensorInfo& info, std::vector<std::byte>& block) {
  const std::uint64_t end = info.offset + info.size_bytes;
  std::uint64_t at = info.offset;
  while (at < end) {
    const off_t data = ::lseek(file.descriptor(), static_cast<off_t>(at), SEEK_DATA);
    if (data < 0 && errno == ENXIO) {
      return;  // nothing but a hole up to the end
    }
    if (data > 0 && static_cast<std::uint64_t>(data) > at) {
      // Stay on the boundary of an element.
      const std::uint64_t skip = (static_cast<std::uint64_t>(data) - at) / 16 * 16;
      if (skip > 0) {
        at += std::min(skip, end - at);
        continue;
      }
    }
    const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), end - at));
    file.read_at(at, std::span(block).first(size));
    refuse_bad_values(file.path().string(), info, std::span(block).first(size), at - info.offset);
    at += size;
  }
}

const char* type_name(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return "F32";
    case DType::float16:
      return "F16";
    case DType::bfloat16:
      return "BF16";
    case DType::float64:
      return "F64";
    case DType::uint8:
      return "U8";
    case DType::int32:
      return "I32";
    case DType::int64:
      return "I64";
    case DType::uint64:
      return "U64";
  }
  return "";
}

std::string header_text(const std::vector<std::pair<std::string, HostTensor>>& tensors,
                        const std::map<std::string, std::string>& metadata) {
  auto header = nlohmann::ordered_json::object();
  if (!metadata.empty()) {
    header["__metadata__"] = metadata;
  }
  std::int64_t at = 0;
  for (const auto& [name, tensor] : tensors) {
    const std::int64_t end = at + tensor.size_bytes();
    header[name] = {
        {"dtype", type_name(tensor.dtype())}, {"shape", tensor.shape()}, {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

}  // namespace

std::int64_t TensorInfo::elements() const noexcept {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) {
    product *= extent;  // checked when the header was read
  }
  return product;
}

std::optional<DType> TensorInfo::host_dtype() const noexcept {
  for (const DType type : {DType::float32, DType::float16, DType::bfloat16, DType::float64, DType::uint8,
                           DType::int32, DType::int64, DType::uint64}) {
    if (dtype == type_name(type)) {
      return type;
    }
  }
  return std::nullopt;
}

const TensorInfo* TensorList::find(const std::string& name) const noexcept {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const TensorInfo& info) { return info.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

TensorList list_tensors(const std::filesystem::path& path) {
  return read_safetensors_header(InputFile::open(path, "the safetensors file"));
}

std::map<std::string, HostTensor> read_tensors(const std::filesystem::path& path) {
  const InputFile file = InputFile::open(path, "the safetensors file");
  const TensorList list = read_safetensors_header(file);
  // A sparse file may claim what no machine holds: better a message than the kernel's killer.
  const auto memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (list.file_bytes > memory) {
    throw StorageError(fmt::format("{}: the weights need {} bytes of memory, this machine has {}",
                                   path.string(), list.file_bytes, memory));
  }
  std::map<std::string, HostTensor> tensors;
  for (const TensorInfo& info : list.tensors) {
    tensors.emplace(info.name, read_values(file, info));
  }
  return tensors;
}

HostTensor read_tensor(const std::filesystem::path& path, const TensorInfo& info) {
  return read_values(InputFile::open(path, "the safetensors file"), info);
}

TensorList check_tensors(const std::filesystem::path& path) {
  const InputFile file = InputFile::open(path, "the safetensors file");
  TensorList list = read_safetensors_header(file);
  std::vector<std::byte> block(kBlock);
  for (const TensorInfo& info : list.tensors) {
    check_values(file, info, block);
  }
  return list;
}

void write_tensors(const std::filesystem::path& path, const std::map<std::string, HostTensor>& tensors,
                   const std::map<std::string, std::string>& metadata) {
  std::vector<std::pair<std::string, HostTensor>> sorted(tensors.begin(), tensors.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& left, const auto& right) {
    return size_bytes(left.second.dtype()) > size_bytes(right.second.dtype());
  });
  for (const auto& [name, tensor] : sorted) {
    if (const auto bad = first_bad_value(type_name(tensor.dtype()), tensor.bytes())) {
      throw ModelError(fmt::format("writing {}: tensor \"{}\": element {} is NaN or infinite", path.string(),
                                   name, *bad + 1));
    }
  }
  const std::string header = header_text(sorted, metadata);
  OutputFile file(path);
  std::string length;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    length += static_cast<char>(header.size() >> shift & 0xFFU);
  }
  file.write(length);
  file.write(header);
  for (const auto& [name, tensor] : sorted) {
    file.write(tensor.bytes());
  }
  file.commit();
}

}  // namespace mog::io
