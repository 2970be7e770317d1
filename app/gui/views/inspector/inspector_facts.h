// The numbers that the inspector shows of what is selected, as functions for workers. No widget here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "analysis/effects/run_changes.h"
#include "analysis/figure_data/logit_lens.h"
#include "app/gui/views/common/decomposition_run.h"
#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/common/next_token_run.h"
#include "app/workflow/trees/join_facts.h"

namespace mog::gui {

enum class Subject : std::uint8_t { none, sentence, word, cell, join };

// Two runs of one sentence, the first the one before a change.
struct ComparedRuns {
  std::shared_ptr<const RecordingSource> before;
  std::int64_t before_index = 0;
  std::vector<analysis::HeadPlace> heads = {};
  std::function<bool(const analysis::RunChange&)> left_out = {};
  QString other = {};  // whose run `before` is, where it is of another recording or model: no intervention
};
// So many at most stand in a list; their number is that of all.
inline constexpr std::int64_t kMostChanges = 5000;

struct InspectorQuestion {
  Subject subject = Subject::none;
  std::shared_ptr<const RecordingSource> source;
  std::int64_t index = 0;
  std::optional<std::int64_t> token;
  std::optional<std::int64_t> key;
  std::int64_t layer = 1;
  Part part = Part::none;
  std::int64_t head = 0;
  std::vector<std::int64_t> heads;  // of means; empty: all
  bool by_word = true;              // as the maps are shown: words, or pieces
  std::shared_ptr<const app::JoinFacts> join;
  std::optional<ComparedRuns> compared;
  // Where the score can be taken apart: the quantity, and the run that gives it where it is not recorded.
  QString terms;
  std::optional<DecompositionRun> run;
  std::shared_ptr<const RecordingSource> values;  // what that run gave before; nullptr: it has to run
  Vocabulary vocabulary;                          // names what a model foresees
};

struct InspectorFacts {
  Sentence sentence;
  std::vector<std::string> grammar_words;   // names of JoinFacts' words
  std::vector<std::int64_t> word_of_token;  // of the grammar
  // Of a cell, or the row of a word: numbers of the map as it is shown, of words or of pieces.
  std::optional<double> weight;
  std::int64_t rank = 0;  // among `cells`, from 1; 0: special tokens have none
  std::int64_t cells = 0;
  bool unseen = false;  // the key of the cell, by the query: its layer's mask leaves it out
  std::vector<double> by_head;
  std::vector<std::pair<Part, double>> by_part;
  std::vector<std::pair<std::int64_t, double>> keys;  // places in `shown`: the strongest, special ones aside
  TokenGroups shown;                                  // tokens of the rows and columns of the map
  std::vector<std::string> shown_texts;
  // What the row or column of a token is called; empty: it is not shown.
  QString textOf(std::int64_t token) const;
  double special = 0;         // what special tokens take of the row
  std::string no_map;         // why there is none
  std::vector<double> gates;  // [layer]; empty: none recorded
  std::optional<analysis::RunChanges> changes;
  std::string no_changes;
  std::vector<std::pair<std::string, double>> terms;
  std::string no_terms;
  // What follows each token by the states of `next_layer` (0: by the last ones); no layer: not recorded.
  std::optional<std::int64_t> next_layer;
  analysis::NextTokens next;
  std::vector<std::vector<std::string>> next_names;  // [token, place among the best]; empty: not known
  std::string no_names;                              // why not
  QString scores_of_pieces;  // "“un”, “pre”": the first pieces, where words of several are shown
  std::shared_ptr<const RecordingSource> values;  // of the run
};
// What is not recorded stays empty and says why; throws Interrupted, and what a damaged file throws.
InspectorFacts inspect(const InspectorQuestion& question, const std::stop_token& stop);

// The graph that stands for a word at a layer: most leaves of those not above 8 whose weight is not below
// 1e-6.
struct BestGraph {
  struct Join {
    std::int64_t layer = 1;
    Part part = Part::none;
    std::int64_t query = -1;  // tokens
    std::int64_t key = -1;
    double weight = 0;
  };
  std::vector<std::int64_t> words;  // of the grammar, as leaves
  std::vector<Join> joins;          // from the lowest layer
  double weight = 0;
};
BestGraph best_graph(SentenceGraphs& graphs, std::int64_t token, std::int64_t layer);

// First token of a word of the grammar; -1: none.
std::int64_t token_of_word(const std::vector<std::int64_t>& word_of_token, std::int64_t word);

}  // namespace mog::gui
