// A command as one line for a POSIX shell.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mog::app {

// Quoted where a shell would read anything else.
std::string shell_line(std::span<const std::string> arguments);
// The arguments of a line that shell_line() wrote.
std::vector<std::string> shell_words(std::string_view line);

}  // namespace mog::app
