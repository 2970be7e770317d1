#include "model/tokenizer/text/lowercase.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/edits.h>

#include <algorithm>

#include "io/recording/errors.h"

namespace mog::model {

LoweredText lower_case(std::string_view text) {
  LoweredText result;
  const bool ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) {
    result.text = text;
    for (char& c : result.text) {
      c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return result;
  }
  UErrorCode error = U_ZERO_ERROR;
  icu::Edits edits;
  icu::StringByteSink<std::string> sink(&result.text);
  icu::CaseMap::utf8ToLower("", 0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())),
                            sink, &edits, error);
  if (U_FAILURE(error)) {
    throw Error(std::string("lower-casing \"") + std::string(text.substr(0, 80)) +
                "\": " + u_errorName(error));
  }
  result.begin.resize(result.text.size());
  result.end.resize(result.text.size());
  auto at = edits.getFineIterator();
  while (at.next(error)) {
    for (std::int32_t i = 0; i < at.newLength(); ++i) {
      const auto place = static_cast<std::size_t>(at.destinationIndex()) + static_cast<std::size_t>(i);
      const std::int32_t begin = at.sourceIndex() + (at.hasChange() ? 0 : i);
      result.begin[place] = static_cast<std::uint32_t>(begin);
      result.end[place] = static_cast<std::uint32_t>(at.hasChange() ? begin + at.oldLength() : begin + 1);
    }
  }
  return result;
}

}  // namespace mog::model
