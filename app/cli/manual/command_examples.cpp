#include "app/cli/manual/command_examples.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/manual/how_to.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const HowTo& page) {
  Json commands = Json::array();
  for (const HowTo::Step& step : page.steps) {
    commands.push_back(step.command);
  }
  return {{"name", page.name}, {"question", page.question}, {"commands", std::move(commands)}};
}

const HowTo& find(const std::vector<HowTo>& pages, const std::string& name) {
  const auto found =
      std::find_if(pages.begin(), pages.end(), [&](const HowTo& page) { return page.name == name; });
  if (found == pages.end()) {
    std::vector<std::string> names;
    for (const HowTo& page : pages) {
      names.push_back(page.name);
    }
    throw UsageError(fmt::format("examples {}: there is no such page{}; `mog examples` lists them", name,
                                 did_you_mean(name, names)));
  }
  return *found;
}

std::string list(const std::vector<HowTo>& pages) {
  std::size_t width = 0;
  for (const HowTo& page : pages) {
    width = std::max(width, page.name.size());
  }
  std::string text;
  for (const HowTo& page : pages) {
    text += fmt::format("  {:<{}}  {}\n", page.name, width, page.question);
  }
  return text + "\n`mog examples NAME` prints the commands of one.\n";
}

// A script: what a person reads are comments.
std::string script(const HowTo& page) {
  std::string text = fmt::format("# {}\n", page.question);
  for (const HowTo::Step& step : page.steps) {
    if (!step.heading.empty()) {
      text += fmt::format("\n# {}\n", step.heading);
    }
    text += step.command + "\n";
  }
  return text;
}

void print(Context& context, const std::string& name) {
  const std::vector<HowTo> pages = all_how_tos();
  if (context.json) {
    Json json = Json::array();
    for (const HowTo& page : pages) {
      json.push_back(json_of(page));
    }
    context.print((name.empty() ? json : json_of(find(pages, name))).dump(2) + "\n");
    return;
  }
  context.print(name.empty() ? list(pages) : script(find(pages, name)));
}

}  // namespace

void add_examples(CLI::App& app, Context& context) {
  const auto name = std::make_shared<std::string>();
  CLI::App* const command =
      app.add_subcommand("examples", "Questions that people ask, and the commands that answer them");
  command->add_option("NAME", *name, "One of them: its commands; without it, the list");
  context.add_common_options(*command);
  command->footer(examples({"mog examples", "mog examples heads-and-syntax"}));
  command->callback([&context, name] { context.action = [&context, name] { print(context, *name); }; });
}

}  // namespace mog::cli
