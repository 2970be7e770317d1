// Checking goes over the text with nlohmann's SAX parser, whose events count and compare; nothing is built
// (decision 28). Memory is that of the keys of the open objects, time O(length · log of an object's keys).
// The iterator counts bytes as the parser takes them: its position is the only place that a SAX event has.
//
// Places are found the other way round, after an error in sense: the text is walked again along a JSON
// pointer, over brackets, quotes and commas. That may be so simple because the text was checked before.
// json_places() gives the places of a whole list in one walk; asking for each would be quadratic.
//
// Trap: keys are compared as they are written. A key with an escape is not found, and the place is then that
// of the object around it.
#include "io/text/json_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/file_kind.h"
#include "io/text/input_file.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

// Counts what the parser has taken, so that a defect has a place.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  const char* at;
  std::size_t* taken;
  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    ++at;
    ++*taken;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at == b.at; }
};

// Sees every value, builds nothing.
class Checker : public nlohmann::json::json_sax_t {
 public:
  Checker(const JsonLimits& limits, const std::size_t& taken) : limits_(limits), taken_(taken) {}
  const std::string& defect() const noexcept { return defect_; }
  std::size_t byte() const noexcept { return byte_; }  // from 1; 0: not of one place

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool key(string_t& key) override {
    if (!keys_.back().insert(key).second) {
      return refuse(fmt::format("the key \"{}\" is there twice", key), key.size() + 1);
    }
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    if (defect_.empty()) {
      const std::string_view what = error.what();
      const auto colon = what.find(": ", what.find("parse error"));
      byte_ = std::max<std::size_t>(position, 1);
      defect_ = fmt::format("it is no sound JSON at byte {}: {}", position,
                            colon == std::string_view::npos ? what : what.substr(colon + 2));
    }
    return false;
  }

 private:
  // `behind`: bytes that were taken since the place.
  bool refuse(std::string defect, std::size_t behind = 0) {
    defect_ = std::move(defect);
    byte_ = std::max(taken_, behind + 1) - behind;
    return false;
  }
  bool value() {
    return ++values_ <= limits_.values || refuse(fmt::format("it has more than {} values", limits_.values));
  }
  bool open() {
    if (keys_.size() >= limits_.depth) {
      return refuse(fmt::format("it is nested more than {} deep", limits_.depth));
    }
    keys_.emplace_back();
    return value();
  }
  bool close() {
    keys_.pop_back();
    return true;
  }

  JsonLimits limits_;
  const std::size_t& taken_;
  std::vector<std::set<std::string>> keys_;  // of the open objects; empty sets for arrays
  std::size_t values_ = 0;
  std::size_t byte_ = 0;
  std::string defect_;
};

// "line 3, column 5" of the byte at `at`, from 0.
std::string place_of(std::string_view text, std::size_t at, std::int64_t first_line) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line = before.rfind('\n');
  const std::string_view own = line == std::string_view::npos ? before : before.substr(line + 1);
  const auto column = std::count_if(own.begin(), own.end(),
                                    [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  return fmt::format("line {}, column {}", first_line + lines, column + 1);
}

// Walks over sound JSON without building it.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}
  std::size_t at() {
    blanks();
    return at_;
  }
  bool opens(char bracket) { return at() < text_.size() && text_[at_] == bracket; }
  // Into an object or a list; false where it is empty.
  bool enter() {
    ++at_;
    return !opens('}') && !opens(']');
  }
  // Over a comma; false at the end of the object or list.
  bool next() {
    const bool more = opens(',');
    ++at_;
    return more;
  }
  // The member's key as it is written, without quotes; stands at its value then.
  std::string_view key() {
    const std::size_t begin = at() + 1;
    skip();
    const std::string_view key = text_.substr(begin, at_ - 1 - begin);
    blanks();
    ++at_;
    return key;
  }
  void skip() {
    std::size_t depth = 0;
    blanks();
    do {
      const char c = text_[at_];
      if (c == '"') {
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
          at_ += text_[at_] == '\\' ? 1U : 0U;
        }
        ++at_;
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        --depth;
        ++at_;
      } else if (depth > 0) {
        ++at_;
      } else {
        at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
      }
    } while (depth > 0 && at_ < text_.size());
  }

 private:
  void blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

void check_json(std::string_view text, const std::string& where, const JsonLimits& limits) {
  const auto refuse = [&](const std::string& defect, std::size_t byte = 0) {
    const std::string hint = looks_like(text.substr(0, 512));
    const bool json = hint.empty() || hint.find("JSON") != std::string::npos;
    const std::string place = byte == 0 ? "" : place_of(text, byte - 1, limits.first_line) + ": ";
    throw FormatError(fmt::format("{}: {}{}{}{}", where, place, defect, json ? "" : "; ", json ? "" : hint));
  };
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    refuse("it is empty");
  }
  if (const std::size_t bad = first_invalid_utf8(text); bad != std::string_view::npos) {
    refuse(fmt::format("it is not UTF-8 at byte {}", bad + 1), bad + 1);
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    refuse(fmt::format("NUL at byte {}", nul + 1), nul + 1);
  }
  std::size_t taken = 0;
  Checker checker(limits, taken);
  const CountingIterator begin{text.data(), &taken};
  if (!nlohmann::json::sax_parse(begin, CountingIterator{text.data() + text.size(), &taken}, &checker)) {
    refuse(checker.defect(), checker.byte());
  }
}

namespace {

// Leaves the walker at the value of `pointer`, or at the innermost that is there, whose byte it returns.
std::size_t walk_to(Walker& walker, std::string_view pointer) {
  std::size_t place = walker.at();
  while (pointer.starts_with('/')) {
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    const std::string_view step = pointer.substr(1, end - 1);
    pointer.remove_prefix(end);
    const bool object = walker.opens('{');
    if (!object && !walker.opens('[')) {
      break;
    }
    bool found = false;
    std::size_t index = 0;
    for (bool more = walker.enter(); more && !found; more = !found && walker.next()) {
      found = object ? walker.key() == step : std::to_string(index++) == step;
      if (!found) {
        walker.skip();
      }
    }
    if (!found) {
      break;
    }
    place = walker.at();
  }
  return place;
}

}  // namespace

std::string json_place(std::string_view text, std::string_view pointer, std::int64_t first_line) {
  Walker walker(text);
  return place_of(text, walk_to(walker, pointer), first_line);
}

std::vector<std::string> json_places(std::string_view text, std::string_view pointer,
                                     std::int64_t first_line) {
  Walker walker(text);
  std::vector<std::string> places;
  if (text.substr(std::min(walk_to(walker, pointer), text.size())).substr(0, 1) != "[") {
    return places;
  }
  std::int64_t line = first_line;
  std::int64_t column = 1;
  std::size_t counted = 0;
  for (bool more = walker.enter(); more; more = walker.next()) {
    for (const std::size_t at = walker.at(); counted < at; ++counted) {
      const bool ends = text[counted] == '\n';
      line += ends ? 1 : 0;
      column = ends ? 1 : column + ((static_cast<unsigned char>(text[counted]) & 0xC0U) != 0x80U ? 1 : 0);
    }
    places.push_back(fmt::format("line {}, column {}", line, column));
    walker.skip();
  }
  return places;
}

}  // namespace mog::io
