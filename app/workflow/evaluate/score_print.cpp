// Scores of translations and summaries as a table, as JSON and for people.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/workflow/common/text_format.h"
#include "app/workflow/evaluate/score_job.h"
#include "app/workflow/evaluate/score_rows.h"
#include "io/recording/counted.h"

namespace mog::app {

analysis::Table score_table(const ScoreResult& result) {
  using Cell = analysis::Cell;
  analysis::Table table;
  table.columns = {"system",     "measure", "bin",    "length_low", "length_high", "value",
                   "mean",       "low",     "high",   "half_width", "resamples",   "sentences",
                   "difference", "p",       "trials", "details",    "signature"};
  const auto add = [&](const std::string& bin, const Cell& shortest, const Cell& longest,
                       std::int64_t sentences, const std::vector<SystemScore>& scores) {
    for (const SystemScore& score : scores) {
      const auto& test = score.test;
      table.add({score.system, score.metric, bin, shortest, longest, score.score.score, score.score.mean,
                 score.score.low, score.score.high, score.score.half_width, score.score.resamples, sentences,
                 test ? Cell(test->difference) : Cell(), test ? Cell(test->p_value) : Cell(),
                 test ? Cell(test->trials) : Cell(), score.details, score.signature});
    }
  };
  add("all", {}, {}, result.sentences, result.scores);
  for (const ScoreResult::Bin& bin : result.by_length) {
    Cell longest;
    if (bin.high >= 0) {
      longest = bin.high;
    }
    add(bin.label, bin.low, longest, bin.sentences, bin.scores);
  }
  return table;
}

namespace {

nlohmann::ordered_json to_json(const std::vector<SystemScore>& scores) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SystemScore& score : scores) {
    list.push_back(score_json(score));
  }
  return list;
}

std::string lines_of(const std::vector<SystemScore>& scores, std::size_t width, std::string_view indent) {
  std::string text;
  for (const SystemScore& score : scores) {
    text += score_line(score, width, indent);
  }
  return text;
}

}  // namespace

std::string to_json(const ScoreResult& result) {
  nlohmann::ordered_json document;
  if (result.documents > 0) {
    document["documents"] = result.documents;
  }
  document["sentences"] = result.sentences;
  document["references"] = result.references;
  document["scores"] = to_json(result.scores);
  if (!result.lengths_of.empty()) {
    document["lengths_of"] = result.lengths_of;
    document["by_length"] = nlohmann::ordered_json::array();
  }
  for (const ScoreResult::Bin& bin : result.by_length) {
    document["by_length"].push_back(
        {{"bin", bin.label},
         {"length_low", bin.low},
         {"length_high", bin.high < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(bin.high)},
         {"sentences", bin.sentences},
         {"scores", to_json(bin.scores)}});
  }
  if (!result.notes.empty()) {
    document["notes"] = result.notes;
  }
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string score_text(const ScoreResult& result) {
  std::size_t width = 0;
  for (const SystemScore& score : result.scores) {
    width = std::max(width, score.system.size());
  }
  std::string text = result.documents > 0 ? counted(result.documents, "document") + ", " : std::string();
  text += fmt::format("{} {}, {}\n", grouped(result.sentences), plural(result.sentences, "sentence"),
                      counted(result.references, "reference"));
  text += lines_of(result.scores, width, "");
  for (const ScoreResult::Bin& bin : result.by_length) {
    text += fmt::format("{} {} of {}, {}\n", bin.label, bin.label == "1" ? "word" : "words",
                        result.lengths_of, counted(bin.sentences, "sentence"));
    text += lines_of(bin.scores, width, "  ");
  }
  text += signature_lines(result.scores);
  return text;
}

}  // namespace mog::app
