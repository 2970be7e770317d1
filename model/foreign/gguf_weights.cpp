// Names and rows. llama.cpp calls the same parts otherwise, and converts some of them: it turns neighbouring
// dimensions of a head where Hugging Face turns halves, and has ordered the rows of queries and keys for it;
// it has all queries, all keys, all values one behind the other where some families interleave them; its maps
// are [out, in] everywhere. Each of these is undone exactly: rows change places, no number changes.
//
// Trap: a tensor of a layer that has no name here is refused. Without it something else would be computed.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "io/checkpoint/gguf.h"
#include "io/checkpoint/printable.h"
#include "io/recording/errors.h"
#include "model/foreign/gguf.h"
#include "model/foreign/tensor_plan.h"

namespace mog::model {
namespace {

using Change = ForeignWeights::Change;
using Rows = std::vector<std::int64_t>;  // [row] → the stored row

// Llama's names; "blk" is what stands before a layer's number.
constexpr std::string_view kUsual =
    "token_embd model.embed_tokens output_norm model.norm output lm_head blk model.layers. "
    "attn_norm input_layernorm attn_q self_attn.q_proj attn_k self_attn.k_proj attn_v self_attn.v_proj "
    "attn_output self_attn.o_proj ffn_norm post_attention_layernorm ffn_gate mlp.gate_proj ffn_up "
    "mlp.up_proj "
    "ffn_down mlp.down_proj attn_q_norm self_attn.q_norm attn_k_norm self_attn.k_norm ";

std::map<std::string, std::string, std::less<>> names_of(std::string_view list) {
  std::map<std::string, std::string, std::less<>> names;
  const auto word = [&list] {
    const std::size_t end = list.find(' ');
    const std::string_view first = list.substr(0, end);
    list.remove_prefix(end + 1);
    return std::string(first);
  };
  while (!list.empty()) {
    const std::string theirs = word();
    names[theirs] = word();
  }
  return names;
}

HostTensor picked(const HostTensor& stored, const Rows& rows) {
  std::vector<std::int64_t> shape = stored.shape();
  const std::int64_t row_bytes = stored.size_bytes() / shape[0];
  shape[0] = static_cast<std::int64_t>(rows.size());
  HostTensor result(stored.dtype(), shape);
  const auto from = stored.bytes();
  auto to = result.mutable_bytes().begin();
  for (const std::int64_t row : rows) {
    const auto begin = from.begin() + row * row_bytes;
    to = std::copy(begin, begin + row_bytes, to);
  }
  return result;
}

// [out, in] → [in, out].
HostTensor turned(const HostTensor& stored) {
  const auto rows = static_cast<std::size_t>(stored.shape()[0]);
  const auto columns = static_cast<std::size_t>(stored.shape()[1]);
  const auto width = static_cast<std::size_t>(mog::size_bytes(stored.dtype()));
  HostTensor result(stored.dtype(), {stored.shape()[1], stored.shape()[0]});
  const auto from = stored.bytes();
  const auto to = result.mutable_bytes();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>((r * columns + c) * width), width,
                  to.begin() + static_cast<std::ptrdiff_t>((c * rows + r) * width));
    }
  }
  return result;
}

// Row d of half p of a head was stored as row 2 d + p.
Rows halves(std::int64_t heads, std::int64_t head_width) {
  Rows rows;
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::int64_t half = 0; half < 2; ++half) {
      for (std::int64_t d = 0; d < head_width / 2; ++d) {
        rows.push_back(head * head_width + 2 * d + half);
      }
    }
  }
  return rows;
}

// Queries, key and value of each group, of rows of all queries, all keys, all values.
Rows interleaved(std::int64_t heads, std::int64_t groups, std::int64_t head_width) {
  Rows rows;
  const auto append = [&rows](std::int64_t first, std::int64_t count) {
    for (std::int64_t row = 0; row < count; ++row) {
      rows.push_back(first + row);
    }
  };
  const std::int64_t queries = heads / groups * head_width;
  for (std::int64_t group = 0; group < groups; ++group) {
    append(group * queries, queries);
    append(heads * head_width + group * head_width, head_width);
    append((heads + groups) * head_width + group * head_width, head_width);
  }
  return rows;
}

