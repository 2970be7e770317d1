// Words that must not be cut, as subword-nmt does it: each expression in turn cuts the segments that are
// left, and a segment that is one match stays. Expressions are ICU's, with a limit of about a second each,
// because they come from the user and may backtrack without end.
//
// Expressions are put together as text ("^(a|b)$"), not as compiled ones, so that a "|" inside one binds as
// it does in the reference, wrong as that may look.
//
// Places come back in UTF-16 and are turned into bytes by converting the prefix: O(length) for each match,
// good for words, not for whole texts. Expressions that match the empty text are refused: they would cut
// between all characters.
#include "model/tokenizer/words/glossaries.h"

#include <fmt/format.h>
#include <unicode/regex.h>
#include <unicode/unistr.h>

#include <utility>

#include "io/recording/errors.h"

namespace mog::model {
namespace {

constexpr std::int32_t kTimeLimit = 1000;  // steps of ICU, about a second

icu::UnicodeString wide(std::string_view text) {
  return icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
}

struct Expression {
  std::string text;
  std::unique_ptr<icu::RegexPattern> pattern;
};

Expression compile(const std::string& text) {
  UErrorCode error = U_ZERO_ERROR;
  UParseError place = {};
  Expression expression{
      text, std::unique_ptr<icu::RegexPattern>(icu::RegexPattern::compile(wide(text), 0, place, error))};
  if (U_FAILURE(error)) {
    throw UsageError(fmt::format("the glossary expression \"{}\" is not sound: {} at character {}", text,
                                 u_errorName(error), place.offset));
  }
  return expression;
}

// A matcher over `text`, which must outlive it.
std::unique_ptr<icu::RegexMatcher> matcher(const Expression& expression, const icu::UnicodeString& text) {
  UErrorCode error = U_ZERO_ERROR;
  std::unique_ptr<icu::RegexMatcher> result(expression.pattern->matcher(text, error));
  if (U_SUCCESS(error)) {
    result->setTimeLimit(kTimeLimit, error);
  }
  if (U_FAILURE(error)) {
    throw Error(fmt::format("matching \"{}\": {}", expression.text, u_errorName(error)));
  }
  return result;
}

bool checked(bool found, UErrorCode error, const Expression& expression) {
  if (U_FAILURE(error)) {
    throw UsageError(fmt::format("the glossary expression \"{}\" takes too long: {}", expression.text,
                                 u_errorName(error)));
  }
  return found;
}

bool matches_at_start(const Expression& expression, std::string_view text) {
  const icu::UnicodeString wide_text = wide(text);
  UErrorCode error = U_ZERO_ERROR;
  const bool found = matcher(expression, wide_text)->lookingAt(error) != 0;
  return checked(found, error, expression);
}

// The places [begin, end) of all matches in bytes of `text`, none empty.
std::vector<std::pair<std::size_t, std::size_t>> matches(const Expression& expression,
                                                         std::string_view text) {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  const icu::UnicodeString wide_text = wide(text);
  const auto bytes = [&](std::int32_t units) {  // UTF-16 place → UTF-8 place
    std::string prefix;
    wide_text.tempSubString(0, units).toUTF8String(prefix);
    return prefix.size();
  };
  const auto search = matcher(expression, wide_text);
  UErrorCode error = U_ZERO_ERROR;
  while (checked(search->find(error) != 0, error, expression)) {
    places.emplace_back(bytes(search->start(error)), bytes(search->end(error)));
  }
  return places;
}

}  // namespace

// The expressions are spelled as subword-nmt spells them, so that a "|" inside one binds as it does there.
struct Glossaries::Data {
  Expression any;
  std::vector<Expression> whole;
  std::vector<Expression> inside;
};

Glossaries::Glossaries(const std::vector<std::string>& expressions) {
  auto data = std::make_unique<Data>();
  for (const std::string& text : expressions) {
    const Expression bare = compile(text);
    const icu::UnicodeString nothing;
    if (matcher(bare, nothing)->groupCount() > 0) {
      throw UsageError(
          fmt::format("the glossary expression \"{}\" has a capturing group; write (?:…)", text));
    }
    if (matches_at_start(compile("(?:" + text + ")$"), "")) {
      throw UsageError(fmt::format("the glossary expression \"{}\" matches the empty text", text));
    }
    data->whole.push_back(compile("^" + text + "$"));
    data->inside.push_back(compile("(" + text + ")"));
  }
  if (!expressions.empty()) {
    data->any = compile(fmt::format("^({})$", fmt::join(expressions, "|")));
  }
  data_ = std::move(data);
}

Glossaries::Glossaries(Glossaries&&) noexcept = default;
Glossaries& Glossaries::operator=(Glossaries&&) noexcept = default;
Glossaries::~Glossaries() = default;

bool Glossaries::empty() const noexcept {
  return data_->inside.empty();
}

bool Glossaries::keeps(std::string_view segment) const {
  return !empty() && matches_at_start(data_->any, segment);
}

std::vector<std::string_view> Glossaries::isolate(std::string_view word) const {
  std::vector<std::string_view> segments = {word};
  std::vector<std::string_view> cut;
  for (std::size_t i = 0; i < data_->inside.size(); ++i) {
    cut.clear();
    for (const std::string_view segment : segments) {
      if (matches_at_start(data_->whole[i], segment)) {
        cut.push_back(segment);
        continue;
      }
      std::size_t from = 0;
      for (const auto& [begin, end] : matches(data_->inside[i], segment)) {
        if (begin > from) {
          cut.push_back(segment.substr(from, begin - from));
        }
        cut.push_back(segment.substr(begin, end - begin));
        from = end;
      }
      if (from < segment.size()) {
        cut.push_back(segment.substr(from));
      }
    }
    segments.swap(cut);
  }
  return segments;
}

}  // namespace mog::model
