#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/workflow/common/text_format.h"
#include "app/workflow/syntax/score_text.h"
#include "app/workflow/syntax/syntax_job.h"
#include "io/recording/counted.h"

namespace mog::app {
namespace {

using analysis::Cell;
using nlohmann::ordered_json;

Cell number(bool there, std::int64_t value) {
  return there ? Cell(value) : Cell();
}

Cell text(bool there, std::string_view value) {
  return there ? Cell(std::string(value)) : Cell();
}

std::string_view head_is(const SyntaxRow& row) {
  return row.key_is_head ? "key" : "query";
}

// layer, part, head, head_is
void add_place(std::vector<Cell>& cells, const SyntaxRow& row) {
  const bool tree = !row.is_baseline();
  cells.push_back(number(row.layer > 0, row.layer));
  cells.push_back(text(row.part != Part::none, mog::name(row.part)));
  cells.push_back(number(row.head > 0, row.head));
  cells.push_back(text(tree, head_is(row)));
}

std::string line_of(const std::string& name, const SyntaxRowScore& entry) {
  return fmt::format("{:<34} {:<18} {:<18}\n", name, percent_text_of(entry.uas), percent_text_of(entry.uuas));
}

// What a person reads of the rows of attention: of each layer and part the mean of the heads and the best
// single head; every row is in the table.
std::string attention_lines(const SyntaxResult& result) {
  struct Best {
    const SyntaxRowScore* mean = nullptr;
    const SyntaxRowScore* head = nullptr;
  };
  std::map<std::pair<std::int64_t, Part>, Best> places;
  for (const SyntaxRowScore& entry : result.rows) {
    if (entry.row.source == SyntaxSource::attention) {
      Best& best = places[{entry.row.layer, entry.row.part}];
      const SyntaxRowScore*& slot = entry.row.head == 0 ? best.mean : best.head;
      slot = slot == nullptr || entry.uuas.value > slot->uuas.value ? &entry : slot;
    }
  }
  std::string lines;
  for (const auto& [place, best] : places) {
    for (const SyntaxRowScore* entry : {best.mean, best.head}) {
      if (entry != nullptr) {
        lines += line_of(entry->row.name(), *entry);
      }
    }
  }
  return lines;
}

}  // namespace

analysis::Table score_table(const SyntaxResult& result) {
  analysis::Table table;
  table.columns = {"source",  "layer",    "part", "head",     "head_is",   "offset",    "sentences", "uas",
                   "uas_low", "uas_high", "uuas", "uuas_low", "uuas_high", "guarantee", "grammar"};
  for (const SyntaxRowScore& entry : result.rows) {
    std::vector<Cell> cells = {std::string(name(entry.row.source))};
    add_place(cells, entry.row);
    cells.push_back(number(entry.row.offset != 0, entry.row.offset));
    cells.emplace_back(entry.sentences);
    for (const SyntaxScore& score : {entry.uas, entry.uuas}) {
      cells.emplace_back(score.value);
      cells.emplace_back(score.interval.low);
      cells.emplace_back(score.interval.high);
    }
    const std::string guarantee = guarantee_of(entry.row, result.options);
    const bool grammar = !entry.row.is_baseline() && entry.row.source != SyntaxSource::attention;
    cells.push_back(text(!guarantee.empty(), guarantee));
    // Of maps one choice holds, too.
    const bool sink =
        entry.row.source == SyntaxSource::attention && result.grammar.find(kSinkDropped) != std::string::npos;
    cells.push_back(
        text(grammar ? !result.grammar.empty() : sink, grammar ? result.grammar : std::string(kSinkDropped)));
    table.add(std::move(cells));
  }
  return table;
}

analysis::Table relation_table(const SyntaxResult& result) {
  analysis::Table table;
  table.columns = {"deprel",
                   "words",
                   "layer",
                   "part",
                   "head",
                   "head_is",
                   "recall",
                   "recall_chosen",
                   "offset",
                   "offset_recall",
                   "offset_recall_chosen",
                   "recall_low",
                   "recall_high",
                   "recall_chosen_low",
                   "recall_chosen_high",
                   "offset_recall_low",
                   "offset_recall_high",
                   "offset_recall_chosen_low",
                   "offset_recall_chosen_high"};
  for (const SyntaxRelation& relation : result.relations) {
    std::vector<Cell> cells = {relation.relation, relation.words};
    add_place(cells, relation.best_head);
    cells.emplace_back(relation.recall.value);
    cells.emplace_back(relation.chosen.value);
    cells.emplace_back(relation.best_offset);
    cells.emplace_back(relation.offset_recall.value);
    cells.emplace_back(relation.offset_chosen.value);
    for (const SyntaxScore* const score :
         {&relation.recall, &relation.chosen, &relation.offset_recall, &relation.offset_chosen}) {
      cells.emplace_back(score->interval.low);
      cells.emplace_back(score->interval.high);
    }
    table.add(std::move(cells));
  }
  return table;
}

std::string to_text(const SyntaxResult& result) {
  const SyntaxOptions& options = result.options;
  std::string text =
      fmt::format("{} against {}: {} {}, {} {}\n{}\n\n", printable(result.recording),
                  printable(result.options.treebank.filename().string()), grouped(result.sentences),
                  plural(result.sentences, "sentence"), grouped(result.words), plural(result.words, "word"),
                  score_settings_text(options));
  if (!result.grammar.empty()) {
    text.insert(text.size() - 1, fmt::format("attention grammar: {}\n", result.grammar));
  }
  SyntaxSource last = SyntaxSource::random_tree;
  for (const SyntaxRowScore& entry : result.rows) {
    if (!entry.row.is_baseline() && entry.row.source != last) {
      last = entry.row.source;
      text.insert(text.size() - 1,
                  fmt::format("trees of {}: {}\n", name(last), guarantee_of(entry.row, options)));
    }
  }
  text += fmt::format("{:<34} {:<18} {:<18}\n", "percent", "UAS", "UUAS");
  for (const SyntaxRowScore& entry : result.rows) {
    if (entry.row.is_baseline()) {
      const bool offset = entry.row.source == SyntaxSource::best_offset;
      text += line_of(
          offset ? fmt::format("{} ({:+})", entry.row.name(), entry.row.offset) : entry.row.name(), entry);
    }
  }
  for (const SyntaxRowScore& entry : result.rows) {
    if (!entry.row.is_baseline() && entry.row.source != SyntaxSource::attention) {
      const bool all = entry.sentences == result.sentences;
      text += line_of(all ? entry.row.name()
                          : fmt::format("{} ({} {})", entry.row.name(), grouped(entry.sentences),
                                        plural(entry.sentences, "sentence")),
                      entry);
    }
  }
  text += attention_lines(result);
  if (!result.relations.empty()) {
    text += fmt::format("\n{:<18} {:>7}  {:<30} {:>6} {:<18}  {:>6} {:>6} {:<18}\n", "relation", "words",
                        "best head", "recall", "chosen", "offset", "recall", "chosen");
    for (const SyntaxRelation& relation : result.relations) {
      text += fmt::format("{:<18} {:>7}  {:<30} {:6.1f} {:<18}  {:>+6} {:6.1f} {:<18}\n",
                          printable(relation.relation), grouped(relation.words), relation.best_head.name(),
                          100 * relation.recall.value, percent_text_of(relation.chosen), relation.best_offset,
                          100 * relation.offset_recall.value, percent_text_of(relation.offset_chosen));
    }
  }
  return text;
}

std::string to_json(const SyntaxResult& result) {
  const SyntaxOptions& options = result.options;
  ordered_json json = {{"recording", printable(result.recording)},
                       {"model", printable(result.model)},
                       {"treebank", options.treebank.filename().string()},
                       {"sentences", result.sentences},
                       {"words", result.words},
                       {"trees", options.projective ? "projective" : "any"},
                       {"root", options.root == RootChoice::gold ? "gold" : "tree"},
                       {"punctuation", options.punctuation},
                       {"grammar", result.grammar.empty() ? ordered_json() : ordered_json(result.grammar)},
                       {"resamples", options.bootstrap.resamples},
                       {"confidence", options.bootstrap.confidence},
                       {"random_trees_a_sentence", options.draws}};
  json["skipped"] = skipped_json(result.skipped);
  json["notes"] = result.notes;
  ordered_json scores = table_json(score_table(result));
  for (std::size_t row = 0; row < result.rows.size(); ++row) {
    scores[row]["name"] = result.rows[row].row.name();
  }
  json["scores"] = std::move(scores);
  if (options.relations) {
    json["relations"] = table_json(relation_table(result));
  }
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace mog::app
