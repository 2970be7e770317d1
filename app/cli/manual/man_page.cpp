#include "app/cli/manual/man_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "io/recording/errors.h"

namespace mog::cli {
namespace {

// A text in which nothing is a request or an escape. Dashes are those that a user types.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) {
      result += "\\&";
      result += c;
    } else {
      result += c;
    }
  }
  return result;
}

std::string bold(std::string_view text) {
  return "\\fB" + plain(text) + "\\fR";
}

std::string head(std::string_view name, std::string_view title) {
  std::string upper(name);
  for (char& c : upper) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return fmt::format(".TH {} 1 \"\" \"mog {}\" \"MoG Workbench\"\n.SH NAME\n{} \\- {}\n", plain(upper),
                     MOG_VERSION, plain(name), plain(title));
}

// "Examples:\n  mog …" as a section.
std::string section_of_footer(std::string_view footer) {
  std::istringstream lines{std::string(footer)};
  std::string heading;
  std::getline(lines, heading);
  if (heading.empty()) {
    return {};
  }
  if (heading.back() == ':') {
    heading.pop_back();
  }
  for (char& c : heading) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  std::string text = fmt::format(".SH {}\n.nf\n", plain(heading));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    text += first == std::string::npos ? "\n" : plain(line.substr(first)) + "\n";
  }
  return text + ".fi\n";
}

std::string entry(const OptionPage& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) {
    names.push_back(bold(name));
  }
  std::string text = fmt::format(".TP\n{}", fmt::join(names, ", "));
  if (!option.value.empty() && !option.positional) {
    text += fmt::format(" \\fI{}\\fR", plain(option.value));
  }
  text += option.several ? " ...\n" : "\n";
  text += plain(option.description);
  if (!option.usual.empty()) {
    text += fmt::format(" (default: {})", plain(option.usual));
  }
  return text + "\n";
}

std::string synopsis(const CommandPage& command, const std::string& program) {
  std::string text = fmt::format(".SH SYNOPSIS\n{} [\\fIOPTIONS\\fR]", bold(program));
  for (const OptionPage& option : command.options) {
    if (option.positional) {
      const std::string name =
          fmt::format("\\fI{}\\fR{}", plain(option.names.front()), option.several ? "..." : "");
      text += option.required ? " " + name : fmt::format(" [{}]", name);
    }
  }
  return text + "\n";
}

// The options under their headings, in the order in which these come first; positionals before.
std::string sections(const CommandPage& command) {
  std::vector<std::string> groups;
  for (const OptionPage& option : command.options) {
    if (!option.positional && !option.group.empty() &&
        std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  std::string text;
  for (const OptionPage& option : command.options) {
    if (option.positional && !option.group.empty()) {
      text += (text.empty() ? ".SH ARGUMENTS\n" : "") + entry(option);
    }
  }
  for (const std::string& group : groups) {
    std::string heading = group;
    for (char& c : heading) {
      c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    text += fmt::format(".SH {}\n", plain(heading));
    for (const OptionPage& option : command.options) {
      if (!option.positional && option.group == group) {
        text += entry(option);
      }
    }
  }
  return text;
}

// What a command does by kinds: each with its description, an example and its options.
std::string sections_of_kinds(const std::vector<CommandPage>& kinds) {
  std::string text = kinds.empty() ? "" : ".SH KINDS\n";
  for (const CommandPage& kind : kinds) {
    const std::size_t example = kind.footer.find('\n');
    text += fmt::format(".SS {}\n{}.\n.PP\n.nf\n{}\n.fi\n", plain(kind.name), plain(kind.description),
                        plain(kind.footer.substr(kind.footer.find_first_not_of(' ', example + 1))));
    for (const OptionPage& option : kind.options) {
      text += entry(option);
    }
  }
  return text;
}

std::string exit_codes() {
  const std::pair<ExitCode, std::string_view> codes[] = {
      {ExitCode::ok, "Done, also when the reader of a pipe has left."},
      {ExitCode::other, "Anything else."},
      {ExitCode::usage, "The command line or the request is wrong, or there is no such file."},
      {ExitCode::format, "A file is not what it should be."},
      {ExitCode::no_space, "There is no room on the disk."},
      {ExitCode::mismatch,
       "Configuration, weights, vocabulary or length of the input do not fit each other."},
      {ExitCode::interrupted, "Interrupted; what was finished is kept."}};
  std::string text = ".SH EXIT STATUS\n";
  for (const auto& [exit_code, meaning] : codes) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", static_cast<int>(exit_code), plain(meaning));
  }
  return text;
}

}  // namespace

std::string main_man_page(const CommandPage& program) {
  std::string text = head(program.name, "records what Transformers do, and rebuilds multi-order graphs");
  text += fmt::format(".SH SYNOPSIS\n{} \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n{}\n",
                      bold(program.name), plain(program.description));
  text += ".SH COMMANDS\n";
  for (const CommandPage& command : program.commands) {
    text +=
        fmt::format(".TP\n{}(1)\n{}\n", bold(program.name + "-" + command.name), plain(command.description));
  }
  text += sections(program) + section_of_footer(program.footer) + exit_codes();
  text +=
      ".SH ENVIRONMENT\n.TP\n\\fBMOG_RESOURCES\\fR\nThe folder of bundled models and corpora, in the place "
      "of the "
      "one beside the program.\n.TP\n\\fBMOG_REQUIRE_SANDBOX\\fR\nAs \\-\\-require\\-sandbox, for the "
      "window, too.\n.TP\n\\fBMOG_ENGINE\\fR\nThe path of libmog_engine.so, which runs "
      "models.\n.TP\n\\fBMOG_PYTHON\\fR\nThe Python that mog export runs, in the place of python3.\n";
  return text + ".SH SEE ALSO\nmog\\-workbench(1)\n";
}

std::string man_page(const CommandPage& command) {
  return head("mog-" + command.name, command.description) + synopsis(command, "mog " + command.name) +
         sections(command) + sections_of_kinds(command.commands) + section_of_footer(command.footer) +
         ".SH SEE ALSO\nmog(1), mog\\-workbench(1)\n";
}

}  // namespace mog::cli
