// A parser with a stack of its own: texts may nest thousands of levels deep. A character or two of
// look-ahead decide everything, so nothing is tried and taken back: O(length) time and memory.
//
// The text is decoded first, so that a column of an error is one of characters, as an editor counts them.
// What is no UTF-8 becomes U+FFFD before anything is looked at.
//
// A prefix (`sub_`, `v_`) is taken off a name unless nothing or a lone U would be left. A join in progress
// keeps its left operand, its source and its annotation (Open); closing the right one appends it behind its
// operands, so that the list is in post-order without sorting.
//
// Trap: numbers of weights that no double can hold are told apart into too small and too large by their
// digits, since std::from_chars gives one error for both.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "analysis/mog/expressions/escape.h"
#include "analysis/mog/expressions/expression_syntax.h"
#include "analysis/mog/expressions/identifiers.h"
#include "io/recording/utf8.h"

namespace mog::analysis {
namespace {

using Reason = ExpressionError::Reason;

// Whether a number that no double can hold is too small for one, else it is too large: the power of ten of
// its first digit that is not 0.
bool lies_below_doubles(std::string_view number) {
  const std::size_t exponent_at = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, exponent_at);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  const std::string_view exponent = number.substr(std::min(exponent_at + 1, number.size()));
  std::int64_t power = 0;
  const std::size_t sign = exponent.starts_with('+') ? 1 : 0;  // from_chars refuses it
  const auto read = std::from_chars(exponent.data() + sign, exponent.data() + exponent.size(), power);
  if (read.ec == std::errc::result_out_of_range) {
    return exponent.front() == '-';
  }
  const auto place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  return power < -place;
}

// Why a value cannot be a weight, as what was expected; empty: it can.
std::string_view refusal_of_weight(std::string_view value) {
  double number = -1;
  const char* const end = value.data() + value.size();
  const auto read = std::from_chars(value.data(), end, number);
  const bool too_far = read.ec == std::errc::result_out_of_range;
  if (read.ptr != end || (!too_far && (read.ec != std::errc() || !std::isfinite(number)))) {
    return "expected a weight w: a number from 0 to 1, such as 0.25 or 1e-3";
  }
  if (too_far && value.front() != '-' && lies_below_doubles(value)) {
    return "expected a weight w that a number of double precision can hold: 0, or from 4.94e-324 to 1; "
           "write 0 for a smaller one";
  }
  const bool inside = !too_far && number >= 0 && number <= 1;
  return inside ? "" : "expected a weight w from 0 to 1; divide by the greatest, or by the sum";
}

// Of the value of an annotation, likewise.
std::string_view refusal(std::string_view key, std::string_view value) {
  if (value.empty()) {
    return "expected a value behind \"=\", without white space";
  }
  if (key == "l") {
    const bool layer = value.front() != '0' &&
                       std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
    return layer ? "" : "expected a layer l: 1, 2, 3 …";
  }
  if (key == "part") {
    const bool part =
        value == "h" || value == "m1" || value == "m2" || value == "f" || value == "fw" || value == "bw";
    return part ? "" : "expected a part: h, m1, m2, f, fw or bw";
  }
  return key == "w" ? refusal_of_weight(value) : std::string_view();
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), valid_(valid_utf8(text)) {
    for (std::size_t at = 0; at < valid_.size();) {
      starts_.push_back(at);
      characters_.push_back(next_code_point(valid_, at));
    }
    starts_.push_back(valid_.size());
  }

  std::vector<WrittenSubgraph> read() {
    std::int32_t done = -1;  // the subgraph just read; -1: one is wanted
    while (true) {
      if (done < 0) {
        skip_space();
        if (take('(')) {
          open_.push_back({});
          continue;
        }
        made_.push_back({.left = -1, .right = -1, .source = atom(), .target = {}, .annotation = {}});
        made_.back().target = made_.back().source;
        done = last();
      }
      if (open_.empty()) {
        skip_space();
        if (at_ < characters_.size()) {
          fail(Reason::unexpected_text, at_);
        }
        return std::move(made_);
      }
      done = close_operand(done);
    }
  }

 private:
  // A join whose first, then second operand is being read.
  struct Open {
    std::int32_t left = -1;
    WrittenName source{};
    JoinAnnotation annotation{};
  };

  std::int32_t last() const { return static_cast<std::int32_t>(made_.size()) - 1; }
  [[noreturn]] void fail(Reason reason, std::size_t at) const {
    throw ExpressionError(reason, static_cast<std::int64_t>(at) + 1, text_);
  }
  bool is(std::uint32_t c, std::size_t ahead = 0) const {
    return at_ + ahead < characters_.size() && characters_[at_ + ahead] == c;
  }
  bool take(std::uint32_t c) {
    const bool found = is(c);
    at_ += found ? 1 : 0;
    return found;
  }
  void skip_space() {
    while (at_ < characters_.size() && is_white_space(characters_[at_])) {
      ++at_;
    }
  }
  std::string piece(std::size_t first, std::size_t last_) const {
    return valid_.substr(starts_[first], starts_[last_] - starts_[first]);
  }

  // After an operand's subgraph: ")->node", and what follows it. Returns the join when it is complete, -1
  // when its second operand is to be read.
  std::int32_t close_operand(std::int32_t subgraph) {
    skip_space();
    if (!take(')')) {
      fail(Reason::expected_close, at_);
    }
    skip_space();
    if (is('-') && is('>', 1)) {
      at_ += 2;
    } else if (!take(0x2192)) {
      fail(Reason::expected_arrow, at_);
    }
    skip_space();
    WrittenName node = name("v_", Reason::expected_name);
    Open& join = open_.back();
    if (join.left >= 0) {
      made_.push_back(
          {join.left, subgraph, std::move(join.source), std::move(node), std::move(join.annotation)});
      open_.pop_back();
      return last();
    }
    join.left = subgraph;
    join.source = std::move(node);
    skip_space();
    if (!take('U') && !take(0x222A)) {
      fail(Reason::expected_union, at_);
    }
    skip_space();
    if (take('[')) {
      join.annotation = annotation();
      skip_space();
    }
    if (!take('(')) {
      fail(Reason::expected_operand, at_);
    }
    return -1;
  }

