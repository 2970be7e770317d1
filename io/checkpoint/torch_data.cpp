// What stands beside the weights (names, sizes, options) as JSON, for who has to know which model they are.
// A pickle may share a value many times over, and its tree may be exponentially larger than the file; so
// bytes and steps are counted while writing, and a document that grows beyond 1 MiB is left out as a whole,
// with a word that it was. Depth ends at 32 by leaving the member out.
//
// Tensors give nothing, and a container that has nothing but tensors is left out with them, which leaves the
// plain data and not its skeleton.
#include "io/checkpoint/torch_data.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/checkpoint/printable.h"

namespace mog::io {
namespace {

using Json = nlohmann::json;  // sorted: its members are found in logarithmic time

constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxSteps = 200'000;
constexpr std::size_t kMaxDepth = 32;

struct TooMuch {};

class Writer {
 public:
  explicit Writer(const Pickle& pickle) : pickle_(pickle) {}

  std::optional<Json> value(PickleRef ref, std::size_t depth) {
    const PickleValue& at = pickle_[ref];
    if ((bytes_ += 8 + at.text.size()) > kMaxBytes || ++steps_ > kMaxSteps) {
      throw TooMuch();
    }
    if (depth > kMaxDepth) {
      return std::nullopt;
    }
    switch (at.kind) {
      case PickleKind::none:
        return Json(nullptr);
      case PickleKind::boolean:
        return Json(at.integer != 0);
      case PickleKind::integer:
        return Json(at.integer);
      case PickleKind::real:
        return Json(at.real);
      case PickleKind::text:
        return Json(std::string(at.text));
      case PickleKind::name:
        return Json(printable(pickle_.name(at).full()));
      case PickleKind::tuple:
      case PickleKind::list:
      case PickleKind::set:
        return list(at, depth);
      case PickleKind::dict: {
        Json result = Json::object();
        add(result, at, depth);
        return result.empty() && !at.items.empty() ? std::nullopt : std::optional(std::move(result));
      }
      case PickleKind::object:
        return object(at, depth);
      case PickleKind::bytes:
      case PickleKind::long_integer:
      case PickleKind::persistent:
      case PickleKind::call:
        break;
    }
    return std::nullopt;
  }

 private:
  std::optional<Json> list(const PickleValue& at, std::size_t depth) {
    if (at.kind == PickleKind::set && at.items.size() == 1 &&
        (pickle_[at.items[0]].kind == PickleKind::list || pickle_[at.items[0]].kind == PickleKind::tuple)) {
      return value(at.items[0], depth + 1);
    }
    Json result = Json::array();
    for (const PickleRef item : at.items) {
      if (auto member = value(item, depth + 1)) {
        result.push_back(std::move(*member));
      }
    }
    return result.empty() && !at.items.empty() ? std::nullopt : std::optional(std::move(result));
  }

  void add(Json& to, const PickleValue& dictionary, std::size_t depth) {
    for (std::size_t i = 0; i < dictionary.items.size(); i += 2) {
      const PickleValue& key = pickle_[dictionary.items[i]];
      std::string name;
      if (key.kind == PickleKind::text) {
        name = key.text;
      } else if (key.kind == PickleKind::integer) {
        name = std::to_string(key.integer);
      } else {
        continue;
      }
      if (depth == 0 && is_optimizer_key(name)) {
        continue;
      }
      bytes_ += name.size();
      if (auto member = value(dictionary.items[i + 1], depth + 1)) {
        to[name] = std::move(*member);
      }
    }
  }

  Json object(const PickleValue& at, std::size_t depth) {
    Json result = {{"__class__", printable(pickle_.name(at).full())}};
    for (std::size_t i = 1; i < at.items.size(); ++i) {
      state(result, at.items[i], depth);
    }
    return result;
  }

  // A dictionary of attributes, or (None, dictionary of slots).
  void state(Json& to, PickleRef ref, std::size_t depth) {
    const PickleValue& at = pickle_[ref];
    if (++steps_ > kMaxSteps) {
      throw TooMuch();
    }
    if (at.kind == PickleKind::dict) {
      add(to, at, depth + 1);
    } else if (at.kind == PickleKind::tuple && at.items.size() == 2 && depth < kMaxDepth) {
      state(to, at.items[0], depth + 1);
      state(to, at.items[1], depth + 1);
    } else if (at.kind != PickleKind::none) {
      if (auto member = value(ref, depth + 1)) {
        to["__state__"] = std::move(*member);
      }
    }
  }

  const Pickle& pickle_;
  std::size_t bytes_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace

bool is_optimizer_key(std::string_view key) {
  std::string lower(key);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char character) { return static_cast<char>(std::tolower(character)); });
  return lower.find("optim") != std::string::npos;
}

std::string torch_data(const Pickle& pickle) {
  try {
    const auto data = Writer(pickle).value(pickle.root(), 0);
    return data ? data->dump(-1, ' ', false, Json::error_handler_t::replace) : "{}";
  } catch (const TooMuch&) {
    return R"({"__left_out__": "more than 1 MiB of data beside the weights"})";
  }
}

}  // namespace mog::io
