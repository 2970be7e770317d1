#include "app/workflow/statistics/running_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/workflow/record/capture.h"
#include "app/workflow/record/named_quantities.h"
#include "app/workflow/statistics/running_grammar.h"
#include "app/workflow/statistics/statistics_checks.h"
#include "app/workflow/statistics/word_measuring.h"
#include "app/workflow/statistics/word_statistics_job.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

using Json = nlohmann::ordered_json;

// Counts with what intervals need (quantile_sketch.h).
constexpr std::string_view kQuantiles = "with intervals";

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

// The graph that attention reads, and what it does to the scores of the layers that are kept.
std::vector<std::string> quantities_of_relations(const RecordingHeader& offered,
                                                 const std::function<bool(std::int64_t)>& keeps) {
  std::vector<std::string> names;
  for (const QuantitySchema& schema : offered.quantities) {
    const QuantityName& name = schema.name;
    const bool graph = name.quantity() == Quantity::graph;
    const bool terms = name.quantity() == Quantity::graph_terms && name.reduction() == Reduction::full;
    if (name.stack() == offered.stack().stack && (graph || (terms && (!keeps || keeps(name.layer()))))) {
      names.push_back(name.text());
    }
  }
  return names;
}

Json to_json(const GrammarTexts& grammar) {
  Json json = {{"heads", grammar.heads},
               {"gate", grammar.gate},
               {"pi", grammar.pi},
               {"target", grammar.target},
               {"recurrence", grammar.direction},
               {"residual_share", grammar.residual_share},
               {"keep_pieces", grammar.keep_pieces}};
  if (grammar.rho) {
    json["rho"] = *grammar.rho;
  }
  return json;
}

GrammarTexts grammar_from(const Json& json) {
  GrammarTexts grammar;
  grammar.heads = json.at("heads").get<std::string>();
  grammar.gate = json.at("gate").get<std::string>();
  grammar.pi = json.at("pi").get<std::string>();
  grammar.target = json.at("target").get<std::string>();
  grammar.direction = json.at("recurrence").get<std::string>();
  grammar.residual_share = json.at("residual_share").get<double>();
  grammar.keep_pieces = json.at("keep_pieces").get<bool>();
  if (json.contains("rho")) {
    grammar.rho = json["rho"].get<double>();
  }
  return grammar;
}

// The order by a grammar that was chosen is computed, as all that is of words; else it is recorded by tokens.
void take_grammar(const RunningRequest& request, StatisticsOptions& options) {
  options.grammar = parse_grammar_options(request.grammar);
  options.orders = request.orders;
  options.samples = request.samples;
  if (options.grammar.target == analysis::TargetWeights::cross) {
    throw UsageError("--target cross: a running model translates nothing; record with --target");
  }
  if (is_default(options.grammar)) {
    return;
  }
  if (std::erase(options.measures, analysis::Measure::leaves) > 0) {
    options.word_measures.insert(options.word_measures.begin(), analysis::WordMeasure::leaves);
  }
  if (options.word_measures.empty()) {
    throw UsageError(
        fmt::format("{}: only quantities of the attention grammar depend on it (--quantity leaves, joins, …)",
                    chosen_text(options.grammar)));
  }
}

}  // namespace

