// A header is believed only after every number in it was checked against the size of the file. The parser
// sees the JSON as a stream of events and knows the four places where a value may stand, so that neither
// deep nesting nor a long array makes it allocate: what is not expected ends the parse at once.
#include "io/checkpoint/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "io/recording/errors.h"
#include "io/text/file_kind.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

constexpr std::uint64_t kMaxHeader = 100'000'000;
constexpr std::size_t kMaxTensors = 100'000;
constexpr std::size_t kMaxRank = 64;
constexpr std::string_view kMetadata = "__metadata__";

constexpr std::array kTypes = {
    std::pair{std::string_view("F32"), 32},    std::pair{std::string_view("F16"), 16},
    std::pair{std::string_view("BF16"), 16},   std::pair{std::string_view("F64"), 64},
    std::pair{std::string_view("I64"), 64},    std::pair{std::string_view("I32"), 32},
    std::pair{std::string_view("I16"), 16},    std::pair{std::string_view("I8"), 8},
    std::pair{std::string_view("U64"), 64},    std::pair{std::string_view("U32"), 32},
    std::pair{std::string_view("U16"), 16},    std::pair{std::string_view("U8"), 8},
    std::pair{std::string_view("BOOL"), 8},    std::pair{std::string_view("F8_E5M2"), 8},
    std::pair{std::string_view("F8_E4M3"), 8}, std::pair{std::string_view("F8_E8M0"), 8},
    std::pair{std::string_view("F6_E2M3"), 6}, std::pair{std::string_view("F6_E3M2"), 6},
    std::pair{std::string_view("F4"), 4},      std::pair{std::string_view("C64"), 64}};

struct Entry {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> offsets;
};

class HeaderParser : public nlohmann::json::json_sax_t {
 public:
  std::vector<Entry>& entries() noexcept { return entries_; }
  std::map<std::string, std::string>& metadata() noexcept { return metadata_; }
  const std::string& defect() const noexcept { return defect_; }

  bool null() override { return wrong("null"); }
  bool boolean(bool) override { return wrong("a truth value"); }
  bool number_integer(number_integer_t value) override {
    return wrong(fmt::format("the negative number {}", value));
  }
  bool number_float(number_float_t, const string_t& text) override {
    return wrong(fmt::format("the number {}, which is no integer below 2^64", text));
  }
  bool binary(binary_t&) override { return wrong("binary data"); }
  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::shape && place_ != Place::offsets) {
      return wrong(fmt::format("the number {}", value));
    }
    auto& list = place_ == Place::shape ? entries_.back().shape : entries_.back().offsets;
    if (list.size() >= kMaxRank) {
      return refuse(fmt::format("{} has more than {} numbers in \"{}\"", who(), kMaxRank, field_));
    }
    list.push_back(value);
    return true;
  }
  bool string(string_t& value) override {
    if (place_ == Place::metadata) {
      metadata_[field_] = std::move(value);
      return true;
    }
    if (place_ != Place::entry || field_ != "dtype") {
      return wrong(fmt::format("the text \"{}\"", value.substr(0, 80)));
    }
    entries_.back().dtype = std::move(value);
    return true;
  }
  bool start_object(std::size_t) override {
    switch (place_) {
      case Place::before:
        place_ = Place::top;
        return true;
      case Place::top:
        fields_.clear();
        field_.clear();
        place_ = name_ == kMetadata ? Place::metadata : Place::entry;
        if (place_ == Place::entry) {
          if (entries_.size() >= kMaxTensors) {
            return refuse("it lists more than 100,000 tensors");
          }
          entries_.push_back({name_, {}, {}, {}});
        }
        return true;
      default:
        return nested();
    }
  }
  bool end_object() override {
    switch (place_) {
      case Place::metadata:
        place_ = Place::top;
        return true;
      case Place::entry:
        for (const std::string_view wanted : {"dtype", "shape", "data_offsets"}) {
          if (!fields_.contains(std::string(wanted))) {
            field_.clear();
            return refuse(fmt::format("{} has no \"{}\"", who(), wanted));
          }
        }
        place_ = Place::top;
        return true;
      default:
        place_ = Place::after;
        return true;
    }
  }
  bool start_array(std::size_t) override {
    if (place_ == Place::entry && field_ == "shape") {
      place_ = Place::shape;
      return true;
    }
    if (place_ == Place::entry && field_ == "data_offsets") {
      place_ = Place::offsets;
      return true;
    }
    if (place_ == Place::before) {
      return refuse("it is a JSON array, expected an object");
    }
    return nested();
  }
  bool end_array() override {
    place_ = Place::entry;
    return true;
  }
  bool key(string_t& key) override {
    if (place_ == Place::top) {
      if (key.empty()) {
        return refuse("a tensor has an empty name");
      }
      if (!names_.insert(key).second) {
        return refuse(fmt::format("the name \"{}\" is there twice", key));
      }
      name_ = key;
      return true;
    }
    if (!fields_.insert(key).second) {
      return refuse(fmt::format("{} has \"{}\" twice", who(), key));
    }
    field_ = key;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    if (defect_.empty()) {
      const std::string_view what = error.what();
      const auto colon = what.find(": ", what.find("parse error"));
      defect_ = fmt::format("it is no sound JSON at byte {}: {}", position + 8,
                            colon == std::string_view::npos ? what : what.substr(colon + 2));
    }
    return false;
  }

 private:
  enum class Place { before, top, entry, shape, offsets, metadata, after };

  std::string who() const {
    if (name_ == kMetadata) {
      return std::string(kMetadata);
    }
    return fmt::format("tensor \"{}\"", name_);
  }
  bool refuse(std::string defect) {
    defect_ = std::move(defect);
    return false;
  }
  bool nested() { return refuse(fmt::format("{} is nested too deep{}", who(), at_field())); }
  bool wrong(const std::string& found) {
    if (place_ == Place::entry && field_ != "dtype" && field_ != "shape" && field_ != "data_offsets") {
      return refuse(fmt::format("{} has the unknown field \"{}\"", who(), field_));
    }
    switch (place_) {
      case Place::before:
      case Place::after:
        return refuse(fmt::format("expected a JSON object, found {}", found));
      case Place::top:
        return refuse(fmt::format("{}: expected an object, found {}", who(), found));
      case Place::metadata:
        return refuse(fmt::format("{}{}: expected text, found {}", who(), at_field(), found));
      default:
        return refuse(fmt::format("{}{}: expected {}, found {}", who(), at_field(),
                                  field_ == "dtype" ? "the name of a type" : "whole numbers from 0", found));
    }
  }
  std::string at_field() const { return field_.empty() ? "" : fmt::format(", field \"{}\"", field_); }

  Place place_ = Place::before;
  std::string name_;
  std::string field_;
  std::set<std::string> names_;
  std::set<std::string> fields_;
  std::vector<Entry> entries_;
  std::map<std::string, std::string> metadata_;
  std::string defect_;
};

