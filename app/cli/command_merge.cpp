#include "app/cli/command_merge.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/workflow/common/text_format.h"
#include "app/workflow/merge/merge_job.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

struct Options {
  std::vector<std::filesystem::path> files;
  std::filesystem::path output = "-";
  bool allow_missing = false;
};

void merge(Context& context, const Options& options) {
  const std::string extension = options.output == "-" ? "" : options.output.extension().string();
  const bool sums = extension == io::kPartialExtension;
  const bool lines = context.json || extension == ".jsonl";
  if (options.output != "-" && !sums && extension != ".csv" && extension != ".jsonl") {
    throw UsageError(fmt::format("--output {}: the extensions are {}, .csv and .jsonl",
                                 options.output.string(), io::kPartialExtension));
  }
  std::vector<std::string> notes;
  const io::PartialStatistics all = app::merge_statistics(options.files, options.allow_missing, notes);
  for (const std::string& note : notes) {
    context.console.note(note);
  }
  if (sums) {
    io::write_partial_statistics(all, options.output);
  } else {
    const analysis::Table table = app::table_of(all, "what was merged");
    context.write(options.output, lines ? analysis::to_json_lines(table) : analysis::to_csv(table));
  }
  if (options.output != "-") {
    context.console.note(fmt::format("wrote {}: {} {} of {} {}", options.output.string(),
                                     app::grouped(all.counted), plural(all.counted, "sentence"),
                                     app::grouped(static_cast<std::int64_t>(options.files.size())),
                                     plural(static_cast<std::int64_t>(options.files.size()), "file")));
  }
}

}  // namespace

void add_merge(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("merge", "Add up what was counted of the parts of a corpus, and print the table");
  command
      ->add_option("FILES", options->files,
                   "What mog stats --model, ablate, faithfulness or syntax wrote of each part (.sums)")
      ->required();
  command
      ->add_option(
          "--output,-o", options->output,
          ".csv or .jsonl: the table; .sums: the sums, to be merged again; - is standard output (CSV, "
          "with --json lines)")
      ->capture_default_str();
  command->add_flag("--allow-missing", options->allow_missing,
                    "Parts that are missing or not complete are noted, not an error");
  context.add_common_options(*command);
  command->footer(examples({"mog merge part*.sums -o weights.csv", "mog merge part*.sums -o all.sums",
                            "mog merge part*.sums --allow-missing"}));
  command->callback(
      [&context, options] { context.action = [&context, options] { merge(context, *options); }; });
}

}  // namespace mog::cli
