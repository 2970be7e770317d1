// Of tables of `mog patch`.
#include "analysis/figure_data/patching_figure.h"
#include "app/workflow/figures/plot_job.h"
#include "app/workflow/figures/shared_choices.h"

namespace mog::app {
namespace {

class Patching : public Figure {
 public:
  void declare(Choices& choices) override {
    choices.text("y", value_, "effect, change, estimate or estimated_effect");
  }
  analysis::FigureData make(const FigureRequest& request, const FigureInputs&) override {
    check_recordings(request);
    return patching_files(request.inputs, value_);
  }

 private:
  std::string value_ = "effect";
};

}  // namespace

std::span<const FigureKind> patching_kinds() {
  static const FigureKind kKinds[] = {
      {.name = "patching",
       .description = "which layers, tokens and heads carry an answer, from a table of mog patch",
       .of = FigureKind::Of::tables,
       .example = "patching patch.csv -o patch.svg",
       .create = [] { return std::unique_ptr<Figure>(std::make_unique<Patching>()); }}};
  return kKinds;
}

}  // namespace mog::app