class Renaming {
 public:
  Renaming(const GgufKeys& keys, const GgufArchitecture& architecture, const io::WeightsFile& file)
      : keys_(keys), architecture_(architecture), file_(file), type_(architecture.type) {
    names_ = names_of(kUsual);
    for (auto& [theirs, ours] : names_of(architecture.names)) {
      names_[theirs] = ours;
    }
    if (type_ == "falcon" && file.find("blk.0.attn_norm_2.weight") != nullptr) {
      names_["attn_norm"] = "ln_mlp";
    }
    layers_ = keys.size("block_count", kMostGgufLayers);
    width_ = keys.size("embedding_length", kMostGgufWidth);
    heads_ = keys.size("attention.head_count", kMostGgufWidth);
    groups_ = keys.count("attention.head_count_kv", heads_).value_or(heads_);
    head_ = keys.count("attention.key_length", kMostGgufWidth).value_or(0);
    head_ = head_ == 0 ? width_ / heads_ : head_;
  }

  std::vector<ForeignWeights::Renamed> tensors() {
    for (const io::TensorInfo& info : file_.tensors()) {
      if (!info.name.starts_with(io::kGgufList) && !info.name.starts_with(io::kGgufEnds) &&
          !info.name.starts_with("rope_f")) {
        add(info);
      }
    }
    return std::move(tensors_);
  }

  // Of every tensor that the family may have.
  std::map<std::string, std::string> called() const {
    std::map<std::string, std::string> result;
    for (const auto& [theirs, ours] : names_) {
      if (theirs == "blk") {
        continue;
      }
      for (const char* const ending : {".weight", ".bias"}) {
        result[ours + ending] = theirs + ending;
        for (std::int64_t layer = 0; layer < layers_; ++layer) {
          result[fmt::format("{}{}.{}{}", names_.at("blk"), layer, ours, ending)] =
              fmt::format("blk.{}.{}{}", layer, theirs, ending);
        }
      }
    }
    return result;
  }

 private:
  [[noreturn]] void refuse(const io::TensorInfo& info, const std::string& why) const {
    throw ModelError(fmt::format("{}: GGUF: tensor \"{}\": {}", keys_.file(), io::printable(info.name), why));
  }

  void put(const io::TensorInfo& stored, std::string name, Change change = {},
           std::optional<std::vector<std::int64_t>> shape = {}) {
    io::TensorInfo info = stored;
    info.name = std::move(name);
    if (shape) {
      info.shape = std::move(*shape);
    }
    tensors_.push_back({std::move(info), stored.name, std::move(change)});
  }

  void add(const io::TensorInfo& info) {
    constexpr std::string_view kLayer = "blk.";
    if (!info.name.starts_with(kLayer)) {
      const std::size_t dot = std::min(info.name.rfind('.'), info.name.size());
      const auto found = names_.find(info.name.substr(0, dot));
      put(info, found == names_.end() ? info.name : found->second + info.name.substr(dot));
      return;
    }
    const std::size_t number = info.name.find('.', kLayer.size());
    const std::size_t dot = info.name.rfind('.');
    const std::string part =
        number < dot && number != std::string::npos ? info.name.substr(number + 1, dot - number - 1) : "";
    if (part == "attn_rot_embd") {
      return;  // the frequencies, which follow from the configuration
    }
    const std::string ending = info.name.substr(dot);
    const std::string layer =
        names_.at("blk") + info.name.substr(kLayer.size(), number - kLayer.size()) + ".";
    if (type_ == "phi" && part == "attn_qkv") {
      return split(info, layer, ending);
    }
    if (type_ == "stablelm" && (part == "attn_q_norm" || part == "attn_k_norm")) {
      return by_head(
          info, layer + (part == "attn_q_norm" ? "self_attn.q_layernorm" : "self_attn.k_layernorm"), ending);
    }
    const auto found = names_.find(part);
    if (found == names_.end()) {
      refuse(info, fmt::format("the architecture {} has no such part of a layer; leaving it out would change "
                               "what the model computes",
                               keys_.architecture()));
    }
    const std::string name = layer + found->second + ending;
    if (architecture_.turned && (part == "attn_q" || part == "attn_k")) {
      const std::int64_t heads = part == "attn_q" ? heads_ : groups_;
      return rows(info, name, heads * head_, [=, head = head_] { return halves(heads, head); });
    }
    if (part == "attn_qkv" && (type_ == "bloom" || type_ == "gpt_neox" || type_ == "falcon")) {
      const std::int64_t groups = type_ == "falcon" ? groups_ : heads_;
      return rows(info, name, (heads_ + 2 * groups) * head_,
                  [=, heads = heads_, head = head_] { return interleaved(heads, groups, head); });
    }
    if (type_ == "gpt2" && ending == ".weight" && info.shape.size() == 2) {
      return put(info, name, turned, std::vector<std::int64_t>{info.shape[1], info.shape[0]});
    }
    put(info, name);
  }

