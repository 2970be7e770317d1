// What a pickle names and calls: noted where the list allows it (pickle_names.h), refused else. Nothing is
// ever looked up or run.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/checkpoint/pickle_bytes.h"
#include "io/checkpoint/pickle_values.h"

namespace mog::io {

// Borrows both. Every function throws FormatError for what is not allowed, naming it.
class PickleCalls {
 public:
  PickleCalls(PickleValues& values, const PickleBytes& bytes) : values_(values), bytes_(bytes) {}

  // The value of a name, one for each pair. At most 10,000 of them; dotted ones are refused.
  PickleRef named(std::string_view module, std::string_view name);
  // What a call gives: a plain value where the call makes one, else a call that is judged by whoever knows
  // where it stands.
  PickleRef reduce(PickleRef callable, PickleRef arguments);
  // An instance, made without a call; `parts`: its arguments. Opaque, but for dictionaries.
  PickleRef instance(PickleRef type, const std::vector<PickleRef>& parts);
  // The opcodes of protocol 0 that call a class.
  [[noreturn]] void refuse_class(PickleRef type) const;
  // At the end: refuses names of Python's own library that are not in the list, called or not.
  void check_names() const;

 private:
  [[noreturn]] void refuse_call(const PickleName& name) const;
  [[noreturn]] void refuse_arguments(const PickleName& name, const char* wanted) const;
  const PickleName& require_class(PickleRef type) const;
  std::string refused_names() const;
  bool means(PickleRef ref, PickleMeaning meaning) const;
  bool is(PickleRef ref, PickleKind kind) const { return values_[ref].kind == kind; }
  bool is_sequence(PickleRef ref) const { return is(ref, PickleKind::list) || is(ref, PickleKind::tuple); }
  PickleRef dictionary(const PickleName& name, const std::vector<PickleRef>& given);

  PickleValues& values_;
  const PickleBytes& bytes_;
  std::map<std::pair<std::string, std::string>, PickleRef> places_;  // of names that came before
};

}  // namespace mog::io
