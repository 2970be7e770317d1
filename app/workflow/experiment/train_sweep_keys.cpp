// The keys of [sweep].
#include "app/workflow/experiment/train_sweep_keys.h"

#include <algorithm>

namespace mog::app {

// The keys of a table in the order of the file.
std::vector<const toml::key*> in_order(const toml::table& table) {
  std::vector<const toml::key*> keys;
  for (const auto& [key, node] : table) {
    keys.push_back(&key);
  }
  std::stable_sort(keys.begin(), keys.end(), [](const toml::key* left, const toml::key* right) {
    return left->source().begin < right->source().begin;
  });
  return keys;
}

namespace {

constexpr std::size_t kMostRuns = 1000;
constexpr std::size_t kLongestName = 40;

void check_name(const SweepFile& file, const toml::key& key, const std::string& owner) {
  const std::string_view name = key.str();
  const bool plain = !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
                     name.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                         "_-+.") == std::string_view::npos;
  if (!plain) {
    file.fail<FormatError>(static_cast<std::int64_t>(key.source().begin.line),
                           owner + ": the name \"" + std::string(name) +
                               "\" becomes part of a folder's name and must be of 1 to 40 letters, digits, "
                               "_ - + . (no . first).");
  }
}

SweepAxis read_axis(const SweepFile& file, const toml::key& key, const toml::node& node) {
  SweepAxis axis;
  axis.name = key.str();
  const std::string full = "sweep.axes." + axis.name;
  const toml::table* values = node.as_table();
  if (values == nullptr || values->empty()) {
    file.fail<FormatError>(line_of(node), full +
                                              " must be a table with a name for every value, for example "
                                              "[" +
                                              full + "] L5 = { \"model.encoder.layers\" = 5 }.");
  }
  for (const toml::key* value : in_order(*values)) {
    check_name(file, *value, full);
    const toml::node& changes = *values->get(value->str());
    if (!changes.is_table()) {
      file.fail<FormatError>(line_of(changes), full + "." + std::string(value->str()) +
                                                   " must be a table of changes, for example "
                                                   "{ \"model.encoder.layers\" = 5 }.");
    }
    axis.values.emplace_back(value->str());
  }
  return axis;
}

std::vector<std::int64_t> read_seeds(const SweepFile& file, TomlTable& table) {
  constexpr std::int64_t kGreatest = 1'000'000'000;
  std::vector<std::int64_t> seeds;
  const toml::node* node = table.find("seeds");
  if (node == nullptr) {
    return seeds;
  }
  const toml::array* array = node->as_array();
  if (array == nullptr || array->empty()) {
    table.fail(*node, "seeds", "an array of whole numbers, for example [1, 2]");
  }
  for (const toml::node& item : *array) {
    const std::int64_t seed = item.is_integer() ? **item.as_integer() : -1;
    if (seed < 0 || seed > kGreatest) {
      table.fail(item, "seeds", "whole numbers from 0 to 1000000000");
    }
    if (std::find(seeds.begin(), seeds.end(), seed) != seeds.end()) {
      file.fail<FormatError>(line_of(item), "sweep.seeds has " + std::to_string(seed) + " twice.");
    }
    seeds.push_back(seed);
  }
  return seeds;
}

}  // namespace

SweepKeys read_sweep_keys(const SweepFile& file, const toml::table& found) {
  SweepKeys keys;
  TomlTable table(found, "sweep", file.path());
  keys.seeds = read_seeds(file, table);
  if (const toml::table* axes = table.table("axes")) {
    for (const toml::key* key : in_order(*axes)) {
      check_name(file, *key, "sweep.axes");
      keys.axes.push_back(read_axis(file, *key, *axes->get(key->str())));
    }
  }
  table.read("only", keys.only);
  table.read("skip", keys.skip);
  if (const int at = table.choice("keep", {"all", "models", "scores"}); at >= 0) {
    keys.keep = static_cast<SweepKeep>(at);
  }
  table.finish();
  if (keys.axes.empty() && keys.seeds.empty()) {
    file.fail<FormatError>(line_of(found), "[sweep] has neither seeds nor axes: nothing changes.");
  }
  std::size_t count = std::max<std::size_t>(1, keys.seeds.size());
  for (std::size_t at = 0; at <= keys.axes.size(); ++at) {
    count *= at == 0 ? 1 : keys.axes[at - 1].values.size();
    if (count > kMostRuns) {
      file.fail<FormatError>(line_of(found),
                             "[sweep] asks for more than " + std::to_string(kMostRuns) + " runs.");
    }
  }
  return keys;
}

}  // namespace mog::app
