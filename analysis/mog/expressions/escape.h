// Text inside other formats. Bytes that are not UTF-8 become U+FFFD everywhere.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace mog::analysis {

// With the quotes: "\"a\\n\"".
std::string json_string(std::string_view text);
// Shortest text that reads back as the same double; null for what JSON cannot say (not finite).
std::string json_number(double value);
// With the quotes, for what DOT shows. Line ends become \n, other control characters U+FFFD.
std::string dot_string(std::string_view text);
// With the quotes, for what is read back: nothing is lost. from_dot_value takes it as a reader of DOT gives
// it, without quotes and with \" already undone.
std::string dot_value(std::string_view text);
std::string from_dot_value(std::string_view value);
// Whether XML 1.0 can write all of it.
bool fits_xml(std::string_view text);
// For XML 1.0 text and attributes; characters that XML cannot hold become U+FFFD.
std::string xml_text(std::string_view text);
std::string valid_utf8(std::string_view text);
// "rel=obj;l=2", as annotations of a join stand between [ and ]: in values white space ; [ ] " and control
// characters are written by their numbers (\u{1b}).
std::string annotation_text(std::span<const std::pair<std::string, std::string>> annotation);

}  // namespace mog::analysis
