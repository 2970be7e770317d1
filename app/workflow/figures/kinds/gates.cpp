// The gate of one sentence.
#include <fmt/format.h>

#include "analysis/figure_data/builders.h"
#include "app/workflow/figures/shared_choices.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

class Gate : public SentenceFigure {
 public:
  void declare(Choices& choices) override {
    SentenceFigure::declare(choices);
    sides_.declare_words(choices);
    sides_.declare_special(choices);
  }
  bool reads(const RecordingHeader& header, const QuantityName& name) const override {
    return name.stack() == header.stack().stack && name.quantity() == Quantity::gate;
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index, const FigureRequest&,
                                   const FigureInputs& inputs) override {
    return analysis::gate_figure(source, index, sides_.tokens(), inputs.stop);
  }

  SideChoice sides_;
};

class GateDimensions : public Gate {
 public:
  void declare(Choices& choices) override {
    Gate::declare(choices);
    choices.number("layer", layer_, "The layer, from 1");
  }
  void check(const FigureRequest&) override {
    if (layer_ == 0) {
      throw UsageError("figure gate-dimensions: give --layer, it shows one layer");
    }
  }
  bool reads(const RecordingHeader& header, const QuantityName& name) const override {
    return Gate::reads(header, name) && name.layer() == layer_;
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index, const FigureRequest&,
                                   const FigureInputs& inputs) override {
    return analysis::gate_dimensions_figure(source, index, layer_, sides_.tokens(), inputs.stop);
  }

 private:
  std::int64_t layer_ = 0;
};

template <class Kind>
std::unique_ptr<Figure> create() {
  return std::make_unique<Kind>();
}

}  // namespace

std::span<const FigureKind> gates_kinds() {
  using Of = FigureKind::Of;
  static const FigureKind kKinds[] = {
      {.name = "gate",
       .description = "gate by layer and token, mean over dimensions",
       .of = Of::sentence,
       .example = "gate corpus.rec -n 3 -o gate.svg",
       .create = create<Gate>},
      {.name = "gate-dimensions",
       .description = "gate of one layer by token and dimension",
       .of = Of::sentence,
       .example = "gate-dimensions corpus.rec -n 3 --layer 2 -o dimensions.svg",
       .create = create<GateDimensions>},
  };
  return kKinds;
}

}  // namespace mog::app
