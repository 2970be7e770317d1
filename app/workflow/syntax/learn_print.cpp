#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/workflow/common/text_format.h"
#include "app/workflow/syntax/learn_job.h"
#include "app/workflow/syntax/score_text.h"
#include "io/recording/counted.h"

namespace mog::app {
namespace {

using nlohmann::ordered_json;

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? std::nan("") : static_cast<double>(part) / static_cast<double>(whole);
}

struct Quality {
  double heads = 0;
  double recall = 0;
  double precision = 0;
  double f1 = 0;
};

Quality quality(const LearntRelation& relation) {
  return {share(relation.heads, relation.words), share(relation.labelled, relation.words),
          share(relation.labelled, relation.predicted),
          share(2 * relation.labelled, relation.words + relation.predicted)};
}

std::string learnt_from(const LearntEnsembles& learnt) {
  return fmt::format("{} of {} ({} words), seed {}; tags {}, weights {}",
                     counted(learnt.sentences, "sentence"), printable(learnt.treebank), grouped(learnt.words),
                     learnt.seed, name(learnt.tags), name(learnt.weights));
}

std::string percent_text(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.1f}", 100 * value);
}

}  // namespace

analysis::Table learnt_table(const LearnResult& result) {
  analysis::Table table;
  table.columns = {"source",   "sentences", "words",   "uas",     "uas_low",
                   "uas_high", "las",       "las_low", "las_high"};
  const auto add = [&](std::string_view source, const LearntScore& score) {
    table.add({std::string(source), result.sentences, result.words, score.uas.value, score.uas.interval.low,
               score.uas.interval.high, score.las.value, score.las.interval.low, score.las.interval.high});
  };
  add("learnt", result.learnt);
  add("without-maps", result.without_maps);
  return table;
}

analysis::Table learnt_relation_table(const LearnResult& result) {
  analysis::Table table;
  table.columns = {
      "deprel",       "words",        "head_recall",       "labelled_recall", "labelled_precision",
      "labelled_f1",  "learnt_edges", "dependent_attends", "head_attends",    "dependent_accuracy",
      "head_accuracy"};
  for (const LearntRelation& relation : result.relations) {
    const Quality found = quality(relation);
    std::vector<analysis::Cell> cells = {relation.relation, relation.words, found.heads,  found.recall,
                                         found.precision,   found.f1,       relation.seen};
    cells.insert(cells.end(), {relation.maps[0], relation.maps[1]});
    for (std::size_t side = 0; side < relation.maps.size(); ++side) {
      cells.emplace_back(relation.maps[side].empty() ? std::nan("") : relation.accuracy[side]);
    }
    table.add(std::move(cells));
  }
  return table;
}

std::string to_text(const LearnResult& result, const LearntEnsembles& learnt) {
  std::string text =
      fmt::format("{} against {}: {} {}, {} {}\nlearnt from {}\n{}\n", printable(result.recording),
                  printable(result.options.treebank.filename().string()), grouped(result.sentences),
                  plural(result.sentences, "sentence"), grouped(result.words), plural(result.words, "word"),
                  learnt_from(learnt), score_settings_text(result.options));
  if (!learnt.grammar.empty()) {
    text += fmt::format("attention grammar: {}\n", printable(learnt.grammar));
  }
  text += fmt::format("\n{:<34} {:<18} {:<18}\n", "percent", "UAS", "LAS");
  for (const auto& [source, score] :
       {std::pair{"learnt", &result.learnt}, std::pair{"without-maps", &result.without_maps}}) {
    text += fmt::format("{:<34} {:<18} {:<18}\n", source, percent_text_of(score->uas),
                        percent_text_of(score->las));
  }
  text += fmt::format("\n{:<12} {:>7} {:>7}  {:>6} {:>6} {:>6} {:>6}  {}\n", "relation", "words", "learnt",
                      "head", "recall", "prec.", "F1", "maps (the dependent attends; the head attends)");
  for (const LearntRelation& relation : result.relations) {
    const Quality found = quality(relation);
    text += fmt::format("{:<12} {:>7} {:>7}  {:>6} {:>6} {:>6} {:>6}  {}; {}\n", printable(relation.relation),
                        grouped(relation.words), grouped(relation.seen), percent_text(found.heads),
                        percent_text(found.recall), percent_text(found.precision), percent_text(found.f1),
                        relation.maps[0].empty() ? "-" : relation.maps[0],
                        relation.maps[1].empty() ? "-" : relation.maps[1]);
  }
  return text;
}

std::string to_json(const LearnResult& result, const LearntEnsembles& learnt) {
  const SyntaxOptions& options = result.options;
  ordered_json json = {{"recording", printable(result.recording)},
                       {"model", printable(result.model)},
                       {"treebank", options.treebank.filename().string()},
                       {"sentences", result.sentences},
                       {"words", result.words},
                       {"trees", options.projective ? "projective" : "any"},
                       {"root", options.root == RootChoice::gold ? "gold" : "tree"},
                       {"punctuation", options.punctuation},
                       {"grammar", learnt.grammar.empty() ? ordered_json() : ordered_json(learnt.grammar)},
                       {"resamples", options.bootstrap.resamples},
                       {"confidence", options.bootstrap.confidence},
                       {"learnt_from",
                        {{"treebank", learnt.treebank},
                         {"sentences", learnt.sentences},
                         {"words", learnt.words},
                         {"seed", learnt.seed},
                         {"drawn", learnt.drawn},
                         {"tag_choice", name(learnt.tags)},
                         {"weight_choice", name(learnt.weights)}}}};
  json["skipped"] = skipped_json(result.skipped);
  json["notes"] = result.notes;
  json["scores"] = table_json(learnt_table(result));
  json["relations"] = table_json(learnt_relation_table(result));
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace mog::app
