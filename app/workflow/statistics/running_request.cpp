#include "app/workflow/statistics/running_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/workflow/record/capture.h"
#include "app/workflow/record/named_quantities.h"
#include "app/workflow/statistics/statistics_checks.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

using Json = nlohmann::ordered_json;

// The quantities of a header that the patterns name and that have entry means.
std::vector<QuantityName> named_in(const RecordingHeader& header, const std::vector<std::string>& patterns) {
  std::vector<QuantityName> names;
  for (const std::string& pattern : patterns) {
    bool found = false;
    for (const QuantitySchema& schema : header.quantities) {
      const bool fits = pattern.find('*') == std::string::npos || analysis::has_entry_means(schema);
      if (fits && matches_name(pattern, schema.name.text())) {
        found = true;
        if (std::find(names.begin(), names.end(), schema.name) == names.end()) {
          names.push_back(schema.name);
        }
      }
    }
    if (!found) {
      throw UsageError(fmt::format("--quantity {}: nothing of it can be averaged", pattern));
    }
  }
  return names;
}

}  // namespace

std::string to_text(const RunningRequest& request) {
  const Json json = {{"quantity", request.texts.quantity},
                     {"by", request.texts.by},
                     {"bins", request.texts.bins},
                     {"average", request.texts.average},
                     {"words", request.texts.words},
                     {"layers", request.texts.layers},
                     {"dimensions", request.dimensions},
                     {"minimum_sentences", request.minimum_sentences},
                     {"resamples", request.bootstrap.resamples},
                     {"confidence", request.bootstrap.confidence},
                     {"seed", request.bootstrap.seed},
                     {"long", request.long_sentences},
                     {"invalid_utf8", request.invalid_utf8},
                     {"max_length", request.max_length},
                     {"batch_tokens", request.batch_tokens}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RunningRequest parse_running_request(std::string_view text, std::string_view place) {
  try {
    const Json json = Json::parse(text);
    RunningRequest request;
    request.texts.quantity = json.at("quantity").get<std::string>();
    request.texts.by = json.at("by").get<std::string>();
    request.texts.bins = json.at("bins").get<std::string>();
    request.texts.average = json.at("average").get<std::string>();
    request.texts.words = json.at("words").get<std::string>();
    request.texts.layers = json.at("layers").get<std::string>();
    request.dimensions = json.at("dimensions").get<bool>();
    request.minimum_sentences = json.at("minimum_sentences").get<std::int64_t>();
    request.bootstrap.resamples = json.at("resamples").get<std::int64_t>();
    request.bootstrap.confidence = json.at("confidence").get<double>();
    request.bootstrap.seed = json.at("seed").get<std::uint64_t>();
    request.long_sentences = json.at("long").get<std::string>();
    request.invalid_utf8 = json.at("invalid_utf8").get<std::string>();
    request.max_length = json.at("max_length").get<std::int64_t>();
    request.batch_tokens = json.at("batch_tokens").get<std::int64_t>();
    statistics_options(request);
    return request;
  } catch (const Json::exception& error) {
    throw FormatError(
        fmt::format("{}: what was counted is not said as it should be ({})", place, error.what()));
  } catch (const UsageError& error) {
    throw FormatError(fmt::format("{}: {}", place, error.what()));
  }
}

StatisticsOptions statistics_options(const RunningRequest& request) {
  StatisticsOptions options;
  take(request.texts, options);
  options.bootstrap = request.bootstrap;
  if (options.bootstrap.resamples < 0 || options.bootstrap.resamples > 1'000'000 ||
      !(options.bootstrap.confidence > 0 && options.bootstrap.confidence < 1)) {
    throw UsageError(fmt::format(
        "--bootstrap {}, --confidence {}: resamples are 0 to 1,000,000, the confidence lies between 0 and 1",
        options.bootstrap.resamples, options.bootstrap.confidence));
  }
  options.minimum_sentences = request.minimum_sentences;
  if (request.dimensions) {
    options.report = StatisticsReport::dimensions;
    check_statistics_report(options);
    return options;
  }
  constexpr std::string_view kInstead =
      "; mog record it, or a sample of the corpus (mog record --sample N), and count the recording";
  if (options.by_upos || !options.word_measures.empty() || options.relations) {
    throw UsageError(
        fmt::format("--quantity {}: quantities of the attention grammar but leaves, parts of speech and "
                    "relations are counted from a recording{}",
                    request.texts.quantity, kInstead));
  }
  if (!options.names.empty() && (!options.measures.empty() ||
                                 options.averaging != analysis::Averaging::micro || !options.words.all())) {
    throw UsageError(
        "--quantity: names of recorded quantities have tables of their own, of all words, which count the "
        "same; ask for them alone, without --average and --words");
  }
  return options;
}

void observe(const RunningRequest& request, const StatisticsOptions& statistics, const model::Model& model,
             RecordOptions& record) {
  record.long_sentences = parse_long_policy(request.long_sentences);
  record.invalid_utf8 = io::parse_invalid_utf8(request.invalid_utf8);
  record.max_length = request.max_length;
  record.batch_tokens = request.batch_tokens;
  record.capture.names.clear();
  record.capture.layers = statistics.layers;
  record.capture.store = DType::float32;
  record.quantities = statistics.names;
  if (statistics.report == StatisticsReport::dimensions) {
    record.capture.names.insert(CaptureName::gates);
    return;
  }
  if (statistics.measures.empty()) {
    return;
  }
  RecordingHeader offered;
  offered.model = model.card();
  offered.system = model.system();
  CaptureSet summary = record.capture;
  summary.names = {CaptureName::summary};
  offered.quantities = select_quantities(model.quantities(), summary, false);
  for (const analysis::Measure measure : statistics.measures) {
    if (measure == analysis::Measure::leaves) {
      record.capture.names.insert(CaptureName::orders);
      continue;
    }
    for (const QuantityName& name :
         analysis::quantities_of_lengths(length_options(statistics, measure), offered)) {
      record.quantities.push_back(name.text());
    }
  }
}

std::vector<std::unique_ptr<analysis::RunningTable>> running_tables(const StatisticsOptions& statistics,
                                                                    const RecordingHeader& header) {
  std::vector<std::unique_ptr<analysis::RunningTable>> tables;
  if (statistics.report == StatisticsReport::dimensions) {
    tables.push_back(analysis::running_dimensions(dimension_options(statistics), header));
    return tables;
  }
  for (const analysis::Measure measure : statistics.measures) {
    tables.push_back(analysis::running_lengths(length_options(statistics, measure), header));
  }
  for (const QuantityName& name : named_in(header, statistics.names)) {
    tables.push_back(analysis::running_entries(name, entry_options(statistics), header));
  }
  return tables;
}

analysis::Table joined(const std::vector<std::unique_ptr<analysis::RunningTable>>& tables) {
  analysis::Table all;
  for (const auto& table : tables) {
    analysis::Table own = table->table();
    all.columns = own.columns;
    std::move(own.rows.begin(), own.rows.end(), std::back_inserter(all.rows));
  }
  return all;
}

}  // namespace mog::app