// Bytes of a tensor, or nothing when the product does not fit or is no whole number of bytes.
std::optional<std::uint64_t> checked_bytes(const Entry& entry, std::uint64_t bits) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t total = bits;
  for (const std::uint64_t extent : entry.shape) {
    if (extent > kMax) {
      return std::nullopt;
    }
    if (extent == 0) {
      total = 0;
    } else if (__builtin_mul_overflow(total, extent, &total)) {
      return std::nullopt;
    }
  }
  return total % 8 == 0 ? std::optional(total / 8) : std::nullopt;
}

TensorInfo checked_entry(const std::string& file, const Entry& entry, std::uint64_t data_begin) {
  const auto refuse = [&](const std::string& defect) {
    throw FormatError(fmt::format("{}: tensor \"{}\": {}", file, entry.name, defect));
  };
  const std::uint64_t bits = safetensors_bits(entry.dtype);
  if (bits == 0) {
    refuse(fmt::format("unknown element type \"{}\"; expected F32, F16, BF16 or another of the format",
                       entry.dtype.substr(0, 80)));
  }
  if (entry.offsets.size() != 2) {
    refuse(fmt::format("expected two data_offsets, found {}", entry.offsets.size()));
  }
  const std::uint64_t begin = entry.offsets[0];
  const std::uint64_t end = entry.offsets[1];
  if (begin > end) {
    refuse(fmt::format("its data ends at byte {} before it begins at byte {}", end, begin));
  }
  const auto wanted = checked_bytes(entry, bits);
  const std::string shape = fmt::format("[{}] {}", fmt::join(entry.shape, ", "), entry.dtype);
  if (!wanted) {
    refuse(fmt::format("{} is an impossible size", shape));
  }
  if (*wanted != end - begin) {
    refuse(fmt::format("{} needs {} bytes, data_offsets give {}", shape, *wanted, end - begin));
  }
  TensorInfo info;
  info.name = entry.name;
  info.dtype = entry.dtype;
  info.shape.assign(entry.shape.begin(), entry.shape.end());
  // Offsets far beyond the file are refused by check_ranges before anyone adds to them.
  info.offset = begin > std::numeric_limits<std::uint64_t>::max() - data_begin
                    ? std::numeric_limits<std::uint64_t>::max()
                    : begin + data_begin;
  info.size_bytes = end - begin;
  return info;
}

