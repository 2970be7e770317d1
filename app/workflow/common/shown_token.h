// A token to be read.
#pragma once

#include <string>
#include <string_view>

#include "io/recording/pieces.h"

namespace mog::app {

// The text that the token stands for, with "▁" for a space that begins it: " the" and "the" are two tokens.
std::string shown_token(std::string_view token, Pieces pieces);

}  // namespace mog::app
