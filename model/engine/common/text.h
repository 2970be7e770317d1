// Messages without fmt, which must not meet Torch's own copy.
#pragma once

#include <sstream>
#include <string>

namespace mog::engine {

template <class... Pieces>
std::string concat(const Pieces&... pieces) {
  std::ostringstream text;
  (text << ... << pieces);
  return text.str();
}

}  // namespace mog::engine
