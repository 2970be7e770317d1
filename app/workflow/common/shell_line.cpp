#include "app/workflow/common/shell_line.h"

#include <string_view>

namespace mog::app {

std::string shell_line(std::span<const std::string> arguments) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  std::string line;
  for (const std::string& argument : arguments) {
    line += line.empty() ? "" : " ";
    if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) {
      line += argument;
      continue;
    }
    line += '\'';
    for (const char character : argument) {
      line += character == '\'' ? std::string("'\\''") : std::string(1, character);
    }
    line += '\'';
  }
  return line;
}

std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;  // a word
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char character = line[i];
    if (!quoted && character == ' ') {
      inside = false;
      continue;
    }
    if (!inside) {
      words.emplace_back();
      inside = true;
    }
    if (character == '\'') {
      quoted = !quoted;
    } else if (!quoted && character == '\\' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += character;
    }
  }
  return words;
}

}  // namespace mog::app
