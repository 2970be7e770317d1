// Two recordings of the same sentences: the second less the first by layer, tested.
#include "app/workflow/figures/shared_choices.h"
#include "app/workflow/statistics/paired_job.h"

namespace mog::app {
namespace {

class CorpusDifference : public Figure {
 public:
  CorpusDifference() { counting_.by = "layer"; }

  void declare(Choices& choices) override {
    counting_.declare_quantity(choices, "gate, share, entropy, max or leaves");
    counting_.declare_words(choices);
    counting_.declare_layers(choices);
    counting_.declare_bootstrap(choices);
    declare_pairing(choices, counting_.statistics);
  }

  void check(const FigureRequest& request) override { counting_.read(request); }

  bool reads(const RecordingHeader& header, const QuantityName& name) const override {
    return name.stack() == header.stack().stack && is_of(counting_.statistics.measures, name);
  }

  analysis::FigureData make(const FigureRequest& request, const FigureInputs& inputs) override {
    check_recordings(request);
    refuse_models(request);
    return corpus_difference(counting_.statistics, inputs.stop, inputs.progress);
  }

 private:
  CountingChoice counting_;
};

}  // namespace

std::span<const FigureKind> corpus_difference_kinds() {
  static const FigureKind kKinds[] = {
      {.name = "corpus-difference",
       .description = "two recordings of the same sentences: second less first by layer, tested (--quantity)",
       .example = "corpus-difference a.rec b.rec --quantity entropy -o corpora.svg",
       .create = [] { return std::unique_ptr<Figure>(std::make_unique<CorpusDifference>()); }}};
  return kKinds;
}

}  // namespace mog::app
