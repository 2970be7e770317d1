// Python's stack is a list of lists, a new one at each mark. Here it is one vector and the places of the
// marks in it, so that a mark costs a number, and taking what is above one costs what is taken. A slot of the
// memo says itself how large the memo becomes; since a pickle needs a byte to fill each, none lies beyond its
// size.
#include "io/checkpoint/pickle_stack.h"

#include <fmt/format.h>

#include "io/checkpoint/pickle_values.h"

namespace mog::io {
namespace {

constexpr std::size_t kMaxMarks = 10'000;
constexpr PickleRef kUnset = ~PickleRef{0};

}  // namespace

void PickleStack::push(PickleRef ref) {
  if (values_.size() >= kMaxPickleValues) {
    bytes_.refuse(fmt::format("more than {} values on the stack", kMaxPickleValues));
  }
  values_.push_back(ref);
}

PickleRef PickleStack::top() const {
  if (values_.size() <= (marks_.empty() ? 0 : marks_.back())) {
    bytes_.refuse("the stack is empty");
  }
  return values_.back();
}

PickleRef PickleStack::pop() {
  const PickleRef ref = top();
  values_.pop_back();
  return ref;
}

std::vector<PickleRef> PickleStack::pop(std::size_t count) {
  std::vector<PickleRef> items(count);
  for (std::size_t i = count; i-- > 0;) {
    items[i] = pop();
  }
  return items;
}

PickleRef PickleStack::pop_last() {
  const PickleRef ref = pop();
  if (!marks_.empty() || !values_.empty()) {
    bytes_.refuse("values are left over at its end");
  }
  return ref;
}

// ---- marks
void PickleStack::mark() {
  if (marks_.size() >= kMaxMarks) {
    bytes_.refuse(fmt::format("more than {} open marks: nested too deep", kMaxMarks));
  }
  marks_.push_back(values_.size());
}

std::vector<PickleRef> PickleStack::pop_mark() {
  if (marks_.empty()) {
    bytes_.refuse("there is no mark");
  }
  const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<PickleRef> items(begin, values_.end());
  values_.erase(begin, values_.end());
  marks_.pop_back();
  return items;
}

void PickleStack::pop_value_or_mark() {
  if (!marks_.empty() && marks_.back() == values_.size()) {
    marks_.pop_back();
  } else {
    pop();
  }
}

// ---- memo
void PickleStack::put(std::uint64_t slot) {
  if (slot >= bytes_.size()) {
    bytes_.refuse(fmt::format("memo slot {} in a pickle of {} bytes", slot, bytes_.size()));
  }
  if (slot >= memo_.size()) {
    memo_.resize(static_cast<std::size_t>(slot) + 1, kUnset);
  }
  PickleRef& kept = memo_[static_cast<std::size_t>(slot)];
  memo_used_ += kept == kUnset;
  kept = top();
}

void PickleStack::put_next() {
  put(memo_used_);
}

void PickleStack::get(std::uint64_t slot) {
  if (slot >= memo_.size() || memo_[static_cast<std::size_t>(slot)] == kUnset) {
    bytes_.refuse(fmt::format("memo slot {} was never set", slot));
  }
  push(memo_[static_cast<std::size_t>(slot)]);
}

}  // namespace mog::io
