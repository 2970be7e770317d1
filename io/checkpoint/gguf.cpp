// The header is read through a window and held against the file at every step: a length, a number of
// elements or an offset that the file cannot hold is refused before anything is taken for it. Tensors lie
// where llama.cpp demands it: one behind the other in the order of the list, so that no two readers can see
// two models.
#include "io/checkpoint/gguf.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "io/checkpoint/plain_weights.h"
#include "io/checkpoint/printable.h"
#include "io/recording/errors.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

constexpr std::uint64_t kMostTensors = 100'000;
constexpr std::uint64_t kMostKeys = 10'000;
constexpr std::uint64_t kMostSizes = 4;
constexpr std::uint64_t kMostName = 255;
constexpr std::uint64_t kMostKey = 65'535;
constexpr std::uint64_t kMostAlignment = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMostText = std::uint64_t{16} << 20U;

constexpr std::array kTypes = std::to_array<GgufType>(
    {{0, "F32", 1, 4, "F32"},       {1, "F16", 1, 2, "F16"},       {30, "BF16", 1, 2, "BF16"},
     {28, "F64", 1, 8, "F64"},      {8, "Q8_0", 32, 34, "F32"},    {2, "Q4_0", 32, 18, "F32"},
     {3, "Q4_1", 32, 20, "F32"},    {6, "Q5_0", 32, 22, "F32"},    {7, "Q5_1", 32, 24, "F32"},
     {12, "Q4_K", 256, 144, "F32"}, {13, "Q5_K", 256, 176, "F32"}, {14, "Q6_K", 256, 210, "F32"},
     {9, "Q8_1", 32, 40, ""},       {10, "Q2_K", 256, 84, ""},     {11, "Q3_K", 256, 110, ""},
     {15, "Q8_K", 256, 292, ""},    {16, "IQ2_XXS", 256, 66, ""},  {17, "IQ2_XS", 256, 74, ""},
     {18, "IQ3_XXS", 256, 98, ""},  {19, "IQ1_S", 256, 50, ""},    {20, "IQ4_NL", 32, 18, ""},
     {21, "IQ3_S", 256, 110, ""},   {22, "IQ2_S", 256, 82, ""},    {23, "IQ4_XS", 256, 136, ""},
     {24, "I8", 1, 1, ""},          {25, "I16", 1, 2, ""},         {26, "I32", 1, 4, ""},
     {27, "I64", 1, 8, ""},         {29, "IQ1_M", 256, 56, ""},    {34, "TQ1_0", 256, 54, ""},
     {35, "TQ2_0", 256, 66, ""},    {39, "MXFP4", 32, 17, ""},     {40, "NVFP4", 64, 36, ""}});

std::string read_types() {
  std::string names;
  for (const GgufType& type : kTypes) {
    if (!type.dtype.empty()) {
      names += (names.empty() ? "" : ", ") + std::string(type.name);
    }
  }
  return names;
}

// Types of values.
enum class Kind : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, list, u64, i64, f64 };
struct KindSize {
  std::uint64_t bytes;
  const char* dtype;
};
constexpr std::array<KindSize, 13> kKinds = {{{1, "U8"},
                                              {1, "I8"},
                                              {2, "U16"},
                                              {2, "I16"},
                                              {4, "U32"},
                                              {4, "I32"},
                                              {4, "F32"},
                                              {1, "BOOL"},
                                              {8, "U8"},
                                              {12, ""},
                                              {8, "U64"},
                                              {8, "I64"},
                                              {8, "F64"}}};

class Reader {
 public:
  explicit Reader(const InputFile& file) : file_(file), name_(file.path().string()) {}

  GgufFile read() {
    const auto [tensors, keys] = head();
    for (std::uint64_t i = 0; i < keys; ++i) {
      key(i + 1, keys);
    }
    const std::uint64_t alignment = alignment_of();
    for (std::uint64_t i = 0; i < tensors; ++i) {
      tensor(i + 1, tensors);
    }
    place(alignment);
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& defect) const {
    throw FormatError(fmt::format("{}: GGUF: {}", name_, defect));
  }

