// A check before a JSON parser builds anything: readers trust nothing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mog::io {

struct JsonLimits {
  std::size_t depth = 32;
  std::size_t values = 1'000'000;
};

// Throws FormatError, its message beginning with `where`, when `text` is not strict UTF-8, holds NUL, is no
// single JSON document, repeats a key in one object, or exceeds the limits. Memory: the keys of the open
// objects.
void check_json(std::string_view text, const std::string& where, const JsonLimits& limits = {});

}  // namespace mog::io
