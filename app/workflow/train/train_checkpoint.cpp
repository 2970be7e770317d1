// What is named is written before the name: the trainer's state and the best weights have the step in their
// names, checkpoint.json that names both is renamed into place, and only then the files of the step before
// are removed. Two states are on the disk for a moment, never none. A lock (flock) keeps a second program
// out of the folder; it ends with its process.
//
// A checkpoint belongs to a configuration: a hash of all that the result depends on, with its parts beside
// it, so that a refusal can name what differs.
//
// A killed run may have gone on after its checkpoint. At the start the metrics are cut back to its step, and
// last-* weights that are newer go when the next are saved. The mean of these is summed in float64: 8 bytes
// a weight, whatever their number.
//
// Trap: a finished run has no state any more, only best weights. Where the file system knows no locks the
// folder is not locked, without a word.
#include "app/workflow/train/train_checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/random/bootstrap.h"
#include "app/workflow/train/config_difference.h"
#include "io/checkpoint/safetensors.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/output_file.h"

namespace mog::app {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kFormat = "mog-training";
constexpr std::uint64_t kJsonLimit = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMetricsLimit = std::uint64_t{1} << 30U;

std::string numbered(const char* name, std::int64_t step) {
  std::string digits = std::to_string(step);
  digits.insert(0, digits.size() < 8 ? 8 - digits.size() : 0, '0');
  return name + digits + ".safetensors";
}

ordered_json to_document(const TrainState& state) {
  ordered_json document;
  document["step"] = state.step;
  document["epoch"] = state.epoch;
  document["update"] = state.update;
  document["interval"] = {{"loss", state.interval.loss},
                          {"nll", state.interval.nll},
                          {"total", state.interval.total},
                          {"distillation", state.interval.distillation},
                          {"gradient_norm", state.interval.gradient_norm},
                          {"updates", state.interval.updates},
                          {"tokens", state.interval.tokens}};
  document["elapsed_s"] = state.elapsed_s;
  document["best"] = {{"step", state.best_step}, {"score", state.best_score}, {"dev", state.best_dev}};
  document["validated_step"] = state.validated_step;
  document["without_gain"] = state.without_gain;
  document["stopped_early"] = state.stopped_early;
  document["averaged"] = state.averaged;
  document["finished"] = state.finished;
  return document;
}

TrainState from_document(const json& document) {
  TrainState state;
  state.step = document.at("step").get<std::int64_t>();
  state.epoch = document.at("epoch").get<std::int64_t>();
  state.update = document.at("update").get<std::int64_t>();
  const json& interval = document.at("interval");
  state.interval = {.loss = interval.at("loss").get<double>(),
                    .nll = interval.at("nll").get<double>(),
                    .total = interval.at("total").get<double>(),
                    .distillation = interval.at("distillation").get<std::map<std::string, double>>(),
                    .gradient_norm = interval.at("gradient_norm").get<double>(),
                    .updates = interval.at("updates").get<std::int64_t>(),
                    .tokens = interval.at("tokens").get<std::int64_t>()};
  state.elapsed_s = document.at("elapsed_s").get<double>();
  state.best_step = document.at("best").at("step").get<std::int64_t>();
  state.best_score = document.at("best").at("score").get<double>();
  state.best_dev = document.at("best").at("dev").get<std::map<std::string, double>>();
  state.validated_step = document.at("validated_step").get<std::int64_t>();
  state.without_gain = document.at("without_gain").get<std::int64_t>();
  state.stopped_early = document.at("stopped_early").get<bool>();
  state.averaged = document.at("averaged").get<bool>();
  state.finished = document.at("finished").get<bool>();
  if (state.step < 0 || state.epoch < 1 || state.update < 0 || state.best_step < 0) {
    throw FormatError("a number is negative");
  }
  return state;
}

}  // namespace

std::string to_json(const TrainState& state) {
  return to_document(state).dump();
}

TrainState parse_train_state(const std::string& text) {
  try {
    return from_document(json::parse(text));
  } catch (const json::exception& error) {
    throw FormatError(std::string("Reading the state of a training run: ") + error.what() + ".");
  }
}

TrainFolder::TrainFolder(const std::filesystem::path& model_directory) {
  std::filesystem::path name = model_directory;
  if (!name.has_filename()) {
    name = name.parent_path();
  }
  path_ = name;
  path_ += ".training";
}

bool TrainFolder::has_checkpoint() const {
  return std::filesystem::exists(file("checkpoint.json"));
}

void TrainFolder::create() {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) {
    throw StorageError("Creating the folder " + path_.string() + " for checkpoints and metrics failed: " +
                       error.message() + ". Choose another output directory.");
  }
  lock();
}

