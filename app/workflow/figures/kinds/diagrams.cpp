// The paper's diagrams, of expressions that the user gives or of the paper's own.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/figure_data/mog_diagrams.h"
#include "app/workflow/figures/shared_choices.h"
#include "app/workflow/trees/expression_job.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

std::vector<std::string> words_of(const std::string& sentence) {
  std::istringstream in(sentence);
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

class Diagram : public Figure {
 public:
  // What is drawn when nothing is given, and its words.
  Diagram(std::vector<std::string> examples, std::string words)
      : examples_(std::move(examples)), words_(std::move(words)) {}

  void declare(Choices& choices) override {
    choices.texts("expression", expressions_,
                  "As `mog expr` takes it; several may be given; by default the paper's");
    choices.text("sentence-text", sentence_,
                 "The words of the sentence, with spaces between; names must be words of it");
  }

  void check(const FigureRequest& request) override {
    if (expressions_.empty() && request.inputs.empty()) {
      if (!sentence_.empty()) {
        throw UsageError("--sentence-text: it goes with --expression");
      }
      expressions_ = examples_;
      sentence_ = words_;
    }
  }

  analysis::FigureData make(const FigureRequest& request, const FigureInputs&) override {
    ExpressionOptions read;
    read.texts = expressions_;
    if (!sentence_.empty()) {
      read.sentence = words_of(sentence_);
    }
    std::vector<analysis::ParsedExpression> expressions;
    const auto add = [&](std::vector<ExpressionSet> sets) {
      for (ExpressionSet& set : sets) {
        std::move(set.expressions.begin(), set.expressions.end(), std::back_inserter(expressions));
      }
    };
    if (!read.texts.empty()) {
      add(read_expressions(read));
    }
    read.texts.clear();
    for (const std::filesystem::path& file : request.inputs) {
      read.input = file;
      add(read_expressions(read));
    }
    return draw(expressions);
  }

 protected:
  virtual analysis::FigureData draw(const std::vector<analysis::ParsedExpression>& expressions) const = 0;

 private:
  std::vector<std::string> examples_;
  std::string words_;
  std::vector<std::string> expressions_;
  std::string sentence_;
};

// (a) of the paper's figure; the other panels are the smallest expressions of their kind over the same words.
class Kinds : public Diagram {
 public:
  Kinds()
      : Diagram({"(((a)->a U (b)->b)->b U (c)->c)->a U ((d)->d U (e)->e)->d",
                 "((a)->a U (b)->b)->a U ((b)->b U (c)->c)->c", "(((a)->a U (b)->b)->b U (c)->c)->c U (a)->a",
                 "((((a)->a U (b)->b)->b U (c)->c)->c U (a)->a)->c U (d)->d"},
                "a b c d e") {}

 protected:
  analysis::FigureData draw(const std::vector<analysis::ParsedExpression>& expressions) const override {
    return analysis::kinds_diagram(expressions);
  }
};

class Iterations : public Diagram {
 public:
  Iterations()
      : Diagram(
            {"((a)->a U (b)->b)->a U ((c)->c U (d)->d)->c", "(d)->d U ((c)->c U ((b)->b U (a)->a)->b)->c"},
            "a b c d") {}

 protected:
  analysis::FigureData draw(const std::vector<analysis::ParsedExpression>& expressions) const override {
    return analysis::iterations_diagram(expressions);
  }
};

class LayerStep : public Diagram {
 public:
  LayerStep()
      : Diagram({"((a)->a U (b)->b)->a U ((c)->c U (d)->d)->c", "((a)->a U (b)->b)->a U ((b)->b U (c)->c)->b",
                 "(d)->d U ((b)->b U (c)->c)->b"},
                "a b c d") {}
  void declare(Choices& choices) override {
    Diagram::declare(choices);
    choices.number("layer", layer_, "From 1; by default the last");
  }

 protected:
  analysis::FigureData draw(const std::vector<analysis::ParsedExpression>& expressions) const override {
    return analysis::layer_step_diagram(expressions, layer_);
  }

 private:
  std::int64_t layer_ = 0;
};

class SentenceMog : public Diagram {
 public:
  SentenceMog()
      : Diagram({"(((Do)->Do U (do)->do)->do U ((Romans)->Romans U (the)->the)->Romans)->do U (as)->as"},
                "Do as the Romans do") {}

 protected:
  analysis::FigureData draw(const std::vector<analysis::ParsedExpression>& expressions) const override {
    return analysis::sentence_diagram(expressions);
  }
};

template <class Kind>
std::unique_ptr<Figure> create() {
  return std::make_unique<Kind>();
}

}  // namespace

std::span<const FigureKind> diagrams_kinds() {
  using Of = FigureKind::Of;
  static const FigureKind kKinds[] = {
      {.name = "kinds",
       .description = "how subgraphs are generated, one panel an expression (MoG paper, Figure 1)",
       .of = Of::expressions,
       .example = "kinds -o kinds.svg",
       .create = create<Kinds>},
      {.name = "iterations",
       .description = "layer by layer and word by word (MoG paper, Figure 2)",
       .of = Of::expressions,
       .example = "iterations -o iterations.svg",
       .create = create<Iterations>},
      {.name = "layer-step",
       .description = "what one layer adds to the graph (--layer; MoG paper, Figure 6)",
       .of = Of::expressions,
       .example = "layer-step --layer 2 -o step.svg",
       .create = create<LayerStep>},
      {.name = "sentence-mog",
       .description = "a sentence as a multi-order graph: arcs and tree (MoG paper, Figure 7)",
       .of = Of::expressions,
       .example = "sentence-mog --expression '((saw)->saw U (dog)->dog)->saw U (cat)->cat' --sentence-text "
                  "'dog saw cat' -o saw.svg",
       .create = create<SentenceMog>},
  };
  return kKinds;
}

}  // namespace mog::app