  // ---- bytes, through a window
  std::uint64_t left() const { return file_.size_bytes() - at_; }
  void require(std::uint64_t size, const std::string& what) const {
    if (size > left()) {
      refuse(
          fmt::format("{}: it needs {} bytes, but the file has {} more; it is cut off or damaged: fetch it "
                      "again",
                      what, size, left()));
    }
  }
  std::string_view take(std::uint64_t size, const std::string& what) {
    require(size, what);
    if (at_ < window_at_ || at_ + size > window_at_ + window_.size()) {
      constexpr std::uint64_t kWindow = 65'536;
      window_.resize(static_cast<std::size_t>(std::min(std::max(size, kWindow), left())));
      window_at_ = at_;
      file_.read_at(at_, std::as_writable_bytes(std::span(window_)));
    }
    const std::string_view bytes = std::string_view(window_).substr(
        static_cast<std::size_t>(at_ - window_at_), static_cast<std::size_t>(size));
    at_ += size;
    return bytes;
  }
  template <class T>
  T number(const std::string& what) {
    T value{};
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }
  std::string text(const std::string& what, std::uint64_t most) {
    const auto size = number<std::uint64_t>(what);
    if (size > std::min(most, left())) {
      refuse(fmt::format("{}: a text of {} bytes, expected at most {}", what, size, std::min(most, left())));
    }
    return std::string(take(size, what));
  }
  std::string sound_name(const std::string& what, std::uint64_t most) {
    std::string name = text(what, most);
    if (name.empty() || name.find('\0') != std::string::npos ||
        first_invalid_utf8(name) != std::string::npos) {
      refuse(fmt::format("{} is \"{}\", expected UTF-8 without NUL", what, printable(name)));
    }
    return name;
  }

  // ---- parts
  std::pair<std::uint64_t, std::uint64_t> head() {
    const std::string_view magic = take(4, "its first bytes");
    if (magic != "GGUF") {
      refuse(fmt::format("it begins with \"{}\", expected \"GGUF\"", printable(magic)));
    }
    const auto version = number<std::uint32_t>("the version");
    if (const std::uint32_t turned = __builtin_bswap32(version); turned == 2 || turned == 3) {
      refuse(
          "its numbers are big-endian, expected little-endian; convert it with "
          "gguf-convert-endian of the package gguf");
    }
    if (version != 2 && version != 3) {
      refuse(
          fmt::format("version {}, expected 2 or 3; convert the model again with llama.cpp's "
                      "convert_hf_to_gguf.py",
                      version));
    }
    result_.version = version;
    const auto tensors = number<std::uint64_t>("the number of tensors");
    const auto keys = number<std::uint64_t>("the number of keys");
    // The least that one takes: a name of one byte, a size, type and offset; a key of one byte and a byte.
    limit("tensors", tensors, kMostTensors, 33);
    limit("keys", keys, kMostKeys, 14);
    return {tensors, keys};
  }
  void limit(const char* what, std::uint64_t count, std::uint64_t most, std::uint64_t bytes_each) const {
    const std::uint64_t fits = left() / bytes_each;
    if (count > most || count > fits) {
      refuse(fmt::format("{} {}, expected at most {}{}", count, what, std::min(most, fits),
                         count > fits ? " in a file of this size" : ""));
    }
  }