// Sorted by place: the ranges must follow each other without gap or overlap up to the end of the file.
// Returns where the last one ends.
std::uint64_t check_ranges(const std::string& file, std::vector<TensorInfo>& tensors,
                           std::uint64_t data_begin, std::optional<std::uint64_t> known_bytes) {
  const std::uint64_t file_bytes = known_bytes.value_or(std::numeric_limits<std::int64_t>::max());
  std::sort(tensors.begin(), tensors.end(), [](const TensorInfo& left, const TensorInfo& right) {
    return std::tie(left.offset, left.size_bytes, left.name) <
           std::tie(right.offset, right.size_bytes, right.name);
  });
  std::uint64_t due = data_begin;
  for (const TensorInfo& info : tensors) {
    const auto refuse = [&](const std::string& defect) {
      throw FormatError(fmt::format("{}: tensor \"{}\": {}", file, info.name, defect));
    };
    if (info.offset < due) {
      refuse(fmt::format("its data begins at byte {} inside another tensor's, expected byte {}",
                         info.offset - data_begin, due - data_begin));
    }
    if (info.offset > due) {
      refuse(
          fmt::format("its data begins at byte {}, expected byte {}: the bytes between belong to no tensor",
                      info.offset - data_begin, due - data_begin));
    }
    if (info.offset > file_bytes || info.size_bytes > file_bytes - info.offset) {
      refuse(fmt::format("its data should end at byte {} of the file, which has {}; the file was cut",
                         fmt::format("{}+{}", info.offset, info.size_bytes), file_bytes));
    }
    due = info.offset + info.size_bytes;
  }
  if (known_bytes && due != file_bytes) {
    const std::uint64_t extra = file_bytes - due;
    throw FormatError(fmt::format("{}: {} byte{} after the last tensor, expected the end of the file", file,
                                  extra, extra == 1 ? "" : "s"));
  }
  return due;
}

std::uint64_t header_length(const InputFile& file, const std::string& name) {
  if (file.size_bytes() == 0) {
    throw FormatError(fmt::format("{}: the file is empty, expected safetensors", name));
  }
  std::array<char, 64> start = {};
  const std::size_t known =
      static_cast<std::size_t>(std::min<std::uint64_t>(start.size(), file.size_bytes()));
  file.read_at(0, std::as_writable_bytes(std::span(start)).first(known));
  const auto refuse = [&](const std::string& defect) {
    std::array<char, 512> more = {};
    const std::size_t size =
        static_cast<std::size_t>(std::min<std::uint64_t>(more.size(), file.size_bytes()));
    file.read_at(0, std::as_writable_bytes(std::span(more)).first(size));
    const std::string hint = looks_like(std::string_view(more.data(), size));
    throw FormatError(fmt::format("{}: {}{}{}", name, defect, hint.empty() ? "" : "; ", hint));
  };
  if (file.size_bytes() < 8) {
    refuse(fmt::format("expected safetensors, found only {} bytes", file.size_bytes()));
  }
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) {
    length = length << 8U | static_cast<std::uint8_t>(start[i]);
  }
  if (length > file.size_bytes() - 8) {
    refuse(fmt::format("the header should have {} bytes, the file has only {} after the length", length,
                       file.size_bytes() - 8));
  }
  if (length > kMaxHeader) {
    refuse(
        fmt::format("the header should have {} bytes, more than the {} of the format", length, kMaxHeader));
  }
  if (length < 2 || start[8] != '{') {
    refuse("the header does not begin with a brace, so this is no safetensors file");
  }
  return length;
}

}  // namespace

std::uint64_t safetensors_bits(std::string_view dtype) noexcept {
  for (const auto& [type, bits] : kTypes) {
    if (type == dtype) {
      return static_cast<std::uint64_t>(bits);
    }
  }
  return 0;
}

TensorList parse_safetensors_header(const std::string& name, const std::string& header,
                                    std::optional<std::uint64_t> file_bytes) {
  if (const std::size_t bad = first_invalid_utf8(header); bad != std::string::npos) {
    throw FormatError(fmt::format("{}: the header is not UTF-8 at byte {} of the file", name, bad + 8));
  }
  if (const std::size_t nul = header.find('\0'); nul != std::string::npos) {
    throw FormatError(fmt::format("{}: the header holds NUL at byte {} of the file", name, nul + 8));
  }
  HeaderParser parser;
  if (!nlohmann::json::sax_parse(header, &parser)) {
    throw FormatError(fmt::format("{}: safetensors header: {}", name, parser.defect()));
  }
  TensorList list;
  list.metadata = std::move(parser.metadata());
  list.tensors.reserve(parser.entries().size());
  for (const Entry& entry : parser.entries()) {
    list.tensors.push_back(checked_entry(name, entry, header.size() + 8));
  }
  list.file_bytes = check_ranges(name, list.tensors, header.size() + 8, file_bytes);
  return list;
}

TensorList read_safetensors_header(const InputFile& file) {
  const std::string name = file.path().string();
  std::string header(static_cast<std::size_t>(header_length(file, name)), '\0');
  file.read_at(8, std::as_writable_bytes(std::span(header)));
  return parse_safetensors_header(name, header, file.size_bytes());
}

}  // namespace mog::io
