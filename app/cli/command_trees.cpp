#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/context.h"
#include "app/cli/draw.h"
#include "app/workflow/figure_job.h"
#include "app/workflow/trees_job.h"
#include "io/hdf5/recording_reader.h"

namespace mog::cli {
namespace {

struct Options {
  std::filesystem::path recording;
  std::int64_t sentence = 0;
  app::TreesOptions trees;
  std::string mode = "free";
  std::string format = "text";
  std::filesystem::path output = "-";
  std::filesystem::path svg;
};

void trees(Context& context, Options& options) {
  const analysis::GraphFormat format = analysis::parse_graph_format(context.json ? "json" : options.format);
  options.trees.mode = app::parse_trees_mode(options.mode);
  const io::RecordingReader reader(options.recording);
  const std::int64_t index = app::sentence_index(reader, options.sentence);
  const app::SentenceTrees found = app::find_trees(reader, index, options.trees);
  context.write(options.output, found.print(format));
  if (!options.svg.empty()) {
    app::FigureOptions figure;
    figure.kind = "tree";
    figure.statistics.recordings = {options.recording};
    figure.sentence = options.sentence;
    figure.owner = options.trees.owner;
    figure.layer = options.trees.layer;
    figure.keep_pieces = options.trees.keep_pieces;
    figure.projective = options.trees.mode == app::TreesMode::projective;
    Drawer().draw(app::make_figure(figure), {.output = options.svg});
    context.console.note("wrote " + options.svg.string());
  }
}

}  // namespace

void add_trees(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(
      "trees", "The best multi-order graphs of a recorded sentence, with weights and orders");
  command->add_option("RECORDING", options->recording, "A recording with attention maps and gates")
      ->required();
  command->add_option("--sentence,-n", options->sentence, "Place of the sentence in its corpus, from 1")
      ->required();
  command->add_option("--owner", options->trees.owner,
                      "Graphs of one word, WORD@POSITION (from 1), instead of the whole sentence");
  command
      ->add_option("--mode", options->mode,
                   "free: the best of all; by-order: the best for each number of leaves up to --top; "
                   "projective: the best over all words whose steps join neighbours")
      ->capture_default_str();
  command->add_option("--top,-k", options->trees.top, "How many different graphs")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}));
  command->add_option("--layer", options->trees.layer,
                      "With --owner: graphs made up to this layer; the last by default");
  command->add_flag("--keep-pieces", options->trees.keep_pieces, "Pieces of words stay apart");
  command->add_option("--format", options->format, "text, json, dot or graphml")->capture_default_str();
  command->add_option("--output,-o", options->output, "File; - is standard output")->capture_default_str();
  command->add_option("--svg", options->svg,
                      "Draw the best one with up to 6 leaves too (.svg, .pdf or .png)");
  context.add_common_options(*command);
  command->footer(
      examples({"mog trees corpus.rec --sentence 3", "mog trees corpus.rec -n 3 --owner dog@4 --top 10",
                "mog trees corpus.rec -n 3 --mode by-order --top 8",
                "mog trees corpus.rec -n 3 --format graphml --output tree.graphml",
                "mog trees corpus.rec -n 3 --svg tree.svg"}));
  command->callback(
      [&context, options] { context.action = [&context, options] { trees(context, *options); }; });
}

}  // namespace mog::cli
