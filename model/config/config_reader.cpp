#include "model/config/config_reader.h"

#include <fmt/format.h>

#include "io/recording/errors.h"

namespace mog::model {
namespace {

std::string shown(const nlohmann::ordered_json& value) {
  const std::string text = value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return text.size() <= 80 ? text : text.substr(0, 77) + "...";
}

}  // namespace

ConfigReader::ConfigReader(const nlohmann::ordered_json& value, std::string file, std::string path)
    : value_(&value), file_(std::move(file)), path_(std::move(path)) {
  if (!value.is_object()) {
    throw FormatError(fmt::format("{}: expected {} to be a JSON object, found {}", file_,
                                  path_.empty() ? "the document" : path_, shown(value)));
  }
}

std::string ConfigReader::full(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void ConfigReader::refuse(std::string_view key, const std::string& expected, const std::string& found) const {
  throw FormatError(fmt::format("{}: {}: expected {}, found {}", file_, full(key), expected, found));
}

bool ConfigReader::has(std::string_view key) const {
  return value_->contains(key);
}

const nlohmann::ordered_json& ConfigReader::at(std::string_view key) {
  const auto found = value_->find(key);
  if (found == value_->end()) {
    throw FormatError(fmt::format("{}: the key {} is missing", file_, full(key)));
  }
  asked_.emplace(key);
  return *found;
}

std::int64_t ConfigReader::integer(std::string_view key, std::int64_t least, std::int64_t most) {
  const auto& value = at(key);
  const auto wanted = [&] { return fmt::format("a whole number from {} to {}", least, most); };
  if (!value.is_number_integer()) {
    refuse(key, wanted(), shown(value));
  }
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    refuse(key, wanted(), shown(value));
  }
  const auto number = value.get<std::int64_t>();
  if (number < least || number > most) {
    refuse(key, wanted(), shown(value));
  }
  return number;
}

double ConfigReader::number_above_zero(std::string_view key, double most) {
  const auto& value = at(key);
  const bool number = value.is_number();
  if (!number || !(value.get<double>() > 0.0) || value.get<double>() > most) {
    refuse(key, fmt::format("a number above 0, at most {}", most), shown(value));
  }
  return value.get<double>();
}

std::vector<std::int64_t> ConfigReader::integers(std::string_view key, std::size_t most, std::int64_t least,
                                                 std::int64_t greatest) {
  const auto& value = at(key);
  if (!value.is_array() || value.size() > most) {
    refuse(key, fmt::format("a list of at most {} whole numbers", most), shown(value));
  }
  std::vector<std::int64_t> numbers;
  for (const auto& one : value) {
    const bool whole =
        one.is_number_integer() &&
        (!one.is_number_unsigned() || one.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
    if (!whole || one.get<std::int64_t>() < least || one.get<std::int64_t>() > greatest) {
      refuse(key, fmt::format("whole numbers from {} to {}", least, greatest), shown(one));
    }
    numbers.push_back(one.get<std::int64_t>());
  }
  return numbers;
}

bool ConfigReader::boolean(std::string_view key) {
  const auto& value = at(key);
  if (!value.is_boolean()) {
    refuse(key, "true or false", shown(value));
  }
  return value.get<bool>();
}

std::string ConfigReader::text(std::string_view key) {
  const auto& value = at(key);
  if (!value.is_string()) {
    refuse(key, "text", shown(value));
  }
  return value.get<std::string>();
}

std::string ConfigReader::file_name(std::string_view key) {
  std::string name = text(key);
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos ||
      name.find('\\') != std::string::npos || name.find('\0') != std::string::npos) {
    refuse(key, "the name of a file inside the model directory", shown(at(key)));
  }
  return name;
}

void ConfigReader::finish(std::string_view why) const {
  for (const auto& [key, value] : value_->items()) {
    if (!asked_.contains(key)) {
      throw FormatError(
          fmt::format("{}: unknown key {}{}{}", file_, full(key), why.empty() ? "" : ": ", why));
    }
  }
}

}  // namespace mog::model
