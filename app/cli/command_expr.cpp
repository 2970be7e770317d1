#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/context.h"
#include "app/cli/draw.h"
#include "app/cli/graphs_apart.h"
#include "app/cli/idle_options.h"
#include "app/workflow/trees/expression_job.h"
#include "io/recording/errors.h"
#include "io/text/utf8.h"

namespace mog::cli {
namespace {

struct Options {
  app::ExpressionOptions job;
  std::string sentence;
  std::string from;
  std::string format;
  std::string dependents = "nearest-first";
  std::filesystem::path output = "-";
  std::filesystem::path output_dir;
  std::filesystem::path svg;
  std::string figure = "tree";
};

std::vector<std::string> words_of(const std::string& sentence) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while ((begin = sentence.find_first_not_of(" \t", begin)) != std::string::npos) {
    const std::size_t end = std::min(sentence.find_first_of(" \t", begin), sentence.size());
    words.push_back(sentence.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

app::ExpressionFormat output_format(const Context& context, const Options& options) {
  if (!options.format.empty()) {
    return app::parse_expression_format(options.format);
  }
  if (context.json) {
    return app::ExpressionFormat::json;
  }
  return options.output == "-" ? app::ExpressionFormat::report : app::expression_format_of(options.output);
}

void check_utf8(const std::string& text, const char* what) {
  if (const std::size_t at = io::first_invalid_utf8(text); at < text.size()) {
    throw UsageError(std::string(what) + ": byte " + std::to_string(at + 1) +
                     " is not UTF-8; expressions and words are UTF-8 text");
  }
}

void check_effects(const CLI::App& command, const Context& context, const Options& options) {
  const bool treebank = options.job.from == app::ExpressionFormat::conllu ||
                        (!options.job.from && !options.job.input.empty() &&
                         app::expression_format_of(options.job.input) == app::ExpressionFormat::conllu);
  const OptionUse uses[] = {
      {"--dependents", treebank, "treebanks (CoNLL-U)"},
      {"--sentence", !treebank, "expressions and graphs; a treebank has its words"},
      {"--figure", !options.svg.empty(), "--svg"},
      {"--format", !(context.json && options.format != "json"), "output without --json"},
  };
  refuse_idle_options(command, "expr", uses);
}

void expr(Context& context, const CLI::App& command, Options& options) {
  check_utf8(options.sentence, "--sentence");
  for (const std::string& text : options.job.texts) {
    check_utf8(text, "EXPRESSION");
  }
  const app::ExpressionFormat format = output_format(context, options);
  if (!options.from.empty()) {
    options.job.from = app::parse_expression_format(options.from);
  }
  options.job.dependents = analysis::parse_dependent_order(options.dependents);
  if (!options.sentence.empty()) {
    options.job.sentence = words_of(options.sentence);
  }
  if (!options.svg.empty()) {
    check_draw_options({.output = options.svg});
  }
  check_effects(command, context, options);
  check_output_dir(options.output_dir, command, app::name(format));
  const std::vector<app::ExpressionSet> sets = app::read_expressions(options.job);
  const std::string name(app::name(format));
  std::vector<std::string> apart;
  std::string text;
  if (options.output_dir.empty()) {
    text = app::print_expressions(sets, format);
  } else {
    apart = app::print_apart(sets, format);
  }
  if (!options.svg.empty()) {
    context.console.notes(
        Drawer().draw(app::expression_figure(sets, options.figure), {.output = options.svg}));
    context.console.note("wrote " + options.svg.string());
  }
  if (!options.output_dir.empty()) {
    write_apart(context, options.output_dir, name, apart);
    return;
  }
  note_joint_graphs(context, name, text);
  context.write(options.output, text);
}

}  // namespace

void add_expr(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(
      "expr", "Check, print, convert and draw expressions of multi-order graphs (docs/expressions.md)");
  command->add_option("EXPRESSION", options->job.texts, "Expressions, such as '(saw)->saw U (dog)->dog'");
  command->add_option(
      "--input,-i", options->job.input,
      "A file of them instead: text (one a line), JSON, GraphML, DOT or CoNLL-U; - is standard "
      "input");
  command->add_option("--from", options->from,
                      "Format of the input: text, json, graphml, dot or conllu; by default by its name");
  command->add_option("--sentence,-s", options->sentence,
                      "The words of the sentence, with spaces between; names must be words of it");
  command->add_option("--number,-n", options->job.number, "Only this one of the input, from 1")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40U));
  command
      ->add_option("--dependents", options->dependents,
                   "From a treebank, the order in which a head takes its dependents: nearest-first, "
                   "left-to-right or balanced")
      ->capture_default_str();
  command->add_option(
      "--format", options->format,
      "report (canonical text and the edges as 6-tuples), text, json, graphml, dot or conllu; by "
      "default by the name of the output");
  command->add_option("--output,-o", options->output, "File; - is standard output")->capture_default_str();
  add_output_dir(*command, options->output_dir);
  command->add_option("--svg", options->svg, "Draw it too (.svg, .pdf or .png)");
  command->add_option("--figure", options->figure, "With --svg: tree or arcs")->capture_default_str();
  context.add_common_options(*command);
  command->footer(
      examples({"mog expr '((saw)->saw U (dog)->dog)->saw U (cat)->cat'",
                "mog expr '(the@1)->the@1 U (the@4)->the@4' --sentence 'the dog saw the cat'",
                "mog expr -i gold.conllu -n 3 --dependents balanced --svg tree.svg",
                "mog expr -i gold.conllu -o gold.graphml", "mog expr -i graphs.json --format conllu"}));
  command->callback([&context, command, options] {
    context.action = [&context, command, options] { expr(context, *command, *options); };
  });
}

}  // namespace mog::cli
