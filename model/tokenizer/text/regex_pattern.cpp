// Expressions of a tokenizer.json are written for Oniguruma; here ICU runs them. The two agree on most of the
// language, so an expression is rewritten in one pass from left to right: what both read alike is copied,
// what they read otherwise is spelt out for ICU (classes by name, ".", anchors by lines, a "+" behind {n,m}),
// and what has no equal is refused. A rewritten expression grows by a constant at each step. Matching is
// ICU's, with its limits of time and stack: an expression that backtracks without end is an error, not a
// wait.
#include "model/tokenizer/text/regex_pattern.h"

#include <fmt/format.h>
#include <unicode/regex.h>
#include <unicode/unistr.h>

#include <cstdint>
#include <utility>

#include "io/recording/errors.h"
#include "model/tokenizer/text/reference_unicode.h"

namespace mog::model {
namespace {

constexpr std::size_t kMostExpression = 4096;

// Rewrites one expression from left to right.
class Translator {
 public:
  Translator(std::string_view expression, const std::string& where) : in_(expression), where_(where) {}

  std::string run() {
    while (at_ < in_.size()) {
      step();
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw ModelError(fmt::format("{}: the regular expression {:?} has {}, which is not supported", where_,
                                 std::string(in_.substr(0, 200)), what));
  }
  [[noreturn]] void refuse_damaged(const std::string& what) const {
    throw FormatError(fmt::format("{}: the regular expression {:?} is damaged: it has {}", where_,
                                  std::string(in_.substr(0, 200)), what));
  }
  bool next_is(std::string_view text) const { return in_.substr(at_).starts_with(text); }

  void step() {
    const char c = in_[at_];
    const std::size_t begin = out_.size();
    switch (c) {
      case '(':
        open_group();
        return;
      case ')':
        out_ += in_[at_++];
        if (groups_.empty()) {
          refuse_damaged("a closing parenthesis without its opening one");
        }
        atom_ = groups_.back();
        groups_.pop_back();
        return;
      case '[':
        character_class();
        break;
      case '\\':
        escape(false);
        break;
      case '{':
        repetition();
        return;
      case '*':
      case '+':
      case '?':
        out_ += in_[at_++];
        // Lazy and possessive marks belong to the quantifier; Oniguruma and ICU agree about them here.
        if (at_ < in_.size() && (in_[at_] == '?' || in_[at_] == '+')) {
          out_ += in_[at_++];
        }
        return;
      default:
        out_ += in_[at_++];
        break;
    }
    atom_ = begin;
  }

  void open_group() {
    groups_.push_back(out_.size());
    for (const std::string_view known : {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?-i:"}) {
      if (next_is(known)) {
        out_ += known;
        at_ += known.size();
        return;
      }
    }
    if (next_is("(?i)")) {
      groups_.pop_back();
      out_ += "(?i)";
      at_ += 4;
      return;
    }
    if (next_is("(?")) {
      refuse(fmt::format("the group {}", in_.substr(at_, 4)));
    }
    out_ += in_[at_++];
  }

  // "{n,m}"; a "+" behind repeats the whole in Oniguruma and would be possessive in ICU. A "?" behind {n}
  // takes the whole or nothing there, behind {n,m} as little as possible in both.
  void repetition() {
    const std::size_t close = in_.find('}', at_);
    const std::string_view body = close == std::string_view::npos ? "" : in_.substr(at_ + 1, close - at_ - 1);
    if (body.empty() || body.find_first_not_of("0123456789,") != std::string_view::npos ||
        body.front() == ',') {
      refuse("a brace that is no repetition {n}, {n,} or {n,m}");
    }
    out_ += in_.substr(at_, close + 1 - at_);
    at_ = close + 1;
    const bool exact = body.find(',') == std::string_view::npos;
    if (at_ < in_.size() && (in_[at_] == '+' || (exact && in_[at_] == '?'))) {
      out_.insert(atom_, "(?:");
      out_ += ')';
      out_ += in_[at_++];
    } else if (at_ < in_.size() && in_[at_] == '?') {
      out_ += in_[at_++];
    }
  }

  void escape(bool in_class) {
    if (at_ + 1 >= in_.size()) {
      refuse_damaged("a backslash at its end");
    }
    const char c = in_[at_ + 1];
    const auto put = [&](std::string_view text) {
      out_ += text;
      at_ += 2;
    };
    switch (c) {
      case 's':
        return put("\\p{White_Space}");
      case 'S':
        return put("\\P{White_Space}");
      case 'd':
        return put("\\p{Nd}");
      case 'D':
        return put("\\P{Nd}");
      case 'w':
        return put("[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}]");
      case 'W':
        return put("[^\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}]");
      case 'h':
        return put("[0-9A-Fa-f]");
      case 'n':
      case 'r':
      case 't':
      case 'f':
      case 'a':
      case 'e':
        return put(in_.substr(at_, 2));
      case 'v':
        return put("\\x0B");
      case 'x':
      case 'u':
        return hexadecimal(c);
      case 'p':
      case 'P':
        return property();
      default:
        break;
    }
    if (!in_class && (c == 'A' || c == 'z' || c == 'Z' || c == 'b' || c == 'B')) {
      return put(in_.substr(at_, 2));
    }
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) {
      refuse(fmt::format("\\{}", c));
    }
    if (static_cast<unsigned char>(c) >= 0x80) {
      ++at_;  // the character itself
      out_ += in_[at_++];
      return;
    }
    put(in_.substr(at_, 2));
  }

  void hexadecimal(char kind) {
    std::size_t digits = at_ + 2;
    std::size_t end = digits;
    const bool braces = kind == 'x' && end < in_.size() && in_[end] == '{';
    if (braces) {
      digits = ++end;
    }
    const std::size_t most = braces ? 8 : kind == 'x' ? 2 : 4;
    while (end < in_.size() && end - digits < most &&
           std::string_view("0123456789abcdefABCDEF").find(in_[end]) != std::string_view::npos) {
      ++end;
    }
    const bool closed = !braces || (end < in_.size() && in_[end] == '}');
    if (end == digits || !closed || (kind == 'u' && end - digits != 4)) {
      refuse(fmt::format("a \\{} without its digits", kind));
    }
    out_ += "\\x{";
    out_ += in_.substr(digits, end - digits);
    out_ += '}';
    at_ = end + (braces ? 1 : 0);
  }

  void property() {
    if (at_ + 2 < in_.size() && in_[at_ + 2] != '{') {
      refuse("a \\p without braces");
    }
    const std::size_t close = in_.find('}', at_);
    if (close == std::string_view::npos) {
      refuse_damaged("a \\p without its closing brace");
    }
    bool negative = in_[at_ + 1] == 'P';
    std::string_view name = in_.substr(at_ + 3, close - at_ - 3);
    if (name.starts_with('^')) {
      negative = !negative;
      name.remove_prefix(1);
    }
    out_ += negative ? "\\P{" : "\\p{";
    out_ += name;
    out_ += '}';
    at_ = close + 1;
  }

  void character_class() {
    out_ += in_[at_++];
    if (next_is("^")) {
      out_ += in_[at_++];
    }
    if (next_is("]")) {
      refuse("an empty character class");
    }
    while (!next_is("]")) {
      if (at_ >= in_.size()) {
        refuse_damaged("a character class without its end");
      }
      if (next_is("[:")) {
        posix_class();
      } else if (next_is("[")) {
        if (++depth_ > 8) {
          refuse("character classes nested deeper than 8");
        }
        character_class();
        --depth_;
      } else if (next_is("\\")) {
        escape(true);
      } else if (next_is("&&")) {
        out_ += "&&";
        at_ += 2;
      } else if (next_is("--") || next_is("&") || next_is("$") || next_is("{") || next_is("}")) {
        out_ += '\\';  // plain characters there, not ICU's operators
        out_ += in_[at_++];
      } else {
        out_ += in_[at_++];
      }
    }
    out_ += in_[at_++];
  }

  void posix_class() {
    const std::size_t close = in_.find(":]", at_);
    if (close == std::string_view::npos) {
      refuse_damaged("a [: without :]");
    }
    const std::string_view name = in_.substr(at_ + 2, close - at_ - 2);
    static constexpr std::pair<std::string_view, std::string_view> kKnown[] = {{"space", "\\p{White_Space}"},
                                                                               {"alpha", "\\p{Alphabetic}"},
                                                                               {"digit", "\\p{Nd}"},
                                                                               {"upper", "\\p{Uppercase}"},
                                                                               {"lower", "\\p{Lowercase}"}};
    for (const auto& [known, written] : kKnown) {
      if (name == known) {
        out_ += written;
        at_ = close + 2;
        return;
      }
    }
    refuse(fmt::format("[:{}:]", name));
  }

  std::string_view in_;
  std::string where_;
  std::string out_;
  std::size_t at_ = 0;
  std::size_t atom_ = 0;  // where in out_ the last atom begins
  std::vector<std::size_t> groups_;
  int depth_ = 0;
};

class RegexPattern final : public Pattern {
 public:
  RegexPattern(std::string_view expression, std::string where)
      : where_(std::move(where)), expression_(expression) {
    if (expression.empty() || expression.size() > kMostExpression) {
      throw FormatError(fmt::format("{}: expected a regular expression of 1 to {} bytes, found {}", where_,
                                    kMostExpression, expression.size()));
    }
    const std::string translated = translate_regex(expression, where_);
    UErrorCode error = U_ZERO_ERROR;
    UParseError place;
    pattern_.reset(icu::RegexPattern::compile(icu::UnicodeString::fromUTF8(translated),
                                              UREGEX_MULTILINE | UREGEX_UNIX_LINES, place, error));
    if (U_FAILURE(error)) {
      throw FormatError(fmt::format("{}: the regular expression {:?} cannot be read ({} near character {})",
                                    where_, expression_.substr(0, 200), u_errorName(error), place.offset));
    }
  }

