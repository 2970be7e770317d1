// Names and rows. llama.cpp calls the same parts otherwise, and converts some of them: it turns neighbouring
// dimensions of a head where Hugging Face turns halves, and has ordered the rows of queries and keys for it;
// it has all queries, all keys, all values one behind the other where some families interleave them. Each of
// these is undone exactly: rows change places, no number changes.
//
// Trap: a tensor that has no name here is refused, and so is one that the family does not ask for
// (TensorPlan::own_all). Without it something else would be computed.
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
  Renaming(const GgufKeys& keys, const GgufArchitecture& architecture, const GgufSizes& sizes,
           const io::WeightsFile& file)
      : keys_(keys), architecture_(architecture), sizes_(sizes), file_(file), type_(architecture.type) {
    names_ = names_of(kUsual);
    for (auto& [theirs, ours] : names_of(architecture.names)) {
      names_[theirs] = ours;
    }
    if (type_ == "falcon" && file.find("blk.0.attn_norm_2.weight") != nullptr) {
      names_["attn_norm"] = "ln_mlp";
    }
  }

  std::vector<ForeignWeights::Renamed> tensors(std::vector<std::string>& notes) {
    bool head = false;
    for (const io::TensorInfo& info : file_.tensors()) {
      const std::string_view name = info.name;
      if (name.starts_with(io::kGgufList) || name.starts_with(io::kGgufEnds) ||
          (gguf_is_rotary(architecture_) &&
           (name == kGgufFrequencies || name == kGgufShort || name == kGgufLong))) {
        continue;
      }
      if (type_ == "bert" && name.starts_with("cls.")) {
        head = true;
        continue;
      }
      add(info);
    }
    if (head) {
      notes.emplace_back("left out, no part of the encoder: cls");
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
        for (std::int64_t layer = 0; layer < sizes_.layers; ++layer) {
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
      if (found == names_.end()) {
        refuse(info,
               fmt::format("the architecture {} has no such tensor; leaving it out would change what the "
                           "model computes",
                           keys_.architecture()));
      }
      return put(info, found->second + info.name.substr(dot));
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
      const std::int64_t heads = part == "attn_q" ? sizes_.heads : sizes_.groups;
      return rows(info, name, heads * sizes_.head, [=, head = sizes_.head] { return halves(heads, head); });
    }
    if (part == "attn_qkv" && (type_ == "bloom" || type_ == "gpt_neox" || type_ == "falcon")) {
      const std::int64_t groups = type_ == "falcon" ? sizes_.groups : sizes_.heads;
      return rows(info, name, (sizes_.heads + 2 * groups) * sizes_.head,
                  [=, heads = sizes_.heads, head = sizes_.head] { return interleaved(heads, groups, head); });
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
    check_rows(info, (sizes_.heads + 2 * sizes_.groups) * sizes_.head);
    std::int64_t first = 0;
    for (const auto& [part, heads] :
         {std::pair{"self_attn.q_proj", sizes_.heads}, std::pair{"self_attn.k_proj", sizes_.groups},
          std::pair{"self_attn.v_proj", sizes_.groups}}) {
      const std::int64_t count = heads * sizes_.head;
      std::vector<std::int64_t> shape = info.shape;
      shape[0] = count;
      put(
          info, fmt::format("{}{}{}", layer, part, ending),
          [first, count](const HostTensor& stored) { return rows_of(stored, first, count); }, shape);
      first += count;
    }
  }

  // StableLM: a norm for each head, stored as one.
  void by_head(const io::TensorInfo& info, const std::string& name, const std::string& ending) {
    check_rows(info, name.ends_with("q_layernorm") ? sizes_.heads : sizes_.groups);
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
  const GgufSizes& sizes_;
  const io::WeightsFile& file_;
  std::string_view type_;
  std::map<std::string, std::string, std::less<>> names_;
  std::vector<ForeignWeights::Renamed> tensors_;
};

}  // namespace

ForeignWeights gguf_weights(const GgufKeys& keys, const GgufArchitecture& architecture,
                            const GgufSizes& sizes, io::WeightsFile& file, std::vector<std::string>& notes) {
  Renaming renaming(keys, architecture, sizes, file);
  std::vector<ForeignWeights::Renamed> tensors = renaming.tensors(notes);
  std::map<std::string, std::string> called = renaming.called();
  return ForeignWeights::of_renamed(std::move(file), std::move(tensors), std::move(called));
}

}  // namespace mog::model
