// Runs one after the other; the only state between them is on the disk. A run is done when its result.json
// is there and was made with this configuration and these inputs (hashes): then it is passed over, so that
// --resume, a second machine with other --runs, and a changed sweep all work alike. A run that fails in
// training has a result, too, and does not stop the others.
//
// The old result goes before a run begins, the new one is written before weights are cleared: a kill in
// between costs a run its weights or its time, never gives a result that belongs to other weights. The table
// is made anew from all results after each run.
//
// Trap: a finished run whose weights were cleared and whose result is gone has a checkpoint that nothing can
// be taken up from. It is trained anew.
#include "app/workflow/train/sweep_job.h"

#include <algorithm>

#include "app/workflow/train/config_difference.h"
#include "app/workflow/train/train_checkpoint.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/output_file.h"

namespace mog::app {

namespace {

constexpr std::uint64_t kConfigLimit = std::uint64_t{1} << 24U;

}  // namespace

std::vector<std::size_t> chosen_runs(const Sweep& sweep, const SweepJobOptions& options) {
  const std::vector<std::size_t> all = select_runs(sweep, options.runs);
  std::vector<std::size_t> own;
  for (auto at = static_cast<std::size_t>(options.shard.part - 1); at < all.size();
       at += static_cast<std::size_t>(options.shard.parts)) {
    own.push_back(all[at]);
  }
  return own;
}

SweepJob::SweepJob(Sweep sweep, SweepJobOptions options, TrainerFactory factory)
    : sweep_(std::move(sweep)), options_(std::move(options)), factory_(std::move(factory)) {
  require_output(sweep_.output, options_.train.output, sweep_.file);
  if (!options_.train.output.empty()) {
    sweep_.output = options_.train.output;
  }
}

std::filesystem::path SweepJob::directory(const SweepRun& run) const {
  return sweep_.output / run.name;
}

std::filesystem::path SweepJob::result_file(const SweepRun& run) const {
  return TrainFolder(directory(run)).file("result.json");
}

std::optional<SweepResult> SweepJob::result_of(const SweepRun& run, bool strict) const {
  std::optional<SweepResult> result = read_result(result_file(run));
  if (!result || result->config_sha256 == config_hash(run.config)) {
    return result;
  }
  if (!strict) {
    return std::nullopt;
  }
  const std::filesystem::path before = TrainFolder(directory(run)).file("config.toml");
  std::string what;
  if (std::filesystem::exists(before)) {
    what = config_difference(io::read_file(before, "the configuration", kConfigLimit), run.config.text,
                             /*lines=*/false);
  }
  throw ModelError("The run " + run.name + " of " + sweep_.file.string() + " was trained in " +
                   directory(run).string() + " with another configuration" +
                   (what.empty() ? std::string() : ": " + what) +
                   ". Choose another --output, train it anew with --overwrite --runs " + run.name +
                   ", or restore the configuration.");
}

void SweepJob::check_inputs(const SweepRun& run, const SweepResult& result) {
  const std::optional<std::string> now = inputs_.of(run.config, options_.train);
  if (now && !result.inputs_sha256.empty() && *now != result.inputs_sha256) {
    throw ModelError("The run " + run.name + " of " + sweep_.file.string() + " was trained in " +
                     directory(run).string() +
                     " on other data, or with another model to start from or to learn from, than are named "
                     "now. Choose another --output, train it anew with --overwrite --runs " +
                     run.name + ", or name the same --data, --start and --teacher.");
  }
}

void SweepJob::check_folders(const std::vector<std::size_t>& chosen) const {
  for (const std::size_t index : chosen) {
    const SweepRun& run = sweep_.runs[index];
    const TrainFolder folder(directory(run));
    if (!options_.train.overwrite && !options_.train.resume &&
        (folder.has_checkpoint() || std::filesystem::exists(result_file(run)) ||
         std::filesystem::exists(directory(run) / "config.json"))) {
      throw UsageError("Training the sweep " + sweep_.name + ": " + sweep_.output.string() +
                       " holds the run " + run.name +
                       " already. Go on with --resume, or start anew with --overwrite.");
    }
  }
}

namespace {

bool has_weights(const std::filesystem::path& folder) {
  std::error_code ignored;
  const std::filesystem::directory_iterator entries(folder, ignored);
  return std::any_of(begin(entries), end(entries),
                     [](const auto& entry) { return entry.path().extension() == ".safetensors"; });
}

}  // namespace

void SweepJob::clear(const SweepRun& run) const {
  std::error_code ignored;
  if (sweep_.keep == SweepKeep::all) {
    return;
  }
  for (const auto& entry : std::filesystem::directory_iterator(TrainFolder(directory(run)).path(), ignored)) {
    if (entry.path().extension() == ".safetensors") {
      std::filesystem::remove(entry.path(), ignored);
    }
  }
  if (sweep_.keep == SweepKeep::scores) {
    std::filesystem::remove_all(directory(run), ignored);
  }
}

void SweepJob::train(const SweepRun& run) {
  TrainJobOptions options = options_.train;
  const TrainFolder folder(directory(run));
  options.output = directory(run);
  // A finished run whose weights were cleared and whose result is gone can only be trained anew.
  const bool resumable = folder.has_checkpoint() && has_weights(folder.path());
  options.overwrite = options.overwrite || (options.resume && folder.has_checkpoint() && !resumable);
  options.resume = options.resume && resumable;
  std::error_code ignored;
  std::filesystem::remove(result_file(run), ignored);
  SweepResult result;
  try {
    result = to_sweep_result(run, TrainJob(run.config, options, factory_).run());
  } catch (const TrainingFailed& failure) {
    result.name = run.name;
    result.failed = true;
    result.message = failure.what();
    result.config_sha256 = config_hash(run.config);
    result.updates = failure.step();
    if (options.note) {
      options.note(failure.what());
    }
  }
  result.inputs_sha256 = inputs_.of(run.config, options_.train).value_or("");
  write_result(result_file(run), result);
  clear(run);
}

SweepTable SweepJob::write_tables() const {
  std::vector<std::optional<SweepResult>> results;
  for (const SweepRun& run : sweep_.runs) {
    results.push_back(result_of(run, /*strict=*/false));
  }
  SweepTable table = make_sweep_table(sweep_, std::move(results));
  io::write_file(sweep_.output / "sweep.csv", to_csv(table));
  io::write_file(sweep_.output / "sweep.jsonl", to_json_lines(table));
  io::write_file(sweep_.output / "sweep.md", "# " + sweep_.name + "\n\n" + to_markdown(table));
  return table;
}

SweepTable SweepJob::run() {
  const std::vector<std::size_t> chosen = chosen_runs(sweep_, options_);
  if (options_.table_only) {
    if (!std::filesystem::is_directory(sweep_.output)) {
      throw UsageError("Making the table of " + sweep_.name + ": " + sweep_.output.string() +
                       " is no folder; train the sweep first, or choose its --output.");
    }
    for (const std::size_t index : chosen) {
      result_of(sweep_.runs[index], /*strict=*/true);
    }
    return write_tables();
  }
  check_folders(chosen);
  const bool anew = options_.train.overwrite && !options_.train.resume;
  std::vector<const SweepRun*> left;
  for (const std::size_t index : chosen) {
    const SweepRun& run = sweep_.runs[index];
    const std::optional<SweepResult> result = anew ? std::nullopt : result_of(run, /*strict=*/true);
    if (result) {
      check_inputs(run, *result);
    } else {
      left.push_back(&run);
    }
  }
  std::error_code error;
  std::filesystem::create_directories(sweep_.output, error);
  if (error) {
    throw StorageError("Creating the folder " + sweep_.output.string() +
                       " for a sweep failed: " + error.message() + ". Choose another --output.");
  }
  for (std::size_t at = 0; at < left.size(); ++at) {
    if (options_.begin) {
      options_.begin(*left[at], static_cast<std::int64_t>(at) + 1, static_cast<std::int64_t>(left.size()));
    }
    train(*left[at]);
    write_tables();
  }
  return write_tables();
}

}  // namespace mog::app
