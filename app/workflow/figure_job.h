// Figure data by name: the work behind `mog figure`. Drawing is mog_figures'.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/derivation_figures.h"
#include "analysis/figure_data/figure_data.h"
#include "analysis/figure_data/information_flow.h"
#include "app/workflow/plot_job.h"
#include "app/workflow/progress.h"
#include "app/workflow/statistics_job.h"
#include "io/recording/recording_label.h"
#include "model/model.h"
#include "model/tokenizer/words.h"

namespace mog::app {

class TreebankWords;

struct FigureKind {
  std::string_view name;         // "weight-by-layer"
  std::string_view description;  // one line
  bool of_sentence = false;      // needs --sentence
};
// Figures of recordings, in the order in which `mog figure list` prints them.
std::span<const FigureKind> figure_kinds();
// "plot" and the others whose numbers come from tables.
std::span<const FigureKind> table_figure_kinds();
// attention-difference, gate-difference: of two sources.
bool is_difference(const FigureKind& kind) noexcept;
// Throws UsageError naming all kinds.
const FigureKind& find_figure_kind(std::string_view name);

// A sentence that is given in the place of recordings and run through their models when the figure is made.
struct FigureText {
  std::string text;
  model::WordCut words = model::WordCut::automatic;
  model::DeviceOptions device;
  std::string command_line;  // kept in the provenance
};

struct FigureOptions {
  std::string kind;
  // Of one sentence: `statistics.recordings` are then models, as model_path takes them (none: the default),
  // and `sentence` is 1.
  std::optional<FigureText> text;
  // Recordings, and the choices behind attention grammars; figures of a sentence take one recording,
  // differences one or two.
  StatisticsOptions statistics;
  std::int64_t minimum_sentences = 1;
  std::int64_t sentence = 0;  // number in the corpus, from 1
  std::int64_t other = 0;     // differences: the sentence of the second recording; 0: `sentence`
  std::int64_t layer = 0;     // from 1; 0: the mean over layers, for trees the last
  Part part = Part::none;     // none: the mean over parts; arcs: all parts
  std::int64_t head = 0;      // from 1; 0: the mean over heads
  std::string owner;          // trees: WORD@POS; empty: the whole sentence
  // tree, arcs: the best derivation with so many leaves; forest: the best for each number up to it.
  // 0: tree and arcs take the greatest number up to the words of the sentence, at most 6.
  std::int64_t leaves = 0;
  bool projective = false;  // instead: the best over all words whose steps join neighbours
  std::int64_t top = 0;     // instead: which of the k best; forest: how many (0: 3)
  bool special_tokens = true;
  // attention-arcs: 0.1 where it is not given; posterior-arcs: a fifth of the greatest; information-flow:
  // about two edges a word and layer
  std::optional<double> threshold;
  // Attention of one sentence; the mean over heads is over `statistics.grammar.heads`, where they are given.
  bool by_word = false;                      // of quantity-map, token-bars and head-bars too
  analysis::ColourScale::Spacing colours{};  // of maps whose scale begins at 0
  analysis::PairBlock block;
  bool special_words = false;  // attention-arcs: special tokens too
  std::int64_t from = 0;       // attention-arcs: only those of this word of the figure, from 1
  std::int64_t at_most = 60;   // arcs: the strongest
  // token-bars, head-bars: from 1; with by_word a word or special token
  std::int64_t token = 0;
  std::int64_t key = 0;  // token-bars: this key alone; head-bars: the key of the pair
  // information-flow: only what flows into a state, or out of it; "4@2" is word 4 of layer 2
  std::string ancestors;
  std::string descendants;
  // attention-arcs, arcs: CoNLL-U whose tree of the sentence is drawn below the words; read already, or else
  // by make_sentence_figure.
  std::filesystem::path gold;
  std::shared_ptr<const TreebankWords> gold_words;
  PlotOptions plot;  // plot; `statistics.recordings` are then its tables
  // Diagrams of expressions (diagram_job.h); `statistics.recordings` are then files of them.
  std::vector<std::string> expressions;
  std::string sentence_text;
};

// A part by its name, of the systems that this program knows or of these recordings. Throws UsageError.
Part parse_part(std::string_view text, std::span<const std::filesystem::path> recordings);

// What a figure of one sentence reads: its recordings opened, or recordings in memory of `options.text`, run
// through each model with all that the kind may ask of it. Of other kinds nothing: they open their files
// themselves. Throws UsageError for a number of recordings that the kind does not take and for a model in the
// place of a recording, and as record_text.
using FigureSources = std::vector<std::shared_ptr<const RecordingSource>>;
FigureSources open_figure_sources(const FigureOptions& options, std::stop_token stop = {});

// Throws as the jobs of statistics and trees. `sources`: open_figure_sources(options).
analysis::FigureData make_figure(const FigureOptions& options, const FigureSources& sources,
                                 std::stop_token stop = {}, const ProgressCallback& progress = {});
analysis::FigureData make_figure(const FigureOptions& options, std::stop_token stop = {},
                                 const ProgressCallback& progress = {});

// A figure of one sentence from an open recording: what make_figure does once it has opened the recording.
analysis::FigureData make_sentence_figure(const FigureOptions& options, const RecordingSource& source,
                                          std::stop_token stop = {}, const ProgressCallback& progress = {});

// The recorded names that fit the one pattern of `options`, by layer; they must be one quantity. Throws
// UsageError.
std::vector<QuantityName> one_quantity(const FigureOptions& options, const RecordingHeader& header);

// attention-difference, gate-difference: of two open recordings. Names stand over the panels; empty: model
// and number.
analysis::FigureData make_difference(const FigureOptions& options, const RecordingSource& first,
                                     const RecordingSource& second, const std::string& first_name = {},
                                     const std::string& second_name = {});

// What stands over the panel of a sentence there: "news, sentence 3".
std::string sentence_title(const RecordingLabel& recording, std::int64_t number);

// What information-flow shows of a flow. Throws UsageError.
analysis::FlowOptions flow_options(const FigureOptions& options);

// The line under a figure of derivations. `goal`: "TOP" or "R[6,2]"; `what`: "number 2 of the best".
analysis::SentenceFigureText derivation_text(const RecordingSource& source, std::int64_t number,
                                             const std::string& goal, const std::string& what,
                                             const analysis::WordGrammarOptions& grammar,
                                             const analysis::GrammarChoices& choices);
std::string best_with_leaves(std::int64_t leaves);  // "the best with 3 leaves"
std::string number_of_best(std::int64_t rank);      // "number 2 of the best"

}  // namespace mog::app
