// Makes the values of a Pickle, within limits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/checkpoint/pickle.h"
#include "io/checkpoint/pickle_bytes.h"
#include "io/checkpoint/pickle_literals.h"

namespace mog::io {

constexpr std::size_t kMaxPickleValues = 2'000'000;

// At most 2,000,000 values with 8,000,000 items: more, and what does not fit together, throws FormatError
// through `bytes`, which is borrowed. References to values stay valid; values are never removed.
class PickleValues {
 public:
  // There from the beginning, and once only.
  static constexpr PickleRef kNone = 0;
  static constexpr PickleRef kTrue = 1;
  static constexpr PickleRef kFalse = 2;

  explicit PickleValues(const PickleBytes& bytes);

  const PickleValue& operator[](PickleRef ref) const noexcept { return pickle_.values_[ref]; }

  PickleRef make(PickleKind kind);
  PickleRef integer(const PickleInteger& number);
  PickleRef real(double number);
  // Texts are views: of the bytes of the pickle, or of what keep() gave back.
  PickleRef bytes(std::string_view text);
  PickleRef unicode(std::string_view text);  // refused unless it is UTF-8
  PickleRef string(std::string_view text);   // of Python 2: text where it is UTF-8, else bytes
  std::string_view keep(std::string text);

  PickleRef collect(PickleKind kind, const std::vector<PickleRef>& items);
  // An object or a call: of a name, with what belongs to it.
  PickleRef collect_of(PickleKind kind, PickleRef name, const std::vector<PickleRef>& items);
  // Keys and values in turn: refused where one has no other, or a key is a list, dictionary or set.
  void check_entries(const std::vector<PickleRef>& items) const;

  // Additions to what is there already; refused unless `to` is of the kind that takes them. An opaque object
  // takes all but members, and keeps an addition as one item more.
  void append(PickleRef to, const std::vector<PickleRef>& items);
  void add_members(PickleRef to, const std::vector<PickleRef>& items);
  void add_entries(PickleRef to, const std::vector<PickleRef>& items);  // after check_entries
  void add_state(PickleRef to, PickleRef state);

  PickleRef add_name(PickleName name);
  const PickleName* name(PickleRef ref) const noexcept;  // nullptr: the value is no name
  const std::deque<PickleName>& names() const noexcept { return pickle_.names_; }

  // Throws FormatError where what hangs on `root` is nested deeper than 1,000 or contains itself, but through
  // opaque values.
  void check_depth(PickleRef root) const;
  // The end: nothing can be made afterwards.
  Pickle finish(PickleRef root);

 private:
  void add(PickleValue& to, const std::vector<PickleRef>& items);
  PickleRef make_text(PickleKind kind, std::string_view text);

  const PickleBytes& bytes_;
  Pickle pickle_;
  std::size_t items_ = 0;  // of all values
};

}  // namespace mog::io
