// Scores of parses as a table, as JSON and for people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/workflow/common/text_format.h"
#include "app/workflow/evaluate/parse_score_job.h"
#include "app/workflow/evaluate/score_rows.h"
#include "io/recording/counted.h"
#include "io/recording/utf8.h"

namespace mog::app {
namespace {

using analysis::Cell;

// Nothing where a group is no bin or has no end.
Cell length_cell(std::int64_t length) {
  return length < 0 ? Cell() : Cell(length);
}

std::int64_t whole(double count) {
  return std::llround(count);
}

nlohmann::ordered_json to_json(const std::vector<ParseScore>& scores) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ParseScore& score : scores) {
    const analysis::ParseCounts& counts = score.counts;
    nlohmann::ordered_json item = score_json(score.score);
    item["precision"] = 100 * counts.precision();
    item["recall"] = 100 * counts.recall();
    item["f1"] = 100 * counts.f1();
    item["aligned_accuracy"] = 100 * counts.aligned_accuracy();
    item["reference"] = whole(counts.reference);
    item["found"] = whole(counts.found);
    item["hypothesis"] = whole(counts.hypothesis);
    item["right"] = whole(counts.right);
    item["aligned"] = whole(counts.aligned);
    list.push_back(std::move(item));
  }
  return list;
}

struct Widths {
  std::size_t system = 0;
  std::size_t measure = 0;
};

Widths widths_of(const ParseScoreResult& result) {
  Widths widths;
  for (const ParseScore& score : result.scores) {
    widths.system = std::max(widths.system, score.score.system.size());
    widths.measure = std::max(widths.measure, score.score.metric.size());
  }
  return widths;
}

// What groups are by, and what their value is.
std::string heading(analysis::ParseGrouping by) {
  return fmt::format("by {} ({})", analysis::name(by),
                     by == analysis::ParseGrouping::relation ? "recall: of the reference's words" : "F1");
}

std::string group_lines(const ParseScoreResult::Group& group, std::size_t label_width, Widths widths) {
  std::string text;
  for (const ParseScore& score : group.scores) {
    text += fmt::format("  {:<{}}  {:>9}  ", group.group.label, label_width,
                        grouped(whole(score.counts.reference)));
    text += score_line(score.score, widths.system, "", widths.measure);
  }
  return text;
}

}  // namespace

analysis::Table score_table(const ParseScoreResult& result) {
  analysis::Table table;
  table.columns = {"system",    "measure",    "by",     "group",   "length_low",       "length_high",
                   "value",     "mean",       "low",    "high",    "half_width",       "resamples",
                   "sentences", "precision",  "recall", "f1",      "aligned_accuracy", "reference",
                   "found",     "hypothesis", "right",  "aligned", "difference",       "p",
                   "trials",    "signature"};
  const auto add = [&](std::string_view by, const analysis::ParseGroup& group, std::int64_t sentences,
                       const std::vector<ParseScore>& scores) {
    for (const ParseScore& entry : scores) {
      const SystemScore& score = entry.score;
      const analysis::ParseCounts& counts = entry.counts;
      const auto& test = score.test;
      const bool interval = score.score.resamples > 0;
      const auto sure = [&](double value) { return interval ? Cell(value) : Cell(); };
      table.add({score.system,
                 score.metric,
                 std::string(by),
                 group.label,
                 length_cell(group.low),
                 length_cell(group.high),
                 score.score.score,
                 sure(score.score.mean),
                 sure(score.score.low),
                 sure(score.score.high),
                 sure(score.score.half_width),
                 score.score.resamples,
                 sentences,
                 100 * counts.precision(),
                 100 * counts.recall(),
                 100 * counts.f1(),
                 100 * counts.aligned_accuracy(),
                 whole(counts.reference),
                 whole(counts.found),
                 whole(counts.hypothesis),
                 whole(counts.right),
                 whole(counts.aligned),
                 test ? Cell(test->difference) : Cell(),
                 test ? Cell(test->p_value) : Cell(),
                 test ? Cell(test->trials) : Cell(),
                 score.signature});
    }
  };
  add("all", {"all", -1, -1}, result.sentences, result.scores);
  for (const ParseScoreResult::Group& group : result.groups) {
    add(analysis::name(group.by), group.group, group.sentences, group.scores);
  }
  return table;
}

std::string to_json(const ParseScoreResult& result) {
  const auto length = [](std::int64_t value) {
    return value < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
  };
  nlohmann::ordered_json document = {
      {"sentences", result.sentences}, {"words", result.words}, {"scores", to_json(result.scores)}};
  if (!result.groups.empty()) {
    document["groups"] = nlohmann::ordered_json::array();
  }
  for (const ParseScoreResult::Group& group : result.groups) {
    document["groups"].push_back({{"by", analysis::name(group.by)},
                                  {"group", group.group.label},
                                  {"length_low", length(group.group.low)},
                                  {"length_high", length(group.group.high)},
                                  {"sentences", group.sentences},
                                  {"scores", to_json(group.scores)}});
  }
  if (!result.notes.empty()) {
    document["notes"] = result.notes;
  }
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string score_text(const ParseScoreResult& result) {
  const Widths widths = widths_of(result);
  std::string text =
      fmt::format("{} {}, {} {} of {}\n", grouped(result.sentences), plural(result.sentences, "sentence"),
                  grouped(result.words), plural(result.words, "word"), printable(result.reference));
  std::vector<SystemScore> all;
  for (const ParseScore& score : result.scores) {
    text += score_line(score.score, widths.system, "", widths.measure);
    all.push_back(score.score);
  }
  for (std::size_t at = 0; at < result.groups.size(); ++at) {
    const ParseScoreResult::Group& group = result.groups[at];
    if (at == 0 || result.groups[at - 1].by != group.by) {
      text += heading(group.by) + "\n";
    }
    std::size_t label_width = 0;
    for (const ParseScoreResult::Group& other : result.groups) {
      label_width = other.by == group.by
                        ? std::max(label_width, static_cast<std::size_t>(count_characters(other.group.label)))
                        : label_width;
    }
    text += group_lines(group, label_width, widths);
  }
  return text + signature_lines(all);
}

}  // namespace mog::app
