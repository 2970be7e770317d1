#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/choice_options.h"
#include "app/cli/command_neighbours.h"
#include "app/cli/context.h"
#include "app/cli/idle_options.h"
#include "app/workflow/neighbours/neighbours_job.h"
#include "app/workflow/recordings/open_recording.h"
#include "app/workflow/recordings/recorded_text.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

struct Options {
  std::vector<std::filesystem::path> recordings;  // one, or its parts
  app::NeighboursOptions job;
  ChoiceOptions choices;
  bool shares = false;
  std::filesystem::path output = "-";
};

enum class Form { text, json, csv, lines };

Form form_of(const Context& context, const Options& options) {
  const std::string extension = options.output.extension().string();
  if (options.output == "-") {
    return options.shares ? (context.json ? Form::lines : Form::csv)
                          : (context.json ? Form::json : Form::text);
  }
  if (extension == ".csv") {
    return Form::csv;
  }
  if (extension == ".jsonl") {
    return Form::lines;
  }
  if (!options.shares && extension == ".json") {
    return Form::json;
  }
  if (!options.shares && extension == ".txt") {
    return Form::text;
  }
  throw UsageError("neighbours --output " + options.output.string() +
                   (options.shares ? ": the extensions are .csv and .jsonl"
                                   : ": the extensions are .txt, .json, .csv and .jsonl"));
}

void neighbours(Context& context, const CLI::App& command, Options& options) {
  options.choices.take("neighbours");
  const Form form = form_of(context, options);
  const OptionUse uses[] = {
      {"--json", options.output == "-" || form == Form::json, "standard output; a file has its extension"},
      {"--mismatch", !options.job.treebank.empty(), "--treebank"},
      {"--seed", options.job.sample > 0 || options.job.reference > 0, "--sample and --reference"},
  };
  refuse_idle_options(command, "neighbours", uses);
  for (const std::filesystem::path& path : options.recordings) {
    app::refuse_model("neighbours", path,
                      "`mog record --quantity 'encoder.*.output'` records its states of a corpus");
  }
  options.job.seed = static_cast<std::uint64_t>(context.seed);
  options.job.threads = context.threads;
  options.job.stop = context.stop();
  options.job.progress = context.console.callback();
  const std::shared_ptr<const RecordingSource> source = app::open_recording(options.recordings);
  context.console.notes(app::missing_of(app::readers_of(*source)));
  const app::Neighbours found = app::find_neighbours(*source, options.job);
  context.console.end_progress();
  context.console.notes(found.notes);
  std::string text;
  switch (form) {
    case Form::text:
      text = app::print_neighbours(found);
      break;
    case Form::json:
      text = app::to_json(found);
      break;
    case Form::csv:
    case Form::lines:
      const analysis::Table table =
          options.shares ? app::neighbour_shares_table(found) : app::neighbours_table(found);
      text = form == Form::csv ? analysis::to_csv(table) : analysis::to_json_lines(table);
      break;
  }
  context.write(options.output, text);
  if (options.output != "-") {
    context.console.note("wrote " + options.output.string());
  }
}

}  // namespace

void add_neighbours(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(
      "neighbours",
      "Words of a recorded corpus whose states are nearest to that of a word, or that a head reads alike");
  command
      ->add_option("RECORDING", options->recordings,
                   "A recording's directory, its recording.h5, or one shard; parts of one run join")
      ->required();
  command->add_option("--sentence,-n", options->job.sentence, "Its place in the corpus, from 1")->required();
  app::declare_neighbours(options->choices.choices, options->job);
  options->choices.add_to(*command);
  command->get_option("--word")->required();
  command->add_flag(
      "--shares", options->shares,
      "Instead: parts of speech, relations and k-occurrences of the neighbours beside the corpus");
  command
      ->add_option("--output,-o", options->output,
                   ".txt, .json, .csv or .jsonl; - is standard output (a text, with --json one document)")
      ->capture_default_str();
  context.add_common_options(*command);
  constexpr const char* kRecord =
      "mog record -m M -i corpus.txt -o states.rec --capture summary,attention --quantity "
      "'encoder.*.output'";
  command->footer(
      examples({kRecord, "mog neighbours states.rec --sentence 3 --word 2",
                "mog neighbours states.rec -n 3 -w 2 --layer 1 --center",
                "mog neighbours states.rec -n 3 -w 2 --other-words --treebank gold.conllu",
                "mog neighbours states.rec -n 3 -w 2 --head 2.1",
                "mog neighbours states.rec -n 3 -w 2 -k 100 -o near.csv",
                "mog neighbours states.rec -n 3 -w 2 --treebank gold.conllu --shares -o shares.csv",
                "mog neighbours states.rec -n 3 -w 2 --json | jq .neighbours[].word"}));
  command->callback([&context, command, options] {
    context.action = [&context, command, options] { neighbours(context, *command, *options); };
  });
}

}  // namespace mog::cli
