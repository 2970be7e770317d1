#include "app/cli/manual/command_cite.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/manual/citations.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string command;
  bool bibtex = false;
};

Json json_of(const Citation& citation) {
  return {{"key", citation.key},
          {"type", citation.type},
          {"authors", citation.authors},
          {"title", citation.title},
          {"where", citation.where},
          {"year", citation.year},
          {"identifier", citation.identifier},
          {"what", citation.what},
          {"text", as_text(citation)},
          {"bibtex", as_bibtex(citation)}};
}

void cite(const CLI::App& app, Context& context, const Options& options) {
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  if (!options.command.empty() && std::find(names.begin(), names.end(), options.command) == names.end()) {
    throw UsageError(fmt::format("cite {}: mog has no such command{}", options.command,
                                 did_you_mean(options.command, names)));
  }
  std::string text;
  Json json = Json::array();
  for (const Citation& citation : citations_of(options.command)) {
    json.push_back(json_of(citation));
    text += options.bibtex ? as_bibtex(citation) + "\n"
                           : fmt::format("{}:\n  {}\n", citation.what, as_text(citation));
  }
  if (options.bibtex) {
    text.pop_back();
  } else if (options.command.empty()) {
    text += "\n`mog cite COMMAND` adds the papers whose methods a command uses, --bibtex prints BibTeX.\n";
  }
  context.print(context.json ? json.dump(2) + "\n" : text);
}

}  // namespace

void add_cite(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("cite", "What to cite: the program, and the papers whose methods a command uses");
  command->add_option("COMMAND", options->command, "The papers of this command, too");
  command->add_flag("--bibtex", options->bibtex, "As BibTeX, in UTF-8");
  context.add_common_options(*command);
  command->footer(examples({"mog cite", "mog cite faithfulness --bibtex >> paper.bib"}));
  command->callback([&app, &context, options] {
    context.action = [&app, &context, options] { cite(app, context, *options); };
  });
}

}  // namespace mog::cli
