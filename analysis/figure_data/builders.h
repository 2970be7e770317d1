// Figures from statistics and recordings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "analysis/statistics/weight_by_length.h"
#include "io/recording/pieces.h"
#include "io/recording/sentence_recording.h"

namespace mog::analysis {

// ---- weight by layer and length ----------------------------------------------------------------------

// In plots by length, category b of the x axis is length bin b.
enum class WeightPlot : std::uint8_t {
  by_layer,              // x: layer, one series a length bin (MoG paper, Figures 4(b) and 5)
  by_length,             // x: length bin, one series a layer
  difference_by_length,  // the same, minus the shortest bin (earlier version of the paper, Figure 5)
};

struct WeightFigureOptions {
  WeightPlot view = WeightPlot::by_layer;
  std::int64_t head = 0;               // attention measures recorded by head; 0: the mean over heads
  std::int64_t minimum_sentences = 1;  // cells with fewer are left out
};

// With parts (share, entropy, max) one panel a part; otherwise one plot.
FigureData weight_figure(const LengthStatistics& statistics, const WeightFigureOptions& options = {});
// One panel a recording, e.g. one a model depth, with one y axis for all.
FigureData weight_panels(std::span<const LengthStatistics> statistics,
                         const WeightFigureOptions& options = {});

// ---- one sentence ------------------------------------------------------------------------------------

// Of a pair of texts in one input (tokens with special ones between them) only one block: queries of one
// text, keys of the other. Texts count from 1; 0: all.
struct PairBlock {
  std::int64_t query = 0;
  std::int64_t key = 0;
  bool all() const { return query == 0 && key == 0; }
  friend bool operator==(const PairBlock&, const PairBlock&) = default;
};

// Neighbouring tokens of a text, counted from 1, both ends included; 0 and 0: all of them.
struct Stretch {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool all() const { return first == 0 && last == 0; }
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

// What is shown of a sentence; heads, blocks and stretches are of attention only.
struct TokenOptions {
  bool special_tokens = true;  // keep </s> and its like
  bool by_word = false;        // words in the place of pieces: rows averaged, columns summed; gates averaged
  std::vector<std::int64_t> heads{};  // from 1, ascending: means over heads are over these; empty: all
  PairBlock block{};
  bool special_in_scale = false;  // of attention: the colour scale is made for </s> and its like, too
  bool graph = false;  // of an attention map: pairs with a relation in the graph that is read are framed
  Stretch queries{};   // of a long text: its rows and columns; only what lies there is read
  Stretch keys{};
};

// The tokens of each row (column: with the key's text of the block) of a figure of a sentence's attention.
// Throws UsageError for a text that the sentence does not have.
std::vector<std::vector<std::int64_t>> shown_tokens(const Sentence& sentence, const TokenOptions& options,
                                                    bool keys = false);
// Texts of the input, told apart by special tokens between them; at least 1.
std::int64_t texts_of(const Sentence& sentence);

// How the tokens of a recording are spelled.
Pieces pieces_of(const RecordingHeader& header);
// Words for the sides of matrices and the baselines of trees: tokens without the marks of pieces ("over@@",
// "▁over" are "over"), pieces tied to their word.
std::vector<WordLabel> token_labels(const Sentence& sentence, Pieces pieces,
                                    const TokenOptions& options = {});

// Attention of one layer and part. Layer and head count from 1; layer 0: the mean over layers, head 0: over
// heads, Part::none: over the parts recorded. Part::self and Part::cross are the decoder's (rows: target).
// Throws UsageError when the recording does not hold it or a number is out of range.
FigureData attention_figure(const RecordingSource& source, std::int64_t index, std::int64_t layer, Part part,
                            std::int64_t head, const TokenOptions& options = {});
// The numbers of that figure. values: [row, column]; rows and columns are all tokens.
struct AttentionMap {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> values;
  std::int64_t first_row = 0;  // the tokens of row and column 0
  std::int64_t first_column = 0;
};
// heads, queries and keys as in TokenOptions.
AttentionMap attention_map(const RecordingSource& source, std::int64_t index, std::int64_t layer, Part part,
                           std::int64_t head, std::span<const std::int64_t> heads = {},
                           const Stretch& queries = {}, const Stretch& keys = {});
// Parts and layers of the encoder whose attention is recorded (full or averaged over heads), ascending.
std::vector<Part> attention_parts(const RecordingHeader& header);
std::vector<std::int64_t> attention_layers(const RecordingHeader& header);
// All layers of a part, one thumbnail a layer (row) and head (column).
FigureData attention_grid(const RecordingSource& source, std::int64_t index, Part part);
// Layer (rows) × token (columns): w averaged over d_model.
// The colours of gates part at the median of the recording (gate_median.h); of a text that was run by itself
// at that of its own run.
FigureData gate_figure(const RecordingSource& source, std::int64_t index, const TokenOptions& options = {},
                       const std::stop_token& stop = {});
// Token (rows) × dimension (columns) of one layer.
FigureData gate_dimensions_figure(const RecordingSource& source, std::int64_t index, std::int64_t layer,
                                  const TokenOptions& options = {}, const std::stop_token& stop = {});

struct ArcOptions {
  double threshold = 0.1;              // weaker arcs are left out
  std::int64_t at_most = 60;           // the strongest are kept
  std::optional<std::int64_t> from{};  // only arcs of this word of the figure (from 0)
  TokenOptions tokens{.special_tokens = false};
};
// Attention weights above a threshold as arcs, of several parts if wanted (head as above).
FigureData attention_arcs(const RecordingSource& source, std::int64_t index, std::int64_t layer,
                          std::span<const Part> parts, std::int64_t head, const ArcOptions& options = {});

// The same from arcs with a lower threshold and without limit: attention_arcs(…, options) =
// narrowed_arcs(attention_arcs(…, all), options), where `options.tokens` are those of both.
FigureData narrowed_arcs(const FigureData& all, const ArcOptions& options);

// The caption line: model, corpus, n, level of the claim.
std::string caption(const ModelCard& model, const std::string& corpus, const std::string& n,
                    const std::string& level);

}  // namespace mog::analysis
