// Python's own reader of pickles is a machine that looks up names and calls them. This one reads the same
// programs, but a name stays a name: the few calls that rebuild tensors are kept as what they are (a name and
// its arguments) and judged later, everything else is refused. What is left to harm is memory and time, so
// every size is compared with the bytes that are there, and the result is searched for depth and rings
// without recursion.
//
// Bytes, values, stack and calls each keep their own limits (pickle_bytes.h, pickle_values.h, pickle_stack.h,
// pickle_calls.h); here is what each opcode does with them. Time and memory go with the bytes and with the
// items, whose number is limited: 800,000 values in 5 MB take 0.1 s.
#include "io/checkpoint/pickle.h"

#include <fmt/format.h>

#include "io/checkpoint/pickle_bytes.h"
#include "io/checkpoint/pickle_calls.h"
#include "io/checkpoint/pickle_literals.h"
#include "io/checkpoint/pickle_opcodes.h"
#include "io/checkpoint/pickle_stack.h"
#include "io/checkpoint/pickle_values.h"

namespace mog::io {
namespace {

using Op = PickleOpcode;

constexpr unsigned kMaxProtocol = 5;

class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, const std::string& where)
      : bytes_(bytes, where), values_(bytes_), stack_(bytes_), calls_(values_, bytes_) {}
  PickleMachine(const PickleMachine&) = delete;  // its parts borrow each other
  PickleMachine& operator=(const PickleMachine&) = delete;

  Pickle run();

 private:
  void step(Op opcode);
  // Each does its opcodes and says whether this was one.
  bool step_stack(Op opcode);
  bool step_number(Op opcode);
  bool step_text(Op opcode);
  bool step_list(Op opcode);
  bool step_dictionary(Op opcode);
  bool step_call(Op opcode);
  bool step_frame(Op opcode);

  void push(PickleRef ref) { stack_.push(ref); }
  void push_items(PickleKind kind) { push(values_.collect(kind, stack_.pop_mark())); }
  void push_tuple(std::size_t count) { push(values_.collect(PickleKind::tuple, stack_.pop(count))); }
  void push_persistent(PickleRef id) { push(values_.collect(PickleKind::persistent, {id})); }
  void push_integer_line();
  PickleRef read_global();
  PickleRef pop_global();
  void append(const std::vector<PickleRef>& items) { values_.append(stack_.top(), items); }
  void add_entries(const std::vector<PickleRef>& items);

  PickleBytes bytes_;
  PickleValues values_;
  PickleStack stack_;
  PickleCalls calls_;
};

Pickle PickleMachine::run() {
  for (;;) {
    const auto opcode = static_cast<Op>(bytes_.opcode());
    if (opcode == Op::stop) {
      break;
    }
    step(opcode);
  }
  const PickleRef root = stack_.pop_last();
  values_.check_depth(root);
  calls_.check_names();
  return values_.finish(root);
}

void PickleMachine::step(Op opcode) {
  const bool known = step_stack(opcode) || step_text(opcode) || step_number(opcode) || step_list(opcode) ||
                     step_dictionary(opcode) || step_call(opcode) || step_frame(opcode);
  if (!known) {
    bytes_.refuse(fmt::format("unknown opcode 0x{:02X}", static_cast<unsigned>(opcode)));
  }
}

bool PickleMachine::step_stack(Op opcode) {
  switch (opcode) {
    case Op::mark:
      stack_.mark();
      return true;
    case Op::pop:
      stack_.pop_value_or_mark();
      return true;
    case Op::pop_mark:
      stack_.pop_mark();
      return true;
    case Op::dup:
      push(stack_.top());
      return true;
    case Op::get:
      stack_.get(read_slot_line(bytes_));
      return true;
    case Op::binget:
      stack_.get(bytes_.number(1));
      return true;
    case Op::long_binget:
      stack_.get(bytes_.number(4));
      return true;
    case Op::put:
      stack_.put(read_slot_line(bytes_));
      return true;
    case Op::binput:
      stack_.put(bytes_.number(1));
      return true;
    case Op::long_binput:
      stack_.put(bytes_.number(4));
      return true;
    case Op::memoize:
      stack_.put_next();
      return true;
    default:
      return false;
  }
}

