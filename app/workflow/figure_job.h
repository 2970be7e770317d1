// Figure data by name: the work behind `mog figure`. Drawing is mog_figures'.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "app/workflow/plot_job.h"
#include "app/workflow/progress.h"
#include "app/workflow/statistics_job.h"

namespace mog::app {

struct FigureKind {
  std::string_view name;         // "weight-by-layer"
  std::string_view description;  // one line
  bool of_sentence = false;      // needs --sentence
};
// Figures of recordings, in the order in which `mog figure list` prints them.
std::span<const FigureKind> figure_kinds();
// "plot", the one whose numbers come from tables.
const FigureKind& table_figure_kind();
// Throws UsageError naming all kinds.
const FigureKind& find_figure_kind(std::string_view name);

struct FigureOptions {
  std::string kind;
  // Recordings, and the choices behind attention grammars; for figures of a sentence only the first recording
  // counts.
  StatisticsOptions statistics;
  std::int64_t minimum_sentences = 1;
  std::int64_t sentence = 0;  // number in the corpus, from 1
  std::int64_t layer = 0;     // from 1; 0: the mean over layers, for trees the last
  Part part = Part::none;     // none: the mean over parts; arcs: all parts
  std::int64_t head = 0;      // from 1; 0: the mean over heads
  std::string owner;          // trees: WORD@POS; empty: the whole sentence
  // tree, arcs: the best derivation with so many leaves; forest: the best for each number up to it.
  // 0: tree and arcs take the greatest number up to the words of the sentence, at most 6.
  std::int64_t order = 0;
  bool projective = false;  // instead: the best over all words whose steps join neighbours
  std::int64_t top = 0;     // instead: which of the k best; forest: how many (0: 3)
  bool special_tokens = true;
  double threshold = 0.1;  // arcs
  PlotOptions plot;        // plot; `statistics.recordings` are then its tables
  // Diagrams of expressions (diagram_job.h); `statistics.recordings` are then files of them.
  std::vector<std::string> expressions;
  std::string sentence_text;
};

// Throws as the jobs of statistics and trees.
analysis::FigureData make_figure(const FigureOptions& options, std::stop_token stop = {},
                                 const ProgressCallback& progress = {});

}  // namespace mog::app