std::string to_text(const RunningRequest& request) {
  Json json = {{"quantity", request.texts.quantity},
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
  // Choices that came later stand there when they are made, so that older parts still add up.
  const RunningRequest plain;
  if (request.trend) {
    json["trend"] = true;
  }
  if (request.quantiles) {
    json["quantiles"] = kQuantiles;
  }
  if (request.relative) {
    json["relative"] = true;
  }
  if (request.mismatch != plain.mismatch) {
    json["mismatch"] = request.mismatch;
  }
  if (request.orders != plain.orders) {
    json["orders"] = request.orders;
  }
  if (request.samples != plain.samples) {
    json["samples"] = request.samples;
  }
  if (Json grammar = to_json(request.grammar); grammar != to_json(plain.grammar)) {
    json["grammar"] = std::move(grammar);
  }
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
    request.trend = json.value("trend", false);
    if (json.contains("quantiles") && json["quantiles"] != kQuantiles) {
      throw FormatError(
          fmt::format("{}: its quantiles were counted without what intervals need, by a version of this "
                      "program before its first; count this part again",
                      place));
    }
    request.quantiles = json.contains("quantiles");
    request.relative = json.value("relative", false);
    request.mismatch = json.value("mismatch", request.mismatch);
    request.orders = json.value("orders", request.orders);
    request.samples = json.value("samples", request.samples);
    if (json.contains("grammar")) {
      request.grammar = grammar_from(json["grammar"]);
    }
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
  options.quantiles = request.quantiles;
  options.relative = request.relative;
  options.skip_mismatches = parse_mismatch(request.mismatch);
  if (request.dimensions) {
    options.report = StatisticsReport::dimensions;
    check_statistics_report(options);
    return options;
  }
  if (request.trend) {
    options.report = StatisticsReport::trends;
  }
  if (options.relations) {
    check_relations(options);
    return options;
  }
  take_grammar(request, options);
  check_statistics_report(options);
  if (!options.word_measures.empty()) {
    check_word_choices(options);
    analysis::check(measure_options(options));
  }
  if (!options.names.empty() &&
      (!options.measures.empty() || !options.word_measures.empty() || request.trend || request.relative ||
       options.by_upos || options.averaging != analysis::Averaging::micro || !options.words.all())) {
    throw UsageError(
        "--quantity: names of recorded quantities have tables of their own, of all words, which count the "
        "same; ask for them alone, without --trend, --relative, --by upos, --average and --words");
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
  RecordingHeader offered;
  offered.model = model.card();
  offered.system = model.system();
  offered.quantities = model.quantities();
  if (statistics.relations) {
    record.quantities = quantities_of_relations(offered, layer_filter(statistics));
    if (record.quantities.empty()) {
      throw UsageError(fmt::format("--quantity relations: the model {} reads no graph (encoder.graph_input)",
                                   offered.model.name));
    }
    return;
  }
  if (!statistics.word_measures.empty()) {
    record.quantities = quantities_of_grammar(statistics, offered);
    record.capture.layers.clear();  // a word of any layer is made of all below
  }
  if (statistics.report == StatisticsReport::dimensions) {
    record.capture.names.insert(CaptureName::gates);
    return;
  }
  if (statistics.measures.empty()) {
    return;
  }
  CaptureSet summary = record.capture;
  summary.names = {CaptureName::summary};
  for (const analysis::Measure measure : statistics.measures) {
    if (measure == analysis::Measure::leaves) {
      record.capture.names.insert(CaptureName::orders);
      continue;
    }
    if (measure == analysis::Measure::sink) {
      offered.quantities = model.quantities();
      std::erase_if(offered.quantities, [&](const QuantitySchema& schema) {
        return schema.name.reduction() != Reduction::sink || !summary.keeps_layer(schema.name.layer());
      });
    } else {
      offered.quantities = select_quantities(model.quantities(), summary, false);
    }
    for (const QuantityName& name :
         analysis::quantities_of_lengths(length_options(statistics, measure), offered)) {
      record.quantities.push_back(name.text());
    }
  }
}

std::vector<std::unique_ptr<analysis::RunningTable>> running_tables(const StatisticsOptions& statistics,
                                                                    const RecordingHeader& header,
                                                                    PassingTreebank* treebank) {
  std::vector<std::unique_ptr<analysis::RunningTable>> tables;
  if (statistics.report == StatisticsReport::dimensions) {
    tables.push_back(analysis::running_dimensions(dimension_options(statistics), header));
    return tables;
  }
  for (const analysis::Measure measure : statistics.measures) {
    if (statistics.by_upos) {
      break;  // by words, below
    }
    const analysis::LengthOptions lengths = length_options(statistics, measure);
    tables.push_back(
        statistics.report == StatisticsReport::trends
            ? analysis::running_trends(lengths, {.minimum_sentences = statistics.minimum_sentences}, header)
            : analysis::running_lengths(lengths, header));
  }
  if (statistics.relations) {
    tables.push_back(
        analysis::running_relations(relation_names(header), relation_options(statistics), header));
    return tables;
  }
  if (wants_word_statistics(statistics)) {
    tables.push_back(running_by_words(statistics, header, treebank));
  }
  for (const QuantityName& name : named_in(header, statistics.names)) {
    tables.push_back(analysis::running_entries(name, entry_options(statistics), header));
  }
  return tables;
}

analysis::Table joined(const std::vector<std::unique_ptr<analysis::RunningTable>>& tables,
                       const StatisticsOptions& statistics) {
  analysis::Table all;
  for (const auto& table : tables) {
    append(all, statistics.relative ? relative_table(table->table()) : table->table());
  }
  return all;
}

}  // namespace mog::app