void TrainFolder::lock() {
  auto held = std::make_shared<io::FileDescriptor>(file("lock"), O_WRONLY | O_CREAT | O_NOFOLLOW);
  while (::flock(held->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      throw StorageError("Training in " + path_.string() +
                         ": another process trains there. Wait for it or give another output directory.");
    }
    if (errno != EINTR) {
      break;  // a file system without locks
    }
  }
  lock_ = std::move(held);
}

void TrainFolder::remove_run() const {
  std::error_code ignored;
  std::filesystem::remove(file("checkpoint.json"), ignored);
  std::filesystem::remove(file("metrics.jsonl"), ignored);
  for (const char* const watched : {"trajectory.csv", "watched.txt", "watched.conllu", "watched.rec"}) {
    std::filesystem::remove_all(file(watched), ignored);
  }
  TrainState nothing;
  nothing.step = nothing.best_step = -1;
  remove_others(nothing);
  remove_last();
}

std::filesystem::path TrainFolder::state_file(std::int64_t step) const {
  return file(numbered("state-", step));
}
std::filesystem::path TrainFolder::best_file(std::int64_t step) const {
  return file(numbered("best-", step));
}

void TrainFolder::remove_others(const TrainState& state) const {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(path_, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool of_run =
        name.ends_with(".safetensors") && (name.starts_with("state-") || name.starts_with("best-"));
    const bool kept = (!state.finished && entry.path() == state_file(state.step)) ||
                      entry.path() == best_file(state.best_step);
    if (of_run && !kept) {
      std::filesystem::remove(entry.path(), ignored);
    }
  }
}

void TrainFolder::save(const TrainState& state, const RunIdentity& identity,
                       const model::Trainer* trainer) const {
  if (trainer != nullptr) {
    trainer->save_state(state_file(state.step));
  }
  ordered_json document;
  document["format"] = kFormat;
  document["format_version"] = 1;
  document["identity"] = identity.hash;
  document["identity_parts"] = identity.parts;
  document.update(to_document(state));
  io::write_file(file("checkpoint.json"), document.dump(2) + "\n");
  remove_others(state);
}

void TrainFolder::save_best(std::int64_t step, const std::map<std::string, HostTensor>& weights) const {
  io::write_tensors(best_file(step), weights);
}

std::vector<std::filesystem::path> TrainFolder::last_files() const {
  std::vector<std::filesystem::path> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(path_, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("last-") && name.ends_with(".safetensors")) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());  // numbers of equal width
  return files;
}

void TrainFolder::save_last(std::int64_t step, const model::Trainer& trainer, std::int64_t keep) const {
  const std::filesystem::path newest = file(numbered("last-", step));
  io::write_tensors(newest, trainer.weights());
  std::vector<std::filesystem::path> files = last_files();
  // What is newer comes from a run that went on after its checkpoint.
  while (!files.empty() && files.back() > newest) {
    std::filesystem::remove(files.back());
    files.pop_back();
  }
  for (std::size_t at = 0; at + static_cast<std::size_t>(keep) < files.size(); ++at) {
    std::filesystem::remove(files[at]);
  }
}

std::map<std::string, HostTensor> TrainFolder::last_mean() const {
  const std::vector<std::filesystem::path> files = last_files();
  std::map<std::string, std::vector<double>> sums;
  std::map<std::string, HostTensor> mean;
  for (const std::filesystem::path& path : files) {
    for (const auto& [name, tensor] : io::read_tensors(path)) {
      const std::span<const float> values = tensor.values<float>();
      std::vector<double>& sum = sums[name];
      sum.resize(values.size(), 0.0);
      for (std::size_t at = 0; at < values.size(); ++at) {
        sum[at] += static_cast<double>(values[at]);
      }
      mean.try_emplace(name, DType::float32, tensor.shape());
    }
  }
  for (auto& [name, tensor] : mean) {
    const std::span<float> values = tensor.mutable_values<float>();
    for (std::size_t at = 0; at < values.size(); ++at) {
      values[at] = static_cast<float>(sums.at(name)[at] / static_cast<double>(files.size()));
    }
  }
  return mean;
}

void TrainFolder::remove_last() const {
  for (const std::filesystem::path& path : last_files()) {
    std::filesystem::remove(path);
  }
}

// What differs from the run that the checkpoint is of.
std::string TrainFolder::difference(const RunIdentity& identity,
                                    const std::map<std::string, std::string>& parts) const {
  if (std::filesystem::exists(file("config.toml"))) {
    const std::string before = io::read_file(file("config.toml"), "the configuration", kJsonLimit);
    if (std::string key = config_difference(before, identity.config, identity.written); !key.empty()) {
      return key;
    }
    if (before != identity.config) {
      return "the keys are the same, only comments or layout of the file differ";
    }
  }
  for (const auto& [name, value] : identity.parts) {
    const auto found = parts.find(name);
    if (found != parts.end() && found->second != value) {
      // Numbers are shown, hashes are not.
      return value.size() > 20 ? name + " is another"
                               : fmt::format("{} is {} and was {}", name, value, found->second);
    }
  }
  return "the data or the tokenizer are others";
}

