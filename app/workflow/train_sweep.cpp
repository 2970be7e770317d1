// Reading [sweep]. A run's changes are moved into the document of the file, parsed anew for every run: nodes
// that are moved (not copied) keep their line, so that a wrong change is named where it stands.

#include "app/workflow/train_sweep.h"

#include <fnmatch.h>

#include <charconv>
#include <set>
#include <sstream>

#include "app/workflow/train_config_parts.h"
#include "model/tensor_table.h"

namespace mog::app {

namespace {

constexpr std::size_t kMostRuns = 1000;
constexpr std::size_t kLongestName = 40;

struct Value {
  std::string name;
  std::int64_t line = 0;
};
struct Axis {
  std::string name;
  std::vector<Value> values;
};
struct SweepKeys {
  std::vector<Axis> axes;
  std::vector<std::int64_t> seeds;  // empty: the file's seed
  std::vector<std::string> only;
  std::vector<std::string> skip;
  SweepKeep keep = SweepKeep::all;
};

// One leaf of a value's table.
struct Change {
  std::string key;        // "model.encoder.layers"
  toml::key place;        // its last part, where it stands in [sweep]
  toml::node* node = {};  // nullptr: the key is removed
  std::string owner;      // "sweep.axes.depth.L5"
  std::int64_t line() const { return static_cast<std::int64_t>(place.source().begin.line); }
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file) {}

  template <class Fault>
  [[noreturn]] void fail(std::int64_t line, const std::string& what) const {
    throw Fault("Reading " + file_.string() + ", line " + std::to_string(line) + ": " + what);
  }
  const std::filesystem::path& file() const { return file_; }

 private:
  const std::filesystem::path& file_;
};

std::int64_t line_of(const toml::node& node) {
  return static_cast<std::int64_t>(node.source().begin.line);
}

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

void check_name(const Reader& reader, const toml::key& key, const std::string& owner) {
  const std::string_view name = key.str();
  const bool plain = !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
                     name.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                         "_-+.") == std::string_view::npos;
  if (!plain) {
    reader.fail<FormatError>(static_cast<std::int64_t>(key.source().begin.line),
                             owner + ": the name \"" + std::string(name) +
                                 "\" becomes part of a folder's name and must be of 1 to 40 letters, digits, "
                                 "_ - + . (no . first).");
  }
}

Axis read_axis(const Reader& reader, const toml::key& key, const toml::node& node) {
  Axis axis;
  axis.name = key.str();
  const std::string full = "sweep.axes." + axis.name;
  const toml::table* values = node.as_table();
  if (values == nullptr || values->empty()) {
    reader.fail<FormatError>(line_of(node), full +
                                                " must be a table with a name for every value, for example "
                                                "[" +
                                                full + "] L5 = { \"model.encoder.layers\" = 5 }.");
  }
  for (const toml::key* value : in_order(*values)) {
    check_name(reader, *value, full);
    const toml::node& changes = *values->get(value->str());
    if (!changes.is_table()) {
      reader.fail<FormatError>(line_of(changes), full + "." + std::string(value->str()) +
                                                     " must be a table of changes, for example "
                                                     "{ \"model.encoder.layers\" = 5 }.");
    }
    axis.values.push_back({std::string(value->str()), static_cast<std::int64_t>(value->source().begin.line)});
  }
  return axis;
}

std::vector<std::int64_t> read_seeds(const Reader& reader, TomlTable& table) {
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
      reader.fail<FormatError>(line_of(item), "sweep.seeds has " + std::to_string(seed) + " twice.");
    }
    seeds.push_back(seed);
  }
  return seeds;
}

