// A command as one line for a POSIX shell.
#pragma once

#include <span>
#include <string>

namespace mog::app {

// Quoted where a shell would read anything else.
std::string shell_line(std::span<const std::string> arguments);

}  // namespace mog::app
