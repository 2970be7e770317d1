// Which names a recording may have.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mog::io {

inline constexpr std::size_t kLongestRecordingName = 80;  // characters

// What keeps `name` from being the name of a recording ("it holds a control character"); empty: nothing does.
// UTF-8, 1 to kLongestRecordingName characters, none of them a control character, a separator of lines or a
// mark that turns the direction of writing; no space at either end.
std::string why_no_recording_name(std::string_view name);

// Of --name; empty is no name. Throws UsageError.
void require_recording_name(std::string_view name);

}  // namespace mog::io
