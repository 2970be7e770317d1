#include "app/workflow/train/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "analysis/statistics/table.h"
#include "app/workflow/common/text_format.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/output_file.h"
#include "io/text/sha256.h"

namespace mog::app {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kFormat = "mog-training-result";
constexpr std::uint64_t kFileLimit = std::uint64_t{1} << 20U;

ordered_json to_document(const SweepResult& result) {
  ordered_json document;
  document["run"] = result.name;
  document["status"] = result.failed ? "failed" : "finished";
  document["message"] = result.message;
  document["config_sha256"] = result.config_sha256;
  document["inputs_sha256"] = result.inputs_sha256;
  document["device"] = result.device;
  document["parameters"] = result.parameters;
  document["updates"] = result.updates;
  document["epochs"] = result.epochs;
  document["stopped_early"] = result.stopped_early;
  document["scores"] = result.scores;
  document["tokens_per_second"] = result.tokens_per_second;
  document["elapsed_s"] = result.elapsed_s;
  return document;
}

SweepResult from_document(const json& document) {
  SweepResult result;
  result.name = document.at("run").get<std::string>();
  result.failed = document.at("status").get<std::string>() != "finished";
  result.message = document.at("message").get<std::string>();
  result.config_sha256 = document.at("config_sha256").get<std::string>();
  result.inputs_sha256 = document.value("inputs_sha256", "");
  result.device = document.value("device", "");
  result.parameters = document.at("parameters").get<std::int64_t>();
  result.updates = document.at("updates").get<std::int64_t>();
  result.epochs = document.at("epochs").get<std::int64_t>();
  result.stopped_early = document.at("stopped_early").get<bool>();
  result.scores = document.at("scores").get<std::map<std::string, double>>();
  result.tokens_per_second = document.at("tokens_per_second").get<double>();
  result.elapsed_s = document.at("elapsed_s").get<double>();
  return result;
}

SweepRow make_row(const SweepTable& table, std::size_t begin, std::size_t end) {
  SweepRow row;
  row.values = table.runs[begin]->values;
  row.planned = static_cast<std::int64_t>(end - begin);
  std::map<std::string, std::vector<double>> numbers;
  for (std::size_t at = begin; at < end; ++at) {
    const std::optional<SweepResult>& result = table.results[at];
    if (!result) {
      continue;
    }
    if (result->failed) {
      ++row.failed;
      row.messages.push_back(result->message);
      continue;
    }
    ++row.finished;
    row.parameters = result->parameters;
    numbers["updates"].push_back(static_cast<double>(result->updates));
    numbers["tokens_per_second"].push_back(result->tokens_per_second);
    numbers["elapsed_s"].push_back(result->elapsed_s);
    for (const auto& [name, value] : result->scores) {
      numbers[name].push_back(value);
    }
  }
  for (const auto& [name, values] : numbers) {
    row.numbers.emplace(name, spread_of(values));
  }
  return row;
}

// Every score that any row has: dev and test first, then the rest, speed and time last.
std::vector<std::string> number_names(const SweepTable& table) {
  const auto rank = [](const std::string& name) {
    if (name == "updates") {
      return 0;
    }
    if (name == "tokens_per_second" || name == "elapsed_s") {
      return 5;
    }
    return name.starts_with("dev.") ? 1 : name.starts_with("test.") ? 2 : name.starts_with("dist") ? 3 : 4;
  };
  std::vector<std::string> names;
  for (const SweepRow& row : table.rows) {
    for (const auto& [name, spread] : row.numbers) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  std::sort(names.begin(), names.end(), [&](const std::string& left, const std::string& right) {
    return std::pair(rank(left), left) < std::pair(rank(right), right);
  });
  return names;
}

std::string number_text(const std::string& name, double value) {
  if (name == "elapsed_s" || name == "tokens_per_second") {
    return fmt::format("{:.0f}", value);
  }
  return name == "updates" ? fmt::format("{:g}", value) : fmt::format("{:.4f}", value);
}

std::string spread_text(const std::string& name, const Spread& spread) {
  std::string mean = number_text(name, spread.mean);
  if (spread.low == spread.high) {
    return mean;
  }
  return mean + " (" + number_text(name, spread.low) + " to " + number_text(name, spread.high) + ")";
}

std::string seeds_text(const SweepRow& row) {
  std::string text = std::to_string(row.finished);
  if (row.finished < row.planned) {
    text += " of " + std::to_string(row.planned);
  }
  return row.failed > 0 ? text + ", " + std::to_string(row.failed) + " failed" : text;
}

std::string aligned(const std::vector<std::vector<std::string>>& cells) {
  std::vector<std::size_t> widths(cells.front().size(), 3);
  for (const std::vector<std::string>& row : cells) {
    for (std::size_t at = 0; at < row.size(); ++at) {
      widths[at] = std::max(widths[at], row[at].size());
    }
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    for (std::size_t at = 0; at < row.size(); ++at) {
      text += fmt::format("| {:<{}} ", row[at], widths[at]);
    }
    text += "|\n";
  };
  for (std::size_t at = 0; at < cells.size(); ++at) {
    add(cells[at]);
    if (at == 0) {
      for (const std::size_t width : widths) {
        text += "|" + std::string(width + 2, '-');
      }
      text += "|\n";
    }
  }
  return text;
}

ordered_json run_document(const SweepTable& table, std::size_t at) {
  const SweepRun& run = *table.runs[at];
  ordered_json document;
  document["run"] = run.name;
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
    document["values"][table.axes[axis]] = run.values[axis];
  }
  document["seed"] = run.seed;
  if (table.results[at]) {
    document.update(to_document(*table.results[at]));
  } else {
    document["status"] = "missing";
  }
  return document;
}

}  // namespace

