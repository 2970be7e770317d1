// Figures of CSV tables: any columns as lines, and the tables of `mog ablate` and `mog faithfulness`.
#include "app/workflow/figures/plot_job.h"
#include "app/workflow/figures/shared_choices.h"

namespace mog::app {
namespace {

class Plot : public Figure {
 public:
  void declare(Choices& choices) override {
    choices.text("x", plot_.x, "Column of the x axis");
    choices.text(
        "y", plot_.y,
        "Column of the y axis; rows of one line and x are averaged, their band is from the least to the "
        "greatest");
    choices.text("low", plot_.low, "Column of the band's lower end");
    choices.text("high", plot_.high, "Column of its upper end");
    choices.text("lines", plot_.lines, "Column whose texts make a line each");
    choices.texts("where", plot_.where, "COLUMN=TEXT: only such rows; several must all hold");
    choices.text("x-title", plot_.x_title, "In the place of the column's name");
    choices.text("y-title", plot_.y_title, "In the place of the column's name");
    choices.flag("zero", plot_.zero_line, "A line at 0");
  }
  analysis::FigureData make(const FigureRequest& request, const FigureInputs&) override {
    check_recordings(request);
    return plot_files(request.inputs, plot_);
  }

 private:
  PlotOptions plot_;
};

class Effects : public Figure {
 public:
  void declare(Choices& choices) override { choices.text("y", measure_, "The measure of the effect"); }
  analysis::FigureData make(const FigureRequest& request, const FigureInputs&) override {
    check_recordings(request);
    return effects_files(request.inputs, measure_);
  }

 private:
  std::string measure_ = "pooled";
};

class TrajectoryOfRuns : public Figure {
 public:
  void declare(Choices& choices) override {
    choices.text("measure", options_.measure,
                 "What is shown: gate, entropy, token_cosine …; by default the first");
    choices.text("length", options_.length, "A bin of sentence lengths, as the column bin has it: 0-10")
        .usual = options_.length;
    choices.text("part", options_.part, "One part; by default a panel each");
    choices.text("layer", options_.layer, "One layer; by default a line each");
    choices.text("head", options_.head, "One head, of what has them; by default the mean");
    choices.flag("together", options_.together,
                 "Several runs in one panel: dashes are runs, or of one layer colours");
    choices.flag("no-change-points", without_, "Lines without their change points");
  }
  analysis::FigureData make(const FigureRequest& request, const FigureInputs&) override {
    check_recordings(request);
    options_.change_points = !without_;
    return trajectory_files(request.inputs, options_);
  }

 private:
  analysis::TrajectoryOptions options_;
  bool without_ = false;
};

template <bool kCurves>
class Faithfulness : public Figure {
 public:
  void declare(Choices&) override {}
  analysis::FigureData make(const FigureRequest& request, const FigureInputs&) override {
    check_recordings(request);
    return faithfulness_files(request.inputs, kCurves);
  }
};

template <class Kind>
std::unique_ptr<Figure> create() {
  return std::make_unique<Kind>();
}

}  // namespace

std::span<const FigureKind> tables_kinds() {
  using Of = FigureKind::Of;
  static const FigureKind kKinds[] = {
      {.name = "plot",
       .description = "lines from the columns of CSV tables (--x, --y), for example scores by depth",
       .of = Of::tables,
       .example = "plot scores.csv --x layers --y value --lines model --where task=upos -o depth.svg",
       .create = create<Plot>},
      {.name = "faithfulness",
       .description = "agreement and effects of attributions, from a table of mog faithfulness",
       .of = Of::tables,
       .example = "faithfulness faithfulness.csv -o agreement.svg",
       .create = create<Faithfulness<false>>},
      {.name = "faithfulness-curves",
       .description = "effect of erasing and keeping growing fractions, from such a table",
       .of = Of::tables,
       .example = "faithfulness-curves faithfulness.csv -o curves.svg",
       .create = create<Faithfulness<true>>},
      {.name = "trajectory",
       .description = "a quantity over the updates of a training run, layer by layer (mog train --watch)",
       .of = Of::tables,
       .example = "trajectory model.training/trajectory.csv --measure token_cosine -o collapse.svg",
       .create = create<TrajectoryOfRuns>},
      {.name = "effects",
       .description = "effects of cuts, from a table of mog ablate (--y: the measure, by default pooled)",
       .of = Of::tables,
       .example = "effects ablate.csv -o effects.svg",
       .create = create<Effects>},
  };
  return kKinds;
}

}  // namespace mog::app
