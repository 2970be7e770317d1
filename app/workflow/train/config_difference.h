// Where two training configurations part.
#pragma once

#include <string>
#include <string_view>

namespace mog::app {

// The first key, in the order of `now`, whose value is another in `before`, as a piece of a sentence:
// "training.dropout (line 42) is 0.2 and was 0.1". Empty when all values are the same (comments and layout do
// not count) or one of the texts is no TOML. `lines`: whether lines of `now` mean something to the reader.
std::string config_difference(std::string_view before, std::string_view now, bool lines = true);

}  // namespace mog::app
