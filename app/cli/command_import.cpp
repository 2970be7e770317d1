#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/command_import.h"
#include "app/workflow/import/import_job.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::cli {
namespace {

struct Options {
  app::ImportOptions job;
  std::string store = "float16";
  std::string pieces = "none";
};

void import_file(Context& context, Options& options) {
  app::ImportOptions& job = options.job;
  if (options.store != "float16" && options.store != "float32") {
    throw unknown_choice("--store", options.store, {"float16", "float32"});
  }
  job.store = parse_dtype(options.store);
  job.pieces = app::parse_pieces(options.pieces);
  job.command_line = context.command_line;
  job.on_detail = [&context](const std::string& text) { context.console.detail(text); };
  job.on_note = [&context](const std::string& text) { context.console.note(text); };
  const std::stop_token stop = context.stop();
  const app::ImportSummary summary = app::import_recording(job, stop, context.console.callback());
  context.console.end_progress();
  if (context.json || !context.quiet) {
    context.print((context.json ? app::to_json(summary) : app::summary_line(summary)) + "\n");
  }
}

}  // namespace

void add_import(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(
      "import",
      "Make a recording of attention (and gates) that another program wrote (docs/import-format.md)");
  command->add_option("FILE", options->job.input, "HDF5 file, for example of a Python program with h5py")
      ->required();
  command->add_option("--output,-o", options->job.output, "Directory of the recording")->required();
  command->add_option("--name", options->job.name,
                      "What tables, figures and lists call the recording; by default its model, and where "
                      "models repeat its folder");
  command->add_option("--model-name", options->job.model_name,
                      "Name of the model; by default the file's attribute `model`");
  command
      ->add_option(
          "--pieces", options->pieces,
          "How tokens show that they are pieces of words, where the file has no word_of_token: none, "
          "wordpiece (##ing), bpe (over@@), byte-bpe (\u0120the), sentencepiece (\u2581the)")
      ->capture_default_str();
  command->add_option("--store", options->store, "Type of maps, gates and vectors: float16 or float32")
      ->capture_default_str();
  command->add_flag("--orders", options->job.orders,
                    "Also expected leaves and their masses, as mog record --capture orders");
  command->add_flag("--resume", options->job.resume, "Go on with an interrupted import of the same file");
  command
      ->add_option("--commit-every", options->job.commit_every,
                   "Sentences of one shard: a killed run loses no more than two of them")
      ->capture_default_str();
  context.add_common_options(*command);
  command->footer(examples({"mog import maps.h5 --output bert.rec",
                            "mog import maps.h5 -o bert.rec --pieces wordpiece --model-name bert-base",
                            "mog import maps.h5 -o bert.rec --store float32 --orders",
                            "mog trees bert.rec --sentence 1"}));
  command->callback(
      [&context, options] { context.action = [&context, options] { import_file(context, *options); }; });
}

}  // namespace mog::cli
