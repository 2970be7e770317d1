// A model.bin carries no list of what should be in it: the shapes of a Transformer give one. Only what holds
// for every encoder and every encoder with decoder is asked for; decoders alone come in too many kinds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <map>
#include <set>
#include <utility>

#include "io/checkpoint/ctranslate2.h"
#include "io/checkpoint/printable.h"
#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr auto kChecked = std::to_array<std::string_view>(
    {"TransformerBase", "TransformerBig", "TransformerSpec", "TransformerEncoderSpec"});

class Layers {
 public:
  Layers(const InputFile& file, const Ct2Model& model) : file_(file), model_(model) {
    for (const Ct2Variable& variable : model.variables) {
      by_name_.emplace(variable.name, &variable);
    }
    for (const auto& [alias, target] : model.aliases) {
      by_name_.emplace(alias, by_name_.at(target));
    }
  }

  void check() {
    for (const std::string stack : {"encoder", "decoder"}) {
      const Ct2Variable* words = find(stack + "/embeddings_0/weight");
      words = words != nullptr ? words : find(stack + "/embeddings/weight");
      if (words == nullptr || words->shape.size() != 2 || find(stack + "/embeddings_1/weight") != nullptr) {
        continue;  // no such stack, or one whose width is not that of its words
      }
      check_pairs(stack, "linear_", "/weight", "/bias");
      check_pairs(stack, "layer_norm", "/gamma", "/beta");
      width_ = words->shape[1];
      check_heads(stack);
      check_stack(stack);
    }
  }

 private:
  const Ct2Variable* find(const std::string& name) const {
    const auto at = by_name_.find(name);
    return at == by_name_.end() ? nullptr : at->second;
  }
  [[noreturn]] void refuse(const std::string& defect) const {
    throw ModelError(fmt::format("{}: CTranslate2 model: {}", file_.path().string(), defect));
  }
  [[noreturn]] void missing(const std::string& name) const {
    refuse(fmt::format("variable \"{}\" is missing", printable(name)));
  }

  // Every linear layer of a stack has a bias or none has; the same for norms and their shift.
  void check_pairs(const std::string& stack, std::string_view part, std::string_view first,
                   std::string_view second) {
    std::set<std::string> modules;
    bool paired = false;
    for (const auto& [name, variable] : by_name_) {
      const auto slash = name.rfind('/');
      const std::string module = name.substr(0, slash);
      const std::string_view last = std::string_view(module).substr(module.rfind('/') + 1);
      if (slash == std::string::npos || !module.starts_with(stack + "/layer_") || !last.starts_with(part)) {
        continue;
      }
      if (name.substr(slash) == first || name.substr(slash) == second) {
        modules.insert(module);
        paired = paired || name.substr(slash) == second;
      }
    }
    for (const std::string& module : modules) {
      for (const std::string_view ending : {first, second}) {
        const std::string name = module + std::string(ending);
        if (find(name) == nullptr && (paired || ending == first)) {
          missing(name);
        }
      }
    }
  }

  void shape(const std::string& name, const std::vector<std::int64_t>& wanted) const {
    const Ct2Variable* const variable = find(name);
    if (variable == nullptr) {
      missing(name);
    }
    if (variable->shape != wanted) {
      refuse(fmt::format("variable \"{}\" has shape [{}], expected [{}]", printable(name),
                         fmt::join(variable->shape, ", "), fmt::join(wanted, ", ")));
    }
  }
  void optional_shape(const std::string& name, const std::vector<std::int64_t>& wanted) const {
    if (find(name) != nullptr) {
      shape(name, wanted);
    }
  }
  void linear(const std::string& name, std::int64_t out, std::int64_t in) const {
    shape(name + "/weight", {out, in});
    optional_shape(name + "/bias", {out});
  }
  void norm(const std::string& name) const {
    optional_shape(name + "/gamma", {width_});
    optional_shape(name + "/beta", {width_});
  }
  // Rows of a matrix whose columns are the width of the model.
  std::int64_t rows(const std::string& name) const {
    const Ct2Variable* const variable = find(name + "/weight");
    if (variable == nullptr) {
      missing(name + "/weight");
    }
    const std::int64_t found = variable->shape.empty() ? 0 : variable->shape[0];
    shape(name + "/weight", {found, width_});
    optional_shape(name + "/bias", {found});
    return found;
  }

  std::int64_t scalar(const std::string& name) const {
    const Ct2Variable* const variable = find(name);
    if (variable == nullptr || variable->size_bytes > 4 || variable->dtype.front() != 'I') {
      return 0;
    }
    std::array<std::byte, 4> bytes = {};
    file_.read_at(variable->begin, std::span(bytes).first(static_cast<std::size_t>(variable->size_bytes)));
    std::int64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
      value = value << 8U | static_cast<std::int64_t>(bytes[i]);
    }
    return value;
  }

  void check_heads(const std::string& stack) {
    std::int64_t heads = scalar(stack + "/num_heads");
    heads = heads != 0 ? heads : scalar("num_heads");
    if (heads == 0 && model_.specification.starts_with("TransformerB")) {
      heads = model_.specification == "TransformerBase" ? 8 : 16;
    }
    const bool own_width = find(stack + "/layer_0/self_attention/head_dim") != nullptr;
    if (heads > 0 && !own_width && width_ % heads != 0) {
      refuse(fmt::format("the width {} of the {} is no multiple of its {} heads", width_, stack, heads));
    }
  }

  void check_stack(const std::string& stack) {
    std::set<std::int64_t> layers;
    for (const auto& [name, variable] : by_name_) {
      const std::string start = stack + "/layer_";
      if (name.starts_with(start) && name.size() > start.size() && name[start.size()] >= '0' &&
          name[start.size()] <= '9') {
        layers.insert(std::stoll(name.substr(start.size(), 9)));
      }
    }
    std::int64_t due = 0;
    for (const std::int64_t layer : layers) {
      if (layer != due) {
        missing(fmt::format("{}/layer_{}/self_attention/linear_0/weight", stack, due));
      }
      check_layer(fmt::format("{}/layer_{}", stack, layer));
      ++due;
    }
    norm(stack + "/layer_norm");
  }

  void check_layer(const std::string& layer) const {
    for (const char* const module : {"/self_attention", "/attention", "/ffn"}) {
      norm(layer + module + "/layer_norm");
    }
    const std::int64_t inner = rows(layer + "/ffn/linear_0");
    linear(layer + "/ffn/linear_1", width_, inner);
    const std::int64_t joined = rows(layer + "/self_attention/linear_0");
    if (find(layer + "/self_attention/num_heads_kv") == nullptr && joined % 3 == 0) {
      linear(layer + "/self_attention/linear_1", width_, joined / 3);
    }
    if (find(layer + "/attention/linear_0/weight") != nullptr) {
      const std::int64_t queries = rows(layer + "/attention/linear_0");
      linear(layer + "/attention/linear_2", width_, queries);
      const Ct2Variable* const memory = find(layer + "/attention/linear_1/weight");
      if (memory == nullptr) {
        missing(layer + "/attention/linear_1/weight");
      }
      linear(layer + "/attention/linear_1", 2 * queries, memory->shape.empty() ? 0 : memory->shape.back());
    }
  }

  const InputFile& file_;
  const Ct2Model& model_;
  std::map<std::string, const Ct2Variable*> by_name_;
  std::int64_t width_ = 0;
};

}  // namespace

void check_ct2_layers(const InputFile& file, const Ct2Model& model) {
  for (const std::string_view specification : kChecked) {
    if (model.specification == specification) {
      Layers(file, model).check();
    }
  }
}

}  // namespace mog::io
