#include "app/cli/manual/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "analysis/statistics/weight_by_length.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/describe/guide.h"
#include "app/workflow/figures/figure.h"
#include "app/workflow/record/capture.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

std::vector<std::string> bundled_models() {
  std::vector<std::string> names;
  std::error_code error;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(app::resources_dir() / "models", error)) {
      if (std::filesystem::exists(entry.path() / "config.json", error)) {
        names.push_back(entry.path().filename().string());
      }
    }
  } catch (const StorageError&) {  // there are none
  }
  std::sort(names.begin(), names.end());
  return names;
}

// As a user types them: a layer is any.
std::vector<std::string> quantity_names() {
  std::vector<std::string> names;
  for (const app::GuideEntry* const entry : app::guide()) {
    std::string name(entry->name);
    if (app::is_of_program(*entry) || name.find('.') == std::string::npos) {
      continue;
    }
    for (const std::string_view letter : {".L.", ".PART.", ".D.", ".TASK.", ".M."}) {
      for (std::size_t at = name.find(letter); at != std::string::npos; at = name.find(letter)) {
        name.replace(at, letter.size(), ".*.");
      }
    }
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> capture_names() {
  std::vector<std::string> names;
  for (const auto capture : {app::CaptureName::summary, app::CaptureName::attention, app::CaptureName::gates,
                             app::CaptureName::shares, app::CaptureName::orders, app::CaptureName::hidden,
                             app::CaptureName::all}) {
    names.emplace_back(app::name(capture));
  }
  names.emplace_back("none");
  return names;
}

// In single quotes, for a shell.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result + "'";
}

// The first sentence of a description, at most a line of a list.
std::string brief(std::string_view text) {
  constexpr std::size_t kMost = 70;
  std::string first(
      text.substr(0, std::min({text.find(": "), text.find("; "), text.find('\n'), text.size()})));
  if (first.size() > kMost) {
    first = first.substr(0, first.rfind(' ', kMost)) + "…";
  }
  return first;
}

std::vector<std::string> visible_names(const CommandPage& command) {
  std::vector<std::string> names;
  for (const OptionPage& option : command.options) {
    if (!option.positional && !option.group.empty()) {
      names.insert(names.end(), option.names.begin(), option.names.end());
    }
  }
  return names;
}

bool is_any(const std::vector<std::string>& of, const OptionPage& option) {
  return std::any_of(option.names.begin(), option.names.end(), [&](const std::string& name) {
    return std::find(of.begin(), of.end(), name) != of.end();
  });
}

const OptionPage* first_positional(const CommandPage& command) {
  const auto found = std::find_if(command.options.begin(), command.options.end(),
                                  [](const OptionPage& option) { return option.positional; });
  return found == command.options.end() ? nullptr : &*found;
}

}  // namespace

CompletionValues completion_values(const CommandPage& program) {
  CompletionValues values;
  values.names["--model"] = bundled_models();
  values.names["--quantity"] = quantity_names();
  values.names["stats --quantity"] = analysis::measure_names();
  values.names["--capture"] = capture_names();
  values.names["--device"] = {"auto", "cpu", "cuda"};
  values.names["--precision"] = {"float32", "bfloat16", "int8", "float64"};
  values.names["--store"] = {"float16", "float32", "float64", "uint8"};
  values.names["--long"] = {"error", "skip", "truncate"};
  values.names["--invalid-utf8"] = {"error", "replace", "skip"};
  values.names["--words"] = {"auto", "spaces", "ud-en", "characters"};
  values.lists = {"--quantity", "--capture"};
  values.files = {"--model"};
  values.names["completion SHELL"] = {"bash", "zsh", "fish"};
  std::vector<std::string>& kinds = values.names["figure KIND"];
  kinds.emplace_back("list");
  for (const app::FigureKind* const kind : app::figure_kinds()) {
    kinds.emplace_back(kind->name);
    app::Choices choices;
    kind->create()->declare(choices);
    for (const app::Choice& choice : choices.all()) {
      values.figure_options[std::string(kind->name)].push_back("--" + choice.name);
    }
  }
  for (const CommandPage& command : program.commands) {
    values.names["help"].push_back(command.name);
  }
  return values;
}

