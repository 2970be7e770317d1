// A name is known only on the way down from the outermost dictionary, so tensors are judged here and not
// where the pickle builds them: a message names the tensor. Values may be shared and containers may hold the
// same container many times over; what holds no tensor is never entered, and the number of steps is limited.
#include "io/checkpoint/torch_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>
#include <utility>

#include "io/checkpoint/printable.h"
#include "io/checkpoint/safetensors_header.h"
#include "io/checkpoint/torch_data.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr std::size_t kMaxTensors = 100'000;
constexpr std::size_t kMaxSteps = 2'000'000;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxRank = 64;
constexpr std::size_t kMaxName = 4'096;

struct Storage {
  std::string key;
  std::string type;  // empty: bytes
  std::int64_t elements = 0;
};

class Collector {
 public:
  Collector(const Pickle& pickle, const std::string& file) : pickle_(pickle), file_(file) {}

  TorchContents run() {
    find_storages();
    holds_.assign(pickle_.values(), Holds::unknown);
    if (!holds(pickle_.root())) {
      refuse_without();
    }
    walk(pickle_.root(), "", true, 0);
    if (std::none_of(contents_.tensors.begin(), contents_.tensors.end(),
                     [](const TorchTensor& tensor) { return tensor.wanted; })) {
      throw FormatError(fmt::format("{}: all its tensors belong to an optimizer, expected a model", file_));
    }
    contents_.data = torch_data(pickle_);
    return std::move(contents_);
  }

 private:
  enum class Holds : std::uint8_t { unknown, no, yes };

  [[noreturn]] void refuse(const std::string& name, const std::string& defect) const {
    throw FormatError(fmt::format("{}: tensor \"{}\": {}", file_, printable(name), defect));
  }

  [[noreturn]] void refuse_without() const {
    const PickleValue& root = pickle_[pickle_.root()];
    if (root.kind == PickleKind::object) {
      throw FormatError(
          fmt::format("{}: it holds a whole object of the class {}, whose code would have to be "
                      "run; save its state_dict() instead",
                      file_, printable(pickle_.name(root).full())));
    }
    throw FormatError(fmt::format("{}: there is no tensor in it, expected a dictionary of weights", file_));
  }

  // Depth is limited by the check of the pickle, which goes the same way.
  bool holds(PickleRef ref) {
    const PickleValue& value = pickle_[ref];
    if (holds_[ref] == Holds::unknown) {
      bool found = value.kind == PickleKind::call;
      if (value.kind == PickleKind::dict || value.kind == PickleKind::list ||
          value.kind == PickleKind::tuple) {
        for (const PickleRef item : value.items) {
          found = holds(item) || found;
        }
      }
      holds_[ref] = found ? Holds::yes : Holds::no;
    }
    return holds_[ref] == Holds::yes;
  }

