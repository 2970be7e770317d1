// A table of descriptions that only grows: an entry is written once, under a lock, and published by the count
// of entries. Readers look at published entries alone, so that they need no lock.
#include "io/recording/part.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "io/recording/errors.h"
#include "io/recording/named_values.h"
#include "io/recording/nearest_name.h"
#include "io/recording/quantity_name.h"
#include "io/recording/translated.h"

namespace mog {
namespace {

constexpr std::size_t kMost = 4000;
constexpr std::size_t kLongest = 32;

template <class Entry>
class Table {
 public:
  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  const Entry& operator[](std::size_t index) const noexcept { return *entries_[index]; }
  // Under the caller's lock.
  std::size_t add(Entry entry, std::string_view what) {
    const std::size_t index = size();
    if (index == kMost) {
      throw UsageError(fmt::format("more than {} different {}: a process reads no more", kMost, what));
    }
    entries_[index] = std::make_unique<const Entry>(std::move(entry));
    size_.store(index + 1, std::memory_order_release);
    return index;
  }
  std::mutex& mutex() noexcept { return mutex_; }

 private:
  std::array<std::unique_ptr<const Entry>, kMost> entries_;
  std::atomic<std::size_t> size_ = 0;
  std::mutex mutex_;
};

struct PartEntry {
  PartDescription description;
  std::uint16_t name = 0;  // index of the first entry of this name
  bool described = true;   // false: by Part::named
};

void check_name(std::string_view what, std::string_view text) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto rest = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  if (text.empty() || text.size() > kLongest || !letter(text.front()) ||
      !std::all_of(text.begin(), text.end(), rest)) {
    throw UsageError(fmt::format(
        "\"{}\" is no name of a {}: expected a letter a to z, then letters, digits and _, at most {}", text,
        what, kLongest));
  }
  if (is_quantity_word(text)) {
    throw UsageError(fmt::format("a {} cannot be named \"{}\": that is the name of a quantity", what, text));
  }
}

PartDescription completed(PartDescription description) {
  if (description.label.empty()) {
    description.label = description.name;
    std::replace(description.label.begin(), description.label.end(), '_', ' ');
  }
  if (description.short_name.empty()) {
    description.short_name = description.name;
  }
  return description;
}

// In the order of the constants of Part.
std::vector<PartDescription> known_parts() {
  using Role = PartRole;
  using State = PartState;
  using Colour = PartColour;
  const auto input = [](const char* name, const char* label, const char* direction, Colour colour) {
    return PartDescription{.name = name,
                           .label = label,
                           .tip = MOG_TEXT("Part", "What a step takes from the layer below (W x)"),
                           .role = Role::input,
                           .map = PartMap::none,
                           .direction = direction,
                           .colour = colour};
  };
  const auto recurrence = [](const char* name, const char* label, const char* direction, Colour colour) {
    return PartDescription{.name = name,
                           .label = label,
                           .tip = MOG_TEXT("Part", "What a step takes from the step before it (U h)"),
                           .role = Role::recurrence,
                           .map = PartMap::none,
                           .direction = direction,
                           .colour = colour};
  };
  PartDescription only = recurrence("recurrent", "", "", Colour::purple);
  only.label = MOG_TEXT("Part", "carry");
  only.tip = MOG_TEXT("Part", "Carry weights: how much of each earlier word the recurrent state holds");
  only.map = PartMap::carry;
  return {
      {.name = {},
       .label = MOG_TEXT("Part", "all parts"),
       .role = Role::whole,
       .map = PartMap::none,
       .colour = Colour::soft},
      {.name = "high",
       .label = MOG_TEXT("Part", "high"),
       .short_name = "h",
       .tip = MOG_TEXT("Part", "High order: query and key are incremental"),
       .query = State::incremental,
       .key = State::incremental,
       .order = OrderGroup::high,
       .colour = Colour::vermillion},
      {.name = "middle1",
       .label = MOG_TEXT("Part", "middle 1"),
       .short_name = "m1",
       .tip = MOG_TEXT("Part", "Middle order 1: query incremental, key previous"),
       .query = State::incremental,
       .key = State::previous,
       .order = OrderGroup::middle,
       .colour = Colour::blue},
      {.name = "middle2",
       .label = MOG_TEXT("Part", "middle 2"),
       .short_name = "m2",
       .tip = MOG_TEXT("Part", "Middle order 2: query previous, key incremental"),
       .query = State::previous,
       .key = State::incremental,
       .order = OrderGroup::middle,
       .colour = Colour::sky,
       .dashed = true},
      {.name = "low",
       .label = MOG_TEXT("Part", "low"),
       .short_name = "l",
       .tip = MOG_TEXT("Part", "Low order: query and key are previous"),
       .role = Role::carried,
       .map = PartMap::none,
       .query = State::previous,
       .key = State::previous,
       .order = OrderGroup::low,
       .colour = Colour::green},
      {.name = "full",
       .label = MOG_TEXT("Part", "full"),
       .short_name = "f",
       .tip = MOG_TEXT("Part", "The attention of a plain Transformer layer")},
      input("below", MOG_TEXT("Part", "below"), "", Colour::green),
      only,
      {.name = "forward",
       .label = MOG_TEXT("Part", "forward"),
       .short_name = "fw",
       .tip = MOG_TEXT("Part", "Carry weights: how much of each earlier word the forward state holds"),
       .role = Role::direction,
       .map = PartMap::carry,
       .colour = Colour::blue},
      input("forward_below", MOG_TEXT("Part", "forward below"), "forward", Colour::green),
      recurrence("forward_recurrent", MOG_TEXT("Part", "forward recurrent"), "forward", Colour::purple),
      {.name = "backward",
       .label = MOG_TEXT("Part", "backward"),
       .short_name = "bw",
       .tip = MOG_TEXT("Part", "Carry weights: how much of each later word the backward state holds"),
       .role = Role::direction,
       .map = PartMap::carry,
       .backward = true,
       .colour = Colour::vermillion},
      input("backward_below", MOG_TEXT("Part", "backward below"), "backward", Colour::sky),
      recurrence("backward_recurrent", MOG_TEXT("Part", "backward recurrent"), "backward", Colour::orange),
      {.name = "self",
       .label = MOG_TEXT("Part", "self"),
       .tip = MOG_TEXT("Part", "The decoder's attention to the translation so far")},
      {.name = "cross",
       .label = MOG_TEXT("Part", "cross"),
       .tip = MOG_TEXT("Part", "The decoder's attention to the source"),
       .role = Role::cross},
  };
}

Table<PartEntry>& parts() {
  static Table<PartEntry>* const table = [] {
    auto* made = new Table<PartEntry>;  // lives as long as the process: parts may be used by static objects
    std::uint16_t index = 0;
    for (PartDescription& description : known_parts()) {
      made->add({completed(std::move(description)), index, true}, "parts");
      ++index;
    }
    return made;
  }();
  return *table;
}

constexpr std::size_t kKnownParts = 16;
constexpr std::size_t kKnownStacks = 3;

Table<std::string>& stacks() {
  static Table<std::string>* const table = [] {
    auto* made = new Table<std::string>;
    for (const char* text : {"encoder", "decoder", "heads"}) {
      made->add(text, "stacks");
    }
    return made;
  }();
  return *table;
}

// Known names by their place, others after them by their text.
std::strong_ordering compare(std::size_t left, std::size_t right, std::size_t known,
                             std::string_view left_name, std::string_view right_name) {
  if (left == right) {
    return std::strong_ordering::equal;
  }
  if (left < known || right < known) {
    return left <=> right;
  }
  return left_name <=> right_name;
}

using Named = std::string_view;
constexpr std::array kRoles = {
    std::pair{PartRole::whole, Named("whole")},          std::pair{PartRole::attention, Named("attention")},
    std::pair{PartRole::cross, Named("cross")},          std::pair{PartRole::carried, Named("carried")},
    std::pair{PartRole::direction, Named("direction")},  std::pair{PartRole::input, Named("input")},
    std::pair{PartRole::recurrence, Named("recurrence")}};
constexpr std::array kStates = {std::pair{PartState::whole, Named("whole")},
                                std::pair{PartState::previous, Named("previous")},
                                std::pair{PartState::incremental, Named("incremental")}};
constexpr std::array kGroups = {
    std::pair{OrderGroup::any, Named("any")}, std::pair{OrderGroup::low, Named("low")},
    std::pair{OrderGroup::middle, Named("middle")}, std::pair{OrderGroup::high, Named("high")}};
constexpr std::array kMaps = {std::pair{PartMap::none, Named("none")},
                              std::pair{PartMap::attention, Named("attention")},
                              std::pair{PartMap::carry, Named("carry")}};
constexpr std::array kColours = {
    std::pair{PartColour::ink, Named("ink")},       std::pair{PartColour::soft, Named("soft")},
    std::pair{PartColour::blue, Named("blue")},     std::pair{PartColour::vermillion, Named("vermillion")},
    std::pair{PartColour::sky, Named("sky")},       std::pair{PartColour::green, Named("green")},
    std::pair{PartColour::purple, Named("purple")}, std::pair{PartColour::orange, Named("orange")}};

template <class Table>
auto parse_in(const Table& table, std::string_view text, std::string_view what) {
  const auto found = find_in(table, text);
  if (!found) {
    const std::vector<std::string> names = names_in(table);
    throw UsageError(fmt::format("\"{}\" is no {}; use {}{}", text, what, fmt::join(names, ", "),
                                 did_you_mean(text, names)));
  }
  return *found;
}

// The place of an entry of this name, and whether it is this very entry.
struct Found {
  std::optional<std::uint16_t> first;
  std::optional<std::uint16_t> same;
};

Found look_up(const Table<PartEntry>& table, const PartEntry& wanted) {
  Found found;
  for (std::size_t i = 1; i < table.size(); ++i) {
    const PartEntry& entry = table[i];
    if (entry.description.name == wanted.description.name) {
      found.first = entry.name;
      if (entry.described == wanted.described && entry.description == wanted.description) {
        found.same = static_cast<std::uint16_t>(i);
      }
    }
  }
  return found;
}

// Index and name of the entry, which is added where it is new.
std::pair<std::uint16_t, std::uint16_t> entered(PartEntry wanted) {
  Table<PartEntry>& table = parts();
  const std::scoped_lock lock(table.mutex());
  const Found found = look_up(table, wanted);
  if (found.same) {
    return {*found.same, *found.first};
  }
  if (!found.first) {
    check_name("part", wanted.description.name);
  }
  const auto index = static_cast<std::uint16_t>(table.size());
  wanted.name = found.first.value_or(index);
  const std::uint16_t of_name = wanted.name;
  table.add(std::move(wanted), "parts");
  return {index, of_name};
}

}  // namespace

