// URLs, addresses, hosts and file names keep the marks inside them. A scheme (http://, www.) is believed and
// taken up to a quotation mark, ">" or a bracket that the URL did not open; everything else is a run of
// letters, digits and . _ - % + @, judged as a whole: one @ with something on both sides, or a last part
// that is known (lists of the lexicon), or a newsgroup.
//
// A run is judged once. It is remembered how far was looked (looked_), and places inside that run are not
// asked again; without that a long run would be quadratic.
//
// Trap: marks of the sentence at the end are not the address's. The path behind a host may end in a bracket,
// which is its own only if it was opened there.
#include "model/tokenizer/words/english_addresses.h"

#include "model/tokenizer/words/english_lexicon.h"

namespace mog::model {
namespace {

bool in_address(char32_t c) {
  return !is_mark(c) || is_one_of(c, U"._-%+@");
}

bool starts(const Characters& text, std::size_t at, std::string_view prefix) {
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    const char32_t c = text.at(at + i);
    if ((is_capital(c) ? c + 32 : c) != static_cast<char32_t>(prefix[i])) {
      return false;
    }
  }
  return true;
}

// "comp.sources.unix": three parts in small letters, none of a single one.
bool is_group(const Characters& text, std::size_t begin, std::size_t end) {
  int parts = 0;
  for (std::size_t at = begin; at < end; ++parts) {
    const std::size_t first = at;
    while (at < end && text.at(at) >= U'a' && text.at(at) <= U'z') {
      ++at;
    }
    if (at < first + 2 || (at < end && text.at(at++) != U'.')) {
      return false;
    }
  }
  return parts >= 3;
}

bool is_address(const Characters& text, std::size_t begin, std::size_t end) {
  std::size_t signs = 0;
  std::size_t sign = begin;
  std::size_t dot = end;
  for (std::size_t at = begin; at < end; ++at) {
    if (text.at(at) == U'@') {
      ++signs;
      sign = at;
    } else if (text.at(at) == U'.') {
      dot = at;
    }
  }
  if (signs > 0) {
    return signs == 1 && sign > begin && sign + 1 < end;
  }
  return dot < end && dot > begin && !text.mark(dot - 1) &&
         (ends_address(text.view(dot + 1, end)) || is_group(text, begin, end));
}

// A URL ends at a quotation mark, at ">" and at a bracket that it did not open.
std::size_t until_closed(const Characters& text, std::size_t at) {
  int open = 0;
  for (; at < text.size(); ++at) {
    const char32_t c = text.at(at);
    open += c == U'(' ? 1 : 0;
    if (is_one_of(c, U"\"<>”]") || (c == U')' && --open < 0)) {
      break;
    }
  }
  return at;
}

// Without the marks of the sentence at its end.
std::size_t trimmed(const Characters& text, std::size_t begin, std::size_t end) {
  while (end > begin + 1 && is_one_of(text.at(end - 1), U".,;:!?'’…*")) {
    --end;
  }
  return end;
}

std::size_t mouth_end(const Characters& text, std::size_t mouth) {
  std::size_t end = mouth + 1;
  while (is_one_of(text.at(mouth), U")(") && text.at(end) == text.at(mouth)) {
    ++end;
  }
  return end;
}

}  // namespace

std::size_t emoticon_end(const Characters& text, std::size_t at) {
  const char32_t c = text.at(at);
  if (c == U'<' && text.at(at + 1) == U'3' && !text.digit(at + 2) && text.at(at + 2) != U'.') {
    return at + 2;
  }
  if (c == U'^' && is_one_of(text.at(at + 1), U"_-") && text.at(at + 2) == U'^') {
    return at + 3;
  }
  if (c == U'(' && is_one_of(text.at(at + 1), U":;") && at + 2 == text.size()) {
    return at + 2;
  }
  if (!is_one_of(c, U":;=") || (at > 0 && text.digit(at - 1))) {
    return at;
  }
  if (c == U'=' && at > 0 && !text.mark(at - 1)) {
    return at;  // "n=3"
  }
  const bool nose = is_hyphen(text.at(at + 1)) || is_apostrophe(text.at(at + 1)) || text.at(at + 1) == U'o';
  const std::size_t mouth = at + (nose ? 2 : 1);
  if (mouth >= text.size() || !is_one_of(text.at(mouth), U")(DPpO/\\|]*3")) {
    return at;
  }
  const std::size_t end = mouth_end(text, mouth);
  const bool ambiguous = is_one_of(text.at(mouth), U"/3");  // "http://", ":3,40"
  return end == text.size() || (!ambiguous && text.mark(end)) ? end : at;
}

std::size_t AddressFinder::end(std::size_t at) {
  if (at < looked_ || text_.mark(at)) {
    return at;
  }
  for (const std::string_view scheme : {"http://", "https://", "ftp://", "www.", "mailto:"}) {
    if (starts(text_, at, scheme) && at + scheme.size() < text_.size()) {
      return trimmed(text_, at, until_closed(text_, at));
    }
  }
  std::size_t end = at;
  while (end < text_.size() && in_address(text_.at(end))) {
    ++end;
  }
  looked_ = end;
  while (end > at && is_one_of(text_.at(end - 1), U".-")) {
    --end;
  }
  if (!is_address(text_, at, end)) {
    return at;
  }
  const bool path = text_.at(end) == U'/' && !text_.closed(end + 1);
  return path ? trimmed(text_, at, until_closed(text_, end)) : end;
}

}  // namespace mog::model
