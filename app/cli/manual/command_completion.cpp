#include "app/cli/manual/command_completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "app/cli/manual/completion.h"
#include "app/cli/manual/man_page.h"
#include "app/workflow/common/choices.h"
#include "app/workflow/figures/figure.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "io/text/output_file.h"

namespace mog::cli {
namespace {

std::string script(const CLI::App& app, const std::string& shell) {
  const CommandPage program = page_of(app);
  const CompletionValues values = completion_values(program);
  if (shell == "bash") {
    return bash_completion(program, values);
  }
  if (shell == "zsh") {
    return zsh_completion(program, values);
  }
  if (shell == "fish") {
    return fish_completion(program, values);
  }
  throw UsageError(fmt::format("completion: there is none for \"{}\"; use bash, zsh or fish{}", shell,
                               did_you_mean(shell, {"bash", "zsh", "fish"})));
}

// The options of a kind as those of a command of its own.
CommandPage page_of_kind(const app::FigureKind& kind) {
  CommandPage page{.name = std::string(kind.name),
                   .description = std::string(kind.description),
                   .footer = examples({fmt::format("mog figure {}", kind.example)})};
  app::Choices choices;
  const std::unique_ptr<app::Figure> figure = kind.create();
  figure->declare(choices);
  for (const app::Choice& choice : choices.all()) {
    OptionPage option;
    option.names.push_back("--" + choice.name);
    if (choice.letter != 0) {
      option.names.push_back(fmt::format("-{}", choice.letter));
    }
    option.several = choice.several;
    option.value = choice.value;
    option.usual = choice.usual;
    option.description = choice.help;
    option.group = "OPTIONS";
    page.options.push_back(std::move(option));
  }
  if (kind.of_sentence()) {
    page.options.push_back(
        {.names = {"--text"},
         .value = "TEXT",
         .description = "The sentence itself, run through the model; no recording is needed",
         .group = "OPTIONS"});
  }
  return page;
}

void write_pages(const CLI::App& app, Context& context, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const CommandPage program = page_of(app);
  context.write(folder / "mog.1", main_man_page(program));
  for (CommandPage command : program.commands) {
    if (command.name == "figure") {
      for (const app::FigureKind* const kind : app::figure_kinds()) {
        command.commands.push_back(page_of_kind(*kind));
      }
    }
    context.write(folder / fmt::format("mog-{}.1", command.name), man_page(command));
  }
  context.console.note(fmt::format("wrote {} pages to {}", program.commands.size() + 1, folder.string()));
}

}  // namespace

void add_completion(CLI::App& app, Context& context) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* const command =
      app.add_subcommand("completion", "Print the script by which a shell completes mog");
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  context.add_common_options(*command);
  command->footer(examples({"source <(mog completion bash)", "mog completion zsh > ~/.zfunc/_mog",
                            "mog completion fish > ~/.config/fish/completions/mog.fish"}));
  command->callback([&app, &context, shell] {
    context.action = [&app, &context, shell] { context.print(script(app, *shell)); };
  });
}

void add_man(CLI::App& app, Context& context) {
  const auto folder = std::make_shared<std::filesystem::path>();
  CLI::App* const command = app.add_subcommand("man", "Write the manual pages of mog and of its commands");
  command->add_option("FOLDER", *folder, "Where mog.1, mog-record.1, … are written")->required();
  context.add_common_options(*command);
  command->footer(examples({"mog man ~/.local/share/man/man1"}));
  command->callback([&app, &context, folder] {
    context.action = [&app, &context, folder] { write_pages(app, context, *folder); };
  });
}

}  // namespace mog::cli
