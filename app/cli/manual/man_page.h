// Manual pages in the language of man(7).
#pragma once

#include <string>

#include "app/cli/manual/command_page.h"

namespace mog::cli {

// mog(1): the commands with one line each. mog-COMMAND(1): what `mog COMMAND --help` says. The same bytes for
// the same texts: no date is in them.
std::string main_man_page(const CommandPage& program);
std::string man_page(const CommandPage& command);

}  // namespace mog::cli
