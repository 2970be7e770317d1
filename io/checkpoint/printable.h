#pragma once

#include <string>
#include <string_view>

namespace mog::io {

// A name of a foreign file for messages: without control characters and bad UTF-8, at most 120 bytes.
std::string printable(std::string_view text);

}  // namespace mog::io
