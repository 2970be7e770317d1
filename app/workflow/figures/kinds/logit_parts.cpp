// Of tables of `mog attribute`.
#include "analysis/figure_data/logit_parts_figure.h"

#include "app/workflow/figures/plot_job.h"
#include "app/workflow/figures/shared_choices.h"

namespace mog::app {
namespace {

class LogitParts : public Figure {
 public:
  void declare(Choices& /*choices*/) override {}
  analysis::FigureData make(const FigureRequest& request, const FigureInputs&) override {
    check_recordings(request);
    return logit_parts_files(request.inputs);
  }
};

}  // namespace

std::span<const FigureKind> logit_parts_kinds() {
  static const FigureKind kKinds[] = {
      {.name = "logit-parts",
       .description = "what heads, blocks and biases add to a logit, from a table of mog attribute",
       .of = FigureKind::Of::tables,
       .example = "logit-parts parts.csv -o parts.svg",
       .create = [] { return std::unique_ptr<Figure>(std::make_unique<LogitParts>()); }}};
  return kKinds;
}

}  // namespace mog::app
