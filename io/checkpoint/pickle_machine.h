// The machine behind read_pickle.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/checkpoint/pickle.h"
#include "io/checkpoint/printable.h"

namespace mog::io {

constexpr std::size_t kMaxPickleValues = 2'000'000;
constexpr PickleRef kNone = 0;
constexpr PickleRef kTrue = 1;
constexpr PickleRef kFalse = 2;
constexpr PickleRef kUnset = ~PickleRef{0};  // of the memo

class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, const std::string& where);

  Pickle run();

 private:
  [[noreturn]] void refuse(const std::string& defect) const;

  // ---- bytes
  std::string_view take(std::uint64_t count);
  std::uint64_t number(std::size_t bytes);
  std::string_view line();

  // ---- values
  PickleValue& value(PickleRef ref) { return result_.values_[ref]; }
  PickleRef make(PickleKind kind);
  void push(PickleRef ref);
  void push_integer(std::int64_t number);
  void push_text(PickleKind kind, std::string_view text);
  void push_unicode(std::string_view text);
  void push_string(std::string_view text);
  std::string_view keep(std::string text) { return result_.texts_.emplace_back(std::move(text)); }
  PickleRef pop();
  PickleRef top();
  std::vector<PickleRef> pop_mark();
  void add_items(PickleValue& to, const std::vector<PickleRef>& items);
  PickleRef collect(PickleKind kind, const std::vector<PickleRef>& items);
  void check_keys(const std::vector<PickleRef>& items);
  void set_items(const std::vector<PickleRef>& items);
  void append(const std::vector<PickleRef>& items);
  void put(std::uint64_t slot);
  void get(std::uint64_t slot);
  std::uint64_t slot_text();

  // ---- names and calls
  PickleRef named(std::string_view module, std::string_view name);
  std::string refused_names() const;
  [[noreturn]] void refuse_call(const PickleName& name) const;
  void refuse_names() const;
  void reduce(PickleRef callable, PickleRef arguments);
  bool is_meant(PickleRef ref, PickleMeaning meaning);
  template <class Bad>
  PickleRef dictionary(const std::vector<PickleRef>& given, const Bad& bad);
  void instance(PickleRef type, std::vector<PickleRef> parts);
  void build();

  // ---- numbers and texts
  void integer_text(std::string_view text, bool truth);
  void float_text();
  void push_real(double number_read);
  void float_binary();
  void long_binary(std::uint64_t size);
  void quoted_text();
  void escaped_unicode();

  // ---- the machine
  bool step();
  bool step_late(unsigned char opcode);
  void protocol(std::uint64_t version);
  void stop();
  void tuple_of(std::size_t count);
  void persistent(PickleRef id) { push(collect(PickleKind::persistent, {id})); }
  void check_depth() const;

  std::string_view bytes_;
  std::string where_;
  std::size_t at_ = 0;
  std::size_t opcode_at_ = 0;
  Pickle result_;
  std::vector<PickleRef> stack_;
  std::vector<std::size_t> marks_;
  std::vector<PickleRef> memo_;
  std::size_t memo_used_ = 0;
  std::size_t items_ = 0;
  std::map<std::pair<std::string, std::string>, PickleRef> name_places_;
};

}  // namespace mog::io
