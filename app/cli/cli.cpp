#include "app/cli/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command_attribute.h"
#include "app/cli/command_coref.h"
#include "app/cli/command_corpus.h"
#include "app/cli/command_counts.h"
#include "app/cli/command_export.h"
#include "app/cli/command_import.h"
#include "app/cli/command_launch.h"
#include "app/cli/command_merge.h"
#include "app/cli/command_neighbours.h"
#include "app/cli/command_patch.h"
#include "app/cli/command_tokenize.h"
#include "app/cli/context.h"
#include "app/cli/hints.h"
#include "app/cli/idle_options.h"
#include "app/cli/manual/command_cite.h"
#include "app/cli/manual/command_completion.h"
#include "app/cli/manual/command_examples.h"
#include "app/cli/manual/welcome.h"
#include "app/cli/signals.h"
#include "app/cli/unknown_words.h"
#include "app/workflow/common/shell_line.h"
#include "app/workflow/record/rounding_error.h"
#include "app/workflow/train/train_job.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

// The command line again, quoted where a shell needs it.
std::string line_of(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  words.front() = std::filesystem::path(words.front()).filename().string();
  return app::shell_line(words);
}

int code(ExitCode exit_code) {
  return static_cast<int>(exit_code);
}

std::string_view kind_of(ExitCode exit_code) {
  switch (exit_code) {
    case ExitCode::usage:
      return "usage";
    case ExitCode::format:
      return "format";
    case ExitCode::no_space:
      return "no_space";
    case ExitCode::mismatch:
      return "mismatch";
    case ExitCode::interrupted:
      return "interrupted";
    case ExitCode::ok:
    case ExitCode::other:
      break;
  }
  return "other";
}

