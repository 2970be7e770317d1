// Which characters may stand in a bare name, and how those are written that should not stand anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mog::analysis {

// Unicode's White_Space.
bool is_white_space(std::uint32_t c);
// What no bare name holds: white space, control characters, ( ) [ ] " @ → ∪.
bool ends_identifier(std::uint32_t c);
// What a terminal may obey, what would end a line, what turns the direction of the text behind it and what no
// XML holds: U+0000-1F but TAB, U+7F-9F, U+2028-202E, U+2066-2069, U+FFFE, U+FFFF. Printed as \u{1b}.
bool is_escaped(std::uint32_t c);
bool has_escaped(std::string_view text);
// "\u{1b}"
std::string code_escape(std::uint32_t c);
// The character that `text`, which begins with a backslash, writes as "u{1b}" behind it, and the bytes that
// this takes with the backslash; none where it is no such escape of a Unicode scalar value.
std::optional<std::pair<std::uint32_t, std::size_t>> read_code_escape(std::string_view text);
// An annotation's value as text of an expression, and back: what cannot stand there is escaped.
std::string written_value(std::string_view value);
std::string value_of(std::string_view written);

}  // namespace mog::analysis