// ---- numbers
void PickleMachine::push_integer_line() {
  const std::string_view line = bytes_.line();
  if (line == "00" || line == "01") {
    push(line == "01" ? PickleValues::kTrue : PickleValues::kFalse);
  } else {
    push(values_.integer(integer_of(line, bytes_)));
  }
}

bool PickleMachine::step_number(Op opcode) {
  switch (opcode) {
    case Op::none:
      push(PickleValues::kNone);
      return true;
    case Op::newtrue:
      push(PickleValues::kTrue);
      return true;
    case Op::newfalse:
      push(PickleValues::kFalse);
      return true;
    case Op::integer:
      push_integer_line();
      return true;
    case Op::binint:
      push(values_.integer(std::int64_t{static_cast<std::int32_t>(bytes_.number(4))}));
      return true;
    case Op::binint1:
      push(values_.integer(static_cast<std::int64_t>(bytes_.number(1))));
      return true;
    case Op::binint2:
      push(values_.integer(static_cast<std::int64_t>(bytes_.number(2))));
      return true;
    case Op::long_integer:
      push(values_.integer(integer_of(bytes_.line(), bytes_)));
      return true;
    case Op::long1:
      push(values_.integer(read_integer(bytes_, bytes_.number(1))));
      return true;
    case Op::long4:
      push(values_.integer(read_integer(bytes_, bytes_.number(4))));
      return true;
    case Op::real:
      push(values_.real(read_real_line(bytes_)));
      return true;
    case Op::binfloat:
      push(values_.real(read_real(bytes_)));
      return true;
    default:
      return false;
  }
}

// ---- texts
bool PickleMachine::step_text(Op opcode) {
  switch (opcode) {
    case Op::string:
      push(values_.string(values_.keep(read_quoted(bytes_))));
      return true;
    case Op::binstring:
      push(values_.string(bytes_.take(bytes_.number(4))));
      return true;
    case Op::short_binstring:
      push(values_.string(bytes_.take(bytes_.number(1))));
      return true;
    case Op::unicode:
      push(values_.unicode(values_.keep(read_escaped(bytes_))));
      return true;
    case Op::binunicode:
      push(values_.unicode(bytes_.take(bytes_.number(4))));
      return true;
    case Op::short_binunicode:
      push(values_.unicode(bytes_.take(bytes_.number(1))));
      return true;
    case Op::binunicode8:
      push(values_.unicode(bytes_.take(bytes_.number(8))));
      return true;
    case Op::binbytes:
      push(values_.bytes(bytes_.take(bytes_.number(4))));
      return true;
    case Op::short_binbytes:
      push(values_.bytes(bytes_.take(bytes_.number(1))));
      return true;
    case Op::binbytes8:
    case Op::bytearray8:
      push(values_.bytes(bytes_.take(bytes_.number(8))));
      return true;
    default:
      return false;
  }
}

// ---- tuples, lists, dictionaries, sets
bool PickleMachine::step_list(Op opcode) {
  switch (opcode) {
    case Op::tuple:
      push_items(PickleKind::tuple);
      return true;
    case Op::empty_tuple:
      push(values_.make(PickleKind::tuple));
      return true;
    case Op::tuple1:
      push_tuple(1);
      return true;
    case Op::tuple2:
      push_tuple(2);
      return true;
    case Op::tuple3:
      push_tuple(3);
      return true;
    case Op::list:
      push_items(PickleKind::list);
      return true;
    case Op::empty_list:
      push(values_.make(PickleKind::list));
      return true;
    case Op::append:
      append({stack_.pop()});
      return true;
    case Op::appends:
      append(stack_.pop_mark());
      return true;
    default:
      return false;
  }
}