std::string config_hash(const TrainConfig& config) {
  io::Sha256 hash;
  hash.update(config.text);
  return hash.hex();
}

SweepResult to_sweep_result(const SweepRun& run, const TrainResult& result) {
  SweepResult row;
  row.name = run.name;
  row.config_sha256 = config_hash(run.config);
  row.parameters = result.parameters;
  row.device = result.device;
  row.updates = result.steps;
  row.epochs = result.epochs;
  row.stopped_early = result.stopped_early;
  const auto add = [&](const std::string& prefix, const std::map<std::string, double>& values) {
    for (const auto& [name, value] : values) {
      row.scores[prefix + name] = value;
    }
  };
  add("dev.", result.dev);
  add("test.", result.test);
  add("distillation.", result.distillation);
  if (result.token_cosine) {
    row.scores["token_cosine"] = *result.token_cosine;
  }
  row.tokens_per_second = result.tokens_per_second;
  row.elapsed_s = result.elapsed_s;
  return row;
}

void write_result(const std::filesystem::path& file, const SweepResult& result) {
  ordered_json document;
  document["format"] = kFormat;
  document["format_version"] = 1;
  document.update(to_document(result));
  io::write_file(file, document.dump(2) + "\n");
}

std::optional<SweepResult> read_result(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) {
    return std::nullopt;
  }
  const std::string text = io::read_file(file, "the result of a run", kFileLimit);
  try {
    const json document = json::parse(text);
    if (document.at("format") != kFormat || document.at("format_version") != 1) {
      throw FormatError("Reading the result " + file.string() + ": format is not " + kFormat +
                        " version 1. Remove the file; --resume writes it again.");
    }
    return from_document(document);
  } catch (const json::exception& error) {
    throw FormatError("Reading the result " + file.string() + ": " + error.what() +
                      ". Remove the file; --resume writes it again.");
  }
}

Spread spread_of(const std::vector<double>& values) {
  Spread spread;
  spread.count = static_cast<std::int64_t>(values.size());
  if (values.empty()) {
    return spread;
  }
  const auto count = static_cast<double>(values.size());
  spread.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  spread.low = *low;
  spread.high = *high;
  if (values.size() > 1) {
    double square = 0.0;
    for (const double value : values) {
      square += (value - spread.mean) * (value - spread.mean);
    }
    spread.sd = std::sqrt(square / (count - 1.0));
  }
  return spread;
}

std::int64_t SweepTable::missing() const {
  return std::count(results.begin(), results.end(), std::nullopt);
}