SweepKeys read_keys(const Reader& reader, const toml::table& found) {
  SweepKeys keys;
  TomlTable table(found, "sweep", reader.file());
  keys.seeds = read_seeds(reader, table);
  if (const toml::table* axes = table.table("axes")) {
    for (const toml::key* key : in_order(*axes)) {
      check_name(reader, *key, "sweep.axes");
      keys.axes.push_back(read_axis(reader, *key, *axes->get(key->str())));
    }
  }
  table.read("only", keys.only);
  table.read("skip", keys.skip);
  if (const int at = table.choice("keep", {"all", "models", "scores"}); at >= 0) {
    keys.keep = static_cast<SweepKeep>(at);
  }
  table.finish();
  if (keys.axes.empty() && keys.seeds.empty()) {
    reader.fail<FormatError>(line_of(found), "[sweep] has neither seeds nor axes: nothing changes.");
  }
  std::size_t count = std::max<std::size_t>(1, keys.seeds.size());
  for (const Axis& axis : keys.axes) {
    count *= axis.values.size();
    if (count > kMostRuns) {
      reader.fail<FormatError>(line_of(found),
                               "[sweep] asks for more than " + std::to_string(kMostRuns) + " runs.");
    }
  }
  return keys;
}

void collect(const Reader& reader, toml::table& table, const std::string& owner, const std::string& prefix,
             std::vector<Change>& changes) {
  for (const toml::key* key : in_order(table)) {
    toml::node& node = *table.get(key->str());
    const std::string full =
        prefix.empty() ? std::string(key->str()) : prefix + "." + std::string(key->str());
    if (toml::table* inner = node.as_table(); inner != nullptr) {
      collect(reader, *inner, owner, full, changes);
    } else if (full == "remove") {
      TomlTable reading(table, owner, reader.file());
      std::vector<std::string> removed;
      reading.read("remove", removed);
      for (const std::string& name : removed) {
        changes.push_back({name, *key, nullptr, owner});
      }
    } else {
      changes.push_back({full, *key, &node, owner});
    }
  }
}

void check_key(const Reader& reader, const Change& change) {
  static const std::set<std::string, std::less<>> kSections = {"model", "tokenizer", "start",    "distill",
                                                               "data",  "tasks",     "training", "output"};
  const std::string section = change.key.substr(0, change.key.find('.'));
  if (!kSections.contains(section)) {
    std::string known;
    for (const std::string& name : kSections) {
      known += " " + name;
    }
    reader.fail<FormatError>(change.line(),
                             change.owner + " changes " + change.key +
                                 ", which is in no section of a configuration. Sections:" + known + ".");
  }
  if (section == change.key && change.node != nullptr) {
    reader.fail<FormatError>(change.line(),
                             change.owner + " changes the section " + section + "; name the keys in it.");
  }
  if (change.key == "training.seed" || change.key == "output.directory") {
    reader.fail<ModelError>(change.line(),
                            change.owner + " changes " + change.key + ", which every run has " +
                                (section == "training" ? "from sweep.seeds." : "from its own name."));
  }
}

void check_contradictions(const Reader& reader, const std::vector<Change>& changes) {
  const auto within = [](const std::string& outer, const std::string& inner) {
    return outer == inner ||
           (inner.size() > outer.size() && inner.starts_with(outer) && inner[outer.size()] == '.');
  };
  for (std::size_t at = 0; at < changes.size(); ++at) {
    for (std::size_t before = 0; before < at; ++before) {
      const Change& left = changes[before];
      const Change& right = changes[at];
      if (within(left.key, right.key) || within(right.key, left.key)) {
        reader.fail<ModelError>(right.line(),
                                right.owner + " and " + left.owner + " (line " + std::to_string(left.line()) +
                                    ") contradict each other: both " + "change " + right.key + ".");
      }
    }
  }
}

void apply(const Reader& reader, toml::table& document, Change& change) {
  check_key(reader, change);
  toml::table* table = &document;
  std::string rest = change.key;
  std::string path;
  for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
    const std::string name = rest.substr(0, dot);
    path += (path.empty() ? "" : ".") + name;
    toml::node* next = table->get(name);
    if (next == nullptr || !next->is_table()) {
      reader.fail<FormatError>(change.line(), change.owner + " changes " + change.key +
                                                  ", but this file has no section [" + path + "].");
    }
    table = next->as_table();
    rest = rest.substr(dot + 1);
  }
  if (change.node != nullptr) {
    table->insert_or_assign(toml::key(rest, change.place.source()), std::move(*change.node));
  } else if (table->get(rest) == nullptr) {
    reader.fail<FormatError>(change.line(),
                             change.owner + " removes " + change.key + ", which this file does not have.");
  } else {
    table->erase(rest);
  }
}

