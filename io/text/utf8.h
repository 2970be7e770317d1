// Strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mog::io {

// Place of the first byte of the first bad sequence; npos when `text` is sound. NUL is sound here.
std::size_t first_invalid_utf8(std::string_view text) noexcept;
// Each maximal bad part becomes one U+FFFD (as the Unicode Standard §3.9 and Python's "replace" do).
std::string replace_invalid_utf8(std::string_view text);
// The same, and U+FFFD for control characters (C0, DEL, C1) but those in `kept`, line and paragraph
// separators and marks that turn the direction of what follows (U+202A-202E, U+2066-2069).
std::string replace_controls(std::string_view text, std::string_view kept = "");

}  // namespace mog::io
