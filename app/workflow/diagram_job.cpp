#include "app/workflow/diagram_job.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

#include "analysis/figure_data/mog_diagrams.h"
#include "app/workflow/expression_job.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr std::array<FigureKind, 4> kDiagrams = {{
    {"kinds", "how subgraphs are generated, one panel an expression (MoG paper, Figure 1)", false},
    {"iterations", "layer by layer and word by word (MoG paper, Figure 2)", false},
    {"layer-step", "what one layer adds to the graph (--layer; MoG paper, Figure 6)", false},
    {"sentence-mog", "a sentence as a multi-order graph: arcs and tree (MoG paper, Figure 7)", false},
}};

// What is drawn when nothing is given. (a) of `kinds` and the sentence are the paper's; the other panels of
// `kinds` are the smallest expressions of their kind over the same words.
std::vector<std::string> examples_of(std::string_view kind) {
  if (kind == "kinds") {
    return {"(((a)->a U (b)->b)->b U (c)->c)->a U ((d)->d U (e)->e)->d",
            "((a)->a U (b)->b)->a U ((b)->b U (c)->c)->c", "(((a)->a U (b)->b)->b U (c)->c)->c U (a)->a",
            "((((a)->a U (b)->b)->b U (c)->c)->c U (a)->a)->c U (d)->d"};
  }
  if (kind == "iterations") {
    return {"((a)->a U (b)->b)->a U ((c)->c U (d)->d)->c", "(d)->d U ((c)->c U ((b)->b U (a)->a)->b)->c"};
  }
  if (kind == "layer-step") {
    return {"((a)->a U (b)->b)->a U ((c)->c U (d)->d)->c", "((a)->a U (b)->b)->a U ((b)->b U (c)->c)->b",
            "(d)->d U ((b)->b U (c)->c)->b"};
  }
  return {"(((Do)->Do U (do)->do)->do U ((Romans)->Romans U (the)->the)->Romans)->do U (as)->as"};
}

std::vector<std::string> words_of(const std::string& sentence) {
  std::istringstream in(sentence);
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

}  // namespace

std::span<const FigureKind> diagram_kinds() {
  return kDiagrams;
}

bool is_diagram(std::string_view kind) noexcept {
  return std::any_of(kDiagrams.begin(), kDiagrams.end(), [&](const FigureKind& k) { return k.name == kind; });
}

analysis::FigureData make_diagram(const DiagramOptions& options) {
  ExpressionOptions read;
  read.texts = options.expressions;
  std::string sentence = options.sentence;
  if (read.texts.empty() && options.files.empty()) {
    read.texts = examples_of(options.kind);
    if (!sentence.empty()) {
      throw UsageError("--sentence-text: it goes with --expression");
    }
    sentence = options.kind == "sentence-mog" ? "Do as the Romans do"
               : options.kind == "kinds"      ? "a b c d e"
                                              : "a b c d";
  }
  if (!sentence.empty()) {
    read.sentence = words_of(sentence);
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
  for (const std::filesystem::path& file : options.files) {
    read.input = file;
    add(read_expressions(read));
  }
  if (options.kind == "kinds") {
    return analysis::kinds_diagram(expressions);
  }
  if (options.kind == "iterations") {
    return analysis::iterations_diagram(expressions);
  }
  if (options.kind == "layer-step") {
    return analysis::layer_step_diagram(expressions, options.layer);
  }
  return analysis::sentence_diagram(expressions);
}

}  // namespace mog::app