  void key(std::uint64_t i, std::uint64_t count) {
    const std::string name = sound_name(fmt::format("the name of key {} of {}", i, count), kMostKey);
    const std::string who = fmt::format("key \"{}\"", printable(name));
    if (result_.values.contains(name)) {
      refuse(who + " is there twice, expected once");
    }
    result_.values.emplace(name, value(kind(who), who));
  }
  Kind kind(const std::string& who) {
    const auto id = number<std::uint32_t>(who);
    if (id >= kKinds.size()) {
      refuse(fmt::format("{}: a value of type {}, expected 0 to {}", who, id, kKinds.size() - 1));
    }
    return static_cast<Kind>(id);
  }
  GgufValue value(Kind kind, const std::string& who) {
    switch (kind) {
      case Kind::u8:
        return std::uint64_t{number<std::uint8_t>(who)};
      case Kind::u16:
        return std::uint64_t{number<std::uint16_t>(who)};
      case Kind::u32:
        return std::uint64_t{number<std::uint32_t>(who)};
      case Kind::u64:
        return number<std::uint64_t>(who);
      case Kind::i8:
        return std::int64_t{number<std::int8_t>(who)};
      case Kind::i16:
        return std::int64_t{number<std::int16_t>(who)};
      case Kind::i32:
        return std::int64_t{number<std::int32_t>(who)};
      case Kind::i64:
        return number<std::int64_t>(who);
      case Kind::f32:
        return finite(static_cast<double>(number<float>(who)), who);
      case Kind::f64:
        return finite(number<double>(who), who);
      case Kind::boolean:
        return truth(number<std::uint8_t>(who), who);
      case Kind::text: {
        std::string bytes = text(who, kMostText);
        if (first_invalid_utf8(bytes) != std::string::npos) {
          refuse(fmt::format("{}: \"{}\" is no UTF-8", who, printable(bytes)));
        }
        return bytes;
      }
      case Kind::list:
        return list(who);
    }
    return false;
  }
  double finite(double value, const std::string& who) const {
    if (!std::isfinite(value)) {
      refuse(fmt::format("{}: {}, expected a finite number", who, value));
    }
    return value;
  }
  bool truth(unsigned value, const std::string& who) const {
    if (value > 1) {
      refuse(fmt::format("{}: the truth value {}, expected 0 or 1", who, value));
    }
    return value == 1;
  }

  GgufList list(const std::string& who) {
    const Kind element = kind(who);
    if (element == Kind::list) {
      refuse(who + ": a list of lists, expected one of numbers or texts");
    }
    const KindSize& size = kKinds[static_cast<std::size_t>(element)];
    GgufList list;
    list.dtype = size.dtype;
    list.texts = element == Kind::text;
    list.count = number<std::uint64_t>(who);
    if (list.count > left() / size.bytes) {
      refuse(fmt::format("{}: a list of {} elements of {} bytes or more, but the file has {} more bytes", who,
                         list.count, size.bytes, left()));
    }
    if (list.texts) {
      for (std::uint64_t i = 0; i < list.count; ++i) {
        list.bytes += text(who, kMostText);
        list.ends.push_back(static_cast<std::int64_t>(list.bytes.size()));
      }
      return list;
    }
    const std::uint64_t bytes = list.count * size.bytes;
    require(bytes, who);
    list.bytes.resize(static_cast<std::size_t>(bytes));  // read where it stays: lists may be long
    file_.read_at(at_, std::as_writable_bytes(std::span(list.bytes)));
    at_ += bytes;
    return list;
  }

  std::uint64_t alignment_of() const {
    const auto found = result_.values.find("general.alignment");
    if (found == result_.values.end()) {
      return 32;
    }
    const auto* const value = std::get_if<std::uint64_t>(&found->second);
    if (value == nullptr || !std::has_single_bit(*value) || *value > kMostAlignment) {
      refuse(fmt::format("key \"general.alignment\": {}, expected a power of 2 up to {}",
                         value == nullptr ? "no unsigned number" : std::to_string(*value), kMostAlignment));
    }
    return *value;
  }

