// Text inside other formats. Bytes that are not UTF-8 become U+FFFD everywhere.
#pragma once

#include <string>
#include <string_view>

namespace mog::analysis {

// With the quotes: "\"a\\n\"".
std::string json_string(std::string_view text);
// Shortest text that reads back as the same double; null for what JSON cannot say (not finite).
std::string json_number(double value);
// With the quotes, for DOT. Line ends become \n, other control characters U+FFFD.
std::string dot_string(std::string_view text);
// For XML 1.0 text and attributes; characters that XML cannot hold become U+FFFD.
std::string xml_text(std::string_view text);
std::string valid_utf8(std::string_view text);

}  // namespace mog::analysis
