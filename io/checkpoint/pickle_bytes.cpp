// A pickle claims lengths of up to 64 bits. They are compared with what is left before anything is taken, and
// what is taken is a view: a claim costs neither memory nor time.
#include "io/checkpoint/pickle_bytes.h"

#include <fmt/format.h>

#include <utility>

#include "io/recording/errors.h"

namespace mog::io {

PickleBytes::PickleBytes(std::string_view bytes, std::string where)
    : bytes_(bytes), where_(std::move(where)) {}

void PickleBytes::refuse(const std::string& defect) const {
  throw FormatError(fmt::format("{}: pickle, byte {}: {}", where_, opcode_at_ + 1, defect));
}

unsigned char PickleBytes::opcode() {
  opcode_at_ = at_;
  return static_cast<unsigned char>(take(1)[0]);
}

std::string_view PickleBytes::take(std::uint64_t count) {
  if (count > bytes_.size() - at_) {
    refuse(fmt::format("the pickle is truncated: {} bytes should follow, {} are there", count,
                       bytes_.size() - at_));
  }
  const std::string_view part = bytes_.substr(at_, static_cast<std::size_t>(count));
  at_ += part.size();
  return part;
}

std::uint64_t PickleBytes::number(std::size_t bytes) {
  const std::string_view part = take(bytes);
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(part[i]);
  }
  return value;
}

std::string_view PickleBytes::line() {
  const std::size_t end = bytes_.find('\n', at_);
  if (end == std::string_view::npos) {
    refuse("the pickle is truncated: a line does not end");
  }
  const std::string_view text = bytes_.substr(at_, end - at_);
  at_ = end + 1;
  return text;
}

void PickleBytes::frame() {
  if (const std::uint64_t size = number(8); size > bytes_.size() - at_) {
    refuse(
        fmt::format("the pickle is truncated: a frame of {} bytes, {} are there", size, bytes_.size() - at_));
  }
}

}  // namespace mog::io