  void tensor(std::uint64_t i, std::uint64_t count) {
    GgufTensor tensor;
    tensor.name = sound_name(fmt::format("the name of tensor {} of {}", i, count), kMostName);
    const std::string who = fmt::format("tensor \"{}\"", printable(tensor.name));
    if (!names_.insert(tensor.name).second) {
      refuse(who + " is there twice, expected once");
    }
    if (tensor.name.starts_with(kGgufList) || tensor.name.starts_with(kGgufEnds)) {
      refuse(fmt::format("{}: expected a name that does not begin with {} or {}", who, kGgufList, kGgufEnds));
    }
    const auto sizes = number<std::uint32_t>(who);
    if (sizes < 1 || sizes > kMostSizes) {
      refuse(fmt::format("{}: {} sizes, expected 1 to {}", who, sizes, kMostSizes));
    }
    for (std::uint32_t axis = 0; axis < sizes; ++axis) {
      const auto size = number<std::uint64_t>(who);
      if (size == 0 || size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        refuse(fmt::format("{}: size {} of axis {}, expected 1 to 2^63 - 1", who, size, axis + 1));
      }
      tensor.shape.insert(tensor.shape.begin(), static_cast<std::int64_t>(size));
    }
    tensor.type = &type_of(number<std::uint32_t>(who), who);
    tensor.size_bytes = size_of(tensor, who);
    tensor.begin = number<std::uint64_t>(who);  // from the first value on, for now
    result_.tensors.push_back(std::move(tensor));
  }
  const GgufType& type_of(std::uint32_t id, const std::string& who) const {
    const auto* const type = std::ranges::find(kTypes, id, &GgufType::id);
    if (type == kTypes.end()) {
      refuse(fmt::format("{}: type {}, which is not known; read are {}; take a file of another quantisation",
                         who, id, read_types()));
    }
    if (type->dtype.empty()) {
      throw ModelError(
          fmt::format("{}: GGUF: {}: values of type {} are not supported; supported: {}; take a "
                      "file of another quantisation, or convert this one with llama-quantize",
                      name_, who, type->name, read_types()));
    }
    return *type;
  }
  std::uint64_t size_of(const GgufTensor& tensor, const std::string& who) const {
    const auto row = static_cast<std::uint64_t>(tensor.shape.back());
    if (row % tensor.type->elements != 0) {
      refuse(fmt::format("{}: rows of {} elements, expected a multiple of the {} of a block of {}", who, row,
                         tensor.type->elements, tensor.type->name));
    }
    // As float32, since that must be addressable, too.
    const auto elements = checked_size(tensor.shape, 8);
    if (!elements) {
      refuse(
          fmt::format("{}: {} elements are more than any file holds", who, fmt::join(tensor.shape, " x ")));
    }
    return *elements / 8 / tensor.type->elements * tensor.type->bytes;
  }

  void place(std::uint64_t alignment) {
    const auto padded = [alignment](std::uint64_t at) {
      return (at + alignment - 1) / alignment * alignment;
    };
    const std::uint64_t data = padded(at_);
    std::uint64_t next = 0;
    for (GgufTensor& tensor : result_.tensors) {
      const std::string who = fmt::format("tensor \"{}\"", printable(tensor.name));
      if (tensor.begin != next) {
        refuse(
            fmt::format("{}: offset {}, expected {}, behind the tensor before it", who, tensor.begin, next));
      }
      if (data > file_.size_bytes() || tensor.size_bytes > file_.size_bytes() - data ||
          next > file_.size_bytes() - data - tensor.size_bytes) {
        refuse(fmt::format(
            "{}: {} bytes from {} on, but the file has {}; it is cut off or damaged: fetch it "
            "again",
            who, tensor.size_bytes, data + std::min(next, file_.size_bytes()), file_.size_bytes()));
      }
      tensor.begin = data + next;
      next = padded(next + tensor.size_bytes);
    }
  }

  const InputFile& file_;
  std::string name_;
  std::string window_;
  std::uint64_t window_at_ = 0;
  std::uint64_t at_ = 0;
  std::set<std::string, std::less<>> names_;
  GgufFile result_;
};

}  // namespace

const GgufType* find_gguf_type(std::string_view name) noexcept {
  const auto* const type = std::ranges::find(kTypes, name, &GgufType::name);
  return type == kTypes.end() ? nullptr : type;
}

GgufFile read_gguf_header(const InputFile& file) {
  return Reader(file).read();
}

}  // namespace mog::io
