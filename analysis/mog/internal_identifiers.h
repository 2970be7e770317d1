// Which characters may stand in a bare name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mog::analysis {

// The code point at `at`; moves past it. Bytes that are not UTF-8 count as themselves.
std::uint32_t next_code_point(std::string_view text, std::size_t& at);
// Unicode's White_Space.
bool is_white_space(std::uint32_t c);
// What no bare name holds: white space, control characters, ( ) [ ] " @ → ∪.
bool ends_identifier(std::uint32_t c);

}  // namespace mog::analysis