// Name, seed and output directory of a run, in its document.
void name_run(toml::table& document, const SweepRun& run) {
  const auto extend = [&](toml::table* table, std::string_view key, const char* between) {
    if (table != nullptr && table->get(key) != nullptr && table->get(key)->is_string()) {
      table->insert_or_assign(key, **table->get(key)->as_string() + between + run.name);
    }
  };
  extend(&document, "name", "-");
  extend(document["output"].as_table(), "directory", "/");
  if (toml::table* training = document["training"].as_table()) {
    training->insert_or_assign("seed", run.seed);
  }
}

std::string to_text(const toml::table& document) {
  std::ostringstream text;
  text << toml::toml_formatter(document) << "\n";
  return text.str();
}

TrainConfig configure(const Reader& reader, std::string_view toml, const SweepRun& run,
                      const std::vector<Axis>& axes) {
  toml::table document = parse_toml(toml, reader.file());
  toml::table sweep = std::move(*document["sweep"].as_table());
  document.erase("sweep");
  std::vector<Change> changes;
  for (std::size_t at = 0; at < axes.size(); ++at) {
    toml::table& value = *sweep["axes"][axes[at].name][run.values[at]].as_table();
    collect(reader, value, "sweep.axes." + axes[at].name + "." + run.values[at], "", changes);
  }
  check_contradictions(reader, changes);
  for (Change& change : changes) {
    apply(reader, document, change);
  }
  name_run(document, run);
  const auto in_run = [&](const Error& error) {
    return std::string(error.what()) + " (In the run " + run.name + " of [sweep].)";
  };
  try {
    return read_train_document(document, to_text(document), reader.file());
  } catch (const FormatError& error) {
    throw FormatError(in_run(error));
  } catch (const ModelError& error) {
    throw ModelError(in_run(error));
  }
}

// The next combination, as an odometer counts; false after the last.
bool advance(std::vector<std::size_t>& places, const std::vector<Axis>& axes) {
  for (std::size_t at = places.size(); at > 0; --at) {
    if (++places[at - 1] < axes[at - 1].values.size()) {
      return true;
    }
    places[at - 1] = 0;
  }
  return false;
}

std::vector<SweepRun> combinations(const SweepKeys& keys, std::int64_t file_seed) {
  const std::vector<std::int64_t> seeds =
      keys.seeds.empty() ? std::vector<std::int64_t>{file_seed} : keys.seeds;
  std::vector<SweepRun> runs;
  std::vector<std::size_t> places(keys.axes.size(), 0);
  do {
    SweepRun run;
    for (std::size_t at = 0; at < places.size(); ++at) {
      run.values.push_back(keys.axes[at].values[places[at]].name);
    }
    for (const std::int64_t seed : seeds) {
      run.seed = seed;
      run.name.clear();
      for (const std::string& value : run.values) {
        run.name += value + "-";
      }
      run.name += "s" + std::to_string(seed);
      runs.push_back(run);
    }
  } while (advance(places, keys.axes));
  return runs;
}

bool matches(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

// sweep.only and sweep.skip.
void leave_out(const Reader& reader, const toml::table& sweep, const SweepKeys& keys,
               std::vector<SweepRun>& runs) {
  std::set<std::string> names;
  for (const SweepRun& run : runs) {
    if (!names.insert(run.name).second) {
      reader.fail<ModelError>(line_of(sweep), "two runs of [sweep] have the name " + run.name +
                                                  "; name the values of the axes otherwise.");
    }
  }
  const auto any = [&](const std::vector<std::string>& patterns, const std::string& name) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& pattern) { return matches(pattern, name); });
  };
  for (const char* key : {"only", "skip"}) {
    for (const std::string& pattern : key == std::string_view("only") ? keys.only : keys.skip) {
      if (std::none_of(names.begin(), names.end(),
                       [&](const std::string& name) { return matches(pattern, name); })) {
        reader.fail<FormatError>(line_of(*sweep.get(key)), "sweep." + std::string(key) + ": \"" + pattern +
                                                               "\" names no run; the first is " +
                                                               runs.front().name + ".");
      }
    }
  }
  std::erase_if(runs, [&](const SweepRun& run) {
    return (!keys.only.empty() && !any(keys.only, run.name)) || any(keys.skip, run.name);
  });
  if (runs.empty()) {
    reader.fail<ModelError>(line_of(sweep), "sweep.only and sweep.skip leave no run.");
  }
}