  void find(std::string_view text, std::vector<Match>& matches) const override {
    // ICU counts UTF-16 units; places_[unit] is the byte.
    std::vector<std::size_t> places;
    places.reserve(text.size() + 1);
    for (std::size_t at = 0; at < text.size();) {
      places.push_back(at);
      if (next_character(text, at) > 0xFFFF) {
        places.push_back(at);
      }
    }
    places.push_back(text.size());
    const icu::UnicodeString units =
        icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
    UErrorCode error = U_ZERO_ERROR;
    const std::unique_ptr<icu::RegexMatcher> matcher(pattern_->matcher(units, error));
    if (U_SUCCESS(error)) {
      matcher->setTimeLimit(kMostSteps, error);
      matcher->setStackLimit(kMostStack, error);
    }
    const std::int32_t length = units.length();
    std::int32_t last_end = -1;
    std::size_t covered = 0;
    for (std::int32_t from = 0; U_SUCCESS(error) && from <= length;) {
      if (!matcher->find(from, error) || U_FAILURE(error)) {
        break;
      }
      const std::int32_t begin = matcher->start(error);
      const std::int32_t end = matcher->end(error);
      if (begin == end && begin == last_end) {  // no empty match right behind a match
        from = units.moveIndex32(from, 1) > from ? units.moveIndex32(from, 1) : length + 1;
        continue;
      }
      from = last_end = end;
      const std::size_t first = places[static_cast<std::size_t>(begin)];
      const std::size_t last = places[static_cast<std::size_t>(end)];
      if (first != covered) {
        matches.push_back({covered, first, false});
      }
      matches.push_back({first, last, true});
      covered = last;
    }
    if (U_FAILURE(error)) {
      throw FormatError(fmt::format(
          "{}: the regular expression {:?} needs too much {} for a text of {} bytes", where_,
          expression_.substr(0, 200), error == U_REGEX_STACK_OVERFLOW ? "memory" : "time", text.size()));
    }
    if (covered != text.size()) {
      matches.push_back({covered, text.size(), false});
    }
  }

