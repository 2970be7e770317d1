#include "app/cli/manual/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mog::cli {
namespace {

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

// Of options that take one.
std::vector<std::string> names_with_value(const CommandPage& command) {
  std::vector<std::string> names;
  for (const OptionPage& option : command.options) {
    if (!option.positional && !option.value.empty()) {
      names.insert(names.end(), option.names.begin(), option.names.end());
    }
  }
  return names;
}

const OptionPage* first_positional(const CommandPage& command) {
  const auto found = std::find_if(command.options.begin(), command.options.end(),
                                  [](const OptionPage& option) { return option.positional; });
  return found == command.options.end() ? nullptr : &*found;
}

}  // namespace

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
  std::vector<const CommandPage*> pages = {&program};  // the options before a command are those of "mog"
  for (const CommandPage& command : program.commands) {
    pages.push_back(&command);
  }
  for (const CommandPage* const page : pages) {
    const CommandPage& command = *page;
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
  local command=mog next= at values= takes= files= words= before=
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; ++at)); do  # the first word that is no option and no value of one
    case "${{COMP_WORDS[at]}}" in
    {with_value}) [[ ${{COMP_WORDS[at+1]}} == = ]] && ((++at)); ((++at)) ;;
    -*) ;;
    *) command=${{COMP_WORDS[at]}} next=${{COMP_WORDS[at+1]}}; break ;;
    esac
  done
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
  elif [[ $command == mog ]]; then
    words={commands}
  elif ((COMP_CWORD == at + 1)); then
    case "$command" in
{words}    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}}
complete -o bashdefault -o default -F _mog mog
)",
      fmt::arg("commands", in_quotes(fmt::format("{}", fmt::join(values.names.at("help"), " ")))),
      fmt::arg("with_value", fmt::join(names_with_value(program), "|")), fmt::arg("values", of_values),
      fmt::arg("options", of_options), fmt::arg("figures", of_figures), fmt::arg("words", of_words));
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
  const auto options_of = [&](const CommandPage& command) {
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
    return arguments;
  };
  std::string commands;
  std::string cases;
  for (const CommandPage& command : program.commands) {
    commands += fmt::format("    {}\n", in_quotes(escaped(command.name) + ":" + brief(command.description)));
    std::string arguments = options_of(command);
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
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C{} \
    '1:command:->command' '*::argument:->argument' && return
  if [[ $state == command ]]; then
    _describe command commands
    return
  fi
  case $words[1] in
{}  esac
}}
_mog "$@"
)",
                     commands, options_of(program), cases);
}

std::string fish_completion(const CommandPage& program, const CompletionValues& values) {
  std::string text = fmt::format(R"(# Completion of mog for fish; made by `mog completion fish`.
function __mog_command # the first word that is no option and no value of one
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case {}
                set skip 1
            case '-*'
            case '*'
                echo $word
                return 0
        end
    end
    return 1
end
)",
                                 fmt::join(names_with_value(program), " "));
  for (const CommandPage& command : program.commands) {
    text += fmt::format("complete -c mog -n 'not __mog_command' -f -a {} -d {}\n", command.name,
                        in_quotes(brief(command.description)));
  }
  const auto of = [](const std::string& command) { return "contains -- " + command + " (__mog_command)"; };
  const auto add = [&](const CommandPage& command, const std::string& condition) {
    for (const OptionPage& option : command.options) {
      const std::vector<std::string>* const names = names_of(values, command.name, option);
      const std::string given = names == nullptr ? "" : fmt::format("{}", fmt::join(*names, " "));
      if (option.positional) {
        if (names != nullptr) {  // the word behind the command
          text += fmt::format("complete -c mog -n {} -f -a {}\n",
                              in_quotes(condition + "; and test (commandline -opc)[-1] = " + command.name),
                              in_quotes(given));
        }
        continue;
      }
      if (option.group.empty()) {
        continue;
      }
      text += fmt::format("complete -c mog -n {}", in_quotes(condition));
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
  };
  add(program, "not __mog_command");
  for (const CommandPage& command : program.commands) {
    add(command, of(command.name));
  }
  for (const auto& [kind, options] : values.figure_options) {
    for (const std::string& option : options) {
      text += fmt::format("complete -c mog -n {} -l {} -r\n",
                          in_quotes(of("figure") + "; and contains -- " + kind + " (commandline -opc)"),
                          option.substr(2));
    }
  }
  return text;
}

}  // namespace mog::cli
