// Lists of metrics as they are written on the command line.
#pragma once

#include <string_view>
#include <vector>

namespace mog::app {

// What commas separate, as it is: "bleu,,chrf" has an empty piece, "" is one.
std::vector<std::string_view> listed(std::string_view text);

}  // namespace mog::app