  void check_rows(const io::TensorInfo& info, std::int64_t rows) const {
    if (info.shape.empty() || info.shape[0] != rows) {
      refuse(info, fmt::format("expected {} rows, as the keys of attention say, found {}", rows,
                               shape_text(info.shape)));
    }
  }
  // `order` is made when the tensor is read: `count`, its rows, is a claim of the keys until then.
  void rows(const io::TensorInfo& info, const std::string& name, std::int64_t count,
            std::function<Rows()> order) {
    check_rows(info, count);
    put(info, name, [order = std::move(order)](const HostTensor& stored) { return picked(stored, order()); });
  }

  // Phi 2: one map in older files.
  void split(const io::TensorInfo& info, const std::string& layer, const std::string& ending) {
    check_rows(info, (heads_ + 2 * groups_) * head_);
    std::int64_t first = 0;
    for (const auto& [part, heads] :
         {std::pair{"self_attn.q_proj", heads_}, std::pair{"self_attn.k_proj", groups_},
          std::pair{"self_attn.v_proj", groups_}}) {
      const std::int64_t count = heads * head_;
      std::vector<std::int64_t> shape = info.shape;
      shape[0] = count;
      put(
          info, layer + part + ending,
          [first, count](const HostTensor& stored) { return rows_of(stored, first, count); }, shape);
      first += count;
    }
  }

  // StableLM: a norm for each head, stored as one.
  void by_head(const io::TensorInfo& info, const std::string& name, const std::string& ending) {
    check_rows(info, name.ends_with("q_layernorm") ? heads_ : groups_);
    for (std::int64_t head = 0; head < info.shape[0]; ++head) {
      put(
          info, fmt::format("{}.norms.{}{}", name, head, ending),
          [head](const HostTensor& stored) {
            return stored.slice_flat(head * stored.shape()[1], {stored.shape()[1]});
          },
          std::vector<std::int64_t>(info.shape.begin() + 1, info.shape.end()));
    }
  }

  const GgufKeys& keys_;
  const GgufArchitecture& architecture_;
  const io::WeightsFile& file_;
  std::string_view type_;
  std::map<std::string, std::string, std::less<>> names_;
  std::vector<ForeignWeights::Renamed> tensors_;
  std::int64_t layers_ = 0;
  std::int64_t width_ = 0;
  std::int64_t heads_ = 0;
  std::int64_t groups_ = 0;
  std::int64_t head_ = 0;
};

}  // namespace

ForeignWeights gguf_weights(const GgufKeys& keys, const GgufArchitecture& architecture,
                            io::WeightsFile& file) {
  Renaming renaming(keys, architecture, file);
  std::vector<ForeignWeights::Renamed> tensors = renaming.tensors();
  std::map<std::string, std::string> called = renaming.called();
  return ForeignWeights::of_renamed(std::move(file), std::move(tensors), std::move(called));
}

}  // namespace mog::model
