// Python's own reader of pickles is a machine that looks up names and calls them. This one reads the same
// programs, but a name stays a name: the few calls that rebuild tensors are kept as what they are (a name and
// its arguments) and judged later, everything else is refused. What is left to harm is memory and time, so
// every size is compared with the bytes that are there, and the result is searched for depth and rings
// without recursion.
#include "io/checkpoint/pickle.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "io/recording/errors.h"
#include "io/text/utf8.h"

namespace mog::io {
namespace {

constexpr std::size_t kMaxValues = 2'000'000;
constexpr std::size_t kMaxItems = 8'000'000;
constexpr std::size_t kMaxMarks = 10'000;
constexpr std::size_t kMaxNames = 10'000;
constexpr std::size_t kMaxDepth = 1'000;
constexpr std::size_t kMaxLong = 64;  // bytes of an integer
constexpr unsigned kMaxProtocol = 5;
constexpr PickleRef kUnset = ~PickleRef{0};
constexpr PickleRef kNone = 0;
constexpr PickleRef kTrue = 1;
constexpr PickleRef kFalse = 2;

void append_utf8(std::string& text, std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6U);
    put(0x80 | (point & 0x3FU));
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12U);
    put(0x80 | (point >> 6U & 0x3FU));
    put(0x80 | (point & 0x3FU));
  } else {
    put(0xF0 | point >> 18U);
    put(0x80 | (point >> 12U & 0x3FU));
    put(0x80 | (point >> 6U & 0x3FU));
    put(0x80 | (point & 0x3FU));
  }
}

std::optional<std::uint32_t> hexadecimal(std::string_view digits, std::size_t count) {
  std::uint32_t value = 0;
  if (digits.size() < count) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + count, value, 16);
  return error == std::errc() && end == digits.data() + count ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result = replace_invalid_utf8(text.substr(0, std::min<std::size_t>(text.size(), 120)));
  for (char& character : result) {
    if (static_cast<unsigned char>(character) < 0x20 || character == 0x7F) {
      character = '?';
    }
  }
  return result;
}

