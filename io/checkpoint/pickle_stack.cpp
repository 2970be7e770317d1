// Bytes, values, stack and memo of the machine.
#include <fmt/format.h>

#include <charconv>

#include "io/checkpoint/pickle_machine.h"
#include "io/recording/errors.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

constexpr std::size_t kMaxItems = 8'000'000;

}  // namespace

void PickleMachine::refuse(const std::string& defect) const {
  throw FormatError(fmt::format("{}: pickle, byte {}: {}", where_, opcode_at_ + 1, defect));
}

// ---- bytes
std::string_view PickleMachine::take(std::uint64_t count) {
  if (count > bytes_.size() - at_) {
    refuse(fmt::format("the pickle is truncated: {} bytes should follow, {} are there", count,
                       bytes_.size() - at_));
  }
  const std::string_view part = bytes_.substr(at_, static_cast<std::size_t>(count));
  at_ += part.size();
  return part;
}

std::uint64_t PickleMachine::number(std::size_t bytes) {
  const std::string_view part = take(bytes);
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(part[i]);
  }
  return value;
}

std::string_view PickleMachine::line() {
  const std::size_t end = bytes_.find('\n', at_);
  if (end == std::string_view::npos) {
    refuse("the pickle is truncated: a line does not end");
  }
  const std::string_view text = bytes_.substr(at_, end - at_);
  at_ = end + 1;
  return text;
}

PickleRef PickleMachine::make(PickleKind kind) {
  if (result_.values_.size() >= kMaxPickleValues) {
    refuse(fmt::format("more than {} values", kMaxPickleValues));
  }
  result_.values_.emplace_back().kind = kind;
  return static_cast<PickleRef>(result_.values_.size() - 1);
}

void PickleMachine::push(PickleRef ref) {
  if (stack_.size() >= kMaxPickleValues) {
    refuse(fmt::format("more than {} values on the stack", kMaxPickleValues));
  }
  stack_.push_back(ref);
}

void PickleMachine::push_integer(std::int64_t number) {
  const PickleRef ref = make(PickleKind::integer);
  value(ref).integer = number;
  push(ref);
}

void PickleMachine::push_text(PickleKind kind, std::string_view text) {
  const PickleRef ref = make(kind);
  value(ref).text = text;
  push(ref);
}

void PickleMachine::push_unicode(std::string_view text) {
  if (const std::size_t bad = first_invalid_utf8(text); bad != std::string_view::npos) {
    refuse("text that is not UTF-8");
  }
  push_text(PickleKind::text, text);
}

// A string of Python 2: text where it can be.
void PickleMachine::push_string(std::string_view text) {
  push_text(first_invalid_utf8(text) == std::string_view::npos ? PickleKind::text : PickleKind::bytes, text);
}

// Values above the last mark are what an opcode may take.
PickleRef PickleMachine::pop() {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) {
    refuse("the stack is empty");
  }
  const PickleRef ref = stack_.back();
  stack_.pop_back();
  return ref;
}

PickleRef PickleMachine::top() {
  const PickleRef ref = pop();
  stack_.push_back(ref);
  return ref;
}

std::vector<PickleRef> PickleMachine::pop_mark() {
  if (marks_.empty()) {
    refuse("there is no mark");
  }
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<PickleRef> items(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  marks_.pop_back();
  return items;
}

void PickleMachine::add_items(PickleValue& to, const std::vector<PickleRef>& items) {
  items_ += items.size();
  if (items_ > kMaxItems) {
    refuse(fmt::format("more than {} items", kMaxItems));
  }
  to.items.insert(to.items.end(), items.begin(), items.end());
}

PickleRef PickleMachine::collect(PickleKind kind, const std::vector<PickleRef>& items) {
  const PickleRef ref = make(kind);
  add_items(value(ref), items);
  return ref;
}

void PickleMachine::check_keys(const std::vector<PickleRef>& items) {
  if (items.size() % 2 != 0) {
    refuse("a key without a value");
  }
  for (std::size_t i = 0; i < items.size(); i += 2) {
    const PickleKind kind = value(items[i]).kind;
    if (kind == PickleKind::list || kind == PickleKind::dict || kind == PickleKind::set) {
      refuse("a list, dictionary or set as key of a dictionary");
    }
  }
}

void PickleMachine::set_items(const std::vector<PickleRef>& items) {
  check_keys(items);
  const PickleRef to = top();
  if (value(to).kind == PickleKind::dict) {
    add_items(value(to), items);
  } else if (value(to).kind == PickleKind::object) {
    add_items(value(to), {collect(PickleKind::dict, items)});
  } else {
    refuse("entries are added to what is no dictionary");
  }
}

void PickleMachine::append(const std::vector<PickleRef>& items) {
  const PickleRef to = top();
  if (value(to).kind == PickleKind::list) {
    add_items(value(to), items);
  } else if (value(to).kind == PickleKind::object) {
    add_items(value(to), {collect(PickleKind::list, items)});
  } else {
    refuse("items are added to what is no list");
  }
}

// ---- memo
void PickleMachine::put(std::uint64_t slot) {
  if (slot >= bytes_.size()) {
    refuse(fmt::format("memo slot {} in a pickle of {} bytes", slot, bytes_.size()));
  }
  if (slot >= memo_.size()) {
    memo_.resize(static_cast<std::size_t>(slot) + 1, kUnset);
  }
  memo_used_ += memo_[static_cast<std::size_t>(slot)] == kUnset;
  memo_[static_cast<std::size_t>(slot)] = top();
}

void PickleMachine::get(std::uint64_t slot) {
  if (slot >= memo_.size() || memo_[static_cast<std::size_t>(slot)] == kUnset) {
    refuse(fmt::format("memo slot {} was never set", slot));
  }
  push(memo_[static_cast<std::size_t>(slot)]);
}

std::uint64_t PickleMachine::slot_text() {
  const std::string_view text = line();
  std::uint64_t slot = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slot);
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse(fmt::format("\"{}\" is no memo slot", printable(text)));
  }
  return slot;
}

}  // namespace mog::io