const std::vector<std::string>* names_of(const CompletionValues& values, std::string_view command,
                                         const OptionPage& option) {
  for (const std::string& name : option.names) {
    for (const std::string& key : {fmt::format("{} {}", command, name), name}) {
      if (const auto found = values.names.find(key); found != values.names.end() && !option.value.empty()) {
        return &found->second;
      }
    }
  }
  return nullptr;
}

std::string bash_completion(const CommandPage& program, const CompletionValues& values) {
  std::string of_values;
  std::string of_options;
  std::string of_words;
  std::string takes_value;
  for (const CommandPage& command : program.commands) {
    for (const OptionPage& option : command.options) {
      if (option.positional || option.value.empty()) {
        continue;
      }
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) {
        patterns.push_back(in_quotes(command.name + " " + name));
      }
      const std::vector<std::string>* const names = names_of(values, command.name, option);
      of_values += fmt::format("    {}) values={} ; takes=1{} ;;\n", fmt::join(patterns, "|"),
                               in_quotes(names == nullptr ? "" : fmt::format("{}", fmt::join(*names, " "))),
                               is_any(values.files, option) ? "; files=1" : "");
    }
    of_options += fmt::format("    {}) words={} ;;\n", command.name,
                              in_quotes(fmt::format("{}", fmt::join(visible_names(command), " "))));
    const OptionPage* const positional = first_positional(command);
    const std::vector<std::string>* const names =
        positional == nullptr ? nullptr : names_of(values, command.name, *positional);
    if (names != nullptr) {
      of_words += fmt::format("    {}) words={} ;;\n", command.name,
                              in_quotes(fmt::format("{}", fmt::join(*names, " "))));
    }
  }
  std::string of_figures;
  for (const auto& [kind, options] : values.figure_options) {
    of_figures += fmt::format("    {}) words+={} ;;\n", in_quotes("figure " + kind),
                              in_quotes(fmt::format(" {}", fmt::join(options, " "))));
  }
  return fmt::format(
      R"(# Completion of mog for bash; made by `mog completion bash`.
_mog() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}
  local command=${{COMP_WORDS[1]}} next=${{COMP_WORDS[2]}} values= takes= files= words= before=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W {commands} -- "$cur")
    return
  fi
  case "$command $prev" in
{values}  esac
  if [[ -n $takes ]]; then
    [[ $cur == *,* ]] && before=${{cur%,*}},
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$values" -- "${{cur##*,}}"; [[ -n $files ]] && compgen -f -- "$cur")
    return
  fi
  if [[ $cur == -* ]]; then
    case "$command" in
{options}    esac
    case "$command $next" in
{figures}    esac
  elif ((COMP_CWORD == 2)); then
    case "$command" in
{words}    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}}
complete -o bashdefault -o default -F _mog mog
)",
      fmt::arg("commands", in_quotes(fmt::format("{}", fmt::join(values.names.at("help"), " ")))),
      fmt::arg("values", of_values), fmt::arg("options", of_options), fmt::arg("figures", of_figures),
      fmt::arg("words", of_words));
}

