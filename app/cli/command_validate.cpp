#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "app/cli/context.h"
#include "app/workflow/text_format.h"
#include "app/workflow/validate_job.h"
#include "io/recording/counted.h"

namespace mog::cli {

void add_validate(CLI::App& app, Context& context) {
  const auto path = std::make_shared<std::filesystem::path>();
  CLI::App* const command = app.add_subcommand(
      "validate", "Read every value of a recording and check everything that can be checked");
  command->add_option("RECORDING", *path, "A recording's directory, its recording.h5, or one shard")
      ->required();
  context.add_common_options(*command);
  command->footer(examples({"mog validate corpus.rec", "mog validate corpus.rec --json"}));
  command->callback([&context, path] {
    context.action = [&context, path] {
      const app::ValidationSummary summary =
          app::validate_recording(*path, context.stop(), context.console.callback());
      if (context.json) {
        context.print(app::to_json(summary) + "\n");
      } else {
        const std::string name =
            summary.name.empty() ? "" : fmt::format(" (\"{}\")", app::printable(summary.name));
        context.print(fmt::format("{}{}: sound, {}; {} {} in {}, {}; {}\n", path->string(), name,
                                  summary.complete ? "complete" : "incomplete (--resume goes on)",
                                  app::grouped(summary.sentences), plural(summary.sentences, "sentence"),
                                  counted(summary.shards, "shard"), app::byte_text(summary.size_bytes),
                                  summary.summed ? "all sums hold" : "without sums"));
        for (const std::string& note : summary.notes) {
          context.print(fmt::format("note: {}\n", note));
        }
      }
    };
  });
}

}  // namespace mog::cli
