// Leaves, orders and joins of the attention grammar over many sentences: the measures that each figure needs,
// all sentences together where it shows one group.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "analysis/figure_data/order_figures.h"
#include "app/workflow/figures/shared_choices.h"
#include "app/workflow/statistics/word_statistics_job.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

using analysis::WordMeasure;

class OfWords : public Figure {
 public:
  void declare(Choices& choices) override {
    counting_.declare_bootstrap(choices);
    grammar_.declare(choices);
  }

  void check(const FigureRequest& request) override {
    counting_.read(request);
    grammar_.parse();
    asked_ = counting_.statistics.word_measures;
    counting_.statistics.grammar = grammar_.options;
    counting_.statistics.measures.clear();
  }

  bool reads(const RecordingHeader& header, const QuantityName& name) const override {
    return is_of_grammar(header, name);
  }

  analysis::FigureData make(const FigureRequest& request, const FigureInputs& inputs) override {
    if (needs_recordings()) {
      check_recordings(request);
    }
    refuse_models(request);
    return of_words(gather_word_statistics(counting_.statistics, inputs.stop, inputs.progress));
  }

 protected:
  virtual analysis::FigureData of_words(const std::vector<analysis::WordStatistics>& found) const = 0;
  virtual bool needs_recordings() const { return true; }

  void all_together() {
    StatisticsOptions& statistics = counting_.statistics;
    statistics.by_length = statistics.by_position = statistics.by_upos = false;
  }
  // The measure that was asked for, of those that the figure shows; else the first of them.
  WordMeasure one_of(std::initializer_list<WordMeasure> allowed) const {
    const auto at = std::find_if(asked_.begin(), asked_.end(), [&](WordMeasure measure) {
      return std::find(allowed.begin(), allowed.end(), measure) != allowed.end();
    });
    return at == asked_.end() ? *allowed.begin() : *at;
  }
  void check_samples(const FigureRequest& request, bool sampled) const {
    if (request.has("samples") && !sampled) {
      throw UsageError(
          fmt::format("{}: --samples {} has no effect here; it belongs to quantities whose words are "
                      "told apart by sampling (--quantity distinct, simple, distinct-mass)",
                      figure_text(request), counting_.statistics.samples));
    }
  }
  void declare_samples(Choices& choices) {
    choices.number("samples", counting_.statistics.samples, "Derivations drawn a word for distinct words", 1);
  }

  CountingChoice counting_;

 private:
  std::vector<WordMeasure> asked_;
  GrammarChoice grammar_;
};

constexpr const char* kTreebank = "CoNLL-U of the recorded sentences: --by layer,upos";

class LeavesByLayer : public OfWords {
 public:
  LeavesByLayer() { counting_.quantity = "leaves"; }
  void declare(Choices& choices) override {
    counting_.declare_quantity(choices, "leaves, distinct (the order) or simple");
    counting_.declare_bins(choices);
    counting_.declare_words(choices);
    counting_.declare_layers(choices);
    counting_.declare_treebank(choices, kTreebank);
    declare_samples(choices);
    OfWords::declare(choices);
  }
  void check(const FigureRequest& request) override {
    OfWords::check(request);
    const WordMeasure measure = one_of({WordMeasure::leaves, WordMeasure::distinct, WordMeasure::simple});
    counting_.statistics.word_measures = {measure};
    check_samples(request, measure != WordMeasure::leaves);
  }

 protected:
  analysis::FigureData of_words(const std::vector<analysis::WordStatistics>& found) const override {
    return analysis::leaves_by_layer_figure(found);
  }
};

class LeavesDistribution : public OfWords {
 public:
  LeavesDistribution() { counting_.quantity = "leaves-mass"; }
  void declare(Choices& choices) override {
    counting_.declare_quantity(choices, "leaves-mass or distinct-mass");
    counting_.declare_words(choices);
    counting_.declare_layers(choices);
    counting_.declare_treebank(choices, kTreebank);
    choices.number("orders", counting_.statistics.orders, "The greatest number of leaves or distinct words",
                   1);
    declare_samples(choices);
    OfWords::declare(choices);
  }
  void check(const FigureRequest& request) override {
    OfWords::check(request);
    all_together();
    const WordMeasure measure = one_of({WordMeasure::leaves_mass, WordMeasure::distinct_mass});
    counting_.statistics.word_measures = {measure};
    check_samples(request, measure == WordMeasure::distinct_mass);
  }

