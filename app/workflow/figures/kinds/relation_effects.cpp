// What the relations of a graph do to attention, from tables of `mog stats --quantity relations`.
#include "app/workflow/figures/plot_job.h"
#include "app/workflow/figures/shared_choices.h"

namespace mog::app {
namespace {

class RelationEffects : public Figure {
 public:
  void declare(Choices& choices) override {
    choices.number("relations", options_.relations, "So many relations, those of most pairs", 1, 100);
    choices.number("layer", options_.layer, "Of the panels by relation and length; 0: all layers", 0);
  }
  analysis::FigureData make(const FigureRequest& request, const FigureInputs&) override {
    check_recordings(request);
    return relation_effects_files(request.inputs, options_);
  }

 private:
  analysis::RelationFigureOptions options_;
};

}  // namespace

std::span<const FigureKind> relation_effects_kinds() {
  static const FigureKind kKinds[] = {
      {.name = "relation-effects",
       .description = "relations of a graph in the attention that reads it, by relation, layer and length "
                      "(mog stats --quantity relations)",
       .of = FigureKind::Of::tables,
       .example = "relation-effects relations.csv -o relations.svg",
       .create = []() -> std::unique_ptr<Figure> { return std::make_unique<RelationEffects>(); }},
  };
  return kKinds;
}

}  // namespace mog::app
