// Entries of a recorded quantity by layer, all sentence lengths together: lines, or stacked bars.
#include <fmt/format.h>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/quantity_figures.h"
#include "app/workflow/figures/shared_choices.h"
#include "app/workflow/record/named_quantities.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

template <bool kStacked>
class QuantityByLayer : public Figure {
 public:
  QuantityByLayer() { counting_.quantity.clear(); }

  void declare(Choices& choices) override {
    counting_.declare_quantity(choices,
                               "The recorded quantity by name, * for any layer: 'encoder.*.split.norm'");
    counting_.declare_layers(choices);
    counting_.declare_bootstrap(choices);
  }

  void check(const FigureRequest& request) override {
    if (!counting_.quantity.empty()) {
      counting_.read(request);
    }
    if (counting_.statistics.names.size() != 1) {
      throw UsageError(fmt::format(
          "{}: it shows one quantity of one recording; give --quantity 'encoder.*.split.norm' or its "
          "like",
          figure_text(request)));
    }
  }

  bool reads(const RecordingHeader&, const QuantityName& name) const override {
    return matches_name(counting_.statistics.names.front(), name.text());
  }

  analysis::FigureData make(const FigureRequest& request, const FigureInputs& inputs) override {
    check_recordings(request);
    refuse_models(request);
    StatisticsOptions statistics = counting_.statistics;
    if (statistics.recordings.size() != 1) {
      throw UsageError(fmt::format("{}: it shows one quantity of one recording, {} were named",
                                   figure_text(request), statistics.recordings.size()));
    }
    const io::RecordingReader reader(statistics.recordings.front());
    const RecordingHeader& header = reader.header();
    const std::vector<QuantityName> names = one_quantity(request, statistics.names.front(), header);
    if (kStacked && !analysis::entries_add_up(*header.find(names.front()))) {
      throw UsageError(
          fmt::format("figure share-bars: the entries of {} do not add up to a whole; quantity-by-layer "
                      "shows them as lines",
                      names.front().text()));
    }
    statistics.by_length = false;
    statistics.by_head = false;
    const analysis::Table table = StatisticsJob(statistics).run(inputs.stop, inputs.progress);
    analysis::FigureData figure = analysis::layer_figure(table, statistics.names.front(), kStacked);
    const std::string level = analysis::level_text(names.front());
    figure.caption = analysis::caption(header.model, header.provenance.corpus_name,
                                       counted(analysis::most_sentences(figure), "sentence") +
                                           analysis::bands_clause(figure, statistics.bootstrap),
                                       (level.empty() ? "" : level + "; ") + "mean over words or sentences");
    return figure;
  }

 private:
  CountingChoice counting_;
};

template <bool kStacked>
std::unique_ptr<Figure> create() {
  return std::make_unique<QuantityByLayer<kStacked>>();
}

template <bool kStacked>
std::vector<std::string> quantities_of(const RecordingHeader& header) {
  return quantities_by_layer(header, kStacked);
}

template <bool kStacked>
bool fits(const RecordingHeader& header) {
  return !quantities_by_layer(header, kStacked).empty();
}

}  // namespace

std::span<const FigureKind> quantity_by_layer_kinds() {
  static const FigureKind kKinds[] = {
      {.name = "quantity-by-layer",
       .description = "a recorded quantity by layer, one line an entry (--quantity 'encoder.*.split.norm')",
       .title = MOG_TEXT("Guide", "A quantity by layer"),
       .reading = MOG_TEXT(
           "Guide",
           "The mean of a recorded quantity over words or sentences, layer by layer, a line an entry; "
           "the bands are of resampled sentences."),
       .example = "quantity-by-layer parts.rec --quantity 'encoder.*.split.norm' -o split.svg",
       .create = create<false>,
       .fits = fits<false>,
       .quantities = quantities_of<false>},
      {.name = "share-bars",
       .description = "recorded shares by layer as stacked bars (--quantity "
                      "'encoder.*.full.logit_terms.covariance_sums')",
       .title = MOG_TEXT("Guide", "Shares by layer (bars)"),
       .reading = MOG_TEXT(
           "Guide",
           "Entries that add up to a whole, layer by layer, as stacked bars: what each has of it, on "
           "average over words or sentences."),
       .example = "share-bars parts.rec --quantity 'encoder.*.pseudo_gate.projection' -o shares.svg",
       .create = create<true>,
       .fits = fits<true>,
       .quantities = quantities_of<true>},
  };
  return kKinds;
}

}  // namespace mog::app
