#include "io/checkpoint/printable.h"

#include <algorithm>

#include "io/text/utf8.h"

namespace mog::io {

std::string printable(std::string_view text) {
  std::string result = replace_invalid_utf8(text.substr(0, std::min<std::size_t>(text.size(), 120)));
  for (char& character : result) {
    if (static_cast<unsigned char>(character) < 0x20 || character == 0x7F) {
      character = '?';
    }
  }
  return result;
}

}  // namespace mog::io