  void walk(PickleRef ref, const std::string& name, bool wanted, std::size_t depth) {
    const PickleValue& value = pickle_[ref];
    if (++steps_ > kMaxSteps || depth > kMaxDepth || name.size() > kMaxName) {
      refuse(name, "nested too deep or too often");
    }
    if (value.kind == PickleKind::call) {
      add(value, name.empty() ? "tensor" : name, wanted);
      return;
    }
    if (!holds(ref)) {
      return;
    }
    if (value.kind != PickleKind::dict) {
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        walk(value.items[i], name + (name.empty() ? "" : ".") + std::to_string(i), wanted, depth + 1);
      }
      return;
    }
    std::set<std::string> keys;
    for (std::size_t i = 0; i < value.items.size(); i += 2) {
      if (!holds(value.items[i]) && !holds(value.items[i + 1])) {
        continue;
      }
      const std::string key = key_text(pickle_[value.items[i]], name);
      const std::string path = name + (name.empty() ? "" : ".") + key;
      if (!keys.insert(key).second) {
        refuse(path, "the name is there twice");
      }
      walk(value.items[i + 1], path, wanted && !(depth == 0 && is_optimizer_key(key)), depth + 1);
    }
  }

  std::string key_text(const PickleValue& key, const std::string& name) const {
    if (key.kind == PickleKind::integer) {
      return std::to_string(key.integer);
    }
    if (key.kind != PickleKind::text || key.text.empty() || key.text.find('\0') != std::string_view::npos) {
      refuse(name, "a key below it is no text");
    }
    return std::string(key.text);
  }

  void add(const PickleValue& call, const std::string& name, bool wanted) {
    TorchTensor tensor = read(call, name);
    tensor.wanted = wanted;
    contents_.optimizer_tensors += wanted ? 0 : 1;
    if (contents_.tensors.size() >= kMaxTensors) {
      refuse(name, fmt::format("more than {} tensors", kMaxTensors));
    }
    if (!names_.insert(name).second) {
      refuse(name, "two tensors have this name");
    }
    contents_.tensors.push_back(std::move(tensor));
  }

  // ---- one tensor
  TorchTensor read(const PickleValue& call, const std::string& name) const {
    const PickleName& function = pickle_.name(call);
    const std::vector<PickleRef>& arguments = pickle_[call.items[0]].items;
    const bool third = function.meaning == PickleMeaning::rebuild_tensor_v3;
    const bool first = function.meaning == PickleMeaning::rebuild_tensor;
    const std::size_t least = first ? 4 : third ? 7 : 6;
    if (arguments.size() < least || arguments.size() > least + (first ? 0 : 1)) {
      refuse(name,
             fmt::format("{} is given {} arguments, expected {}", function.name, arguments.size(), least));
    }
    const Storage storage = read_storage(pickle_[arguments[0]], name);
    TorchTensor tensor;
    tensor.name = name;
    tensor.dtype = storage.type;
    if (third) {
      const PickleValue& dtype = pickle_[arguments[6]];
      if (dtype.kind != PickleKind::name || pickle_.name(dtype).meaning != PickleMeaning::dtype) {
        refuse(name, fmt::format("{} is given an unknown type of elements", function.name));
      }
      tensor.dtype = pickle_.name(dtype).type;
    }
    if (tensor.dtype.empty()) {
      refuse(name, "its elements have no type");
    }
    tensor.element_bytes = static_cast<std::int64_t>(safetensors_bits(tensor.dtype) / 8);
    const auto stored_bytes =
        storage.type.empty() ? 1 : static_cast<std::int64_t>(safetensors_bits(storage.type) / 8);
    if (storage.elements > std::numeric_limits<std::int64_t>::max() / 16) {
      refuse(name, fmt::format("its storage would have {} elements", storage.elements));
    }
    tensor.storage = storage.key;
    tensor.storage_elements = storage.elements * stored_bytes / tensor.element_bytes;
    tensor.offset = whole(pickle_[arguments[1]], name, function, "offset");
    tensor.shape = wholes(pickle_[arguments[2]], name, function, "size");
    tensor.strides = wholes(pickle_[arguments[3]], name, function, "stride");
    check(tensor);
    return tensor;
  }

  std::int64_t whole(const PickleValue& value, const std::string& name, const PickleName& function,
                     const char* what) const {
    if (value.kind != PickleKind::integer) {
      refuse(name, fmt::format("{}: the {} is no whole number", function.name, what));
    }
    if (value.integer < 0) {
      refuse(name, fmt::format("{}: the {} is negative: {}", function.name, what, value.integer));
    }
    return value.integer;
  }

  std::vector<std::int64_t> wholes(const PickleValue& value, const std::string& name,
                                   const PickleName& function, const char* what) const {
    if (value.kind != PickleKind::tuple && value.kind != PickleKind::list) {
      refuse(name, fmt::format("{}: the {} is no tuple", function.name, what));
    }
    if (value.items.size() > kMaxRank) {
      refuse(name, fmt::format("{} dimensions, at most {} are read", value.items.size(), kMaxRank));
    }
    std::vector<std::int64_t> numbers;
    for (const PickleRef item : value.items) {
      numbers.push_back(whole(pickle_[item], name, function, what));
    }
    return numbers;
  }

  // The last element lies in the storage, and no tensor is larger than what it is made of.
  void check(const TorchTensor& tensor) const {
    if (tensor.shape.size() != tensor.strides.size()) {
      refuse(tensor.name, fmt::format("{} sizes but {} strides", tensor.shape.size(), tensor.strides.size()));
    }
    std::int64_t elements = 1;
    std::int64_t last = tensor.offset;
    bool fits = true;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      std::int64_t way = 0;
      fits =
          fits && !__builtin_mul_overflow(elements, tensor.shape[i], &elements) &&
          (tensor.shape[i] == 0 || (!__builtin_mul_overflow(tensor.shape[i] - 1, tensor.strides[i], &way) &&
                                    !__builtin_add_overflow(last, way, &last)));
    }
    const bool empty = std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
    // An empty tensor too: sizes whose product does not fit would trip whoever multiplies them.
    if (!fits || (empty ? tensor.offset > tensor.storage_elements
                        : last >= tensor.storage_elements || elements > tensor.storage_elements)) {
      refuse(tensor.name,
             fmt::format("size [{}], stride [{}] and offset {} do not fit its storage of {} elements",
                         join(tensor.shape), join(tensor.strides), tensor.offset, tensor.storage_elements));
    }
  }

  static std::string join(const std::vector<std::int64_t>& numbers) {
    std::string text;
    for (const std::int64_t number : numbers) {
      text += (text.empty() ? "" : ", ") + std::to_string(number);
    }
    return text;
  }

  Storage read_storage(const PickleValue& value, const std::string& name) const {
    if (value.kind != PickleKind::persistent) {
      refuse(name, "_rebuild_tensor_v2 or its like is given no storage");
    }
    Storage storage;
    const std::string defect = storage_of(value, storage);
    if (!defect.empty()) {
      refuse(name, defect);
    }
    return storage;
  }

  // ("storage", type, key, device, elements[, view]). Returns the defect.
  std::string storage_of(const PickleValue& value, Storage& storage) const {
    const PickleValue& id = pickle_[value.items[0]];
    if (id.kind != PickleKind::tuple || id.items.size() < 5 || id.items.size() > 6) {
      return "its storage has no persistent id of five or six parts";
    }
    const auto part = [&](std::size_t i) -> const PickleValue& { return pickle_[id.items[i]]; };
    if (part(0).kind != PickleKind::text || part(0).text != "storage") {
      return fmt::format("its persistent id is of kind \"{}\", expected \"storage\"",
                         printable(part(0).text));
    }
    if (part(1).kind != PickleKind::name) {
      return "its storage has no class";
    }
    if (pickle_.name(part(1)).meaning != PickleMeaning::storage) {
      return fmt::format("the storage class {} is not known", printable(pickle_.name(part(1)).full()));
    }
    if (part(2).kind != PickleKind::text || part(2).text.empty()) {
      return "the key of its storage is no text";
    }
    if (part(4).kind != PickleKind::integer || part(4).integer < 0) {
      return "the number of elements of its storage is no whole number from 0";
    }
    if (id.items.size() == 6 && part(5).kind != PickleKind::none) {
      return "its storage is a view of another, as PyTorch before 0.4 wrote them; save it again with a newer "
             "one";
    }
    storage = {std::string(part(2).text), std::string(pickle_.name(part(1)).type), part(4).integer};
    return {};
  }

  void find_storages() {
    for (std::size_t i = 0; i < pickle_.values(); ++i) {
      const PickleValue& value = pickle_[static_cast<PickleRef>(i)];
      Storage storage;
      if (value.kind == PickleKind::persistent && storage_of(value, storage).empty()) {
        const std::int64_t bytes =
            storage.type.empty() ? 1 : static_cast<std::int64_t>(safetensors_bits(storage.type) / 8);
        const auto [at, fresh] = contents_.storage_elements.try_emplace(storage.key, storage.elements);
        const auto size = contents_.element_bytes.try_emplace(storage.key, bytes).first;
        if (!fresh && (at->second != storage.elements || size->second != bytes)) {
          throw FormatError(
              fmt::format("{}: storage {} is described in two ways", file_, printable(storage.key)));
        }
      }
    }
  }

  const Pickle& pickle_;
  std::string file_;
  TorchContents contents_;
  std::vector<Holds> holds_;
  std::set<std::string> names_;
  std::size_t steps_ = 0;
};

}  // namespace

std::int64_t TorchTensor::elements() const noexcept {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) {
    product *= extent;  // checked when it was read
  }
  return product;
}

bool TorchTensor::contiguous() const noexcept {
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != step) {
      return elements() == 0;
    }
    step *= shape[i];
  }
  return true;
}

TorchContents read_torch_contents(const Pickle& pickle, const std::string& file) {
  return Collector(pickle, file).run();
}

}  // namespace mog::io
