#include "app/workflow/neighbours/neighbours_job.h"

#include <charconv>

#include "io/recording/errors.h"

namespace mog::app {

using analysis::Cell;

analysis::Table neighbours_table(const Neighbours& neighbours) {
  analysis::Table table;
  table.columns = {"rank",           "similarity", "sentence",   "position",         "word",
                   "text",           "upos",       "relation",   "attends_position", "attends_word",
                   "attends_weight", "special",    "occurrences"};
  const auto known = [](const std::string& text) { return text.empty() ? Cell() : Cell(text); };
  for (std::size_t i = 0; i < neighbours.found.size(); ++i) {
    const NeighbourWord& word = neighbours.found[i];
    std::string text;
    for (const std::string& one : word.words) {
      text += (text.empty() ? "" : " ") + one;
    }
    table.add({static_cast<std::int64_t>(i + 1), word.similarity, word.sentence, word.word, word.text(), text,
               known(word.upos), known(word.relation), word.attends ? Cell(word.attends->word) : Cell(),
               word.attends ? Cell(word.attends->text) : Cell(),
               word.attends ? Cell(word.attends->weight) : Cell(),
               word.gives.empty() ? Cell() : Cell(word.special),
               neighbours.tells_occurrences() ? Cell(word.occurrences) : Cell()});
  }
  return table;
}

analysis::Table neighbour_shares_table(const Neighbours& neighbours) {
  analysis::Table table;
  table.columns = {"group",     "value", "neighbours_count", "share",     "all_count",
                   "all_share", "ratio", "ratio_low",        "ratio_high"};
  for (const NeighbourShare& row : neighbours.shares) {
    table.add({row.group, row.value, row.neighbours, row.ratio.share, row.all, row.ratio.of_all,
               row.ratio.ratio, row.ratio.low, row.ratio.high});
  }
  return table;
}

namespace {

std::int64_t parse_layer(const std::string& text) {
  std::int64_t layer = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), layer);
  if (error != std::errc() || end != text.data() + text.size() || layer < 0) {
    throw UsageError("--layer " + text + ": expected a whole number from 0");
  }
  return layer;
}

}  // namespace

void declare_neighbours(Choices& choices, NeighboursOptions& options) {
  choices.number("word", options.word, "Of the sentence, from 1", 1).letter = 'w';
  choices.value("layer", options.layer, "",
                "States behind this layer; 0: the embedding; by default the last that was recorded",
                parse_layer);
  choices.text("quantity", options.quantity, "In its place: a recorded quantity [token, width] by its name");
  choices.text("head", options.head,
               "In its place LAYER.HEAD: which words attend as this one does, by distance in words");
  choices.text("part", options.part, "Of --head: high, middle1, …, where a layer has several attentions");
  Choice& most = choices.number("neighbours", options.k, "How many", 1, 10'000);
  most.usual = "20";
  most.letter = 'k';
  choices.flag("other-words", options.other_words, "Not the same word, capitals aside");
  choices.flag("center", options.center, "States less their mean over the corpus");
  choices.number("sample", options.sample, "Only so many sentences, drawn by --seed; 0: all");
  choices
      .number("reference", options.reference,
              "Words drawn for the cosine of any two and for k-occurrences; 0: none", 0, 5000)
      .usual = "1000";
  choices.path(
      "treebank", options.treebank,
      "CoNLL-U of the recorded sentences: parts of speech and relations; by default the recorded tags");
  choices
      .text("mismatch", options.mismatch,
            "Sentences whose words cannot be the treebank's: error, or skip (noted)")
      .usual = "error";
}

}  // namespace mog::app
