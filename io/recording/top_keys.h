// Recordings that hold the greatest weights of attention rows in the place of maps (docs/quantity-names.md,
// Top keys): what their readers say.
#pragma once

#include <cstdint>
#include <string>

#include "io/recording/sentence_recording.h"

namespace mog {

// How many weights of a row are held; 0: no row was cut.
std::int64_t top_keys_held(const RecordingHeader& header) noexcept;

// To stand behind what says that there is no map: "; of its attention it holds …"; empty where no row was
// cut.
std::string only_top_keys(const RecordingHeader& header);

}  // namespace mog
