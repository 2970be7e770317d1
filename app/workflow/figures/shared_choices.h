// Choices that several figure kinds share, each said once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/figure_data.h"
#include "analysis/mog/grammar/from_recording.h"
#include "app/workflow/figures/figure.h"
#include "app/workflow/statistics/statistics_job.h"
#include "app/workflow/trees/grammar_options.h"
#include "io/recording/part.h"

namespace mog::app {

std::string figure_text(const FigureRequest& request);  // "figure tree", as errors begin

// Figures of one sentence of one recording.
class SentenceFigure : public Figure {
 public:
  void declare(Choices& choices) override;
  analysis::FigureData make(const FigureRequest& request, const FigureInputs& inputs) final;

 protected:
  // `index` from 0.
  virtual analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index,
                                           const FigureRequest& request, const FigureInputs& inputs) = 0;

 private:
  std::int64_t sentence_ = 0;
};
// The number of the sentence that is asked for. Throws UsageError where none is.
std::int64_t sentence_number(const FigureRequest& request, std::int64_t chosen);

// Which attention map: layer, part, head or heads of the mean.
struct MapChoice {
  std::int64_t layer = 0;  // from 1; 0: the mean over layers
  Part part = Part::none;  // none: the mean over parts; arcs: all parts
  std::int64_t head = 0;   // from 1; 0: the mean over heads
  std::vector<std::int64_t> heads;

  void declare_layer(Choices& choices, std::string help = "From 1; by default the mean over layers");
  void declare_part(Choices& choices);
  void declare_head(Choices& choices);
  void declare_heads(Choices& choices);
  // Reads the part: an invented system's are known once a recording of it was opened. Throws UsageError.
  void find_part(const FigureRequest& request);
  // The part that was chosen, or those of the recording.
  std::vector<Part> parts_of(const RecordingHeader& header) const;
  // Whether maps of this layer and part are named so.
  bool reads(const RecordingHeader& header, const QuantityName& name) const;

 private:
  std::string part_;
};

// Which tokens a map has at its sides.
struct SideChoice {
  bool by_word = false;
  bool no_special_tokens = false;
  bool special_in_scale = false;
  analysis::PairBlock block;
  analysis::Stretch queries;
  analysis::Stretch keys;

  void declare_words(Choices& choices);
  void declare_special(Choices& choices);
  void declare_special_scale(Choices& choices);
  void declare_block(Choices& choices);
  void declare_stretches(Choices& choices);  // --queries and --keys
  void declare_stretch(Choices& choices);    // --tokens, of both
  analysis::TokenOptions tokens(const std::vector<std::int64_t>& heads = {}) const;
};

// Steps of the colour scale of maps whose scale begins at 0.
struct ColourChoice {
  analysis::ColourScale::Colouring colours = analysis::ColourScale::Colouring::power;

  void declare(Choices& choices);
  // Throws UsageError where the scale does not begin at 0 and steps were chosen.
  void paint(analysis::FigureData& figure, const FigureRequest& request) const;
};

// The attention grammar behind a figure.
struct GrammarChoice {
  GrammarTexts texts;
  analysis::WordGrammarOptions options;

  void declare(Choices& choices) { app::declare(choices, texts); }
  void parse() { options = parse_grammar_options(texts); }
};
// Whether the attention grammar reads it: maps of the first stack, gates and self gates.
bool is_of_grammar(const RecordingHeader& header, const QuantityName& name);

// What is counted over many sentences, and how.
struct CountingChoice {
  StatisticsOptions statistics;
  std::string quantity = "gate";
  std::string bins = "10";
  std::string by = "layer,length";
  std::string words;
  std::string layers;

  void declare_quantity(Choices& choices, std::string help);
  void declare_bins(Choices& choices);  // --bins and --by
  void declare_words(Choices& choices);
  void declare_layers(Choices& choices);
  void declare_bootstrap(Choices& choices);
  void declare_treebank(Choices& choices, std::string help);
  // Of `request`: recordings, seed, all that was declared. Throws UsageError.
  void read(const FigureRequest& request);
};
// Whether a recorded quantity holds one of these measures.
bool is_of(const std::vector<analysis::Measure>& measures, const QuantityName& name);
// Throws UsageError where nothing is named that could be shown.
void check_recordings(const FigureRequest& request);
// Throws UsageError where the figure names a model in the place of a recording.
void refuse_models(const FigureRequest& request);

// The recorded names that fit `pattern`, by layer; they must be one quantity. Throws UsageError.
std::vector<QuantityName> one_quantity(const FigureRequest& request, const std::string& pattern,
                                       const RecordingHeader& header);

// Quantities with entries by layer, as patterns ("encoder.*.split.norm").
std::vector<std::string> quantities_by_layer(const RecordingHeader& header, bool that_add_up);

}  // namespace mog::app
