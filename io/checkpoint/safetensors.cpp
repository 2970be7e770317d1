// Reading trusts the header after safetensors_header.cpp has judged it; here values are read and looked at,
// since a NaN among weights shows up as nonsense much later. check_tensors() does so in blocks and asks the
// file system for holes: a sparse file of terabytes is checked in the time of what it really holds.
//
// Writing puts tensors of wide elements first, behind a header that is filled up to eight bytes, so that
// every tensor is aligned for who maps the file. Order within is that of the names: equal weights are equal
// bytes.
//
// Trap: a place behind a hole is moved back to a multiple of 16 bytes from the tensor's start, or an element
// would be cut in two.
#include "io/checkpoint/safetensors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

#include "io/checkpoint/safetensors_header.h"
#include "io/checkpoint/value_check.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/output_file.h"

namespace mog::io {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20U;

constexpr std::string_view kScales = "_scale";

// How many rows a tensor has along its last axis; 0: it has not two axes, or no element.
std::int64_t rows_of(const TensorInfo& info) {
  return info.shape.size() >= 2 && info.elements() > 0 ? info.elements() / info.shape.back() : 0;
}

// Of a tensor of int8 rows.
std::vector<float> read_scales(const InputFile& file, const TensorInfo& info) {
  std::vector<float> scales(static_cast<std::size_t>(rows_of(info)));
  file.read_at(*info.scales_at, std::as_writable_bytes(std::span(scales)));
  const auto bad = std::find_if(scales.begin(), scales.end(),
                                [](float scale) { return !(scale >= 0) || std::isinf(scale * 128); });
  if (bad != scales.end()) {
    throw FormatError(
        fmt::format("{}: tensor \"{}{}\": row {} has the scale {}, expected 0 or more, and weights that are "
                    "finite",
                    file.path().string(), info.name, kScales, bad - scales.begin() + 1, *bad));
  }
  return scales;
}

HostTensor read_scaled_rows(const InputFile& file, const TensorInfo& info) {
  ScaledRows rows;
  rows.values.resize(static_cast<std::size_t>(info.elements()));
  file.read_at(info.offset, std::as_writable_bytes(std::span(rows.values)));
  rows.scales = read_scales(file, info);
  return from_scaled_rows(rows, info.shape);
}

// Scales belong to their matrices.
TensorList with_scales(TensorList list) {
  std::map<std::string, const TensorInfo*> scales;
  for (const TensorInfo& info : list.tensors) {
    if (info.dtype == "F32" && info.name.ends_with(kScales)) {
      scales.emplace(info.name, &info);
    }
  }
  std::set<std::string> taken;
  for (TensorInfo& info : list.tensors) {
    if (info.dtype != "I8" || rows_of(info) == 0) {
      continue;
    }
    const auto found = scales.find(info.name + std::string(kScales));
    if (found != scales.end() && found->second->elements() == rows_of(info)) {
      info.scales_at = found->second->offset;
      taken.insert(found->first);
    }
  }
  std::erase_if(list.tensors, [&](const TensorInfo& info) { return taken.contains(info.name); });
  return list;
}

HostTensor read_values(const InputFile& file, const TensorInfo& info) {
  const auto dtype = info.host_dtype();
  if (!dtype && !info.scales_at) {
    throw ModelError(fmt::format("{}: tensor \"{}\" has elements of type {}, which cannot be read here",
                                 file.path().string(), info.name, info.dtype));
  }
  try {
    if (info.scales_at) {
      return read_scaled_rows(file, info);
    }
    HostTensor tensor(*dtype, info.shape);
    file.read_at(info.offset, tensor.mutable_bytes());
    refuse_bad_values(file.path().string(), info.name, info.dtype, tensor.bytes());
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
    refuse_bad_values(file.path().string(), info.name, info.dtype, std::span(block).first(size),
                      at - info.offset);
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

// A tensor on its way into a file.
struct Stored {
  std::string name;
  std::string type;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

std::string header_text(const std::vector<Stored>& tensors,
                        const std::map<std::string, std::string>& metadata) {
  auto header = nlohmann::ordered_json::object();
  if (!metadata.empty()) {
    header["__metadata__"] = metadata;
  }
  std::size_t at = 0;
  for (const Stored& tensor : tensors) {
    const std::size_t end = at + tensor.bytes.size();
    header[tensor.name] = {{"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

void write_stored(const std::filesystem::path& path, std::vector<Stored> tensors,
                  const std::map<std::string, std::string>& metadata) {
  std::stable_sort(tensors.begin(), tensors.end(), [](const Stored& left, const Stored& right) {
    return safetensors_bits(left.type) > safetensors_bits(right.type);
  });
  for (const Stored& tensor : tensors) {
    const std::size_t bad = first_bad_value(tensor.type, tensor.bytes);
    if (bad != tensor.bytes.size()) {
      throw ModelError(fmt::format("writing {}: tensor \"{}\": element {} is NaN or infinite", path.string(),
                                   tensor.name, bad + 1));
    }
  }
  const std::string header = header_text(tensors, metadata);
  OutputFile file(path);
  std::string length;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    length += static_cast<char>(header.size() >> shift & 0xFFU);
  }
  file.write(length);
  file.write(header);
  for (const Stored& tensor : tensors) {
    file.write(tensor.bytes);
  }
  file.commit();
}

}  // namespace

std::int64_t TensorInfo::elements() const noexcept {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) {
    product *= extent;  // checked when the header was read
  }
  return product;
}

std::optional<DType> host_type(std::string_view dtype) noexcept {
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
  return with_scales(read_safetensors_header(InputFile::open(path, "the safetensors file")));
}

std::map<std::string, HostTensor> read_tensors(const std::filesystem::path& path) {
  const InputFile file = InputFile::open(path, "the safetensors file");
  const TensorList list = with_scales(read_safetensors_header(file));
  // A sparse file may claim what no machine holds: better a message than the kernel's killer.
  const auto memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t needed = list.file_bytes;
  for (const TensorInfo& info : list.tensors) {
    needed += info.scales_at ? info.size_bytes * sizeof(float) : 0;  // as float32, beside the numbers
  }
  if (needed > memory) {
    throw StorageError(fmt::format("{}: the weights need {} bytes of memory, this machine has {}",
                                   path.string(), needed, memory));
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
  TensorList list = with_scales(read_safetensors_header(file));
  std::vector<std::byte> block(kBlock);
  for (const TensorInfo& info : list.tensors) {
    check_values(file, info, block);
    if (info.scales_at) {
      read_scales(file, info);
    }
  }
  return list;
}

void write_tensors(const std::filesystem::path& path, const std::map<std::string, HostTensor>& tensors,
                   const std::map<std::string, std::string>& metadata) {
  std::vector<Stored> stored;
  stored.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) {
    stored.push_back({name, type_name(tensor.dtype()), tensor.shape(), tensor.bytes()});
  }
  write_stored(path, std::move(stored), metadata);
}

void write_weights(const std::filesystem::path& path, const std::map<std::string, HostTensor>& tensors,
                   WeightsType type, const std::map<std::string, std::string>& metadata,
                   const std::set<std::string>& exact) {
  std::map<std::string, ScaledRows> rows;
  std::map<std::string, HostTensor> rest;
  for (const auto& [name, tensor] : tensors) {
    if (exact.contains(name)) {
      rest.emplace(name, as_kept(tensor, WeightsType::float32));
      continue;
    }
    if (type != WeightsType::int8 || !has_scaled_rows(tensor)) {
      rest.emplace(name, as_kept(tensor, type));
      continue;
    }
    if (const std::size_t bad = first_bad_value(type_name(tensor.dtype()), tensor.bytes());
        bad != tensor.bytes().size()) {
      throw ModelError(fmt::format("writing {}: tensor \"{}\": element {} is NaN or infinite", path.string(),
                                   name, bad + 1));
    }
    rows.emplace(name, to_scaled_rows(tensor));
  }
  std::map<std::string, Stored> stored;  // by name, as write_tensors
  for (const auto& [name, tensor] : rest) {
    stored[name] = {name, type_name(tensor.dtype()), tensor.shape(), tensor.bytes()};
  }
  for (const auto& [name, one] : rows) {
    const std::string scales = name + std::string(kScales);
    if (rest.contains(scales)) {
      throw ModelError(fmt::format("writing {}: tensor \"{}\" has the name of the scales of \"{}\"",
                                   path.string(), scales, name));
    }
    stored[name] = {name, "I8", tensors.at(name).shape(), std::as_bytes(std::span(one.values))};
    stored[scales] = {scales, "F32", {std::ssize(one.scales), 1}, std::as_bytes(std::span(one.scales))};
  }
  std::vector<Stored> all;
  all.reserve(stored.size());
  for (auto& [name, one] : stored) {
    all.push_back(std::move(one));
  }
  write_stored(path, std::move(all), metadata);
}

}  // namespace mog::io
