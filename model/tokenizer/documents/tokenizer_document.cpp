// The vocabulary of a tokenizer.json has up to millions of entries. A document tree keeps each key in a list
// that it searches for every new one, which takes minutes; so the file is read as a stream of events, the
// long lists go into vectors and only the rest becomes a tree.
#include "model/tokenizer/documents/tokenizer_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "io/recording/errors.h"
#include "io/text/json_check.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostTokens = std::int64_t{1} << 24U;
constexpr std::size_t kMostTokenBytes = 4096;

struct Counted {
  std::string token;
  std::int64_t id = 0;
};

std::string shown(std::string_view text) {
  return Json(std::string(text.substr(0, 80))).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A score as the reference reads it: up to 19 digits as a whole number, divided by a power of ten. That is
// not always the nearest double, and sums of scores decide ties by their last bit.
double score_of(std::string_view text) {
  std::uint64_t digits = 0;
  int exponent = 0;
  bool fraction = false;
  bool full = false;
  const bool negative = text.starts_with('-');
  text.remove_prefix(negative ? 1 : 0);
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  for (const char c : text.substr(0, mark)) {
    if (c == '.') {
      fraction = true;
      continue;
    }
    const auto digit = static_cast<std::uint64_t>(c - '0');
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    full = full || digits > kMost / 10 || (digits == kMost / 10 && digit > kMost % 10);
    if (!full) {
      digits = digits * 10 + digit;
    }
    exponent += (full ? 1 : 0) - (fraction ? 1 : 0);
  }
  if (mark < text.size()) {
    text.remove_prefix(mark + 1);
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    int written = 0;
    std::from_chars(text.data(), text.data() + text.size(), written);
    exponent += written;
  }
  auto value = static_cast<double>(digits);
  constexpr int kGreatest = 308;
  for (; exponent < -kGreatest && value != 0; exponent += kGreatest) {
    value /= 1e308;
  }
  value = exponent >= 0 ? value * std::pow(10.0, exponent)
                        : value / std::pow(10.0, std::min(-exponent, kGreatest));
  return negative ? -value : value;
}

// Events of the parser → a tree, or one of the long lists.
class Events {
 public:
  Events(const std::string& file, bool bare_vocabulary) : file_(file), bare_(bare_vocabulary) {}

  bool null() { return value(Json(nullptr)); }
  bool boolean(bool found) { return value(Json(found)); }
  bool number_integer(std::int64_t found) { return value(Json(found)); }
  bool number_unsigned(std::uint64_t found) { return value(Json(found)); }
  bool number_float(double found, const std::string& text) {
    const bool score = listed && list_ == List::vocabulary;
    return value(Json(score && std::isfinite(found) ? score_of(text) : found));
  }
  bool string(std::string& found) { return value(Json(std::move(found))); }
  bool binary(Json::binary_t& /*found*/) { return false; }
  bool start_object(std::size_t /*size*/) { return open(Json::object(), true); }
  bool start_array(std::size_t /*size*/) { return open(Json::array(), false); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& found) {
    key_ = std::move(found);
    return true;
  }
  bool parse_error(std::size_t place, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) {
    throw FormatError(fmt::format("{}: no JSON near byte {}", file_, place));
  }

  Json root;
  std::vector<Counted> counted;
  bool listed = false;  // the vocab was a list
  std::vector<std::pair<std::string, double>> scored;
  std::vector<std::pair<std::string, std::string>> merges;
  bool merges_listed = false;

 private:
  enum class List : std::uint8_t { none, vocabulary, merges };

  [[noreturn]] void refuse(const std::string& defect) const { throw FormatError(file_ + ": " + defect); }

  bool open(Json empty, bool object) {
    ++depth_;
    if (list_ != List::none) {
      // Inside a long list: only pairs.
      const bool pair = !object && depth_ == list_depth_ + 1 && (list_ == List::merges || listed);
      if (!pair) {
        bad_entry(object ? "an object" : "a list");
      }
      pair_.clear();
      return true;
    }
    if (bare_ && depth_ == 1) {
      if (!object) {
        refuse("expected a JSON object of tokens and ids");
      }
      list_ = List::vocabulary;
      list_depth_ = depth_;
      return true;
    }
    const bool in_model = stack_.size() == 2 && model_open_;
    if (in_model && (key_ == "vocab" || (key_ == "merges" && !object))) {
      list_ = key_ == "vocab" ? List::vocabulary : List::merges;
      listed = list_ == List::vocabulary ? !object : listed;
      merges_listed = merges_listed || list_ == List::merges;
      list_depth_ = depth_;
      place(Json(true));
      return true;
    }
    Json* const at = place(std::move(empty));
    if (stack_.size() == 1 && key_ == "model" && stack_[0]->is_object()) {
      model_open_ = object;
    }
    stack_.push_back(at);
    return true;
  }

  bool close() {
    if (list_ != List::none) {
      if (depth_ > list_depth_) {
        end_pair();
      } else {
        list_ = List::none;
      }
      --depth_;
      return true;
    }
    --depth_;
    stack_.pop_back();
    if (stack_.size() == 1) {
      model_open_ = false;
    }
    return true;
  }

  bool value(Json found) {
    if (list_ == List::none) {
      place(std::move(found));
      return true;
    }
    if (depth_ > list_depth_) {
      if (pair_.size() == 2) {
        bad_entry("a list of more than two");
      }
      pair_.push_back(std::move(found));
    } else if (list_ == List::merges) {
      add_merge(found);
    } else if (listed) {
      bad_entry(found.dump().substr(0, 80));
    } else {
      add_token(found);
    }
    return true;
  }

  Json* place(Json found) {
    if (stack_.empty()) {
      root = std::move(found);
      return &root;
    }
    Json& top = *stack_.back();
    if (top.is_array()) {
      top.push_back(std::move(found));
      return &top.back();
    }
    return &(top[key_] = std::move(found));
  }

  [[noreturn]] void bad_entry(const std::string& found) const {
    if (list_ == List::merges) {
      refuse(fmt::format("model.merges[{}]: expected two parts, as a list or a text with one space, found {}",
                         merges.size(), found));
    }
    refuse(fmt::format("model.vocab{}: expected {}, found {}",
                       listed ? fmt::format("[{}]", scored.size()) : "",
                       listed ? "a token and its score" : "tokens and their ids", found));
  }

  void add_token(const Json& id) {
    const std::string where = fmt::format("{}: {}", file_, bare_ ? "the vocab" : "model.vocab");
    check_token(key_, where);
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= static_cast<std::uint64_t>(kMostTokens)) {
      throw FormatError(fmt::format("{}: the token {} has the id {}, expected a whole number from 0 to {}",
                                    where, shown(key_), id.dump().substr(0, 80), kMostTokens - 1));
    }
    counted.push_back({std::move(key_), id.get<std::int64_t>()});
  }

  void add_merge(const Json& merge) {
    if (!merge.is_string()) {
      bad_entry(merge.dump().substr(0, 80));
    }
    const std::string& text = merge.get_ref<const std::string&>();
    if (text.starts_with("#version")) {
      return;
    }
    const std::size_t space = text.find(' ');
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
      bad_entry(shown(text));
    }
    merges.emplace_back(text.substr(0, space), text.substr(space + 1));
  }

  void end_pair() {
    if (list_ == List::merges) {
      if (pair_.size() != 2 || !pair_[0].is_string() || !pair_[1].is_string()) {
        bad_entry(Json(pair_).dump().substr(0, 80));
      }
      merges.emplace_back(pair_[0].get<std::string>(), pair_[1].get<std::string>());
      return;
    }
    if (pair_.size() != 2 || !pair_[0].is_string() || !pair_[1].is_number() ||
        !std::isfinite(pair_[1].get<double>())) {
      bad_entry(Json(pair_).dump().substr(0, 80));
    }
    if (scored.size() >= static_cast<std::size_t>(kMostTokens)) {
      refuse(fmt::format("model.vocab: more than {} tokens", kMostTokens));
    }
    scored.emplace_back(pair_[0].get<std::string>(), pair_[1].get<double>());
    check_token(scored.back().first, fmt::format("{}: model.vocab[{}]", file_, scored.size() - 1));
  }

  const std::string& file_;
  bool bare_;  // the document is the vocab
  std::vector<Json*> stack_;
  std::string key_;
  bool model_open_ = false;
  List list_ = List::none;
  std::size_t depth_ = 0;
  std::size_t list_depth_ = 0;
  std::vector<Json> pair_;
};

