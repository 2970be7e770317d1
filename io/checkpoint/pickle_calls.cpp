// Names and calls: what is noted, what is refused.
#include <fmt/format.h>

#include "io/checkpoint/pickle_machine.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr std::size_t kMaxNames = 10'000;

}  // namespace

// ---- names
PickleRef PickleMachine::named(std::string_view module, std::string_view name) {
  if (name.find('.') != std::string_view::npos) {
    refuse(fmt::format("the dotted name \"{}\" of module \"{}\"; a file of weights has none", printable(name),
                       printable(module)));
  }
  const auto [at, fresh] = name_places_.try_emplace({std::string(module), std::string(name)}, kUnset);
  if (fresh) {
    if (result_.names_.size() >= kMaxNames) {
      refuse(fmt::format("more than {} names", kMaxNames));
    }
    result_.names_.push_back(known_name(std::string(module), std::string(name)));
    at->second = make(PickleKind::name);
    value(at->second).integer = static_cast<std::int64_t>(result_.names_.size() - 1);
  }
  return at->second;
}

std::string PickleMachine::refused_names() const {
  std::string names;
  int count = 0;
  for (const PickleName& name : result_.names_) {
    if (name.meaning == PickleMeaning::refused && ++count <= 5) {
      names += (names.empty() ? "" : ", ") + printable(name.full());
    }
  }
  return names;
}

void PickleMachine::refuse_call(const PickleName& name) const {
  const std::string others = refused_names();
  refuse(
      fmt::format("it calls {}, which is not in the list of what a file of weights may call{}{}; nothing "
                  "was run",
                  printable(name.full()), others.empty() ? "" : "; it names ", others));
}

// Names of Python's own library have no place in a file of weights, called or not.
void PickleMachine::refuse_names() const {
  if (const std::string names = refused_names(); !names.empty()) {
    refuse(fmt::format("it names {}, which a file of weights has no use for; nothing was run", names));
  }
}

// ---- calls
void PickleMachine::reduce(PickleRef callable, PickleRef arguments) {
  if (value(callable).kind != PickleKind::name) {
    const std::string names = refused_names();
    refuse(fmt::format("it calls what is no name{}{}", names.empty() ? "" : "; it names ", names));
  }
  const PickleName& name = result_.names_[static_cast<std::size_t>(value(callable).integer)];
  const auto bad = [&](const char* wanted) {
    refuse(fmt::format("{} is given other arguments than {}", name.full(), wanted));
  };
  if (name.meaning <= PickleMeaning::instance || name.meaning >= PickleMeaning::storage) {
    refuse_call(name);
  }
  if (value(arguments).kind != PickleKind::tuple) {
    bad("a tuple");
  }
  const std::vector<PickleRef>& given = value(arguments).items;
  switch (name.meaning) {
    case PickleMeaning::ordered_dict:
      push(dictionary(given, bad));
      return;
    case PickleMeaning::default_dict:
      if (given.size() > 1) {
        bad("a type");
      }
      push(make(PickleKind::dict));
      return;
    case PickleMeaning::counter:
      if (given.size() != 1 || value(given[0]).kind != PickleKind::dict) {
        bad("a dictionary");
      }
      push(given[0]);
      return;
    case PickleMeaning::set:
      if (given.size() > 1 || (given.size() == 1 && value(given[0]).kind != PickleKind::list &&
                               value(given[0]).kind != PickleKind::tuple)) {
        bad("a list");
      }
      push(collect(PickleKind::set, given));
      return;
    case PickleMeaning::size:
      if (given.size() != 1 || value(given[0]).kind != PickleKind::tuple) {
        bad("a tuple of sizes");
      }
      push(given[0]);
      return;
    case PickleMeaning::device:
      push(collect(PickleKind::object, {arguments}));
      value(stack_.back()).integer = value(callable).integer;
      return;
    case PickleMeaning::rebuild_parameter:
      if (given.empty() || value(given[0]).kind != PickleKind::call) {
        bad("a tensor");
      }
      push(given[0]);
      return;
    case PickleMeaning::rebuild_from_type:
      if (given.size() < 3 || is_meant(given[0], PickleMeaning::rebuild_from_type)) {
        bad("a function, a type and arguments");
      }
      reduce(given[0], given[2]);
      return;
    default:  // the tensors themselves: judged where their name is known
      push(collect(PickleKind::call, {arguments}));
      value(stack_.back()).integer = value(callable).integer;
      return;
  }
}

bool PickleMachine::is_meant(PickleRef ref, PickleMeaning meaning) {
  return value(ref).kind == PickleKind::name &&
         result_.names_[static_cast<std::size_t>(value(ref).integer)].meaning == meaning;
}

template <class Bad>
PickleRef PickleMachine::dictionary(const std::vector<PickleRef>& given, const Bad& bad) {
  std::vector<PickleRef> items;
  if (given.size() > 1) {
    bad("a list of pairs");
  }
  if (!given.empty()) {
    const PickleValue& pairs = value(given[0]);
    if (pairs.kind == PickleKind::dict) {
      return given[0];
    }
    if (pairs.kind != PickleKind::list && pairs.kind != PickleKind::tuple) {
      bad("a list of pairs");
    }
    for (const PickleRef pair : pairs.items) {
      const PickleValue& two = value(pair);
      if ((two.kind != PickleKind::list && two.kind != PickleKind::tuple) || two.items.size() != 2) {
        bad("a list of pairs");
      }
      items.insert(items.end(), two.items.begin(), two.items.end());
    }
  }
  check_keys(items);
  return collect(PickleKind::dict, items);
}

void PickleMachine::instance(PickleRef type, std::vector<PickleRef> parts) {
  if (value(type).kind != PickleKind::name) {
    refuse("an instance of what is no class");
  }
  const PickleName& name = result_.names_[static_cast<std::size_t>(value(type).integer)];
  if (name.meaning == PickleMeaning::ordered_dict || name.meaning == PickleMeaning::default_dict) {
    push(make(PickleKind::dict));
    return;
  }
  if (name.meaning != PickleMeaning::unknown && name.meaning != PickleMeaning::instance) {
    refuse_call(name);
  }
  push(collect(PickleKind::object, parts));
  value(stack_.back()).integer = value(type).integer;
}

void PickleMachine::build() {
  const PickleRef state = pop();
  PickleValue& object = value(top());
  if (object.kind == PickleKind::object) {
    add_items(object, {state});
  } else if (object.kind != PickleKind::dict || value(state).kind != PickleKind::dict) {
    // The attributes of an OrderedDict (_metadata of a state dict) are of no interest.
    refuse("a state is given to what has none");
  }
}

}  // namespace mog::io
