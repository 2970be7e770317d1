// A list of what is forbidden is never complete, so there is one of what is allowed: pairs of module and
// name, compared whole. Few of the calls in it need an answer at once, since later opcodes go on with it (a
// dictionary takes entries); tensors stay calls, because only their reader knows which storages there are.
// What is in no list is either somebody's class, whose instances do no harm as opaque values, or of Python's
// own library: these are remembered and refused at the end at the latest, so that one message can name
// several. A name costs a search of the lists once.
#include "io/checkpoint/pickle_calls.h"

#include <fmt/format.h>

#include "io/checkpoint/printable.h"

namespace mog::io {
namespace {

constexpr std::size_t kMaxNames = 10'000;
constexpr int kMostNamed = 5;  // in one message

}  // namespace

// ---- names
PickleRef PickleCalls::named(std::string_view module, std::string_view name) {
  if (name.find('.') != std::string_view::npos) {
    bytes_.refuse(fmt::format("the dotted name \"{}\" of module \"{}\"; a file of weights has none",
                              printable(name), printable(module)));
  }
  const auto [at, fresh] = places_.try_emplace({std::string(module), std::string(name)}, PickleRef{0});
  if (fresh) {
    if (values_.names().size() >= kMaxNames) {
      bytes_.refuse(fmt::format("more than {} names", kMaxNames));
    }
    at->second = values_.add_name(known_name(std::string(module), std::string(name)));
  }
  return at->second;
}

std::string PickleCalls::refused_names() const {
  std::string names;
  int count = 0;
  for (const PickleName& name : values_.names()) {
    if (name.meaning == PickleMeaning::refused && ++count <= kMostNamed) {
      names += (names.empty() ? "" : ", ") + printable(name.full());
    }
  }
  return names;
}

void PickleCalls::check_names() const {
  if (const std::string names = refused_names(); !names.empty()) {
    bytes_.refuse(fmt::format("it names {}, which a file of weights has no use for; nothing was run", names));
  }
}

bool PickleCalls::means(PickleRef ref, PickleMeaning meaning) const {
  const PickleName* const name = values_.name(ref);
  return name != nullptr && name->meaning == meaning;
}

// ---- refusals
void PickleCalls::refuse_call(const PickleName& name) const {
  const std::string others = refused_names();
  bytes_.refuse(
      fmt::format("it calls {}, which is not in the list of what a file of weights may call{}{}; nothing "
                  "was run",
                  printable(name.full()), others.empty() ? "" : "; it names ", others));
}

void PickleCalls::refuse_arguments(const PickleName& name, const char* wanted) const {
  bytes_.refuse(fmt::format("{} is given other arguments than {}", name.full(), wanted));
}

const PickleName& PickleCalls::require_class(PickleRef type) const {
  const PickleName* const name = values_.name(type);
  if (name == nullptr) {
    bytes_.refuse("an instance of what is no class");
  }
  return *name;
}

void PickleCalls::refuse_class(PickleRef type) const {
  refuse_call(require_class(type));
}

// ---- calls
PickleRef PickleCalls::reduce(PickleRef callable, PickleRef arguments) {
  const PickleName* const called = values_.name(callable);
  if (called == nullptr) {
    const std::string names = refused_names();
    bytes_.refuse(fmt::format("it calls what is no name{}{}", names.empty() ? "" : "; it names ", names));
  }
  const PickleName& name = *called;
  if (name.meaning <= PickleMeaning::instance || name.meaning >= PickleMeaning::storage) {
    refuse_call(name);
  }
  if (!is(arguments, PickleKind::tuple)) {
    refuse_arguments(name, "a tuple");
  }
  const std::vector<PickleRef>& given = values_[arguments].items;
  switch (name.meaning) {
    case PickleMeaning::ordered_dict:
      return dictionary(name, given);
    case PickleMeaning::default_dict:
      if (given.size() > 1) {
        refuse_arguments(name, "a type");
      }
      return values_.make(PickleKind::dict);
    case PickleMeaning::counter:
      if (given.size() != 1 || !is(given[0], PickleKind::dict)) {
        refuse_arguments(name, "a dictionary");
      }
      return given[0];
    case PickleMeaning::set:
      if (given.size() > 1 || (given.size() == 1 && !is_sequence(given[0]))) {
        refuse_arguments(name, "a list");
      }
      return values_.collect(PickleKind::set, given);
    case PickleMeaning::size:
      if (given.size() != 1 || !is(given[0], PickleKind::tuple)) {
        refuse_arguments(name, "a tuple of sizes");
      }
      return given[0];
    case PickleMeaning::device:
      return values_.collect_of(PickleKind::object, callable, {arguments});
    case PickleMeaning::rebuild_parameter:
      if (given.empty() || !is(given[0], PickleKind::call)) {
        refuse_arguments(name, "a tensor");
      }
      return given[0];
    case PickleMeaning::rebuild_from_type:
      // Not of itself: the way down would be as long as the pickle wants it.
      if (given.size() < 3 || means(given[0], PickleMeaning::rebuild_from_type)) {
        refuse_arguments(name, "a function, a type and arguments");
      }
      return reduce(given[0], given[2]);
    default:  // the tensors themselves: judged where their name is known
      return values_.collect_of(PickleKind::call, callable, {arguments});
  }
}

PickleRef PickleCalls::dictionary(const PickleName& name, const std::vector<PickleRef>& given) {
  constexpr const char* kWanted = "a list of pairs";
  std::vector<PickleRef> entries;
  if (given.size() > 1) {
    refuse_arguments(name, kWanted);
  }
  if (!given.empty()) {
    if (is(given[0], PickleKind::dict)) {
      return given[0];
    }
    if (!is_sequence(given[0])) {
      refuse_arguments(name, kWanted);
    }
    for (const PickleRef pair : values_[given[0]].items) {
      const std::vector<PickleRef>& two = values_[pair].items;
      if (!is_sequence(pair) || two.size() != 2) {
        refuse_arguments(name, kWanted);
      }
      entries.insert(entries.end(), two.begin(), two.end());
    }
  }
  values_.check_entries(entries);
  return values_.collect(PickleKind::dict, entries);
}

PickleRef PickleCalls::instance(PickleRef type, const std::vector<PickleRef>& parts) {
  const PickleName& name = require_class(type);
  if (name.meaning == PickleMeaning::ordered_dict || name.meaning == PickleMeaning::default_dict) {
    return values_.make(PickleKind::dict);
  }
  if (name.meaning != PickleMeaning::unknown && name.meaning != PickleMeaning::instance) {
    refuse_call(name);
  }
  return values_.collect_of(PickleKind::object, type, parts);
}

}  // namespace mog::io
