#include "model/tokenizer/words/english_numbers.h"

#include "model/tokenizer/words/english_lexicon.h"

namespace mog::model {
namespace {

constexpr std::size_t kLongestUnit = 4;

// Telephone numbers and dates have three groups, or three and four digits; postal codes five and four.
std::size_t hyphened_end(const Characters& text, std::size_t at) {
  const std::size_t first = text.digits_end(at);
  std::size_t end = first;
  std::size_t last = 0;
  int groups = 1;
  while (is_hyphen(text.at(end)) && text.digit(end + 1)) {
    const std::size_t begin = end + 1;
    end = text.digits_end(begin);
    last = end - begin;
    ++groups;
  }
  return groups >= 3 || (last == 4 && (first - at == 3 || first - at == 5)) ? end : first;
}

// "1/2", "3/4"; "9/11" and "24/7" are dates and names.
bool is_fraction(const Characters& text, std::size_t at, std::size_t end) {
  return end == at + 3 && text.at(at + 1) == U'/' && text.at(at) < text.at(at + 2) &&
         is_one_of(text.at(at + 2), U"2348");
}

}  // namespace

std::size_t number_end(const Characters& text, std::size_t at) {
  std::size_t end = text.digits_end(at);
  if (is_hyphen(text.at(end)) && text.digit(end + 1)) {
    return hyphened_end(text, at);
  }
  while (text.digit(end + 1) && is_one_of(text.at(end), U".,:/")) {
    end = text.digits_end(end + 1);
  }
  return is_fraction(text, at, end) ? at + 1 : end;
}

bool unit_at(const Characters& text, std::size_t at) {
  std::size_t end = at;
  while (end <= at + kLongestUnit && is_ascii_letter(text.at(end))) {
    ++end;
  }
  return text.closed(end) && is_unit(text.view(at, end));
}

std::size_t decade_end(const Characters& text, std::size_t end) {
  const bool whole = end >= 2 && text.at(end - 1) == U'0' && text.digit(end - 2) &&
                     is_apostrophe(text.at(end)) && text.at(end + 1) == U's' && text.closed(end + 2);
  return whole ? end + 2 : end;
}

}  // namespace mog::model
