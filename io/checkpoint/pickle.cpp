// Python's own reader of pickles is a machine that looks up names and calls them. This one reads the same
// programs, but a name stays a name: the few calls that rebuild tensors are kept as what they are (a name and
// its arguments) and judged later, everything else is refused. What is left to harm is memory and time, so
// every size is compared with the bytes that are there, and the result is searched for depth and rings
// without recursion.
#include "io/checkpoint/pickle_machine.h"

#include <fmt/format.h>

#include <utility>

#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr std::size_t kMaxMarks = 10'000;
constexpr std::size_t kMaxDepth = 1'000;
constexpr unsigned kMaxProtocol = 5;

}  // namespace

PickleMachine::PickleMachine(std::string_view bytes, const std::string& where)
    : bytes_(bytes), where_(where) {
  for (const PickleKind kind : {PickleKind::none, PickleKind::boolean, PickleKind::boolean}) {
    result_.values_.emplace_back().kind = kind;
  }
  result_.values_[kTrue].integer = 1;
}

Pickle PickleMachine::run() {
  while (step()) {
  }
  check_depth();
  refuse_names();
  result_.size_bytes_ = at_;
  return std::move(result_);
}

void PickleMachine::protocol(std::uint64_t version) {
  if (version > kMaxProtocol) {
    refuse(fmt::format("protocol {}, known are 0 to {}", version, kMaxProtocol));
  }
}

void PickleMachine::stop() {
  result_.root_ = pop();
  if (!marks_.empty() || !stack_.empty()) {
    refuse("values are left over at its end");
  }
}

void PickleMachine::tuple_of(std::size_t count) {
  std::vector<PickleRef> items(count);
  for (std::size_t i = count; i-- > 0;) {
    items[i] = pop();
  }
  push(collect(PickleKind::tuple, items));
}

bool PickleMachine::step() {
  opcode_at_ = at_;
  const auto opcode = static_cast<unsigned char>(take(1)[0]);
  switch (opcode) {
    case '(':
      if (marks_.size() >= kMaxMarks) {
        refuse(fmt::format("more than {} open marks: nested too deep", kMaxMarks));
      }
      marks_.push_back(stack_.size());
      return true;
    case '.':
      stop();
      return false;
    case '0':
      if (!marks_.empty() && marks_.back() == stack_.size()) {
        marks_.pop_back();
      } else {
        pop();
      }
      return true;
    case '1':
      pop_mark();
      return true;
    case '2':
      push(top());
      return true;
    case 'F':
      float_text();
      return true;
    case 'I':
      integer_text(line(), true);
      return true;
    case 'L':
      integer_text(line(), false);
      return true;
    case 'J':
      push_integer(static_cast<std::int32_t>(number(4)));
      return true;
    case 'K':
      push_integer(static_cast<std::int64_t>(number(1)));
      return true;
    case 'M':
      push_integer(static_cast<std::int64_t>(number(2)));
      return true;
    case 'N':
      push(kNone);
      return true;
    case 'P': {
      push_string(line());
      persistent(pop());
      return true;
    }
    case 'Q':
      persistent(pop());
      return true;
    case 'R': {
      const PickleRef arguments = pop();
      reduce(pop(), arguments);
      return true;
    }
    case 'S':
      quoted_text();
      return true;
    case 'T':
      push_string(take(number(4)));
      return true;
    case 'U':
      push_string(take(number(1)));
      return true;
    case 'V':
      escaped_unicode();
      return true;
    case 'X':
      push_unicode(take(number(4)));
      return true;
    case 'a':
      append({pop()});
      return true;
    case 'e':
      append(pop_mark());
      return true;
    case 'b':
      build();
      return true;
    case 'c': {
      const std::string_view module = line();
      push(named(module, line()));
      return true;
    }
    case 'd': {
      const std::vector<PickleRef> items = pop_mark();
      check_keys(items);
      push(collect(PickleKind::dict, items));
      return true;
    }
    case '}':
      push(make(PickleKind::dict));
      return true;
    case 'g':
      get(slot_text());
      return true;
    case 'h':
      get(number(1));
      return true;
    case 'j':
      get(number(4));
      return true;
    case 'p':
      put(slot_text());
      return true;
    case 'q':
      put(number(1));
      return true;
    case 'r':
      put(number(4));
      return true;
    default:
      return step_late(opcode);
  }
}

