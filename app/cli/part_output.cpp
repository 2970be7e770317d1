#include "app/cli/part_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/workflow/common/text_format.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/text/output_file.h"

namespace mog::cli {

bool keeps_part(const std::filesystem::path& output, const app::Shard& shard) {
  const bool keeps = output.extension() == io::kPartialExtension;
  if (!keeps && !shard.whole()) {
    throw UsageError(
        fmt::format("--output {}: a part is kept for mog merge; name a file that ends in {}, with {{part}} "
                    "for its number",
                    output.string(), io::kPartialExtension));
  }
  return keeps;
}

std::string call_of(const CLI::App& command) {
  constexpr std::string_view kOwn[] = {
      "model",  "input",     "target", "output", "sentence-values", "shard",    "index", "threads",
      "device", "precision", "quiet",  "json",   "verbose",         "treebank", "help",  "layers-in-memory"};
  std::string call;
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_lnames().empty() || option->count() == 0) {
      continue;  // a file
    }
    const std::string& name = option->get_lnames().front();
    if (std::ranges::find(kOwn, name) == std::end(kOwn)) {
      call += fmt::format("{}--{} {}", call.empty() ? "" : " ", name, fmt::join(option->results(), ","));
    }
  }
  return call;
}

void write_part(Context& context, const io::PartialStatistics& part, const std::filesystem::path& output) {
  io::remove_unfinished(output);
  io::write_partial_statistics(part, output);
  context.console.note(fmt::format("wrote {}: {} {}", output.string(), app::grouped(part.counted),
                                   plural(part.counted, "sentence")));
}

}  // namespace mog::cli