Part Part::describe(const PartDescription& description) {
  if (description.name.empty()) {
    return {};
  }
  const auto [index, of_name] = entered({completed(description), 0, true});
  return {index, of_name};
}

std::optional<Part> Part::find(std::string_view text) {
  const Table<PartEntry>& table = parts();
  const std::size_t count = table.size();
  const auto found = [&](std::string_view wanted, auto member) -> std::optional<Part> {
    for (std::size_t i = 1; i < count; ++i) {
      if (table[i].described && table[i].description.*member == wanted) {
        return Part(static_cast<std::uint16_t>(i), table[i].name);
      }
    }
    return std::nullopt;
  };
  if (const auto part = found(text, &PartDescription::name)) {
    return part;
  }
  return found(text.starts_with("i_") ? text.substr(2) : text, &PartDescription::short_name);
}

Part Part::named(std::string_view text) {
  if (const auto part = find(text)) {
    return *part;
  }
  const auto [index, of_name] = entered({completed({.name = std::string(text)}), 0, false});
  return {index, of_name};
}

Part Part::parse(std::string_view text) {
  if (const auto part = find(text)) {
    return *part;
  }
  const std::vector<std::string> all = names();
  throw UsageError(
      fmt::format("\"{}\" is no part; use {}{}", text, fmt::join(all, ", "), did_you_mean(text, all)));
}