class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where) {
    for (const PickleKind kind : {PickleKind::none, PickleKind::boolean, PickleKind::boolean}) {
      result_.values_.emplace_back().kind = kind;
    }
    result_.values_[kTrue].integer = 1;
  }

  Pickle run() {
    while (step()) {
    }
    check_depth();
    refuse_names();
    result_.size_bytes_ = at_;
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& defect) const {
    throw FormatError(fmt::format("{}: pickle, byte {}: {}", where_, opcode_at_ + 1, defect));
  }

  // ---- bytes
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) {
      refuse(fmt::format("the pickle is truncated: {} bytes should follow, {} are there", count,
                         bytes_.size() - at_));
    }
    const std::string_view part = bytes_.substr(at_, static_cast<std::size_t>(count));
    at_ += part.size();
    return part;
  }
  std::uint64_t number(std::size_t bytes) {
    const std::string_view part = take(bytes);
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) {
      value = value << 8U | static_cast<unsigned char>(part[i]);
    }
    return value;
  }
  std::string_view line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) {
      refuse("the pickle is truncated: a line does not end");
    }
    const std::string_view text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  // ---- values
  PickleValue& value(PickleRef ref) { return result_.values_[ref]; }
  PickleRef make(PickleKind kind) {
    if (result_.values_.size() >= kMaxValues) {
      refuse(fmt::format("more than {} values", kMaxValues));
    }
    result_.values_.emplace_back().kind = kind;
    return static_cast<PickleRef>(result_.values_.size() - 1);
  }
  void push(PickleRef ref) {
    if (stack_.size() >= kMaxValues) {
      refuse(fmt::format("more than {} values on the stack", kMaxValues));
    }
    stack_.push_back(ref);
  }
  void push_integer(std::int64_t number) {
    const PickleRef ref = make(PickleKind::integer);
    value(ref).integer = number;
    push(ref);
  }
  void push_text(PickleKind kind, std::string_view text) {
    const PickleRef ref = make(kind);
    value(ref).text = text;
    push(ref);
  }
  void push_unicode(std::string_view text) {
    if (const std::size_t bad = first_invalid_utf8(text); bad != std::string_view::npos) {
      refuse("text that is not UTF-8");
    }
    push_text(PickleKind::text, text);
  }
  // A string of Python 2: text where it can be.
  void push_string(std::string_view text) {
    push_text(first_invalid_utf8(text) == std::string_view::npos ? PickleKind::text : PickleKind::bytes,
              text);
  }
  std::string_view keep(std::string text) { return result_.texts_.emplace_back(std::move(text)); }

  // Values above the last mark are what an opcode may take.
  PickleRef pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) {
      refuse("the stack is empty");
    }
    const PickleRef ref = stack_.back();
    stack_.pop_back();
    return ref;
  }
  PickleRef top() {
    const PickleRef ref = pop();
    stack_.push_back(ref);
    return ref;
  }
  std::vector<PickleRef> pop_mark() {
    if (marks_.empty()) {
      refuse("there is no mark");
    }
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<PickleRef> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }
  void add_items(PickleValue& to, const std::vector<PickleRef>& items) {
    items_ += items.size();
    if (items_ > kMaxItems) {
      refuse(fmt::format("more than {} items", kMaxItems));
    }
    to.items.insert(to.items.end(), items.begin(), items.end());
  }
  PickleRef collect(PickleKind kind, const std::vector<PickleRef>& items) {
    const PickleRef ref = make(kind);
    add_items(value(ref), items);
    return ref;
  }
  void check_keys(const std::vector<PickleRef>& items) {
    if (items.size() % 2 != 0) {
      refuse("a key without a value");
    }
    for (std::size_t i = 0; i < items.size(); i += 2) {
      const PickleKind kind = value(items[i]).kind;
      if (kind == PickleKind::list || kind == PickleKind::dict || kind == PickleKind::set) {
        refuse("a list, dictionary or set as key of a dictionary");
      }
    }
  }
  void set_items(const std::vector<PickleRef>& items) {
    check_keys(items);
    const PickleRef to = top();
    if (value(to).kind == PickleKind::dict) {
      add_items(value(to), items);
    } else if (value(to).kind == PickleKind::object) {
      add_items(value(to), {collect(PickleKind::dict, items)});
    } else {
      refuse("entries are added to what is no dictionary");
    }
  }
  void append(const std::vector<PickleRef>& items) {
    const PickleRef to = top();
    if (value(to).kind == PickleKind::list) {
      add_items(value(to), items);
    } else if (value(to).kind == PickleKind::object) {
      add_items(value(to), {collect(PickleKind::list, items)});
    } else {
      refuse("items are added to what is no list");
    }
  }

  // ---- memo
  void put(std::uint64_t slot) {
    if (slot >= bytes_.size()) {
      refuse(fmt::format("memo slot {} in a pickle of {} bytes", slot, bytes_.size()));
    }
    if (slot >= memo_.size()) {
      memo_.resize(static_cast<std::size_t>(slot) + 1, kUnset);
    }
    memo_used_ += memo_[static_cast<std::size_t>(slot)] == kUnset;
    memo_[static_cast<std::size_t>(slot)] = top();
  }
  void get(std::uint64_t slot) {
    if (slot >= memo_.size() || memo_[static_cast<std::size_t>(slot)] == kUnset) {
      refuse(fmt::format("memo slot {} was never set", slot));
    }
    push(memo_[static_cast<std::size_t>(slot)]);
  }
  std::uint64_t slot_text() {
    const std::string_view text = line();
    std::uint64_t slot = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slot);
    if (error != std::errc() || end != text.data() + text.size()) {
      refuse(fmt::format("\"{}\" is no memo slot", printable(text)));
    }
    return slot;
  }

  // ---- names
  PickleRef named(std::string_view module, std::string_view name) {
    if (name.find('.') != std::string_view::npos) {
      refuse(fmt::format("the dotted name \"{}\" of module \"{}\"; a file of weights has none",
                         printable(name), printable(module)));
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
  std::string refused_names() const {
    std::string names;
    int count = 0;
    for (const PickleName& name : result_.names_) {
      if (name.meaning == PickleMeaning::refused && ++count <= 5) {
        names += (names.empty() ? "" : ", ") + printable(name.full());
      }
    }
    return names;
  }
  [[noreturn]] void refuse_call(const PickleName& name) const {
    const std::string others = refused_names();
    refuse(
        fmt::format("it calls {}, which is not in the list of what a file of weights may call{}{}; nothing "
                    "was run",
                    printable(name.full()), others.empty() ? "" : "; it names ", others));
  }
  // Names of Python's own library have no place in a file of weights, called or not.
  void refuse_names() const {
    if (const std::string names = refused_names(); !names.empty()) {
      refuse(fmt::format("it names {}, which a file of weights has no use for; nothing was run", names));
    }
  }

  // ---- calls
  void reduce(PickleRef callable, PickleRef arguments) {
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
  bool is_meant(PickleRef ref, PickleMeaning meaning) {
    return value(ref).kind == PickleKind::name &&
           result_.names_[static_cast<std::size_t>(value(ref).integer)].meaning == meaning;
  }
  template <class Bad>
  PickleRef dictionary(const std::vector<PickleRef>& given, const Bad& bad) {
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
  void instance(PickleRef type, std::vector<PickleRef> parts) {
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
  void build() {
    const PickleRef state = pop();
    PickleValue& object = value(top());
    if (object.kind == PickleKind::object) {
      add_items(object, {state});
    } else if (object.kind != PickleKind::dict || value(state).kind != PickleKind::dict) {
      // The attributes of an OrderedDict (_metadata of a state dict) are of no interest.
      refuse("a state is given to what has none");
    }
  }

  // ---- numbers and texts
  void integer_text(std::string_view text, bool truth) {
    if (truth && (text == "00" || text == "01")) {
      push(text == "01" ? kTrue : kFalse);
      return;
    }
    if (!text.empty() && text.back() == 'L') {
      text.remove_suffix(1);
    }
    std::int64_t number_read = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number_read);
    if (error == std::errc() && end == text.data() + text.size()) {
      push_integer(number_read);
    } else if (error == std::errc::result_out_of_range && end == text.data() + text.size() &&
               text.size() <= kMaxLong) {
      push_text(PickleKind::long_integer, text);
    } else {
      refuse(
          fmt::format("\"{}\" is no integer of at most {} digits", printable(text.substr(0, 40)), kMaxLong));
    }
  }
  void float_text() {
    const std::string_view text = line();
    double read = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
    if (error != std::errc() || end != text.data() + text.size()) {
      refuse(fmt::format("\"{}\" is no number", printable(text)));
    }
    push_real(read);
  }
  void push_real(double number_read) {
    const PickleRef ref = make(PickleKind::real);
    value(ref).real = number_read;
    push(ref);
  }
  void float_binary() {
    const std::string_view part = take(8);
    std::uint64_t bits = 0;
    for (const char byte : part) {
      bits = bits << 8U | static_cast<unsigned char>(byte);
    }
    push_real(std::bit_cast<double>(bits));
  }
  void long_binary(std::uint64_t size) {
    if (size > kMaxLong) {
      refuse(fmt::format("an integer of {} bytes", static_cast<std::int32_t>(size)));
    }
    const std::string_view part = take(size);
    if (part.size() > 8) {
      push_text(PickleKind::long_integer, part);
      return;
    }
    std::uint64_t bits = 0;
    for (std::size_t i = part.size(); i-- > 0;) {
      bits = bits << 8U | static_cast<unsigned char>(part[i]);
    }
    if (!part.empty() && part.size() < 8 && (static_cast<unsigned char>(part.back()) & 0x80U) != 0) {
      bits |= ~std::uint64_t{0} << 8 * part.size();
    }
    push_integer(static_cast<std::int64_t>(bits));
  }
  void quoted_text() {
    std::string_view text = line();
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) {
      text.remove_suffix(1);
    }
    if (text.size() < 2 || (text.front() != '\'' && text.front() != '"') || text.back() != text.front()) {
      refuse("a text without quotation marks");
    }
    text = text.substr(1, text.size() - 2);
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\' || i + 1 == text.size()) {
        decoded += text[i];
        continue;
      }
      const char escaped = text[++i];
      if (escaped == 'n' || escaped == 't' || escaped == 'r') {
        decoded += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : '\r';
      } else if (const auto code = hexadecimal(text.substr(i + 1), 2); escaped == 'x' && code) {
        decoded += static_cast<char>(static_cast<unsigned char>(*code));
        i += 2;
      } else {
        if (escaped != '\\' && escaped != '\'' && escaped != '"') {
          decoded += '\\';
        }
        decoded += escaped;
      }
    }
    push_string(keep(std::move(decoded)));
  }
  void escaped_unicode() {
    const std::string_view text = line();
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool four = text.substr(i, 2) == "\\u";
      if (four || text.substr(i, 2) == "\\U") {
        const std::size_t digits = four ? 4 : 8;
        const auto point = hexadecimal(text.substr(i + 2), digits);
        if (!point || *point > 0x10FFFF || (*point >= 0xD800 && *point < 0xE000)) {
          refuse("a text with a bad escape");
        }
        append_utf8(decoded, *point);
        i += digits + 1;
      } else {
        append_utf8(decoded, static_cast<unsigned char>(text[i]));
      }
    }
    push_unicode(keep(std::move(decoded)));
  }

  // ---- the machine
  bool step();
  bool step_late(unsigned char opcode);
  void protocol(std::uint64_t version) {
    if (version > kMaxProtocol) {
      refuse(fmt::format("protocol {}, known are 0 to {}", version, kMaxProtocol));
    }
  }
  void stop() {
    result_.root_ = pop();
    if (!marks_.empty() || !stack_.empty()) {
      refuse("values are left over at its end");
    }
  }
  void tuple_of(std::size_t count) {
    std::vector<PickleRef> items(count);
    for (std::size_t i = count; i-- > 0;) {
      items[i] = pop();
    }
    push(collect(PickleKind::tuple, items));
  }
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