// "K/N": every N-th run from the K-th.
bool parse_share(const std::string& text, std::size_t& first, std::size_t& step) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) {
    return false;
  }
  const char* const middle = text.data() + slash;
  const char* const end = text.data() + text.size();
  const auto left = std::from_chars(text.data(), middle, first);
  const auto right = std::from_chars(middle + 1, end, step);
  return left.ec == std::errc() && left.ptr == middle && right.ec == std::errc() && right.ptr == end &&
         first >= 1 && first <= step;
}

}  // namespace

std::optional<Sweep> parse_sweep(std::string_view toml, const std::filesystem::path& file) {
  const Reader reader(file);
  const toml::table document = parse_toml(toml, file);
  const toml::node* node = document.get("sweep");
  if (node == nullptr) {
    return std::nullopt;
  }
  if (!node->is_table()) {
    reader.fail<FormatError>(line_of(*node), "sweep must be a table [sweep].");
  }
  const toml::table& table = *node->as_table();
  const SweepKeys keys = read_keys(reader, table);
  Sweep sweep;
  sweep.file = file;
  sweep.name = document["name"].value_or(std::string());
  sweep.output = document["output"]["directory"].value_or(std::string());
  sweep.keep = keys.keep;
  for (const Axis& axis : keys.axes) {
    sweep.axes.push_back(axis.name);
  }
  sweep.runs = combinations(keys, document["training"]["seed"].value_or(TrainingPlan().trainer.seed));
  leave_out(reader, table, keys, sweep.runs);
  for (SweepRun& run : sweep.runs) {
    run.config = configure(reader, toml, run, keys.axes);
    run.config.sweep_run = run.name;
  }
  return sweep;
}

std::optional<Sweep> read_sweep(const std::filesystem::path& file) {
  return parse_sweep(read_config_text(file), file);
}

std::vector<std::size_t> select_runs(const Sweep& sweep, std::span<const std::string> patterns) {
  std::vector<bool> chosen(sweep.runs.size(), patterns.empty());
  for (const std::string& pattern : patterns) {
    std::size_t first = 0;
    std::size_t step = 0;
    const bool share = parse_share(pattern, first, step);
    bool found = false;
    for (std::size_t at = 0; at < chosen.size(); ++at) {
      if (share ? at % step == first - 1 : matches(pattern, sweep.runs[at].name)) {
        chosen[at] = found = true;
      }
    }
    if (!found) {
      std::string names;
      for (const SweepRun& run : sweep.runs) {
        names += " " + run.name;
      }
      throw UsageError("--runs " + pattern + ": no run of " + sweep.file.string() +
                       " has such a name (and \"K/N\" needs 1 <= K <= N). Runs:" + names);
    }
  }
  std::vector<std::size_t> indices;
  for (std::size_t at = 0; at < chosen.size(); ++at) {
    if (chosen[at]) {
      indices.push_back(at);
    }
  }
  return indices;
}

std::int64_t inner_parameters(const TrainConfig& config) {
  std::int64_t count = 0;
  for (const model::TensorSpec& spec : model::tensor_table(config.model, config.training.trainer.positions)) {
    const bool outer = spec.name.find("embed_tokens") != std::string::npos ||
                       spec.name.starts_with("decoder.output_projection") || spec.name.starts_with("heads.");
    if (spec.trained && !outer) {
      std::int64_t size = 1;
      for (const std::int64_t extent : spec.shape) {
        size *= extent;
      }
      count += size;
    }
  }
  return count;
}

}  // namespace mog::app