std::vector<std::string> Part::names() {
  const Table<PartEntry>& table = parts();
  std::vector<std::string> names;
  for (std::size_t i = 1; i < table.size(); ++i) {
    const std::string& name = table[i].description.name;
    if (table[i].described && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

const PartDescription& Part::description() const noexcept {
  return parts()[index_].description;
}

Part Part::of_id(int id) {
  const Table<PartEntry>& table = parts();
  if (id < 0 || static_cast<std::size_t>(id) >= table.size()) {
    return {};
  }
  return {static_cast<std::uint16_t>(id), table[static_cast<std::size_t>(id)].name};
}

std::strong_ordering operator<=>(Part left, Part right) noexcept {
  return compare(left.name_, right.name_, kKnownParts, name(left), name(right));
}

std::string_view name(Part part) noexcept {
  return part.description().name;
}

Stack Stack::named(std::string_view name) {
  Table<std::string>& table = stacks();
  const std::scoped_lock lock(table.mutex());
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i] == name) {
      return Stack(static_cast<std::uint16_t>(i));
    }
  }
  check_name("stack", name);
  return Stack(static_cast<std::uint16_t>(table.add(std::string(name), "stacks")));
}

std::optional<Stack> Stack::find(std::string_view text) {
  const Table<std::string>& table = stacks();
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i] == text) {
      return Stack(static_cast<std::uint16_t>(i));
    }
  }
  return std::nullopt;
}

std::vector<std::string> Stack::names() {
  const Table<std::string>& table = stacks();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < table.size(); ++i) {
    names.push_back(table[i]);
  }
  return names;
}

std::strong_ordering operator<=>(Stack left, Stack right) noexcept {
  return compare(left.index_, right.index_, kKnownStacks, name(left), name(right));
}

std::string_view name(Stack stack) noexcept {
  return stacks()[stack.index_];
}

std::string_view name(PartRole role) noexcept {
  return name_in(kRoles, role);
}
std::string_view name(PartState state) noexcept {
  return name_in(kStates, state);
}
std::string_view name(OrderGroup group) noexcept {
  return name_in(kGroups, group);
}
std::string_view name(PartMap map) noexcept {
  return name_in(kMaps, map);
}
std::string_view name(PartColour colour) noexcept {
  return name_in(kColours, colour);
}
PartRole parse_part_role(std::string_view text) {
  return parse_in(kRoles, text, "role of a part");
}
PartState parse_part_state(std::string_view text) {
  return parse_in(kStates, text, "state of a word");
}
OrderGroup parse_order_group(std::string_view text) {
  return parse_in(kGroups, text, "group of orders");
}
PartMap parse_part_map(std::string_view text) {
  return parse_in(kMaps, text, "map of a part");
}
PartColour parse_part_colour(std::string_view text) {
  return parse_in(kColours, text, "colour of a part");
}

}  // namespace mog
