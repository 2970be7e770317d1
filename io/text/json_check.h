// A check before a JSON parser builds anything: readers trust nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mog::io {

struct JsonLimits {
  std::size_t depth = 32;
  std::size_t values = 1'000'000;
  std::int64_t first_line = 1;  // of the file, at which the text begins
};

// Throws FormatError, its message beginning with `where` and naming line, column (in characters) and byte,
// when `text` is not strict UTF-8, holds NUL, is no single JSON document, repeats a key in one object, or
// exceeds the limits. Memory: the keys of the open objects.
void check_json(std::string_view text, const std::string& where, const JsonLimits& limits = {});

// Where in a text that check_json let pass a value stands, as "line 3, column 5". `pointer` is a JSON pointer
// (RFC 6901) such as "/edges/2/order"; of what is not there, the place of the innermost value that is.
std::string json_place(std::string_view text, std::string_view pointer, std::int64_t first_line = 1);
// The same of all values of the list at `pointer`, in one walk; empty where there is no list.
std::vector<std::string> json_places(std::string_view text, std::string_view pointer,
                                     std::int64_t first_line = 1);

}  // namespace mog::io