 protected:
  analysis::FigureData of_words(const std::vector<analysis::WordStatistics>& found) const override {
    return analysis::leaves_distribution_figure(found);
  }
};

class JoinsByPart : public OfWords {
 public:
  void declare(Choices& choices) override {
    counting_.declare_words(choices);
    counting_.declare_layers(choices);
    counting_.declare_treebank(choices, kTreebank);
    OfWords::declare(choices);
  }
  void check(const FigureRequest& request) override {
    OfWords::check(request);
    all_together();
    counting_.statistics.word_measures = {WordMeasure::joins};
  }

 protected:
  analysis::FigureData of_words(const std::vector<analysis::WordStatistics>& found) const override {
    return analysis::joins_by_part_figure(found);
  }
};

class OrderBands : public JoinsByPart {
 public:
  void check(const FigureRequest& request) override {
    JoinsByPart::check(request);
    counting_.statistics.word_measures = {WordMeasure::bands, WordMeasure::part_leaves};
  }

 protected:
  analysis::FigureData of_words(const std::vector<analysis::WordStatistics>& found) const override {
    // Of each recording bands and orders.
    std::vector<analysis::WordStatistics> bands;
    std::vector<analysis::WordStatistics> orders;
    for (std::size_t i = 0; i < found.size(); ++i) {
      (i % 2 == 0 ? bands : orders).push_back(found[i]);
    }
    return analysis::order_bands_figure(bands, orders);
  }
};

class LayersNeeded : public OfWords {
 public:
  void declare(Choices& choices) override {
    counting_.declare_bins(choices);
    counting_.declare_treebank(choices, "CoNLL-U of the recorded sentences, with their gold trees");
    OfWords::declare(choices);
  }
  void check(const FigureRequest& request) override {
    OfWords::check(request);
    counting_.statistics.word_measures = {WordMeasure::layers_needed};
  }

 protected:
  analysis::FigureData of_words(const std::vector<analysis::WordStatistics>& found) const override {
    return analysis::layers_needed_figure(found);
  }
  bool needs_recordings() const override { return false; }  // gold trees alone need layers too
};

template <class Kind>
std::unique_ptr<Figure> create() {
  return std::make_unique<Kind>();
}

}  // namespace

std::span<const FigureKind> leaves_kinds() {
  static const FigureKind kKinds[] = {
      {.name = "leaves-by-layer",
       .description =
           "expected leaves by layer, one line a length bin (--quantity distinct: the order; simple)",
       .title = MOG_TEXT("Guide", "Expected leaves by layer"),
       .reading = MOG_TEXT(
           "Guide",
           "How many words, counted with repeats, a word's graph holds on average after each layer, a "
           "line a length of sentence; the bands are of resampled sentences."),
       .example = "leaves-by-layer en.rec de.rec random.rec -o models.svg --preset page",
       .create = create<LeavesByLayer>},
      {.name = "leaves-distribution",
       .description = "P(leaves = k), one line a layer (--orders; --quantity distinct-mass: P(order = k))",
       .title = MOG_TEXT("Guide", "Distribution of leaves"),
       .reading =
           MOG_TEXT("Guide",
                    "How probable each number of leaves is in the graph of a word, a line a layer, all "
                    "sentences together."),
       .example = "leaves-distribution maps.rec --orders 24 -o distribution.svg",
       .create = create<LeavesDistribution>},
      {.name = "joins-by-part",
       .description = "expected joins by layer, one line a part",
       .title = MOG_TEXT("Guide", "Expected joins by part"),
       .reading =
           MOG_TEXT("Guide", "How many joins each part of a layer makes in the graph of a word, on average."),
       .example = "joins-by-part maps.rec -o joins.svg",
       .create = create<JoinsByPart>},
      {.name = "order-bands",
       .description = "leaves of what each part makes against its order bands, exact and nominal",
       .title = MOG_TEXT("Guide", "Order bands of the parts"),
       .reading = MOG_TEXT(
           "Guide",
           "The leaves of what each part makes, beside the bands of orders that it can make at all: the "
           "exact ones and those that the paper names."),
       .example = "order-bands maps.rec -o bands.svg --preset page",
       .create = create<OrderBands>},
      {.name = "layers-needed",
       .description = "layers that gold trees need by length, beside the trees found (--treebank)",
       .example = "layers-needed maps.rec --treebank en_pud.conllu -o needed.svg",
       .create = create<LayersNeeded>},
  };
  return kKinds;
}

}  // namespace mog::app