// To stderr for people; with --json as one object to stdout too, behind what lines of results came before.
int fail(Context& context, const std::string& said, ExitCode exit_code) {
  const bool of_words = exit_code == ExitCode::usage || exit_code == ExitCode::format;
  const std::string meant = of_words ? hint(context.words, said) : std::string();
  const std::string message = meant.empty() ? said : said + "\n     " + meant;
  context.console.error(message);
  if (context.json) {
    using Json = nlohmann::ordered_json;
    const Json error = {
        {"error", {{"kind", kind_of(exit_code)}, {"exit_code", code(exit_code)}, {"message", message}}}};
    try {
      context.print(error.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
    } catch (...) {  // nobody reads, or the disk behind stdout is full: stderr has said it
    }
  }
  return code(exit_code);
}

int report(Context& context, std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const ReaderLeft&) {
    return code(ExitCode::ok);
  } catch (const app::EndedTogether& ended) {
    return code(ended.exit_code());
  } catch (const Error& error) {
    return fail(context, error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    return fail(context,
                "there is not enough memory for this; smaller batches (--batch-tokens) or fewer --threads "
                "need less",
                ExitCode::other);
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(context, fmt::format("looking at {}: {}", error.path1().string(), error.code().message()),
                ExitCode::other);
  } catch (const std::exception& error) {
    return fail(context, std::string("unexpected: ") + error.what(), ExitCode::other);
  } catch (...) {
    return fail(context, "unexpected: an unknown error", ExitCode::other);
  }
}

// These say how a model runs.
void refuse_idle_model_options(const CLI::App& app, const CLI::App& command) {
  constexpr std::array<std::string_view, 17> kRunning = {
      "ablate", "align",  "attribute", "coref",     "demo", "evaluate", "faithfulness", "figure", "parse",
      "patch",  "record", "randomize", "summarize", "tag",  "train",    "translate",    "trees"};
  const bool counts = command.get_name() == "stats" && given(command, "--model");
  if (counts || std::find(kRunning.begin(), kRunning.end(), command.get_name()) != kRunning.end()) {
    return;
  }
  const OptionUse uses[] = {
      {"--device", false, "commands that run a model (record, tag, translate, train, …)"},
      {"--precision", false, "commands that run a model (record, tag, translate, train, …)"},
      {"--layers-in-memory", false, "commands that run a model over texts (record, stats --model, tag, …)"},
  };
  refuse_idle_options(app, command.get_name(), uses);
  refuse_idle_options(command, command.get_name(), uses);
}

// `mog help` is `mog --help`, `mog help COMMAND` is `mog COMMAND --help`.
std::vector<const char*> help_as_option(int argc, char** argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (argc > 1 && words[1] == std::string_view("help")) {
    words.erase(words.begin() + 1);
    if (words.size() > 1 && words[1] == std::string_view("help")) {
      words.erase(words.begin() + 1);
    }
    words.push_back("--help");
  }
  return words;
}

int parse_and_act(const std::vector<const char*>& words, Context& context) {
  const auto argc = static_cast<int>(words.size());
  const char* const* const argv = words.data();
  context.words.assign(words.begin(), words.end());
  CLI::App app{
      "MoG Workbench: runs Transformers and Graph-Transformers on text, records what they do, and rebuilds "
      "the multi-order graphs of the sentences.",
      "mog"};
  app.set_version_flag("--version", std::string("mog ") + MOG_VERSION);
  app.require_subcommand(1);
  constexpr const char* kRecord =
      "mog record --model M --input corpus.txt --output corpus.rec --capture summary,attention,gates";
  app.footer(examples(
      {"mog demo", "mog examples", kRecord, "mog trees corpus.rec --sentence 3", "mog COMMAND --help"}));
  context.add_common_options(app);
  add_demo(app, context);
  add_describe(app, context);
  add_convert(app, context);
  add_randomize(app, context);
  add_tokenize(app, context);
  add_record(app, context);
  add_import(app, context);
  add_export(app, context);
  add_sentences(app, context);
  add_neighbours(app, context);
  add_trees(app, context);
  add_expr(app, context);
  add_counts(app, context);
  add_stats(app, context);
  add_merge(app, context);
  add_syntax(app, context);
  add_ablate(app, context);
  add_faithfulness(app, context);
  add_patch(app, context);
  add_attribute(app, context);
  add_figure(app, context);
  add_train(app, context);
  add_parse(app, context);
  add_tag(app, context);
  add_translate(app, context);
  add_summarize(app, context);
  add_evaluate(app, context);
  add_align(app, context);
  add_coref(app, context);
  add_corpus(app, context);
  add_launch(app, context);
  add_status(app, context);
  add_validate(app, context);
  add_doctor(app, context);
  add_examples(app, context);
  add_cite(app, context);
  add_completion(app, context);
  add_man(app, context);
  if (argc == 1) {
    context.print(welcome());
    return code(ExitCode::ok);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const std::optional<std::string> unknown = unknown_word(app, argc, argv);
    if (error.get_exit_code() == 0 && !unknown) {
      return app.exit(error);  // --help, --version
    }
    std::string command = "mog";
    if (const auto chosen = app.get_subcommands(); !chosen.empty()) {
      command += " " + chosen.front()->get_name();
    }
    // What is missing is no help where what is there was written wrong.
    const std::string said = unknown.value_or(error.what());
    context.json = std::any_of(words.begin() + 1, words.end(),  // parsing may have ended before it
                               [](const char* word) { return word == std::string_view("--json"); });
    return fail(context,
                said + "\n     `" + command + " --help` lists " +
                    (command == "mog" ? "commands and options" : "the options"),
                ExitCode::usage);
  }
  context.apply();
  refuse_idle_model_options(app, *app.get_subcommands().front());
  context.action();
  if (const std::optional<app::RoundingError> rounding = app::measured_rounding()) {
    context.console.end_progress();
    context.console.note(app::rounding_line(*rounding));
  }
  return code(ExitCode::ok);
}

}  // namespace

int run(int argc, char** argv) {
  install_signal_defaults();
  Context context;
  context.command_line = line_of(argc, argv);
  try {
    const int result = parse_and_act(help_as_option(argc, argv), context);
    context.console.end_progress();
    return result;
  } catch (...) {
    context.console.end_progress();
    return report(context, std::current_exception());
  }
}

}  // namespace mog::cli
