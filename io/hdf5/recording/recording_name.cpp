#include "io/hdf5/recording/recording_name.h"

#include <fmt/format.h>

#include "io/recording/errors.h"
#include "io/recording/utf8.h"
#include "io/text/utf8.h"

namespace mog::io {

std::string why_no_recording_name(std::string_view name) {
  if (name.empty()) {
    return "it is empty";
  }
  if (first_invalid_utf8(name) != std::string_view::npos) {
    return "it is not UTF-8";
  }
  if (replace_controls(name) != name) {
    return "it holds a control character, a separator of lines or a mark of writing direction";
  }
  if (name.front() == ' ' || name.back() == ' ') {
    return "it has a space at an end";
  }
  std::size_t characters = 0;
  for (std::size_t at = 0; at < name.size(); at += utf8_length_at(name, at)) {
    ++characters;
  }
  return characters > kLongestRecordingName
             ? fmt::format("it has {} characters, at most {} are allowed", characters, kLongestRecordingName)
             : std::string();
}

void require_recording_name(std::string_view name) {
  if (name.empty()) {
    return;
  }
  if (const std::string why = why_no_recording_name(name); !why.empty()) {
    throw UsageError(fmt::format("--name {}: {}", name.substr(0, 4 * kLongestRecordingName), why));
  }
}

}  // namespace mog::io
