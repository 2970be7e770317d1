// Gate weight, share, entropy and maximum by layer and length, over many sentences (MoG paper, Figures 4(b),
// 5).
#include <fmt/format.h>

#include "analysis/figure_data/builders.h"
#include "app/workflow/figures/shared_choices.h"
#include "app/workflow/statistics/word_statistics_job.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

using analysis::WeightPlot;

template <WeightPlot kView, bool kPanels>
class Weights : public Figure {
 public:
  void declare(Choices& choices) override {
    counting_.declare_quantity(choices, "gate, share, entropy, max or leaves");
    counting_.declare_bins(choices);
    counting_.declare_words(choices);
    counting_.declare_layers(choices);
    counting_.declare_bootstrap(choices);
    choices.number("minimum", look_.minimum_sentences, "Bins with fewer sentences are left out");
    choices.number("head", look_.head, "From 1; by default the mean over heads");
  }

  void check(const FigureRequest& request) override {
    counting_.read(request);
    counting_.statistics.by_head = look_.head > 0;
    look_.view = kView;
    if (wants_word_statistics(counting_.statistics)) {
      throw UsageError(
          fmt::format("{}: it shows gate, share, entropy, max or recorded leaves by layer, length or "
                      "position; leaves and orders have figures of their own (`mog figure list`)",
                      figure_text(request)));
    }
  }

  bool reads(const RecordingHeader& header, const QuantityName& name) const override {
    return name.stack() == header.stack().stack && is_of(counting_.statistics.measures, name);
  }

  analysis::FigureData make(const FigureRequest& request, const FigureInputs& inputs) override {
    check_recordings(request);
    refuse_models(request);
    const std::vector<analysis::LengthStatistics> statistics =
        gather_statistics(counting_.statistics, inputs.stop, inputs.progress);
    if (kPanels) {
      return analysis::weight_panels(statistics, look_);
    }
    if (statistics.size() > 1) {
      throw UsageError(
          fmt::format("{}: {} statistics come from these recordings and quantities, it shows one; use "
                      "weight-panels for several",
                      figure_text(request), statistics.size()));
    }
    return analysis::weight_figure(statistics.front(), look_);
  }

 private:
  CountingChoice counting_;
  analysis::WeightFigureOptions look_;
};

template <WeightPlot kView, bool kPanels>
std::unique_ptr<Figure> create() {
  return std::make_unique<Weights<kView, kPanels>>();
}

}  // namespace

std::span<const FigureKind> weights_kinds() {
  static const FigureKind kKinds[] = {
      {.name = "weight-by-layer",
       .description = "mean weight by layer, one line a length bin (MoG paper, Figures 4(b), 5)",
       .example = "weight-by-layer corpus.rec -o weights.pdf --preset acl --caption none --title ''",
       .create = create<WeightPlot::by_layer, false>},
      {.name = "weight-by-length",
       .description = "mean weight by sentence length, one line a layer",
       .example = "weight-by-length corpus.rec -o lengths.svg",
       .create = create<WeightPlot::by_length, false>},
      {.name = "weight-difference",
       .description = "the same as difference to the shortest bin (earlier version, Figure 5)",
       .example = "weight-difference corpus.rec -o difference.pdf --preset column --csv -",
       .create = create<WeightPlot::difference_by_length, false>},
      {.name = "weight-panels",
       .description = "weight by layer, one panel a recording, for example one a model depth",
       .example = "weight-panels 2.rec 6.rec -o depths.svg --preset page",
       .create = create<WeightPlot::by_layer, true>},
      {.name = "weight-panels-difference",
       .description = "weight-difference, one panel a recording",
       .example = "weight-panels-difference 2.rec 6.rec -o depths.svg --preset page",
       .create = create<WeightPlot::difference_by_length, true>},
  };
  return kKinds;
}

}  // namespace mog::app
