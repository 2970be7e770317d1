// The whole path on the bundled model and corpus.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/cli/context.h"
#include "app/cli/draw.h"
#include "app/workflow/common/text_format.h"
#include "app/workflow/figures/demo_job.h"
#include "app/workflow/figures/figure.h"

namespace mog::cli {
namespace {

void draw_all(Context& context, const std::vector<app::DemoFigure>& figures, app::DemoResult& result) {
  const Drawer drawer;
  for (const app::DemoFigure& figure : figures) {
    const analysis::FigureData data = app::make_figure(figure.request, context.stop());
    for (const std::filesystem::path& file : figure.files) {
      context.console.progress({static_cast<std::int64_t>(result.files.size()), 0, "files", "drawing"});
      DrawOptions draw;
      draw.output = file;
      draw.preset = figure.preset;
      drawer.draw(data, draw);
      result.files.push_back({file, figure.words});
    }
  }
}

std::string closing_text(const app::DemoResult& result) {
  std::size_t width = 0;
  for (const app::DemoFile& file : result.files) {
    width = std::max(width, file.path.string().size());
  }
  std::string text = "written:\n";
  for (const app::DemoFile& file : result.files) {
    text += fmt::format("  {:<{}}  {}\n", file.path.string(), width, file.words);
  }
  const std::string recording = result.recording.string();
  text += fmt::format(
      "\nopen the figures with any viewer, for example: xdg-open {}\n"
      "the recording: mog describe {}\n"
      "               mog-workbench {}\n"
      "               python3 -c \"import h5py; print(list(h5py.File('{}/recording.h5')['quantities']))\"\n"
      "more trees:    mog trees {} --sentence 7 --top 10\n",
      result.first_figure.string(), recording, recording, recording, recording);
  return text;
}

void demo(Context& context, app::DemoOptions& options) {
  options.device = context.device_options();
  options.streams = context.threads;
  options.command_line = context.command_line;
  const std::stop_token stop = context.stop();
  app::DemoResult result = app::run_demo(options, stop, context.console.callback(),
                                         [&](const std::string& message) { context.console.note(message); });
  const bool says =
      !context.json && !context.quiet;  // the files are the result; what is printed tells of them
  if (says) {
    context.print(result.trees_text + "\n");
  }
  draw_all(context, result.figures, result);
  context.console.end_progress();
  if (says) {
    context.print(app::terminal_text(closing_text(result)));
  }
  if (!context.json) {
    return;
  }
  nlohmann::ordered_json json = {{"path", result.recording.string()}, {"files", nlohmann::json::array()}};
  for (const app::DemoFile& file : result.files) {
    json["files"].push_back({{"path", file.path.string()}, {"description", file.words}});
  }
  context.print(json.dump(2) + "\n");
}

}  // namespace

void add_demo(CLI::App& app, Context& context) {
  const auto options = std::make_shared<app::DemoOptions>();
  CLI::App* const command = app.add_subcommand(
      "demo", "The whole path on the bundled model and corpus: record, trees, statistics, figures");
  command->add_option("--output,-o", options->output, "Folder of what is written")->capture_default_str();
  context.add_common_options(*command);
  command->footer(examples({"mog demo", "mog demo --output my-demo"}));
  command->callback(
      [&context, options] { context.action = [&context, options] { demo(context, *options); }; });
}

}  // namespace mog::cli