std::vector<std::string> by_id(std::vector<Counted> counted, const std::string& where) {
  std::stable_sort(counted.begin(), counted.end(),
                   [](const Counted& left, const Counted& right) { return left.id < right.id; });
  std::vector<std::string> tokens;
  tokens.reserve(counted.size());
  for (Counted& entry : counted) {
    const auto due = static_cast<std::int64_t>(tokens.size());
    if (entry.id < due) {
      throw FormatError(fmt::format("{}: the id {} belongs to two tokens, {} and {}", where, entry.id,
                                    shown(tokens.back()), shown(entry.token)));
    }
    if (entry.id > due) {
      throw FormatError(fmt::format("{}: the ids of the vocab leave out {}; the next token, {}, has {}",
                                    where, due, shown(entry.token), entry.id));
    }
    tokens.push_back(std::move(entry.token));
  }
  return tokens;
}

void parse(std::string_view text, const std::string& file, Events& events) {
  io::check_json(text, file, {.depth = 32, .values = std::size_t{1} << 26U});
  Json::sax_parse(text, &events);
}

}  // namespace

void check_token(const std::string& token, const std::string& where) {
  if (token.empty() || token.size() > kMostTokenBytes) {
    throw FormatError(
        fmt::format("{}: a token has {} bytes, expected 1 to {}", where, token.size(), kMostTokenBytes));
  }
}

void check_vocabulary_line(const std::string& token, const std::string& where) {
  if (token.find_first_of(std::string("\n\0", 2)) != std::string::npos || token.back() == '\r') {
    throw FormatError(fmt::format("{}: the token {} holds a line end or NUL, which vocab.txt cannot hold",
                                  where, shown(token)));
  }
}

TokenizerDocument read_tokenizer_document(std::string_view text, const std::string& file) {
  Events events(file, false);
  parse(text, file, events);
  if (!events.root.is_object()) {
    throw FormatError(fmt::format("{}: expected a JSON object", file));
  }
  TokenizerDocument document;
  document.root = std::move(events.root);
  document.merges = std::move(events.merges);
  document.merges_listed = events.merges_listed;
  if (events.listed) {
    for (auto& [token, score] : events.scored) {
      document.tokens.push_back(std::move(token));
      document.scores.push_back(score);
    }
  } else {
    document.tokens = by_id(std::move(events.counted), file);
  }
  return document;
}

std::vector<std::string> read_vocabulary_json(std::string_view text, const std::string& file) {
  Events events(file, true);
  parse(text, file, events);
  return by_id(std::move(events.counted), file);
}

}  // namespace mog::model
