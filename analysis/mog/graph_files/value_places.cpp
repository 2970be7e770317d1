// An error in an expression has a column of the expression; a reader wants line and column of the file.
// Between the two lie entities, sections and comments (XML), escapes, joined lines and strings (DOT). The
// parsers could note the place of every character of every value; almost none is ever asked for. So only the
// byte where a value begins is kept, and for an error its source is walked again, character by character as
// the parser read it. O(file up to there), once an error.
//
// Trap: what stands for one character here must be what the reader makes one of. A new escape in one of them
// belongs in the other.
#include "analysis/mog/graph_files/value_places.h"

#include <algorithm>

#include "analysis/mog/expressions/identifiers.h"
#include "io/recording/utf8.h"

namespace mog::analysis {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

TextPlace place_of_byte(std::string_view document, std::size_t byte) {
  std::string_view before = document.substr(0, byte);
  if (before.starts_with(kByteOrderMark)) {
    before.remove_prefix(kByteOrderMark.size());
  }
  const std::size_t line = before.rfind('\n') + 1;  // npos + 1 is 0
  return {std::count(before.begin(), before.end(), '\n') + 1, count_characters(before.substr(line)) + 1};
}

// Behind the code point at `at`.
std::size_t next_character(std::string_view document, std::size_t at) {
  ++at;
  while (at < document.size() && !begins_character(document[at])) {
    ++at;
  }
  return at;
}

// Behind what gives no character: beginnings and ends of sections, comments, processing instructions.
std::size_t behind_markup(std::string_view document, std::size_t at) {
  while (at < document.size()) {
    const std::string_view rest = document.substr(at);
    std::string_view end;
    if (rest.starts_with("<![CDATA[")) {
      at += 9;
      continue;
    }
    if (rest.starts_with("]]>")) {
      at += 3;
      continue;
    }
    if (rest.starts_with("<!--")) {
      end = "-->";
    } else if (rest.starts_with("<?")) {
      end = "?>";
    } else {
      break;
    }
    const std::size_t found = rest.find(end);
    at = found == std::string_view::npos ? document.size() : at + found + end.size();
  }
  return at;
}

}  // namespace

TextPlace place_in_graphml(std::string_view document, std::size_t begin, std::int64_t column) {
  std::size_t at = behind_markup(document, begin);
  for (std::int64_t i = 1; i < column && at < document.size() && document[at] != '<'; ++i) {
    if (document[at] == '&') {
      at = std::min(document.find(';', at), document.size() - 1) + 1;
    } else if (document.substr(at).starts_with("\r\n")) {
      at += 2;
    } else {
      at = next_character(document, at);
    }
    at = behind_markup(document, at);
  }
  return place_of_byte(document, at);
}

TextPlace place_in_dot(std::string_view document, std::size_t begin, std::int64_t column) {
  std::size_t at = begin;
  const bool quoted = at < document.size() && document[at] == '"';
  at += at < document.size() && (quoted || document[at] == '<') ? 1U : 0U;
  // Over line ends that are joined, and to the next of strings joined by "+".
  const auto settle = [&] {
    while (quoted && at < document.size()) {
      if (document.substr(at).starts_with("\\\n")) {
        at += 2;
        continue;
      }
      constexpr std::string_view kBlank = " \t\r\n";
      const std::size_t plus = document[at] == '"' ? document.find_first_not_of(kBlank, at + 1) : at;
      if (document[at] != '"' || plus == std::string_view::npos || document[plus] != '+') {
        return;
      }
      const std::size_t quote = document.find_first_not_of(kBlank, plus + 1);
      if (quote == std::string_view::npos || document[quote] != '"') {
        return;
      }
      at = quote + 1;
    }
  };
  settle();
  for (std::int64_t i = 1; i < column && at < document.size() && !(quoted && document[at] == '"'); ++i) {
    const std::string_view rest = document.substr(at);
    if (const auto escape = read_code_escape(rest.substr(0, 16))) {
      at += escape->second;
    } else if (rest.starts_with("\\\\") || rest.starts_with("\\n") || (quoted && rest.starts_with("\\\""))) {
      at += 2;
    } else {
      at = next_character(document, at);
    }
    settle();
  }
  return place_of_byte(document, at);
}

}  // namespace mog::analysis