TrainState TrainFolder::load(const RunIdentity& identity, model::Trainer* trainer) const {
  const std::filesystem::path path = file("checkpoint.json");
  const std::string text = io::read_file(path, "the checkpoint", kJsonLimit);
  TrainState state;
  std::string found;
  std::map<std::string, std::string> parts;
  try {
    const json document = json::parse(text);
    if (document.at("format") != kFormat || document.at("format_version") != 1) {
      throw FormatError("format is not " + std::string(kFormat) + " version 1");
    }
    found = document.at("identity").get<std::string>();
    parts = document.value("identity_parts", parts);
    state = from_document(document);
  } catch (const json::exception& error) {
    throw FormatError("Reading the checkpoint " + path.string() + ": " + error.what() +
                      ". Train anew with --overwrite.");
  } catch (const FormatError& error) {
    throw FormatError("Reading the checkpoint " + path.string() + ": " + error.what() +
                      ". Train anew with --overwrite.");
  }
  if (found != identity.hash) {
    throw ModelError("Resuming from " + path.string() +
                     ": the checkpoint is of another configuration: " + difference(identity, parts) +
                     ". Resume with what it was made with, or train anew with --overwrite.");
  }
  if (!state.finished && trainer != nullptr) {
    trainer->load_state(state_file(state.step));
  }
  return state;
}

std::map<std::string, HostTensor> TrainFolder::best_weights(std::int64_t step) const {
  return io::read_tensors(best_file(step));
}

std::string to_json(const TrainReport& report) {
  ordered_json line;
  line["step"] = report.step;
  line["epoch"] = report.epoch;
  line["loss"] = report.loss;
  line["nll"] = report.nll;
  if (!report.distillation.empty()) {
    line["total"] = report.total;
    line["distillation"] = report.distillation;
  }
  line["learning_rate"] = report.learning_rate;
  line["gradient_norm"] = report.gradient_norm;
  line["tokens_per_second"] = report.tokens_per_second;
  line["elapsed_s"] = report.elapsed_s;
  if (!report.dev.empty()) {
    line["dev"] = report.dev;
    line["best"] = report.best;
  }
  if (report.token_cosine) {
    line["token_cosine"] = *report.token_cosine;
  }
  if (!report.layers.empty()) {
    line["layers"] = report.layers;
  }
  return line.dump();
}

MetricsLog::MetricsLog(std::filesystem::path file, std::int64_t step) : file_(std::move(file)) {
  std::string kept;
  for (const std::string& line : lines()) {
    const json parsed = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (parsed.is_object() && parsed.contains("step") && parsed["step"].is_number_integer() &&
        parsed["step"].get<std::int64_t>() <= step) {
      kept += line + "\n";
    }
  }
  io::write_file(file_, kept);
}

std::vector<std::string> MetricsLog::lines() const {
  std::vector<std::string> result;
  if (std::filesystem::exists(file_)) {
    std::istringstream text(io::read_file(file_, "the metrics", kMetricsLimit));
    for (std::string line; std::getline(text, line);) {
      result.push_back(line);
    }
  }
  return result;
}

std::vector<TrainReport> MetricsLog::validations() const {
  std::vector<TrainReport> reports;
  for (const std::string& line : lines()) {
    const json parsed = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!parsed.is_object() || !parsed.contains("dev")) {
      continue;
    }
    TrainReport report;
    report.step = parsed.value("step", std::int64_t{0});
    report.epoch = parsed.value("epoch", std::int64_t{0});
    report.loss = parsed.value("loss", 0.0);
    report.total = parsed.value("total", report.loss);
    report.dev = parsed["dev"].get<std::map<std::string, double>>();
    report.distillation = parsed.value("distillation", std::map<std::string, double>());
    report.best = parsed.value("best", false);
    if (parsed.contains("token_cosine")) {
      report.token_cosine = parsed["token_cosine"].get<double>();
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

double MetricsLog::tokens_per_second() const {
  std::vector<double> updates;
  std::vector<double> all;
  for (const std::string& line : lines()) {
    const json parsed = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!parsed.is_object() || !parsed.contains("tokens_per_second")) {
      continue;
    }
    all.push_back(parsed["tokens_per_second"].get<double>());
    if (!parsed.contains("dev")) {
      updates.push_back(all.back());
    }
  }
  std::vector<double>& rates = updates.empty() ? all : updates;
  return rates.empty() ? 0.0 : analysis::quantile(rates, 0.5);
}

void MetricsLog::add(const TrainReport& report) const {
  io::FileDescriptor out(file_, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
  out.write(to_json(report) + "\n");
  out.close();
}

}  // namespace mog::app