SweepTable make_sweep_table(const Sweep& sweep, std::vector<std::optional<SweepResult>> results) {
  SweepTable table;
  table.name = sweep.name;
  table.axes = sweep.axes;
  table.results = std::move(results);
  for (const SweepRun& run : sweep.runs) {
    table.runs.push_back(&run);
  }
  // The seeds of a combination stand together.
  for (std::size_t begin = 0; begin < table.runs.size();) {
    std::size_t end = begin + 1;
    while (end < table.runs.size() && table.runs[end]->values == table.runs[begin]->values) {
      ++end;
    }
    table.rows.push_back(make_row(table, begin, end));
    begin = end;
  }
  return table;
}

std::string to_csv(const SweepTable& table) {
  const std::vector<std::string> names = number_names(table);
  analysis::Table out;
  out.columns = table.axes;
  for (const char* name : {"runs", "finished", "failed", "parameters"}) {
    out.columns.emplace_back(name);
  }
  for (const std::string& name : names) {
    for (const char* part : {"", ".min", ".max", ".sd"}) {
      out.columns.push_back(name + part);
    }
  }
  for (const SweepRow& row : table.rows) {
    std::vector<analysis::Cell> cells(row.values.begin(), row.values.end());
    cells.insert(cells.end(), {row.planned, row.finished, row.failed});
    cells.push_back(row.finished > 0 ? analysis::Cell(row.parameters) : analysis::Cell());
    for (const std::string& name : names) {
      const auto found = row.numbers.find(name);
      if (found == row.numbers.end()) {
        cells.resize(cells.size() + 4);
        continue;
      }
      const Spread& spread = found->second;
      cells.insert(cells.end(), {spread.mean, spread.low, spread.high});
      cells.push_back(spread.sd ? analysis::Cell(*spread.sd) : analysis::Cell());
    }
    out.add(std::move(cells));
  }
  return analysis::to_csv(out);
}

std::string to_json_lines(const SweepTable& table) {
  std::string text;
  for (std::size_t at = 0; at < table.runs.size(); ++at) {
    text += run_document(table, at).dump() + "\n";
  }
  return text;
}

std::string to_json(const SweepTable& table) {
  ordered_json document;
  document["name"] = table.name;
  document["axes"] = table.axes;
  document["missing"] = table.missing();
  document["combinations"] = ordered_json::array();
  for (const SweepRow& row : table.rows) {
    ordered_json item;
    for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
      item["values"][table.axes[axis]] = row.values[axis];
    }
    item["runs"] = row.planned;
    item["finished"] = row.finished;
    item["failed"] = row.failed;
    item["messages"] = row.messages;
    item["parameters"] = row.parameters;
    for (const auto& [name, spread] : row.numbers) {
      item["numbers"][name] = {{"mean", spread.mean}, {"min", spread.low}, {"max", spread.high}};
      if (spread.sd) {
        item["numbers"][name]["sd"] = *spread.sd;
      }
    }
    document["combinations"].push_back(item);
  }
  document["runs"] = ordered_json::array();
  for (std::size_t at = 0; at < table.runs.size(); ++at) {
    document["runs"].push_back(run_document(table, at));
  }
  return document.dump(2);
}

std::string to_markdown(const SweepTable& table) {
  std::vector<std::string> names = number_names(table);
  std::erase_if(names, [](const std::string& name) { return name == "dev.loss" || name == "test.loss"; });
  std::vector<std::vector<std::string>> cells(1, table.axes);
  cells[0].insert(cells[0].end(), {"seeds", "parameters"});
  cells[0].insert(cells[0].end(), names.begin(), names.end());
  for (const SweepRow& row : table.rows) {
    std::vector<std::string> line = row.values;
    line.push_back(seeds_text(row));
    line.push_back(row.finished > 0 ? grouped(row.parameters) : "");
    for (const std::string& name : names) {
      const auto found = row.numbers.find(name);
      line.push_back(found == row.numbers.end() ? "" : spread_text(name, found->second));
    }
    cells.push_back(std::move(line));
  }
  std::string text = aligned(cells);
  for (const SweepRow& row : table.rows) {
    for (const std::string& message : row.messages) {
      text += "\n" + joined(row.values, ", ") + ": " + message + "\n";
    }
  }
  if (table.missing() > 0) {
    text += fmt::format("\n{} of {} runs have not been trained to their end.\n", table.missing(),
                        table.runs.size());
  }
  return text;
}

}  // namespace mog::app
