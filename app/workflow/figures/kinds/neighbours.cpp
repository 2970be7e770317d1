// Words whose states are nearest to that of a word, in their contexts.
#include "app/workflow/neighbours/neighbours_job.h"

#include <memory>

#include "app/workflow/figures/shared_choices.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

class NeighboursFigure : public SentenceFigure {
 public:
  void declare(Choices& choices) override {
    SentenceFigure::declare(choices);
    declare_neighbours(choices, options_);
    choices.flag("list-only", list_only_, "Without the shares");
    choices.number("context", context_, "Words shown at each side", 0, 20).usual = "4";
  }
  void check(const FigureRequest& request) override {
    if (request.text) {
      throw UsageError(
          "figure neighbours: they are of a recorded corpus; record one with --quantity "
          "'encoder.*.output'");
    }
    if (options_.word == 0) {
      throw UsageError("figure neighbours: which word? Give --word N");
    }
  }
  bool reads(const RecordingHeader&, const QuantityName& name) const override {
    return options_.quantity.empty() && options_.head.empty() && name.quantity() == Quantity::output &&
           name.part() == Part::none && name.reduction() == Reduction::full && name.layer() > 0;
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index,
                                   const FigureRequest& request, const FigureInputs& inputs) override {
    options_.sentence = source.number(index);
    options_.seed = request.seed;
    options_.stop = inputs.stop;
    options_.progress = inputs.progress;
    return neighbours_figure(find_neighbours(source, options_), context_,
                             list_only_ ? NeighboursShown::list : NeighboursShown::all);
  }

 private:
  NeighboursOptions options_;
  std::int64_t context_ = 4;
  bool list_only_ = false;
};

}  // namespace

std::span<const FigureKind> neighbours_kinds() {
  static const FigureKind kKinds[] = {
      {.name = "neighbours",
       .description =
           "the words of a recorded corpus whose states are nearest to that of a word, in their contexts",
       .of = FigureKind::Of::sentence,
       .example = "neighbours states.rec -n 3 -w 2 -o neighbours.svg",
       .create = []() -> std::unique_ptr<Figure> { return std::make_unique<NeighboursFigure>(); }}};
  return kKinds;
}

}  // namespace mog::app
