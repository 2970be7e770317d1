// Formats, what is read, and the figures; reading documents is expression_read.cpp's, printing
// expression_print.cpp's.
#include "app/workflow/trees/expression_job.h"

#include <fmt/format.h>

#include "analysis/figure_data/expression_figures.h"
#include "app/workflow/trees/expression_read.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {

using analysis::ParsedExpression;

std::string_view name(ExpressionFormat format) noexcept {
  static constexpr std::string_view kNames[] = {"report", "text", "json", "graphml", "dot", "conllu"};
  return kNames[static_cast<std::size_t>(format)];
}

ExpressionFormat parse_expression_format(std::string_view text) {
  for (const ExpressionFormat format :
       {ExpressionFormat::report, ExpressionFormat::text, ExpressionFormat::json, ExpressionFormat::graphml,
        ExpressionFormat::dot, ExpressionFormat::conllu}) {
    if (name(format) == text) {
      return format;
    }
  }
  throw unknown_choice("format", text, {"report", "text", "json", "graphml", "dot", "conllu"});
}

ExpressionFormat expression_format_of(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".json" || ending == ".jsonl") {
    return ExpressionFormat::json;
  }
  if (ending == ".graphml" || ending == ".xml") {
    return ExpressionFormat::graphml;
  }
  if (ending == ".dot" || ending == ".gv") {
    return ExpressionFormat::dot;
  }
  return ending == ".conllu" ? ExpressionFormat::conllu : ExpressionFormat::text;
}

std::vector<ExpressionSet> read_expressions(const ExpressionOptions& options) {
  if (options.texts.empty() == options.input.empty()) {
    throw UsageError("expressions: give either expressions or --input FILE");
  }
  std::vector<ExpressionSet> sets;
  const ExpressionFormat from = options.from.value_or(ExpressionFormat::text);
  if (!options.input.empty()) {
    const std::string name = options.input == "-" ? "standard input" : options.input.string();
    read_document({.path = options.input, .name = name},
                  options.from.value_or(expression_format_of(options.input)), options, sets);
  } else if (from != ExpressionFormat::text && from != ExpressionFormat::report) {
    // Each is a document of that format.
    for (std::size_t i = 0; i < options.texts.size(); ++i) {
      read_document({.path = {}, .text = options.texts[i], .name = fmt::format("expression {}", i + 1)}, from,
                    options, sets);
    }
  } else if (options.sentence) {
    // All of them are over one sentence.
    ExpressionSet& set = sets.emplace_back();
    set.sentence = options.sentence;
    set.place = "the expressions given";
    for (const std::string& text : options.texts) {
      set.expressions.push_back(parse(text, options.sentence));
    }
  } else {
    for (std::size_t i = 0; i < options.texts.size(); ++i) {
      ExpressionSet& set = sets.emplace_back();
      set.place = fmt::format("expression {}", i + 1);
      set.expressions.push_back(parse(options.texts[i], options.sentence));
    }
  }
  if (options.number != 0) {
    if (options.number < 1 || options.number > static_cast<std::int64_t>(sets.size())) {
      throw UsageError(fmt::format("--number {}: there are {} to choose from", options.number, sets.size()));
    }
    ExpressionSet chosen = std::move(sets[static_cast<std::size_t>(options.number - 1)]);
    sets.clear();
    sets.push_back(std::move(chosen));
  }
  return sets;
}

analysis::FigureData expression_figure(std::span<const ExpressionSet> sets, std::string_view kind) {
  if (kind != "tree" && kind != "arcs") {
    throw unknown_choice("--figure", kind, {"tree", "arcs"});
  }
  constexpr std::size_t kMostPanels = 24;
  analysis::PanelFigure panels;
  for (const ExpressionSet& set : sets) {
    for (const ParsedExpression& parsed : set.expressions) {
      if (panels.panels.size() == kMostPanels) {
        throw UsageError(fmt::format("drawing: a figure takes at most {} expressions; choose with --number N",
                                     kMostPanels));
      }
      panels.panels.push_back(kind == "tree" ? analysis::expression_tree_figure(parsed)
                                             : analysis::expression_arcs_figure(parsed));
    }
  }
  if (panels.panels.size() == 1) {
    return std::move(panels.panels.front());
  }
  analysis::FigureData figure;
  figure.title = fmt::format("{} expressions", panels.panels.size());
  figure.body = std::move(panels);
  return figure;
}

}  // namespace mog::app
