#include "app/workflow/statistics/statistics_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "analysis/statistics/entry_means.h"
#include "analysis/statistics/gate_dimensions.h"
#include "analysis/statistics/relation_effects.h"
#include "analysis/statistics/trends.h"
#include "app/workflow/record/named_quantities.h"
#include "app/workflow/recordings/recording_groups.h"
#include "app/workflow/statistics/paired_job.h"
#include "app/workflow/statistics/statistics_checks.h"
#include "app/workflow/statistics/word_statistics_job.h"
#include "app/workflow/trees/grammar_options.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "model/dependency_graph.h"

namespace mog::app {
namespace {

// The table with a first column that names the recording, where it stands with others.
analysis::Table of_recording(const RecordingLabel& label, analysis::Table table) {
  if (label.text.empty()) {
    return table;
  }
  table.columns.insert(table.columns.begin(), "recording");
  for (auto& row : table.rows) {
    row.insert(row.begin(), label.text);
  }
  return table;
}

// Nothing that fits the pattern can be counted.
std::string why_nothing(const std::string& pattern, const RecordingHeader& header) {
  for (const QuantitySchema& schema : header.quantities) {
    if (matches_name(pattern, schema.name.text())) {
      const std::string reason = analysis::why_no_entry_means(schema);
      return fmt::format("--quantity {}: {}: {}", pattern, schema.name.text(),
                         reason.empty() ? "--layers leaves it out" : reason);
    }
  }
  return fmt::format(
      "--quantity {}: the recording of {} does not hold it; record it with mog record --quantity (mog "
      "describe lists what is held)",
      pattern, header.model.name);
}

// Quantities by name.
analysis::Table entry_table(const StatisticsOptions& options, const std::stop_token& stop,
                            const ProgressCallback& progress, std::vector<std::string>* notes) {
  if (!options.measures.empty() || wants_word_statistics(options)) {
    throw UsageError("--quantity: names of recorded quantities have tables of their own; ask for them alone");
  }
  if (options.report != StatisticsReport::means || options.relative ||
      options.averaging != analysis::Averaging::micro) {
    throw UsageError(
        "--quantity: recorded quantities are counted by layer, length or position, and head; leave out "
        "--trend, "
        "--dimensions, --relative and --average");
  }
  const auto keeps = layer_filter(options);
  analysis::Table all;
  for (const RecordingGroup& group : open_recording_groups(options.recordings, notes)) {
    const std::vector<const RecordingSource*> sources = sources_of(group);
    std::vector<QuantityName> names;
    for (const std::string& pattern : options.names) {
      const std::size_t before = names.size();
      for (const QuantitySchema& schema : sources.front()->header().quantities) {
        const bool kept = !keeps || schema.name.layer() == 0 || keeps(schema.name.layer());
        // A pattern takes what can be counted; one name alone is refused with the reason.
        const bool fits = pattern.find('*') == std::string::npos || analysis::has_entry_means(schema);
        if (kept && fits && matches_name(pattern, schema.name.text()) &&
            std::find(names.begin(), names.end(), schema.name) == names.end()) {
          names.push_back(schema.name);
        }
      }
      if (names.size() == before) {
        throw UsageError(why_nothing(pattern, sources.front()->header()));
      }
    }
    analysis::EntryOptions entries = entry_options(options);
    entries.stop = stop;
    entries.progress = [&](std::int64_t done, std::int64_t total) {
      if (progress) {
        progress({done, total, "sentences", "counting"});
      }
    };
    append(all, of_recording(group.label, analysis::entry_means(sources, names, entries)));
  }
  return all;
}

}  // namespace

std::vector<analysis::RelationName> relation_names(const RecordingHeader& header) {
  const model::ModelConfig config =
      model::parse_config(header.model.config_json, header.model.name + ", config.json");
  if (!config.encoder.graph_input) {
    throw UsageError(fmt::format("--quantity relations: the model {} reads no graph (encoder.graph_input)",
                                 header.model.name));
  }
  std::vector<analysis::RelationName> names;
  for (model::Relation& relation :
       model::relations_of(*config.encoder.graph_input, config.graph ? &*config.graph : nullptr)) {
    names.push_back({std::move(relation.name), std::move(relation.direction)});
  }
  return names;
}

namespace {

// Relation by relation.
analysis::Table relation_table(const StatisticsOptions& options, const std::stop_token& stop,
                               const ProgressCallback& progress, std::vector<std::string>* notes) {
  check_relations(options);
  analysis::Table all;
  for (const RecordingGroup& group : open_recording_groups(options.recordings, notes)) {
    const std::vector<const RecordingSource*> sources = sources_of(group);
    analysis::RelationOptions relations = relation_options(options);
    relations.stop = stop;
    relations.progress = [&](std::int64_t done, std::int64_t total) {
      if (progress) {
        progress({done, total, "sentences", "counting"});
      }
    };
    const std::vector<analysis::RelationName> names = relation_names(sources.front()->header());
    append(all, of_recording(group.label, analysis::relation_effects(sources, names, relations)));
  }
  return all;
}

analysis::Table dimension_table(const StatisticsOptions& options, const std::stop_token& stop,
                                const ProgressCallback& progress, std::vector<std::string>* notes) {
  analysis::Table all;
  for (const RecordingGroup& group : open_recording_groups(options.recordings, notes)) {
    analysis::DimensionOptions dimensions = dimension_options(options);
    dimensions.stop = stop;
    dimensions.progress = [&](std::int64_t done, std::int64_t total) {
      if (progress) {
        progress({done, total, "sentences", "counting gate dimensions"});
      }
    };
    append(all, of_recording(group.label, analysis::gate_dimensions(sources_of(group), dimensions).table()));
  }
  return all;
}

// Heads are asked for, and nothing has them.
void check_heads(const StatisticsOptions& options, const std::vector<RecordingGroup>& groups) {
  if (!options.by_head) {
    return;
  }
  for (const analysis::Measure measure : options.measures) {
    for (const RecordingGroup& group : groups) {
      const auto series = analysis::recorded_series(group.parts.front().reader->header(), measure, true, {});
      if (std::any_of(series.begin(), series.end(), [](const auto& one) { return one.head > 0; })) {
        return;
      }
    }
  }
  throw UsageError(
      "--by head: what is asked for was recorded without heads; entropy and max have them, and shares of "
      "heads "
      "(mog record --capture attention,shares)");
}

}  // namespace

analysis::Table relative_table(const analysis::Table& table) {
  const std::vector<std::pair<std::string, std::string>> replaced = {
      {"mean", "difference"}, {"low", "difference_low"}, {"high", "difference_high"}};
  std::vector<std::size_t> sources;
  analysis::Table result;
  for (const std::string& column : table.columns) {
    if (column.starts_with("difference")) {
      continue;
    }
    const auto found = std::find_if(replaced.begin(), replaced.end(),
                                    [&](const auto& entry) { return entry.first == column; });
    result.columns.push_back(found == replaced.end() ? column : found->second);
    sources.push_back(table.column(result.columns.back()));
  }
  for (const auto& row : table.rows) {
    std::vector<analysis::Cell> cells;
    cells.reserve(sources.size());
    for (const std::size_t source : sources) {
      cells.push_back(row.at(source));
    }
    result.add(std::move(cells));
  }
  return result;
}

analysis::LengthOptions length_options(const StatisticsOptions& options, analysis::Measure measure) {
  analysis::LengthOptions length;
  length.measure = measure;
  length.bins = options.by_length || options.by_position ? options.bins : analysis::LengthBins({0});
  length.by = options.by_position ? analysis::BinnedBy::position : analysis::BinnedBy::length;
  length.words = options.words;
  length.keeps_layer = layer_filter(options);
  length.keep_means = options.report == StatisticsReport::trends;
  length.quantiles = options.quantiles;
  length.averaging = options.averaging;
  length.by_head = options.by_head;
  length.bootstrap = options.bootstrap;
  return length;
}

analysis::DimensionOptions dimension_options(const StatisticsOptions& options) {
  analysis::DimensionOptions dimensions;
  dimensions.bins = options.bins;
  dimensions.words = options.words;
  dimensions.minimum_sentences = options.minimum_sentences;
  dimensions.keeps_layer = layer_filter(options);
  return dimensions;
}

void append(analysis::Table& all, analysis::Table table) {
  if (table.columns.size() > all.columns.size()) {
    all.columns = std::move(table.columns);
  }
  for (auto& row : table.rows) {
    all.rows.push_back(std::move(row));
  }
  for (auto& row : all.rows) {
    row.resize(all.columns.size());
  }
}

analysis::RelationOptions relation_options(const StatisticsOptions& options) {
  analysis::RelationOptions relations;
  relations.bins = options.by_length ? options.bins : analysis::LengthBins({0});
  relations.by_head = options.by_head;
  relations.keeps_layer = layer_filter(options);
  relations.bootstrap = options.bootstrap;
  return relations;
}

analysis::EntryOptions entry_options(const StatisticsOptions& options) {
  analysis::EntryOptions entries;
  entries.bins = options.by_length || options.by_position ? options.bins : analysis::LengthBins({0});
  entries.by_position = options.by_position;
  entries.by_head = options.by_head;
  entries.quantiles = options.quantiles;
  entries.bootstrap = options.bootstrap;
  return entries;
}

analysis::LengthStatistics count_measure(const CountedRecording& recording, analysis::Measure measure,
                                         const StatisticsOptions& options, const std::stop_token& stop,
                                         const ProgressCallback& progress) {
  std::int64_t total = 0;
  for (const RecordingSource* source : recording.parts) {
    total += source->size();
  }
  std::int64_t before = 0;
  analysis::LengthOptions length = length_options(options, measure);
  length.bootstrap.stop = stop;
  length.stop = stop;
  length.progress = [&](std::int64_t done, std::int64_t) {
    if (progress) {
      progress({before + done, total, "sentences", fmt::format("counting {}", analysis::name(measure))});
    }
  };
  analysis::LengthAccumulator accumulator(length);
  for (const RecordingSource* source : recording.parts) {
    accumulator.add(*source);
    before += source->size();
  }
  analysis::LengthStatistics statistics = accumulator.finish();
  statistics.recording = recording.label;
  return statistics;
}

std::vector<analysis::LengthStatistics> gather_statistics(const StatisticsOptions& options,
                                                          std::stop_token stop,
                                                          const ProgressCallback& progress,
                                                          std::vector<std::string>* notes) {
  const std::vector<RecordingGroup> groups = open_recording_groups(options.recordings, notes);
  std::int64_t total = 0;
  for (const RecordingGroup& group : groups) {
    for (const RecordingSource* source : sources_of(group)) {
      total += source->size() * static_cast<std::int64_t>(options.measures.size());
    }
  }
  check_heads(options, groups);
  std::int64_t before = 0;
  std::vector<analysis::LengthStatistics> result;
  for (const analysis::Measure measure : options.measures) {
    for (const RecordingGroup& group : groups) {
      std::int64_t counted = 0;
      result.push_back(count_measure({sources_of(group), group.label}, measure, options, stop,
                                     [&](const Progress& of_one) {
                                       counted = of_one.total;
                                       if (progress) {
                                         progress({before + of_one.done, total, of_one.unit, of_one.message});
                                       }
                                     }));
      before += counted;
    }
  }
  return result;
}

// Whether the order has to be computed from the maps of the first recording.
bool order_is_missing(const StatisticsOptions& options) {
  if (std::find(options.measures.begin(), options.measures.end(), analysis::Measure::leaves) ==
          options.measures.end() ||
      options.report == StatisticsReport::dimensions || options.recordings.empty()) {
    return false;
  }
  if (!is_default(options.grammar)) {
    return true;  // what was recorded is of another grammar
  }
  const io::RecordingReader reader(options.recordings.front());
  const auto& quantities = reader.header().quantities;
  const auto is = [&](Quantity quantity) {
    return std::any_of(quantities.begin(), quantities.end(),
                       [&](const QuantitySchema& schema) { return schema.name.quantity() == quantity; });
  };
  // Without maps (of a recurrent encoder: without what stands for them) the error says what to record.
  const bool steps = std::any_of(quantities.begin(), quantities.end(), [](const QuantitySchema& schema) {
    return schema.name.part().role() == PartRole::recurrence && schema.name.reduction() == Reduction::share;
  });
  return !is(Quantity::order) && (is(Quantity::attention) || steps);
}

analysis::Table StatisticsJob::run(std::stop_token stop, const ProgressCallback& progress,
                                   std::vector<std::string>* notes) const {
  StatisticsOptions options = options_;
  options.bootstrap.stop = stop;
  if (!options.against.empty()) {
    return paired_table(options, std::move(stop), progress, notes);
  }
  if (options.relations) {
    check_statistics_grammar(options);
    return relation_table(options, stop, progress, notes);
  }
  if (!options.names.empty()) {
    check_statistics_grammar(options);
    return entry_table(options, stop, progress, notes);
  }
  check_statistics_report(options);
  if (options.report == StatisticsReport::dimensions) {
    return dimension_table(options, stop, progress, notes);
  }
  analysis::Table all;
  StatisticsOptions by_token = options;
  StatisticsOptions by_word = options;
  if (options_.by_upos) {
    by_token.measures.clear();
  } else {
    by_word.measures.clear();
    if (order_is_missing(options_)) {
      std::erase(by_token.measures, analysis::Measure::leaves);
      by_word.word_measures.insert(by_word.word_measures.begin(), analysis::WordMeasure::leaves);
    }
  }
  check_statistics_grammar(by_word);
  check_statistics_treebank(by_word);
  const analysis::TrendOptions trend{.minimum_sentences = options_.minimum_sentences};
  const bool trends = options_.report == StatisticsReport::trends;
  const auto add = [&](const auto& statistics) {
    analysis::Table table =
        trends ? analysis::trend_table(statistics, analysis::trends(statistics, trend)) : statistics.table();
    append(all, of_recording(statistics.recording,
                             options_.relative && !trends ? relative_table(table) : std::move(table)));
  };
  if (!by_token.measures.empty()) {
    for (const analysis::LengthStatistics& statistics : gather_statistics(by_token, stop, progress, notes)) {
      add(statistics);
    }
  }
  if (wants_word_statistics(by_word)) {
    for (const analysis::WordStatistics& statistics :
         gather_word_statistics(by_word, std::move(stop), progress, notes)) {
      add(statistics);
    }
  }
  return all;
}

bool has_one_part(const RecordingHeader& header) {
  const StackDescription& stack = header.stack();
  return std::none_of(header.quantities.begin(), header.quantities.end(), [&](const QuantitySchema& schema) {
    return schema.name.stack() == stack.stack && schema.name.quantity() == Quantity::output &&
           schema.name.reduction() == Reduction::share && stack.parts.size() > 1;
  });
}

std::vector<analysis::Measure> measures_of(const RecordingHeader& header) {
  const auto any = [&](Quantity quantity, std::initializer_list<Reduction> reductions) {
    return std::any_of(header.quantities.begin(), header.quantities.end(), [&](const QuantitySchema& schema) {
      return schema.name.stack() == header.stack().stack && schema.name.quantity() == quantity &&
             schema.name.layer() > 0 &&
             std::find(reductions.begin(), reductions.end(), schema.name.reduction()) != reductions.end();
    });
  };
  std::vector<analysis::Measure> measures;
  if (any(Quantity::gate, {Reduction::full, Reduction::mean})) {
    measures.push_back(analysis::Measure::gate);
  }
  if (any(Quantity::output, {Reduction::share}) && !has_one_part(header)) {
    measures.push_back(analysis::Measure::share);
  }
  if (any(Quantity::attention, {Reduction::full, Reduction::row_entropy})) {
    measures.push_back(analysis::Measure::entropy);
  }
  if (any(Quantity::attention, {Reduction::full, Reduction::row_max})) {
    measures.push_back(analysis::Measure::maximum);
  }
  if (any(Quantity::order, {Reduction::mean})) {
    measures.push_back(analysis::Measure::leaves);
  }
  if (header.stack().causal && any(Quantity::attention, {Reduction::full, Reduction::sink})) {
    measures.push_back(analysis::Measure::sink);
  }
  return measures;
}

}  // namespace mog::app
