#include "app/cli/manual/how_to.h"

#include <fmt/format.h>

#include <sstream>

namespace mog::cli {
namespace {

constexpr std::string_view kFile = "<!-- file: ";
constexpr std::string_view kEnd = " -->";

bool is_comment(std::string_view line, std::string_view begin) {
  return line.starts_with(begin) && line.ends_with(kEnd);
}

}  // namespace

HowTo how_to_of(std::string_view name, std::string_view page) {
  HowTo result{.name = std::string(name), .question = {}, .steps = {}};
  std::istringstream lines{std::string(page)};
  std::string heading;
  std::string file;  // what the next block is written to
  bool in_block = false;
  std::string content;
  const auto add = [&](std::string command) {
    result.steps.push_back({.heading = std::exchange(heading, {}), .command = std::move(command)});
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      in_block = !in_block;
      if (!in_block && !file.empty()) {
        add(fmt::format("cat > {} <<'END'\n{}END", file, content));
        file.clear();
      }
      content.clear();
    } else if (in_block && !file.empty()) {
      content += line + "\n";
    } else if (in_block && line.starts_with("$ ")) {
      add(line.substr(2));
    } else if (!in_block && line.starts_with("# ") && result.question.empty()) {
      result.question = line.substr(2);
    } else if (!in_block && line.starts_with("## ")) {
      heading = line.substr(3);
    } else if (!in_block && is_comment(line, kFile)) {
      file = line.substr(kFile.size(), line.size() - kFile.size() - kEnd.size());
    }
  }
  return result;
}

std::vector<HowTo> all_how_tos() {
  std::vector<HowTo> all;
  for (const auto& [name, page] : how_to_pages()) {
    all.push_back(how_to_of(name, page));
  }
  return all;
}

}  // namespace mog::cli
