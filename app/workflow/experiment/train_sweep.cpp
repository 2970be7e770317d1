// Making runs of [sweep]. A run's changes are moved into the document of the file, parsed anew for every
// run: nodes that are moved (not copied) keep their line, so that a wrong change is named where it stands.
// O(runs · file).
//
// Runs are all combinations of the axes' values, times the seeds; seeds change fastest, then the last axis.
// Their names are made of the names of the values, and everything else follows from the name: folder,
// result, --runs. All runs are configured before the first is trained, so an error in the last one is found
// at once.
//
// Two axes that change the same key, or one inside the other's, contradict each other: which one won would
// depend on their order. That is refused, as is a key that every run has from elsewhere (seed, folder).
//
// Trap: a pattern that names no run is an error, not nothing, since a misspelt one would train everything.
#include "app/workflow/experiment/train_sweep.h"

#include <fnmatch.h>

#include <charconv>
#include <set>
#include <sstream>

#include "app/workflow/experiment/train_config_parts.h"
#include "app/workflow/experiment/train_sweep_keys.h"
#include "model/tensor_table.h"

namespace mog::app {

namespace {

// One leaf of a value's table.
struct Change {
  std::string key;        // "model.encoder.layers"
  toml::key place;        // its last part, where it stands in [sweep]
  toml::node* node = {};  // nullptr: the key is removed
  std::string owner;      // "sweep.axes.depth.L5"
  std::int64_t line() const { return static_cast<std::int64_t>(place.source().begin.line); }
};

void collect(const SweepFile& file, toml::table& table, const std::string& owner, const std::string& prefix,
             std::vector<Change>& changes) {
  for (const toml::key* key : in_order(table)) {
    toml::node& node = *table.get(key->str());
    const std::string full =
        prefix.empty() ? std::string(key->str()) : prefix + "." + std::string(key->str());
    if (toml::table* inner = node.as_table(); inner != nullptr) {
      collect(file, *inner, owner, full, changes);
    } else if (full == "remove") {
      TomlTable reading(table, owner, file.path());
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

void check_key(const SweepFile& file, const Change& change) {
  static const std::set<std::string, std::less<>> kSections = {
      "model", "graph", "tokenizer", "start", "distill", "data", "tasks", "training", "output"};
  const std::string section = change.key.substr(0, change.key.find('.'));
  if (!kSections.contains(section)) {
    std::string known;
    for (const std::string& name : kSections) {
      known += " " + name;
    }
    file.fail<FormatError>(change.line(),
                           change.owner + " changes " + change.key +
                               ", which is in no section of a configuration. Sections:" + known + ".");
  }
  if (section == change.key && change.node != nullptr) {
    file.fail<FormatError>(change.line(),
                           change.owner + " changes the section " + section + "; name the keys in it.");
  }
  if (change.key == "training.seed" || change.key == "output.directory") {
    file.fail<ModelError>(change.line(),
                          change.owner + " changes " + change.key + ", which every run has " +
                              (section == "training" ? "from sweep.seeds." : "from its own name."));
  }
}

void check_contradictions(const SweepFile& file, const std::vector<Change>& changes) {
  const auto within = [](const std::string& outer, const std::string& inner) {
    return outer == inner ||
           (inner.size() > outer.size() && inner.starts_with(outer) && inner[outer.size()] == '.');
  };
  for (std::size_t at = 0; at < changes.size(); ++at) {
    for (std::size_t before = 0; before < at; ++before) {
      const Change& left = changes[before];
      const Change& right = changes[at];
      if (within(left.key, right.key) || within(right.key, left.key)) {
        file.fail<ModelError>(right.line(),
                              right.owner + " and " + left.owner + " (line " + std::to_string(left.line()) +
                                  ") contradict each other: both " + "change " + right.key + ".");
      }
    }
  }
}

void apply(const SweepFile& file, toml::table& document, Change& change) {
  check_key(file, change);
  toml::table* table = &document;
  std::string rest = change.key;
  std::string path;
  for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
    const std::string name = rest.substr(0, dot);
    path += (path.empty() ? "" : ".") + name;
    toml::node* next = table->get(name);
    if (next == nullptr || !next->is_table()) {
      file.fail<FormatError>(change.line(), change.owner + " changes " + change.key +
                                                ", but this file has no section [" + path + "].");
    }
    table = next->as_table();
    rest = rest.substr(dot + 1);
  }
  if (change.node != nullptr) {
    table->insert_or_assign(toml::key(rest, change.place.source()), std::move(*change.node));
  } else if (table->get(rest) == nullptr) {
    file.fail<FormatError>(change.line(),
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
    if ((*training)["seed"].value<std::int64_t>() != run.seed) {  // else it keeps its line
      training->insert_or_assign("seed", run.seed);
    }
  }
}

std::string to_text(const toml::table& document) {
  std::ostringstream text;
  text << toml::toml_formatter(document) << "\n";
  return text.str();
}

TrainConfig configure(const SweepFile& file, std::string_view toml, const SweepRun& run,
                      const std::vector<SweepAxis>& axes) {
  toml::table document = parse_toml(toml, file.path());
  toml::table sweep = std::move(*document["sweep"].as_table());
  document.erase("sweep");
  std::vector<Change> changes;
  for (std::size_t at = 0; at < axes.size(); ++at) {
    toml::table& value = *sweep["axes"][axes[at].name][run.values[at]].as_table();
    collect(file, value, "sweep.axes." + axes[at].name + "." + run.values[at], "", changes);
  }
  check_contradictions(file, changes);
  for (Change& change : changes) {
    apply(file, document, change);
  }
  name_run(document, run);
  const auto in_run = [&](const Error& error) {
    return std::string(error.what()) + " (In the run " + run.name + " of [sweep].)";
  };
  try {
    return read_train_document(document, to_text(document), file.path());
  } catch (const FormatError& error) {
    throw FormatError(in_run(error));
  } catch (const ModelError& error) {
    throw ModelError(in_run(error));
  }
}

// The next combination, as an odometer counts; false after the last.
bool advance(std::vector<std::size_t>& places, const std::vector<SweepAxis>& axes) {
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
      run.values.push_back(keys.axes[at].values[places[at]]);
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
void leave_out(const SweepFile& file, const toml::table& sweep, const SweepKeys& keys,
               std::vector<SweepRun>& runs) {
  std::set<std::string> names;
  for (const SweepRun& run : runs) {
    if (!names.insert(run.name).second) {
      file.fail<ModelError>(line_of(sweep), "two runs of [sweep] have the name " + run.name +
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
        file.fail<FormatError>(line_of(*sweep.get(key)), "sweep." + std::string(key) + ": \"" + pattern +
                                                             "\" names no run; the first is " +
                                                             runs.front().name + ".");
      }
    }
  }
  std::erase_if(runs, [&](const SweepRun& run) {
    return (!keys.only.empty() && !any(keys.only, run.name)) || any(keys.skip, run.name);
  });
  if (runs.empty()) {
    file.fail<ModelError>(line_of(sweep), "sweep.only and sweep.skip leave no run.");
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
  const SweepFile source(file);
  const toml::table document = parse_toml(toml, file);
  const toml::node* node = document.get("sweep");
  if (node == nullptr) {
    return std::nullopt;
  }
  if (!node->is_table()) {
    source.fail<FormatError>(line_of(*node), "sweep must be a table [sweep].");
  }
  const toml::table& table = *node->as_table();
  const SweepKeys keys = read_sweep_keys(source, table);
  Sweep sweep;
  sweep.file = file;
  sweep.name = document["name"].value_or(std::string());
  sweep.output = document["output"]["directory"].value_or(std::string());
  sweep.keep = keys.keep;
  for (const SweepAxis& axis : keys.axes) {
    sweep.axes.push_back(axis.name);
  }
  sweep.runs = combinations(keys, document["training"]["seed"].value_or(TrainingPlan().trainer.seed));
  leave_out(source, table, keys, sweep.runs);
  for (SweepRun& run : sweep.runs) {
    run.config = configure(source, toml, run, keys.axes);
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
                       spec.name.starts_with("decoder.output_projection") ||
                       spec.name.starts_with("heads.") || spec.name.starts_with("parser.");
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
