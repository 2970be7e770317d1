#include "app/workflow/effects/effects_partial.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "app/workflow/common/bootstrap_json.h"
#include "app/workflow/tasks/sentence_part.h"
#include "io/recording/errors.h"
#include "io/statistics/sentence_columns.h"

namespace mog::app {
namespace {

using Json = nlohmann::ordered_json;
using OptionalCounts = std::vector<std::optional<analysis::TagCounts>>;

constexpr std::size_t kCounts = std::tuple_size_v<analysis::TagCounts>;
constexpr std::int64_t kAbsent = -1;  // of a sentence without gold tags

void add_counts(io::SentenceColumns& columns, const OptionalCounts& counts) {
  for (std::size_t i = 0; i < kCounts; ++i) {
    std::vector<std::int64_t> values;
    values.reserve(counts.size());
    for (const std::optional<analysis::TagCounts>& one : counts) {
      values.push_back(one ? (*one)[i] : kAbsent);
    }
    columns.add(std::span<const std::int64_t>(values));
  }
}

// Of words and spans of one sentence, so that their sums hold.
std::vector<std::int64_t> next_numbers(const io::SentenceColumns& columns, std::size_t& at) {
  constexpr std::int64_t kMost = std::int64_t{1} << 32;
  std::vector<std::int64_t> values = columns.next_whole(at);
  for (const std::int64_t value : values) {
    if (value < kAbsent || value > kMost) {
      throw FormatError(fmt::format("a sentence with {} words or spans cannot be", value));
    }
  }
  return values;
}

OptionalCounts next_counts(const io::SentenceColumns& columns, std::size_t& at) {
  OptionalCounts counts(columns.numbers().size(), analysis::TagCounts{});
  for (std::size_t i = 0; i < kCounts; ++i) {
    const std::vector<std::int64_t> values = next_numbers(columns, at);
    for (std::size_t sentence = 0; sentence < values.size(); ++sentence) {
      if (values[sentence] == kAbsent) {
        counts[sentence].reset();
      } else if (counts[sentence]) {
        (*counts[sentence])[i] = values[sentence];
      }
    }
  }
  return counts;
}

Json to_json(const CutPlace& place) {
  Json json = {{"layer", place.layer},
               {"last_layer", place.last_layer},
               {"head", place.head},
               {"factor", place.factor},
               {"mean", place.mean}};
  if (!place.terms.empty()) {
    json["terms"] = text(place.terms);
  } else if (!place.graph_terms.empty()) {
    json["graph_terms"] = text(place.graph_terms);
  } else {
    json["cut"] = name(place.cut);
  }
  return json;
}

CutPlace place_of(const Json& json) {
  CutPlace place;
  json.at("layer").get_to(place.layer);
  json.at("last_layer").get_to(place.last_layer);
  json.at("head").get_to(place.head);
  json.at("factor").get_to(place.factor);
  place.mean = json.value("mean", false);  // absent in parts of earlier versions
  if (json.contains("terms")) {
    place.terms = parse_terms(json.at("terms").get<std::string>()).at(0);
  } else if (json.contains("graph_terms")) {
    place.graph_terms = parse_graph_terms(json.at("graph_terms").get<std::string>()).at(0).terms;
  } else {
    place.cut = parse_cuts(json.at("cut").get<std::string>()).at(0);
  }
  return place;
}

}  // namespace

io::PartialStatistics to_partial(const FaithfulnessResult& result, std::string_view call) {
  std::vector<std::int64_t> numbers;
  for (const FaithfulnessResult::Row& row : result.rows) {
    numbers.push_back(row.sentence);
  }
  io::SentenceColumns columns(std::move(numbers));
  const auto add = [&](const auto& value_of) {
    std::vector<double> values;
    values.reserve(result.rows.size());
    for (const FaithfulnessResult::Row& row : result.rows) {
      values.push_back(value_of(row));
    }
    columns.add(std::move(values));
  };
  for (std::size_t index = 0; index < result.attributions.size(); ++index) {
    add([&](const FaithfulnessResult::Row& row) { return row.found[index].spearman; });
    add([&](const FaithfulnessResult::Row& row) { return row.found[index].pearson; });
    for (std::size_t at = 0; at < result.options.fractions.size(); ++at) {
      add([&](const FaithfulnessResult::Row& row) { return row.found[index].comprehensiveness[at]; });
      add([&](const FaithfulnessResult::Row& row) { return row.found[index].sufficiency[at]; });
    }
  }
  const FaithfulnessOptions& options = result.options;
  const Json settings = {{"target", result.target},
                         {"unit", result.unit},
                         {"erase", name(options.erasure)},
                         {"special_tokens", name(options.special)},
                         {"attributions", result.attributions},
                         {"against", options.against},
                         {"fractions", options.fractions},
                         {"bootstrap", bootstrap_to_json(options.bootstrap)},
                         {"call", call}};
  io::PartialStatistics partial =
      sentence_part(kFaithfulnessJob, result.header, options.shard, columns, settings);
  partial.part_numbers = result.part_numbers;
  return partial;
}

analysis::Table faithfulness_table(const io::PartialStatistics& partial, std::string_view place) {
  return table_of_part(partial, place, [&](const Json& json, const io::SentenceColumns& columns) {
    FaithfulnessResult result;
    result.header = partial.header;
    json.at("target").get_to(result.target);
    json.at("unit").get_to(result.unit);
    json.at("attributions").get_to(result.attributions);
    FaithfulnessOptions& options = result.options;
    options.erasure = parse_erasure(json.at("erase").get<std::string>());
    options.special = parse_special_tokens(json.at("special_tokens").get<std::string>());
    json.at("against").get_to(options.against);
    json.at("fractions").get_to(options.fractions);
    options.bootstrap = bootstrap_from_json(json.at("bootstrap"));
    check_numbers(options);
    check_against(options, result.attributions);
    require_columns(columns, result.attributions.size() * (2 + 2 * options.fractions.size()));
    result.rows.resize(columns.numbers().size());
    for (FaithfulnessResult::Row& row : result.rows) {
      row.found.resize(result.attributions.size());
    }
    std::size_t at = 0;
    const auto take = [&](const auto& set) {
      const std::vector<double> values = columns.next(at);
      for (std::size_t row = 0; row < values.size(); ++row) {
        set(result.rows[row], values[row]);
      }
    };
    for (std::size_t index = 0; index < result.attributions.size(); ++index) {
      take([&](FaithfulnessResult::Row& row, double value) { row.found[index].spearman = value; });
      take([&](FaithfulnessResult::Row& row, double value) { row.found[index].pearson = value; });
      for (std::size_t fraction = 0; fraction < options.fractions.size(); ++fraction) {
        take([&](FaithfulnessResult::Row& row, double value) {
          row.found[index].comprehensiveness.push_back(value);
        });
        take([&](FaithfulnessResult::Row& row, double value) {
          row.found[index].sufficiency.push_back(value);
        });
      }
    }
    return result.table();
  });
}

io::PartialStatistics to_partial(const AblateMeasured& measured, const AblateOptions& options,
                                 std::string_view call) {
  io::SentenceColumns columns(measured.numbers);
  columns.add(std::span<const std::int64_t>(measured.words));
  for (const auto& [task, counts] : measured.before) {
    add_counts(columns, counts);
  }
  if (measured.next_token) {
    columns.add(measured.surprisal);
  }
  Json cuts = Json::array();
  Json tasks = Json::array();
  for (const CutSeries& series : measured.cuts) {
    cuts.push_back(to_json(series.place));
    for (const std::vector<double>* const values :
         {&series.change, &series.cosine, &series.pooled, &series.gate, &series.share}) {
      columns.add(*values);
    }
    if (measured.next_token) {
      columns.add(series.surprisal);
    }
    for (const auto& [task, changed] : series.changed) {
      columns.add(changed);
      columns.add(series.divergence.at(task));
    }
    for (const auto& [task, counts] : series.scored) {
      add_counts(columns, counts);
    }
  }
  for (const std::string& task : measured.tasks) {
    tasks.push_back(task);
  }
  Json scored = Json::object();
  for (const auto& [task, metric] : measured.scored) {
    scored[task] = metric == analysis::TaggingMetric::span_f1;
  }
  const Json settings = {{"cuts", cuts},
                         {"tasks", tasks},
                         {"scored_by_spans", scored},
                         {"next_token", measured.next_token},
                         {"mean_text",
                          {{"name", measured.mean_text.name},
                           {"sha256", measured.mean_text.sha256},
                           {"sentences", measured.mean_text.sentences},
                           {"tokens", measured.mean_text.tokens}}},
                         {"bootstrap", bootstrap_to_json(options.bootstrap)},
                         {"call", call}};
  io::PartialStatistics partial =
      sentence_part(kAblationJob, measured.header, options.shard, columns, settings);
  partial.part_numbers = measured.part_numbers;
  return partial;
}

analysis::Table ablation_table(const io::PartialStatistics& partial, std::string_view place) {
  return table_of_part(partial, place, [&](const Json& json, const io::SentenceColumns& columns) {
    AblateMeasured measured;
    measured.header = partial.header;
    measured.numbers = columns.numbers();
    std::size_t at = 0;
    measured.words = next_numbers(columns, at);
    json.at("tasks").get_to(measured.tasks);
    for (const auto& [task, spans] : json.at("scored_by_spans").items()) {
      measured.scored[task] =
          spans.get<bool>() ? analysis::TaggingMetric::span_f1 : analysis::TaggingMetric::accuracy;
    }
    for (const auto& [task, metric] : measured.scored) {
      measured.before[task] = next_counts(columns, at);
    }
    measured.next_token = json.value("next_token", false);  // absent in parts of earlier versions
    if (measured.next_token) {
      measured.surprisal = columns.next(at);
    }
    for (const Json& cut : json.at("cuts")) {
      CutSeries& series = measured.cuts.emplace_back();
      series.place = place_of(cut);
      for (std::vector<double>* const values :
           {&series.change, &series.cosine, &series.pooled, &series.gate, &series.share}) {
        *values = columns.next(at);
      }
      if (measured.next_token) {
        series.surprisal = columns.next(at);
      }
      for (const std::string& task : measured.tasks) {
        series.changed[task] = columns.next(at);
        series.divergence[task] = columns.next(at);
      }
      for (const auto& [task, metric] : measured.scored) {
        series.scored[task] = next_counts(columns, at);
      }
    }
    require_columns(columns, at);
    return measured.result(bootstrap_from_json(json.at("bootstrap"))).table();
  });
}

}  // namespace mog::app
