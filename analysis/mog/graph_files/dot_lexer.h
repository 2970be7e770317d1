// Tokens of DOT, with their places.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/mog/graph_files/attributed_graph.h"

namespace mog::analysis {

struct DotToken {
  enum class Kind : std::uint8_t { end, name, sign, arrow, line };
  Kind kind = Kind::end;
  std::string text;  // of a name; a sign's character
  bool quoted = false;
  TextPlace place;
  std::size_t byte = 0;  // of the text, at which it begins
  bool is(char sign) const { return kind == Kind::sign && text[0] == sign; }
  bool is_keyword(std::string_view word) const {
    return kind == Kind::name && !quoted && text.size() == word.size() &&
           std::equal(text.begin(), text.end(), word.begin(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
  }
};

// Throws FormatError, naming the place, for a character that begins nothing, and for strings and comments
// without end.
class DotLexer {
 public:
  DotLexer(std::string_view text, const std::string& where);
  DotToken next();  // Kind::end at the end

 private:
  void advance(std::size_t bytes);
  void skip();
  std::string quoted();
  std::string html();

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
  TextPlace place_{1, 1};
};

}  // namespace mog::analysis