std::string zsh_completion(const CommandPage& program, const CompletionValues& values) {
  // Of a specification of _arguments: brackets end a description, colons a field.
  const auto escaped = [](std::string_view text) {
    std::string result;
    for (const char c : text) {
      if (c == '[' || c == ']' || c == ':' || c == '\\') {
        result += '\\';
      }
      result += c;
    }
    return result;
  };
  const auto choices = [&](const std::vector<std::string>* names, const OptionPage& option) {
    if (names == nullptr) {
      return std::string("_files");
    }
    const std::string given = fmt::format("{}", fmt::join(*names, " "));
    if (is_any(values.files, option)) {
      return fmt::format("{{_alternative \"names\\:name\\:({})\" \"files\\:file\\:_files\"}}", given);
    }
    return is_any(values.lists, option) ? fmt::format("_sequence compadd - {}", given)
                                        : fmt::format("({})", given);
  };
  std::string commands;
  std::string cases;
  for (const CommandPage& command : program.commands) {
    commands += fmt::format("    {}\n", in_quotes(escaped(command.name) + ":" + brief(command.description)));
    std::string arguments;
    for (const OptionPage& option : command.options) {
      if (option.positional || option.group.empty()) {
        continue;
      }
      for (const std::string& name : option.names) {
        std::string one = (option.several ? "*" : "") + name + "[" + escaped(brief(option.description)) + "]";
        if (!option.value.empty()) {
          one += ":" + escaped(option.value) + ":" + choices(names_of(values, command.name, option), option);
        }
        arguments += fmt::format(" \\\n        {}", in_quotes(one));
      }
    }
    const OptionPage* const positional = first_positional(command);
    const std::vector<std::string>* const names =
        positional == nullptr ? nullptr : names_of(values, command.name, *positional);
    if (names != nullptr) {
      arguments += fmt::format(
          " \\\n        {}",
          in_quotes(fmt::format("1:{}:({})", escaped(positional->names.front()), fmt::join(*names, " "))));
    }
    std::string extra;
    if (command.name == "figure") {
      std::string kinds;
      for (const auto& [kind, options] : values.figure_options) {
        if (!options.empty()) {
          std::vector<std::string> specs;
          for (const std::string& option : options) {
            specs.push_back(in_quotes(option + ":value:_files"));
          }
          kinds += fmt::format("          {}) own=({}) ;;\n", kind, fmt::join(specs, " "));
        }
      }
      extra = fmt::format("        local -a own\n        case $words[2] in\n{}        esac\n", kinds);
      arguments += " \\\n        $own";
    }
    cases += fmt::format("      {})\n{}        _arguments{} \\\n        '*:file:_files' ;;\n", command.name,
                         extra, arguments);
  }
  return fmt::format(R"(#compdef mog
# Completion of mog for zsh; made by `mog completion zsh`.
_mog() {{
  local -a commands
  commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{}  esac
}}
_mog "$@"
)",
                     commands, cases);
}

std::string fish_completion(const CommandPage& program, const CompletionValues& values) {
  std::string text = "# Completion of mog for fish; made by `mog completion fish`.\n";
  for (const CommandPage& command : program.commands) {
    text += fmt::format("complete -c mog -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                        in_quotes(brief(command.description)));
  }
  for (const CommandPage& command : program.commands) {
    const std::string condition = in_quotes("__fish_seen_subcommand_from " + command.name);
    for (const OptionPage& option : command.options) {
      const std::vector<std::string>* const names = names_of(values, command.name, option);
      const std::string given = names == nullptr ? "" : fmt::format("{}", fmt::join(*names, " "));
      if (option.positional) {
        if (names != nullptr) {  // the word behind the command
          text += fmt::format("complete -c mog -n {} -f -a {}\n",
                              in_quotes("__fish_seen_subcommand_from " + command.name +
                                        "; and test (count (commandline -opc)) -eq 2"),
                              in_quotes(given));
        }
        continue;
      }
      if (option.group.empty()) {
        continue;
      }
      text += fmt::format("complete -c mog -n {}", condition);
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (names != nullptr && is_any(values.lists, option)) {
        text += fmt::format(" -x -a {}", in_quotes("(__fish_append , " + given + ")"));
      } else if (names != nullptr && is_any(values.files, option)) {
        text += fmt::format(" -r -a {}", in_quotes(given));
      } else if (names != nullptr) {
        text += fmt::format(" -x -a {}", in_quotes(given));
      } else {
        text += option.value.empty() ? "" : " -r";
      }
      text += fmt::format(" -d {}\n", in_quotes(brief(option.description)));
    }
  }
  for (const auto& [kind, options] : values.figure_options) {
    for (const std::string& option : options) {
      text += fmt::format(
          "complete -c mog -n {} -l {} -r\n",
          in_quotes("__fish_seen_subcommand_from figure; and __fish_seen_subcommand_from " + kind),
          option.substr(2));
    }
  }
  return text;
}

}  // namespace mog::cli