bool PickleMachine::step_late(unsigned char opcode) {
  switch (opcode) {
    case 'i': {
      const std::string_view module = line();
      const PickleRef type = named(module, line());
      pop_mark();
      refuse_call(result_.names_[static_cast<std::size_t>(value(type).integer)]);
    }
    case 'o': {
      const std::vector<PickleRef> items = pop_mark();
      if (items.empty() || value(items[0]).kind != PickleKind::name) {
        refuse("an instance of what is no class");
      }
      refuse_call(result_.names_[static_cast<std::size_t>(value(items[0]).integer)]);
    }
    case 'l':
      push(collect(PickleKind::list, pop_mark()));
      return true;
    case ']':
      push(make(PickleKind::list));
      return true;
    case 's': {
      const PickleRef item = pop();
      const PickleRef key = pop();
      set_items({key, item});
      return true;
    }
    case 'u':
      set_items(pop_mark());
      return true;
    case 't':
      push(collect(PickleKind::tuple, pop_mark()));
      return true;
    case ')':
      push(make(PickleKind::tuple));
      return true;
    case 'G':
      float_binary();
      return true;
    case 'B':
      push_text(PickleKind::bytes, take(number(4)));
      return true;
    case 'C':
      push_text(PickleKind::bytes, take(number(1)));
      return true;
    case 0x80:
      protocol(number(1));
      return true;
    case 0x81: {
      const PickleRef arguments = pop();
      instance(pop(), {arguments});
      return true;
    }
    case 0x82:
    case 0x83:
    case 0x84:
      refuse(fmt::format("it calls on extension {}, which a file of weights may not",
                         number(std::size_t{1} << (opcode - 0x82U))));
    case 0x85:
    case 0x86:
    case 0x87:
      tuple_of(opcode - 0x84U);
      return true;
    case 0x88:
    case 0x89:
      push(opcode == 0x88 ? kTrue : kFalse);
      return true;
    case 0x8A:
      long_binary(number(1));
      return true;
    case 0x8B:
      long_binary(number(4));
      return true;
    case 0x8C:
      push_unicode(take(number(1)));
      return true;
    case 0x8D:
      push_unicode(take(number(8)));
      return true;
    case 0x8E:
    case 0x96:
      push_text(PickleKind::bytes, take(number(8)));
      return true;
    case 0x8F:
      push(make(PickleKind::set));
      return true;
    case 0x90: {
      const std::vector<PickleRef> items = pop_mark();
      PickleValue& to = value(top());
      if (to.kind != PickleKind::set) {
        refuse("members are added to what is no set");
      }
      add_items(to, items);
      return true;
    }
    case 0x91:
      push(collect(PickleKind::set, pop_mark()));
      return true;
    case 0x92: {
      const PickleRef keywords = pop();
      const PickleRef arguments = pop();
      instance(pop(), {arguments, keywords});
      return true;
    }
    case 0x93: {
      const PickleValue& name = value(pop());
      const PickleValue& module = value(pop());
      if (name.kind != PickleKind::text || module.kind != PickleKind::text) {
        refuse("a name that is no text");
      }
      push(named(module.text, name.text));
      return true;
    }
    case 0x94:
      put(memo_used_);
      return true;
    case 0x95:
      if (const std::uint64_t size = number(8); size > bytes_.size() - at_) {
        refuse(fmt::format("the pickle is truncated: a frame of {} bytes, {} are there", size,
                           bytes_.size() - at_));
      }
      return true;
    default:
      refuse(fmt::format("unknown opcode 0x{:02X}", opcode));
  }
}

// Depth first without recursion: a value that is met again on the way down contains itself.
void PickleMachine::check_depth() const {
  enum : std::uint8_t { fresh, open, done };
  std::vector<std::uint8_t> state(result_.values_.size(), fresh);
  std::vector<std::pair<PickleRef, std::size_t>> way = {{result_.root_, 0}};
  while (!way.empty()) {
    auto& [ref, next] = way.back();
    const PickleValue& at = result_.values_[ref];
    state[ref] = open;
    if (next == at.items.size() || at.kind == PickleKind::object) {
      state[ref] = done;
      way.pop_back();
      continue;
    }
    const PickleRef item = at.items[next++];
    if (state[item] == open) {
      refuse("a list or dictionary contains itself");
    }
    if (state[item] == fresh) {
      if (way.size() >= kMaxDepth) {
        refuse(fmt::format("lists, tuples or dictionaries nested too deep: more than {}", kMaxDepth));
      }
      way.emplace_back(item, 0);
    }
  }
}

Pickle read_pickle(std::string_view bytes, const std::string& where) {
  return PickleMachine(bytes, where).run();
}

}  // namespace mog::io
