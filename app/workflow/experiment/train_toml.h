// Strict reading of a TOML table: every key has a type and a range, and a key nobody asked for is refused.
//
#pragma once

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {

class TomlTable {
 public:
  // `path` is the table's name in messages ("training"), empty for the root.
  TomlTable(const toml::table& table, std::string path, const std::filesystem::path& file)
      : table_(table), path_(std::move(path)), file_(file) {}

  bool has(std::string_view key) const { return table_.contains(key); }

  // Each of these marks its key as known and leaves `value` alone where the key is absent.
  void read(std::string_view key, std::string& value) {
    if (const toml::node* node = find(key)) {
      value = node->is_string() ? **node->as_string() : refuse<std::string>(*node, key, "a string");
    }
  }
  void read(std::string_view key, bool& value) {
    if (const toml::node* node = find(key)) {
      value = node->is_boolean() ? **node->as_boolean() : refuse<bool>(*node, key, "true or false");
    }
  }
  void read(std::string_view key, std::int64_t& value, std::int64_t least, std::int64_t most) {
    if (const toml::node* node = find(key)) {
      const std::string wanted =
          "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
      value = node->is_integer() ? **node->as_integer() : refuse<std::int64_t>(*node, key, wanted);
      if (value < least || value > most) {
        fail(*node, key, wanted + ", found " + std::to_string(value));
      }
    }
  }
  // Whole numbers are accepted too.
  void read(std::string_view key, double& value, double least, double most) {
    if (const toml::node* node = find(key)) {
      const std::string wanted = "a number from " + text(least) + " to " + text(most);
      value = node->is_number() ? *node->value<double>() : refuse<double>(*node, key, wanted);
      if (!(value >= least && value <= most)) {
        fail(*node, key, wanted + ", found " + text(value));
      }
    }
  }
  // A string or an array of strings.
  void read(std::string_view key, std::vector<std::string>& values) {
    const toml::node* node = find(key);
    if (node == nullptr) {
      return;
    }
    values.clear();
    if (node->is_string()) {
      values.push_back(**node->as_string());
      return;
    }
    const toml::array* array = node->as_array();
    if (array == nullptr) {
      refuse<bool>(*node, key, "a string or an array of strings");
    }
    for (const toml::node& item : *array) {
      values.push_back(item.is_string() ? **item.as_string() : refuse<std::string>(item, key, "strings"));
    }
  }
  // One of `allowed`; its index, or -1 where the key is absent.
  int choice(std::string_view key, const std::vector<std::string_view>& allowed) {
    const toml::node* node = find(key);
    if (node == nullptr) {
      return -1;
    }
    std::string wanted = "one of";
    for (const std::string_view item : allowed) {
      wanted += " \"" + std::string(item) + "\"";
    }
    const std::string value =
        node->is_string() ? **node->as_string() : refuse<std::string>(*node, key, wanted);
    const auto found = std::find(allowed.begin(), allowed.end(), value);
    if (found == allowed.end()) {
      const std::vector<std::string> names(allowed.begin(), allowed.end());
      fail(*node, key, wanted + ", found \"" + value + "\"" + did_you_mean(value, names));
    }
    return static_cast<int>(found - allowed.begin());
  }
  // The table under `key`; nullptr where it is absent.
  const toml::table* table(std::string_view key) {
    const toml::node* node = find(key);
    if (node != nullptr && !node->is_table()) {
      refuse<bool>(*node, key, "a table [" + full(key) + "]");
    }
    return node == nullptr ? nullptr : node->as_table();
  }
  const toml::array* tables(std::string_view key) {
    const toml::node* node = find(key);
    if (node != nullptr && (!node->is_array() || !node->as_array()->is_array_of_tables())) {
      refuse<bool>(*node, key, "tables [[" + full(key) + "]]");
    }
    return node == nullptr ? nullptr : node->as_array();
  }
  void require(std::string_view key) const {
    if (!table_.contains(key)) {
      throw FormatError("Reading " + file_.string() + ", line " + line(table_) + ": key " + full(key) +
                        " is missing.");
    }
  }
  // Throws FormatError for the first key that was not asked for.
  void finish() const {
    for (const auto& [key, node] : table_) {
      if (!known_.contains(std::string(key.str()))) {
        std::string message = "Reading " + file_.string() + ", line " +
                              std::to_string(key.source().begin.line) + ": unknown key " + full(key.str()) +
                              ". Known here:";
        for (const std::string& name : known_) {
          message += " " + name;
        }
        throw FormatError(message + ".");
      }
    }
  }
  [[noreturn]] void fail(const toml::node& node, std::string_view key, const std::string& wanted) const {
    throw FormatError("Reading " + file_.string() + ", line " + line(node) + ": " + full(key) + " must be " +
                      wanted + ".");
  }
  const toml::node* find(std::string_view key) {
    known_.insert(std::string(key));
    return table_.get(key);
  }
  std::string full(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }
  const toml::table& raw() const { return table_; }

 private:
  template <class T>
  T refuse(const toml::node& node, std::string_view key, const std::string& wanted) const {
    fail(node, key, wanted);
  }
  static std::string line(const toml::node& node) { return std::to_string(node.source().begin.line); }
  static std::string text(double value) {
    std::string out = std::to_string(value);
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') {
      out.pop_back();
    }
    return out;
  }
  const toml::table& table_;
  std::string path_;
  const std::filesystem::path& file_;
  std::set<std::string> known_;
};

}  // namespace mog::app
