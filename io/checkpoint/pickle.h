// Python's pickles as data: a machine that builds values and never calls anything.
//
// Names that may be called stand in a list of exact pairs (pickle_names.h); a call of any other name is
// refused and named. An instance of a class that is not known (NEWOBJ, BUILD) becomes an opaque value. Names
// of Python's own library that are not in the list are refused wherever they stand, dotted names too.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "io/checkpoint/pickle_names.h"

namespace mog::io {

using PickleRef = std::uint32_t;  // place of a value in its Pickle

enum class PickleKind : std::uint8_t {
  none,
  boolean,
  integer,
  long_integer,  // text: little-endian two's complement, or decimal digits of the text protocols
  real,
  text,  // UTF-8
  bytes,
  tuple,
  list,
  dict,        // items: key, value, key, value, …
  set,         // items: one list or tuple, or the members
  name,        // integer: place in names()
  object,      // integer: its class, a place in names(); items: arguments, then states
  persistent,  // items: the persistent id
  call,        // integer: one of the list, a place in names(); items: arguments, a tuple
};

struct PickleValue {
  PickleKind kind = PickleKind::none;
  union {
    std::int64_t integer = 0;
    double real;
  };
  std::string_view text;
  std::vector<PickleRef> items;
};

// Borrows the bytes that it was read from.
class Pickle {
 public:
  PickleRef root() const noexcept { return root_; }
  const PickleValue& operator[](PickleRef at) const noexcept { return values_[at]; }
  const PickleName& name(const PickleValue& value) const noexcept {
    return names_[static_cast<std::size_t>(value.integer)];
  }
  std::size_t values() const noexcept { return values_.size(); }
  std::size_t size_bytes() const noexcept { return size_bytes_; }  // with its STOP
  const std::deque<PickleName>& names() const noexcept { return names_; }

 private:
  friend class PickleValues;
  std::deque<PickleValue> values_;
  std::deque<PickleName> names_;
  std::deque<std::string> texts_;  // those that are not in the bytes as they are
  PickleRef root_ = 0;
  std::size_t size_bytes_ = 0;
};

// The pickle at the beginning of `bytes`. `where` begins the messages ("model.pt: archive/data.pkl").
// Nothing in it is nested deeper than 1,000 or contains itself, but through opaque values.
// Throws FormatError naming the byte and the defect; a pickle that ends early is called truncated.
Pickle read_pickle(std::string_view bytes, const std::string& where);

}  // namespace mog::io
