#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/checkpoint/gguf.h"
#include "io/checkpoint/printable.h"
#include "io/recording/errors.h"
#include "model/foreign/gguf.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;

std::string shown(const Json& value) {
  return io::printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

GgufKeys::GgufKeys(const io::WeightsFile& file)
    : file_(file), name_(file.path().string()), values_(Json::parse(file.metadata()).at("values")) {
  architecture_ = text("general.architecture");
  if (architecture_.empty()) {
    refuse("general.architecture", "it is missing; expected the name of an architecture, as \"llama\"");
  }
}

std::string GgufKeys::full(std::string_view key) const {
  return key.starts_with("tokenizer.") || key.starts_with("general.") || key.starts_with("split.")
             ? std::string(key)
             : fmt::format("{}.{}", architecture_, key);
}

void GgufKeys::refuse(std::string_view key, const std::string& why) const {
  throw ModelError(fmt::format("{}: GGUF: key \"{}\": {}", name_, io::printable(full(key)), why));
}

bool GgufKeys::has(std::string_view key) const {
  return values_.contains(full(key)) || file_.find(std::string(io::kGgufList) + full(key)) != nullptr;
}

std::int64_t GgufKeys::size(std::string_view key, std::int64_t most) const {
  const std::optional<std::int64_t> found = count(key, most);
  if (!found || *found == 0) {
    refuse(key, fmt::format("expected 1 to {}, found {}", most, found ? "0" : "no such key"));
  }
  return *found;
}

// A list of the same number for each layer is that number.
std::optional<std::int64_t> GgufKeys::count(std::string_view key, std::int64_t most) const {
  const auto found = values_.find(full(key));
  if (found == values_.end()) {
    const std::vector<std::int64_t> list = wholes(key);
    for (const std::int64_t one : list) {
      if (one != list.front()) {
        refuse(key,
               fmt::format("one number for all layers is supported, found {} and {}", list.front(), one));
      }
    }
    if (list.empty()) {
      return std::nullopt;
    }
    if (list.front() < 0 || list.front() > most) {
      refuse(key, fmt::format("expected 0 to {}, found {}", most, list.front()));
    }
    return list.front();
  }
  if (!found->is_number_integer() || *found < 0 || *found > most) {
    refuse(key, fmt::format("expected a whole number from 0 to {}, found {}", most, shown(*found)));
  }
  return found->get<std::int64_t>();
}

std::optional<double> GgufKeys::number(std::string_view key) const {
  constexpr double kMost = 1e12;
  const auto found = values_.find(full(key));
  if (found == values_.end()) {
    return std::nullopt;
  }
  if (!found->is_number() || !(std::abs(found->get<double>()) <= kMost)) {
    refuse(key, fmt::format("expected a number up to {}, found {}", kMost, shown(*found)));
  }
  return found->get<double>();
}

std::optional<double> GgufKeys::above_zero(std::string_view key) const {
  const std::optional<double> found = number(key);
  if (found && !(*found > 0.0)) {
    refuse(key, fmt::format("expected a number above 0, found {}", *found));
  }
  return found;
}

std::optional<bool> GgufKeys::flag(std::string_view key) const {
  const auto found = values_.find(full(key));
  if (found == values_.end()) {
    return std::nullopt;
  }
  if (!found->is_boolean()) {
    refuse(key, "expected true or false, found " + shown(*found));
  }
  return found->get<bool>();
}

std::string GgufKeys::text(std::string_view key) const {
  const auto found = values_.find(full(key));
  if (found == values_.end()) {
    return "";
  }
  if (!found->is_string()) {
    refuse(key, "expected a text, found " + shown(*found));
  }
  return found->get<std::string>();
}

std::vector<std::string> GgufKeys::texts(std::string_view key) const {
  const std::string name = full(key);
  if (file_.find(std::string(io::kGgufList) + name) == nullptr) {
    if (values_.contains(name)) {
      refuse(key, "expected a list of texts, found " + shown(values_.at(name)));
    }
    return {};
  }
  if (file_.find(std::string(io::kGgufEnds) + name) == nullptr) {
    refuse(key, "expected a list of texts, found one of numbers");
  }
  const HostTensor bytes = file_.read(std::string(io::kGgufList) + name);
  const HostTensor ends = file_.read(std::string(io::kGgufEnds) + name);
  const std::string_view all(reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size());
  std::vector<std::string> result;
  std::size_t begin = 0;
  for (const std::int64_t end : ends.values<std::int64_t>()) {
    result.emplace_back(all.substr(begin, static_cast<std::size_t>(end) - begin));
    begin = static_cast<std::size_t>(end);
  }
  return result;
}

std::vector<double> GgufKeys::numbers(std::string_view key) const {
  const std::string name = full(key);
  const io::TensorInfo* const info = file_.find(std::string(io::kGgufList) + name);
  if (info == nullptr) {
    if (values_.contains(name)) {
      refuse(key, "expected a list of numbers, found " + shown(values_.at(name)));
    }
    return {};
  }
  if (file_.find(std::string(io::kGgufEnds) + name) != nullptr) {
    refuse(key, "expected a list of numbers, found one of texts");
  }
  const HostTensor list = file_.read(info->name);
  const auto widened = [](const auto values) { return std::vector<double>(values.begin(), values.end()); };
  switch (list.dtype()) {
    case DType::float32:
      return widened(list.values<float>());
    case DType::float64:
      return widened(list.values<double>());
    case DType::uint8:
      return widened(list.values<std::uint8_t>());
    case DType::int32:
      return widened(list.values<std::int32_t>());
    case DType::int64:
      return widened(list.values<std::int64_t>());
    default:
      refuse(key, fmt::format("a list of {} is not supported", info->dtype));
  }
}

std::vector<std::int64_t> GgufKeys::wholes(std::string_view key) const {
  constexpr double kMost = 9007199254740992.0;  // beyond it float64 has no single whole numbers
  std::vector<std::int64_t> result;
  for (const double number : numbers(key)) {
    if (number != std::floor(number) || std::abs(number) > kMost) {
      refuse(key, fmt::format("expected a list of whole numbers, found {} in it", number));
    }
    result.push_back(static_cast<std::int64_t>(number));
  }
  return result;
}

std::vector<std::int64_t> GgufKeys::pattern(std::string_view key) const {
  const bool alone = values_.contains(full(key));
  return alone ? std::vector<std::int64_t>{*count(key, std::numeric_limits<std::int32_t>::max())}
               : wholes(key);
}

}  // namespace mog::model
