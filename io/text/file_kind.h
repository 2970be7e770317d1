// What a file that should be text is instead, told by its first bytes.
#pragma once

#include <string>
#include <string_view>

namespace mog::io {

// What the first bytes look like when they are not what was expected, as half a sentence for a message:
// "it looks like a web page (HTML): download the file itself"; empty when nothing is recognised.
std::string looks_like(std::string_view first_bytes);

bool is_gzip(std::string_view first_bytes) noexcept;

// The same for a file that should be text of any kind: empty for JSON.
std::string no_text(std::string_view first_bytes);

// The same for a file that should be lines of sentences: empty for whatever may be text. A table (CSV), a
// configuration (TOML) and records (JSON) are told by the shape of all whole lines of `first_bytes` (the last
// one counts where the file `ends` with it), at least three of them, so that no sentence is taken for one;
// `name` is the file's, whose extension decides where the shape leaves doubt.
std::string no_sentences(std::string_view first_bytes, bool ends, std::string_view name);

}  // namespace mog::io
