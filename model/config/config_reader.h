// Reads the keys of one JSON object strictly: every key is asked for once, what remains is unknown.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mog::model {

class ConfigReader {
 public:
  // `path` is the place of the object in the document, e.g. "encoder"; empty at the top.
  // Throws FormatError when `value` is no object.
  ConfigReader(const nlohmann::ordered_json& value, std::string file, std::string path);

  bool has(std::string_view key) const;
  std::int64_t integer(std::string_view key, std::int64_t least, std::int64_t most);
  double number_above_zero(std::string_view key, double most);
  // The length is from 0 to `most`, the numbers from `least` to `greatest`.
  std::vector<std::int64_t> integers(std::string_view key, std::size_t most, std::int64_t least,
                                     std::int64_t greatest);
  bool boolean(std::string_view key);
  std::string text(std::string_view key);
  // A name of a file inside the model directory: no folder, no "..".
  std::string file_name(std::string_view key);
  // `choices`: value and text; throws FormatError listing the texts.
  template <class Value>
  Value choice(std::string_view key, const std::vector<std::pair<Value, std::string_view>>& choices) {
    const std::string found = text(key);
    std::string allowed;
    for (const auto& [value, name] : choices) {
      if (found == name) {
        return value;
      }
      allowed += allowed.empty() ? "" : ", ";
      allowed += name;
    }
    refuse(key, "one of " + allowed, "\"" + found + "\"");
  }
  const nlohmann::ordered_json& at(std::string_view key);
  // Throws FormatError naming a key that nobody asked for. `why` explains keys that exist elsewhere.
  void finish(std::string_view why = {}) const;

  // FormatError "FILE: PATH.KEY: expected …, found …".
  [[noreturn]] void refuse(std::string_view key, const std::string& expected, const std::string& found) const;
  std::string full(std::string_view key) const;

 private:
  const nlohmann::ordered_json* value_;
  std::string file_;
  std::string path_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace mog::model
