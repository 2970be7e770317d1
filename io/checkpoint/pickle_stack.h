// The stack of the machine that reads pickles, with its marks, and its memo.
#pragma once

#include <cstdint>
#include <vector>

#include "io/checkpoint/pickle.h"
#include "io/checkpoint/pickle_bytes.h"

namespace mog::io {

// At most 2,000,000 values and 10,000 marks; slots of the memo are smaller than the pickle has bytes. What
// does not hold throws FormatError through `bytes`, which is borrowed.
class PickleStack {
 public:
  explicit PickleStack(const PickleBytes& bytes) : bytes_(bytes) {}

  // An opcode may take what lies above the last mark, no more.
  void push(PickleRef ref);
  PickleRef pop();
  std::vector<PickleRef> pop(std::size_t count);  // in the order in which they were pushed
  PickleRef top() const;
  // The only value that is left, with no mark.
  PickleRef pop_last();

  void mark();
  std::vector<PickleRef> pop_mark();  // all above the last mark, and the mark
  void pop_value_or_mark();

  void put(std::uint64_t slot);  // the top
  void put_next();               // into the slot whose number is that of the slots in use
  void get(std::uint64_t slot);

 private:
  const PickleBytes& bytes_;
  std::vector<PickleRef> values_;
  std::vector<std::size_t> marks_;  // sizes of the stack
  std::vector<PickleRef> memo_;
  std::size_t memo_used_ = 0;
};

}  // namespace mog::io
