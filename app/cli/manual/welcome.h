// What `mog` says alone: something to look at in one step, and where to go from there.
#pragma once

#include <string>

namespace mog::cli {

std::string welcome();

}  // namespace mog::cli