void PickleMachine::add_entries(const std::vector<PickleRef>& items) {
  values_.check_entries(items);
  values_.add_entries(stack_.top(), items);
}

bool PickleMachine::step_dictionary(Op opcode) {
  switch (opcode) {
    case Op::dict: {
      const std::vector<PickleRef> items = stack_.pop_mark();
      values_.check_entries(items);
      push(values_.collect(PickleKind::dict, items));
      return true;
    }
    case Op::empty_dict:
      push(values_.make(PickleKind::dict));
      return true;
    case Op::setitem:
      add_entries(stack_.pop(2));
      return true;
    case Op::setitems:
      add_entries(stack_.pop_mark());
      return true;
    case Op::empty_set:
      push(values_.make(PickleKind::set));
      return true;
    case Op::additems: {
      const std::vector<PickleRef> items = stack_.pop_mark();
      values_.add_members(stack_.top(), items);
      return true;
    }
    case Op::frozenset:
      push_items(PickleKind::set);
      return true;
    default:
      return false;
  }
}

// ---- names, calls, instances
PickleRef PickleMachine::read_global() {
  const std::string_view module = bytes_.line();
  return calls_.named(module, bytes_.line());
}

PickleRef PickleMachine::pop_global() {
  const PickleValue& name = values_[stack_.pop()];
  const PickleValue& module = values_[stack_.pop()];
  if (name.kind != PickleKind::text || module.kind != PickleKind::text) {
    bytes_.refuse("a name that is no text");
  }
  return calls_.named(module.text, name.text);
}

bool PickleMachine::step_call(Op opcode) {
  switch (opcode) {
    case Op::global:
      push(read_global());
      return true;
    case Op::stack_global:
      push(pop_global());
      return true;
    case Op::reduce: {
      const std::vector<PickleRef> call = stack_.pop(2);  // what, arguments
      push(calls_.reduce(call[0], call[1]));
      return true;
    }
    case Op::inst: {
      const PickleRef type = read_global();
      stack_.pop_mark();
      calls_.refuse_class(type);
    }
    case Op::obj: {
      const std::vector<PickleRef> items = stack_.pop_mark();
      calls_.refuse_class(items.empty() ? PickleValues::kNone : items.front());
    }
    case Op::newobj: {
      const std::vector<PickleRef> parts = stack_.pop(2);  // class, arguments
      push(calls_.instance(parts[0], {parts[1]}));
      return true;
    }
    case Op::newobj_ex: {
      const std::vector<PickleRef> parts = stack_.pop(3);  // class, arguments, keywords
      push(calls_.instance(parts[0], {parts[1], parts[2]}));
      return true;
    }
    case Op::build: {
      const PickleRef state = stack_.pop();
      values_.add_state(stack_.top(), state);
      return true;
    }
    case Op::persid:
      push(values_.string(bytes_.line()));
      push_persistent(stack_.pop());
      return true;
    case Op::binpersid:
      push_persistent(stack_.pop());
      return true;
    case Op::ext1:
    case Op::ext2:
    case Op::ext4: {
      const std::size_t size = opcode == Op::ext1 ? 1 : opcode == Op::ext2 ? 2 : 4;
      bytes_.refuse(
          fmt::format("it calls on extension {}, which a file of weights may not", bytes_.number(size)));
    }
    default:
      return false;
  }
}

// ---- the pickle itself
bool PickleMachine::step_frame(Op opcode) {
  switch (opcode) {
    case Op::proto:
      if (const std::uint64_t version = bytes_.number(1); version > kMaxProtocol) {
        bytes_.refuse(fmt::format("protocol {}, known are 0 to {}", version, kMaxProtocol));
      }
      return true;
    case Op::frame:
      bytes_.frame();
      return true;
    default:
      return false;
  }
}

}  // namespace

Pickle read_pickle(std::string_view bytes, const std::string& where) {
  return PickleMachine(bytes, where).run();
}

}  // namespace mog::io