 private:
  static constexpr std::int32_t kMostSteps = 2'000;     // of ICU's 10,000 operations
  static constexpr std::int32_t kMostStack = 8 << 20U;  // bytes

  std::string where_;
  std::string expression_;
  std::unique_ptr<icu::RegexPattern> pattern_;
};

class LiteralPattern final : public Pattern {
 public:
  explicit LiteralPattern(std::string literal) : literal_(std::move(literal)) {}
  void find(std::string_view text, std::vector<Match>& matches) const override {
    std::size_t covered = 0;
    for (std::size_t at = text.find(literal_); at != std::string_view::npos;
         at = text.find(literal_, covered)) {
      if (at != covered) {
        matches.push_back({covered, at, false});
      }
      covered = at + literal_.size();
      matches.push_back({at, covered, true});
    }
    if (covered != text.size()) {
      matches.push_back({covered, text.size(), false});
    }
  }

 private:
  std::string literal_;
};

}  // namespace

std::string translate_regex(std::string_view expression, const std::string& where) {
  return Translator(expression, where).run();
}

std::unique_ptr<const Pattern> make_regex_pattern(std::string_view expression, const std::string& where) {
  return std::make_unique<RegexPattern>(expression, where);
}

std::unique_ptr<const Pattern> make_literal_pattern(std::string literal, const std::string& where) {
  if (literal.empty()) {
    throw FormatError(fmt::format("{}: expected a text to look for, found an empty one", where));
  }
  return std::make_unique<LiteralPattern>(std::move(literal));
}

}  // namespace mog::model
