// Numbers and lists for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mog::app {

// "12,345"
std::string grouped(std::int64_t value);
// "1.5 MB" (powers of 1,000), "812 bytes"
std::string byte_text(std::int64_t bytes);
// "3 min 20 s", "1.2 s"
std::string duration_text(double seconds);
std::string joined(const std::vector<std::string>& pieces, std::string_view between);
// Control characters (C0, DEL, C1), line and paragraph separators, marks that turn the direction of what
// follows (U+202A-202E, U+2066-2069) and bytes that are not UTF-8 as U+FFFD: one word or line of a file, safe
// for a terminal.
std::string printable(std::string_view text);
// The same for text with lines and tabs of our own.
std::string terminal_text(std::string_view text);

}  // namespace mog::app
