#include "app/workflow/train/config_difference.h"

#include <toml++/toml.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <vector>

namespace mog::app {

namespace {

struct Leaf {
  std::string key;
  std::string value;
  toml::source_position place;
};

constexpr std::size_t kLongest = 60;  // characters of a value in a message

std::string value_text(const toml::node& node) {
  std::ostringstream text;
  node.visit([&](const auto& concrete) { text << concrete; });
  std::string value = text.str();
  std::replace(value.begin(), value.end(), '\n', ' ');
  return value;
}

std::string shortened(const std::string& value) {
  return value.size() <= kLongest ? value : value.substr(0, kLongest) + "...";
}

void collect(const toml::node& node, const std::string& key, std::vector<Leaf>& leaves) {
  if (const toml::table* table = node.as_table()) {
    for (const auto& [name, inner] : *table) {
      collect(inner, key.empty() ? std::string(name.str()) : key + "." + std::string(name.str()), leaves);
    }
    return;
  }
  const toml::array* array = node.as_array();
  if (array != nullptr && array->is_array_of_tables()) {
    for (std::size_t at = 0; at < array->size(); ++at) {
      collect((*array)[at], key + "[" + std::to_string(at + 1) + "]", leaves);
    }
    return;
  }
  leaves.push_back({key, value_text(node), node.source().begin});
}

std::vector<Leaf> leaves_of(std::string_view text) {
  std::vector<Leaf> leaves;
  collect(toml::parse(text), "", leaves);
  std::stable_sort(leaves.begin(), leaves.end(),
                   [](const Leaf& left, const Leaf& right) { return left.place < right.place; });
  return leaves;
}

}  // namespace

std::string config_difference(std::string_view before, std::string_view now, bool lines) {
  std::vector<Leaf> old_leaves;
  std::vector<Leaf> new_leaves;
  try {
    old_leaves = leaves_of(before);
    new_leaves = leaves_of(now);
  } catch (const toml::parse_error&) {
    return {};
  }
  std::map<std::string, std::string> old_values;
  for (const Leaf& leaf : old_leaves) {
    old_values.emplace(leaf.key, leaf.value);
  }
  std::map<std::string, std::string> new_values;
  for (const Leaf& leaf : new_leaves) {
    new_values.emplace(leaf.key, leaf.value);
    const auto found = old_values.find(leaf.key);
    if (found == old_values.end() || found->second != leaf.value) {
      return leaf.key + (lines ? " (line " + std::to_string(leaf.place.line) + ")" : std::string()) + " is " +
             shortened(leaf.value) +
             (found == old_values.end() ? " and was not there" : " and was " + shortened(found->second));
    }
  }
  for (const Leaf& leaf : old_leaves) {
    if (!new_values.contains(leaf.key)) {
      return leaf.key + " was " + shortened(leaf.value) + " and is not there now";
    }
  }
  return {};
}

}  // namespace mog::app
