#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/context.h"
#include "app/workflow/common/text_format.h"
#include "app/workflow/recordings/validate_job.h"
#include "io/recording/counted.h"

namespace mog::cli {

void add_validate(CLI::App& app, Context& context) {
  const auto paths = std::make_shared<std::vector<std::filesystem::path>>();
  CLI::App* const command = app.add_subcommand(
      "validate", "Read every value of a recording and check everything that can be checked");
  command
      ->add_option("RECORDING", *paths,
                   "A recording's directory, its recording.h5, or one shard; one after another")
      ->required();
  context.add_common_options(*command);
  command->footer(examples({"mog validate corpus.rec", "mog validate corpus.rec --json"}));
  command->callback([&context, paths] {
    context.action = [&context, paths] {
      std::vector<std::string> documents;  // one recording: its document; several: a list of them
      for (const std::filesystem::path& path : *paths) {
        const app::ValidationSummary summary =
            app::validate_recording(path, context.stop(), context.console.callback());
        if (context.json) {
          documents.push_back(app::to_json(summary));
        } else {
          const std::string name =
              summary.name.empty() ? "" : fmt::format(" (\"{}\")", app::printable(summary.name));
          context.print(fmt::format("{}{}: sound, {}; {} {} in {}, {}; {}\n", path.string(), name,
                                    summary.complete ? "complete" : "incomplete (--resume goes on)",
                                    app::grouped(summary.sentences), plural(summary.sentences, "sentence"),
                                    counted(summary.shards, "shard"), app::byte_text(summary.size_bytes),
                                    summary.summed ? "all sums hold" : "without sums"));
          for (const std::string& note : summary.notes) {
            context.print(fmt::format("note: {}\n", note));
          }
        }
      }
      if (documents.size() == 1) {
        context.print(documents.front() + "\n");
      } else if (!documents.empty()) {
        context.print(fmt::format("[{}]\n", fmt::join(documents, ",\n")));
      }
    };
  });
}

}  // namespace mog::cli
