// Values of an enumeration and their names, in one table: found either way.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mog {

// Table: a range of std::pair<Enum, std::string_view>. "" for a value that is not in it.
template <class Table, class Value>
std::string_view name_in(const Table& table, Value value) noexcept {
  for (const auto& [entry, text] : table) {
    if (entry == value) {
      return text;
    }
  }
  return "";
}

template <class Table>
auto find_in(const Table& table, std::string_view text)
    -> std::optional<std::decay_t<decltype(table[0].first)>> {
  for (const auto& [entry, name] : table) {
    if (name == text) {
      return entry;
    }
  }
  return std::nullopt;
}

template <class Table>
std::vector<std::string> names_in(const Table& table) {
  std::vector<std::string> names;
  names.reserve(std::size(table));
  for (const auto& [entry, name] : table) {
    names.emplace_back(name);
  }
  return names;
}

}  // namespace mog