  WrittenName atom() { return name("sub_", Reason::expected_subgraph); }

  // One name with its prefix and position; `absent` is the error where no name begins.
  WrittenName name(std::string_view prefix, Reason absent) {
    WrittenName result;
    result.column = static_cast<std::int64_t>(at_) + 1;
    const std::size_t first = at_;
    const std::size_t end = identifier_end();
    const std::string run = piece(first, end);
    const bool prefixed = run.starts_with(prefix);
    if (end == first && !is('"')) {
      fail(absent, at_);
    }
    if (end == first ||
        (prefixed && run.size() == prefix.size() && end < characters_.size() && characters_[end] == '"')) {
      at_ = end;
      result.form = string();
    } else {
      const std::string rest = prefixed ? run.substr(prefix.size()) : "";
      result.form = rest.empty() || rest == "U" ? run : rest;
      if (result.form == "U") {
        fail(Reason::expected_name, first);
      }
      at_ = end;
    }
    if (is('@')) {
      result.position = position();
    }
    return result;
  }

  // The end of the longest identifier that begins here.
  std::size_t identifier_end() const {
    std::size_t end = at_;
    while (end < characters_.size() && !ends_identifier(characters_[end]) &&
           !(characters_[end] == '-' && end + 1 < characters_.size() && characters_[end + 1] == '>')) {
      ++end;
    }
    return end;
  }

  std::string string() {
    const std::size_t quote = at_++;
    std::string form;
    while (true) {
      if (at_ >= characters_.size() || is('\r') || is('\n')) {
        fail(Reason::bad_string, quote);
      }
      if (take('"')) {
        break;
      }
      if (is('\\') && is('u', 1)) {
        // "\u{1b}": what canonical text has in place of control characters.
        const auto escape = read_code_escape(std::string_view(valid_).substr(starts_[at_]));
        if (!escape) {
          fail(Reason::bad_string, at_);
        }
        append_utf8(form, escape->first);
        at_ += escape->second;  // ASCII: as many characters as bytes
        continue;
      }
      if (is('\\') && !is('"', 1) && !is('\\', 1)) {
        fail(Reason::bad_string, at_ + 1 < characters_.size() ? at_ : quote);
      }
      at_ += is('\\') ? 1U : 0U;
      form += piece(at_, at_ + 1);
      ++at_;
    }
    if (form.empty()) {
      fail(Reason::expected_name, quote);
    }
    return form;
  }

  std::int32_t position() {
    const std::size_t sign = at_++;
    std::int64_t value = 0;
    const std::size_t first = at_;
    while (at_ < characters_.size() && characters_[at_] >= '0' && characters_[at_] <= '9' &&
           at_ - first < 10) {
      value = value * 10 + (characters_[at_++] - '0');
    }
    if (at_ == first || characters_[first] == '0' || value > 999'999'999) {
      fail(Reason::bad_position, sign);
    }
    return static_cast<std::int32_t>(value);
  }

  JoinAnnotation annotation() {
    JoinAnnotation result;
    while (true) {
      skip_space();
      const std::size_t key_at = at_;
      while (at_ < characters_.size() && is_key_character(characters_[at_], at_ == key_at)) {
        ++at_;
      }
      const std::string key = piece(key_at, at_);
      const bool twice =
          std::any_of(result.begin(), result.end(), [&](const auto& pair) { return pair.first == key; });
      if (key.empty() || twice) {
        fail(Reason::bad_annotation, key_at);
      }
      skip_space();
      if (!take('=')) {
        fail(Reason::bad_annotation, at_);
      }
      skip_space();
      const std::size_t value_at = at_;
      while (at_ < characters_.size() && is_value_character(characters_[at_])) {
        ++at_;
      }
      result.emplace_back(key, value_of(piece(value_at, at_)));
      if (const std::string_view expected = refusal(key, result.back().second); !expected.empty()) {
        throw ExpressionError(Reason::bad_annotation, static_cast<std::int64_t>(value_at) + 1, text_,
                              expected);
      }
      skip_space();
      if (take(']')) {
        break;
      }
      if (!take(';')) {
        fail(Reason::bad_annotation, at_);
      }
    }
    std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
      return std::pair(place_of(a.first), a.first) < std::pair(place_of(b.first), b.first);
    });
    return result;
  }
  static bool is_key_character(std::uint32_t c, bool first) {
    return (c >= 'a' && c <= 'z') || (!first && (c == '_' || (c >= '0' && c <= '9')));
  }
  static bool is_value_character(std::uint32_t c) {
    return !is_white_space(c) && c != ';' && c != '[' && c != ']' && c != '"';
  }
  static int place_of(std::string_view key) {
    static constexpr std::array<std::string_view, 4> kFirst = {"rel", "l", "part", "w"};
    return static_cast<int>(std::find(kFirst.begin(), kFirst.end(), key) - kFirst.begin());
  }
  std::string_view text_;
  std::string valid_;
  std::vector<std::uint32_t> characters_;
  std::vector<std::size_t> starts_;  // bytes at which characters start
  std::size_t at_ = 0;
  std::vector<Open> open_;
  std::vector<WrittenSubgraph> made_;
};

}  // namespace

std::vector<WrittenSubgraph> read_syntax(std::string_view text) {
  return Reader(text).read();
}

}  // namespace mog::analysis
