// A small pickle can ask for a lot: an opcode of one byte makes a value, and the memo puts one list into many
// others, or into itself. So values and items are counted where they are made (a value takes 56 bytes, an
// item 4), texts are views wherever the pickle has them as they are, and what is shared is there once. What
// sharing can hide, a great depth or a ring, is looked for once at the end: depth first, without recursion,
// every value and every item once.
#include "io/checkpoint/pickle_values.h"

#include <fmt/format.h>

#include <utility>

#include "io/text/utf8.h"

namespace mog::io {
namespace {

constexpr std::size_t kMaxItems = 8'000'000;
constexpr std::size_t kMaxDepth = 1'000;

}  // namespace

PickleValues::PickleValues(const PickleBytes& bytes) : bytes_(bytes) {
  for (const PickleKind kind : {PickleKind::none, PickleKind::boolean, PickleKind::boolean}) {
    pickle_.values_.emplace_back().kind = kind;
  }
  pickle_.values_[kTrue].integer = 1;
}

// ---- single values
PickleRef PickleValues::make(PickleKind kind) {
  if (pickle_.values_.size() >= kMaxPickleValues) {
    bytes_.refuse(fmt::format("more than {} values", kMaxPickleValues));
  }
  pickle_.values_.emplace_back().kind = kind;
  return static_cast<PickleRef>(pickle_.values_.size() - 1);
}

PickleRef PickleValues::integer(const PickleInteger& number) {
  if (const auto* const digits = std::get_if<std::string_view>(&number)) {
    return make_text(PickleKind::long_integer, *digits);
  }
  const PickleRef ref = make(PickleKind::integer);
  pickle_.values_[ref].integer = std::get<std::int64_t>(number);
  return ref;
}

PickleRef PickleValues::real(double number) {
  const PickleRef ref = make(PickleKind::real);
  pickle_.values_[ref].real = number;
  return ref;
}

PickleRef PickleValues::make_text(PickleKind kind, std::string_view text) {
  const PickleRef ref = make(kind);
  pickle_.values_[ref].text = text;
  return ref;
}

PickleRef PickleValues::bytes(std::string_view text) {
  return make_text(PickleKind::bytes, text);
}

PickleRef PickleValues::unicode(std::string_view text) {
  if (first_invalid_utf8(text) != std::string_view::npos) {
    bytes_.refuse("text that is not UTF-8");
  }
  return make_text(PickleKind::text, text);
}

PickleRef PickleValues::string(std::string_view text) {
  return make_text(first_invalid_utf8(text) == std::string_view::npos ? PickleKind::text : PickleKind::bytes,
                   text);
}

std::string_view PickleValues::keep(std::string text) {
  return pickle_.texts_.emplace_back(std::move(text));
}

// ---- values of values
void PickleValues::add(PickleValue& to, const std::vector<PickleRef>& items) {
  items_ += items.size();
  if (items_ > kMaxItems) {
    bytes_.refuse(fmt::format("more than {} items", kMaxItems));
  }
  to.items.insert(to.items.end(), items.begin(), items.end());
}

PickleRef PickleValues::collect(PickleKind kind, const std::vector<PickleRef>& items) {
  const PickleRef ref = make(kind);
  add(pickle_.values_[ref], items);
  return ref;
}

PickleRef PickleValues::collect_of(PickleKind kind, PickleRef name, const std::vector<PickleRef>& items) {
  const PickleRef ref = collect(kind, items);
  pickle_.values_[ref].integer = pickle_.values_[name].integer;
  return ref;
}

void PickleValues::check_entries(const std::vector<PickleRef>& items) const {
  if (items.size() % 2 != 0) {
    bytes_.refuse("a key without a value");
  }
  for (std::size_t i = 0; i < items.size(); i += 2) {
    const PickleKind kind = pickle_.values_[items[i]].kind;
    if (kind == PickleKind::list || kind == PickleKind::dict || kind == PickleKind::set) {
      bytes_.refuse("a list, dictionary or set as key of a dictionary");
    }
  }
}

void PickleValues::append(PickleRef to, const std::vector<PickleRef>& items) {
  PickleValue& value = pickle_.values_[to];
  if (value.kind == PickleKind::list) {
    add(value, items);
  } else if (value.kind == PickleKind::object) {
    add(value, {collect(PickleKind::list, items)});
  } else {
    bytes_.refuse("items are added to what is no list");
  }
}

void PickleValues::add_members(PickleRef to, const std::vector<PickleRef>& items) {
  PickleValue& value = pickle_.values_[to];
  if (value.kind != PickleKind::set) {
    bytes_.refuse("members are added to what is no set");
  }
  add(value, items);
}

void PickleValues::add_entries(PickleRef to, const std::vector<PickleRef>& items) {
  PickleValue& value = pickle_.values_[to];
  if (value.kind == PickleKind::dict) {
    add(value, items);
  } else if (value.kind == PickleKind::object) {
    add(value, {collect(PickleKind::dict, items)});
  } else {
    bytes_.refuse("entries are added to what is no dictionary");
  }
}

void PickleValues::add_state(PickleRef to, PickleRef state) {
  PickleValue& value = pickle_.values_[to];
  if (value.kind == PickleKind::object) {
    add(value, {state});
  } else if (value.kind != PickleKind::dict || pickle_.values_[state].kind != PickleKind::dict) {
    // The attributes of an OrderedDict (_metadata of a state dict) are of no interest.
    bytes_.refuse("a state is given to what has none");
  }
}

// ---- names
PickleRef PickleValues::add_name(PickleName name) {
  pickle_.names_.push_back(std::move(name));
  const PickleRef ref = make(PickleKind::name);
  pickle_.values_[ref].integer = static_cast<std::int64_t>(pickle_.names_.size() - 1);
  return ref;
}

const PickleName* PickleValues::name(PickleRef ref) const noexcept {
  const PickleValue& value = pickle_.values_[ref];
  return value.kind == PickleKind::name ? &pickle_.name(value) : nullptr;
}

// ---- the end
// A value that is met again on the way down contains itself.
void PickleValues::check_depth(PickleRef root) const {
  enum : std::uint8_t { fresh, open, done };
  std::vector<std::uint8_t> state(pickle_.values_.size(), fresh);
  std::vector<std::pair<PickleRef, std::size_t>> way = {{root, 0}};
  while (!way.empty()) {
    auto& [ref, next] = way.back();
    const PickleValue& at = pickle_.values_[ref];
    state[ref] = open;
    if (next == at.items.size() || at.kind == PickleKind::object) {
      state[ref] = done;
      way.pop_back();
      continue;
    }
    const PickleRef item = at.items[next++];
    if (state[item] == open) {
      bytes_.refuse("a list or dictionary contains itself");
    }
    if (state[item] == fresh) {
      if (way.size() >= kMaxDepth) {
        bytes_.refuse(fmt::format("lists, tuples or dictionaries nested too deep: more than {}", kMaxDepth));
      }
      way.emplace_back(item, 0);
    }
  }
}

Pickle PickleValues::finish(PickleRef root) {
  pickle_.root_ = root;
  pickle_.size_bytes_ = bytes_.place();
  return std::move(pickle_);
}

}  // namespace mog::io
