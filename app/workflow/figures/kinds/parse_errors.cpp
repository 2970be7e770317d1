// Errors of parsers by groups of words, from tables of `mog evaluate --by`.
#include "app/workflow/figures/plot_job.h"
#include "app/workflow/figures/shared_choices.h"

namespace mog::app {
namespace {

class ParseErrors : public Figure {
 public:
  void declare(Choices& choices) override {
    choices.text("measure", options_.measure, "Which score of the table: LAS, UAS, CLAS …").usual =
        options_.measure;
    choices.number("relations", options_.relations, "So many of the most frequent relations", 1, 100);
  }
  analysis::FigureData make(const FigureRequest& request, const FigureInputs&) override {
    check_recordings(request);
    return parse_errors_files(request.inputs, options_);
  }

 private:
  analysis::ParseErrorOptions options_;
};

}  // namespace

std::span<const FigureKind> parse_errors_kinds() {
  static const FigureKind kKinds[] = {
      {.name = "parse-errors",
       .description = "scores of parsers by dependency length, distance to the root, sentence length and "
                      "relation (mog evaluate --by)",
       .of = FigureKind::Of::tables,
       .example = "parse-errors errors.csv -o errors.svg",
       .create = []() -> std::unique_ptr<Figure> { return std::make_unique<ParseErrors>(); }},
  };
  return kKinds;
}

}  // namespace mog::app
