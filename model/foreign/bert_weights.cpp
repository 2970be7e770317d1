#include "model/foreign/bert_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "io/recording/errors.h"

namespace mog::model {
namespace {

constexpr const char* kWords = "embeddings.word_embeddings.weight";
constexpr std::int64_t kFirstPosition = 2;  // our rule: the first token takes row 2

std::string prefix_of(const std::string& file, const io::TensorList& list) {
  for (const char* const prefix : {"", "bert."}) {
    if (list.find(std::string(prefix) + kWords) != nullptr) {
      return prefix;
    }
  }
  throw ModelError(fmt::format("{}: there is neither {} nor bert.{}; the first tensor is {}", file, kWords,
                               kWords, list.tensors.empty() ? "missing" : list.tensors.front().name));
}

// LayerNorm.weight was once LayerNorm.gamma.
std::string old_name(std::string name) {
  for (const auto& [now, then] : {std::pair{".LayerNorm.weight", ".LayerNorm.gamma"},
                                  std::pair{".LayerNorm.bias", ".LayerNorm.beta"}}) {
    const std::string_view ending = now;
    if (name.ends_with(ending)) {
      name.replace(name.size() - ending.size(), ending.size(), then);
    }
  }
  return name;
}

}  // namespace

BertWeights::BertWeights(std::filesystem::path file, const BertConfig& config)
    : file_(std::move(file)), list_(io::list_tensors(file_)), prefix_(prefix_of(file_.string(), list_)) {
  want(config);
  for (const Wanted& wanted : wanted_) {
    find(wanted);
  }
  find(positions_);
  find(token_types_);
  check_rest();
}

void BertWeights::want_linear(const std::string& name, const std::string& foreign, std::int64_t out,
                              std::int64_t in) {
  wanted_.push_back({name + ".weight", foreign + ".weight", {out, in}});
  wanted_.push_back({name + ".bias", foreign + ".bias", {out}});
}

void BertWeights::want_norm(const std::string& name, const std::string& foreign, std::int64_t width) {
  wanted_.push_back({name + ".weight", foreign + ".weight", {width}});
  wanted_.push_back({name + ".bias", foreign + ".bias", {width}});
}

void BertWeights::want(const BertConfig& config) {
  const std::int64_t d = config.encoder.d_model;
  wanted_.push_back({"encoder.embed_tokens.weight", kWords, {config.vocabulary, d}});
  positions_ = {
      "encoder.embed_positions.weight", "embeddings.position_embeddings.weight", {config.positions, d}};
  token_types_ = {"", "embeddings.token_type_embeddings.weight", {config.token_types, d}};
  want_norm("encoder.embed_layer_norm", "embeddings.LayerNorm", d);
  for (std::int64_t layer = 0; layer < config.encoder.layers; ++layer) {
    const std::string ours = fmt::format("encoder.layers.{}.", layer);
    const std::string theirs = fmt::format("encoder.layer.{}.", layer);
    want_linear(ours + "self_attn.q_proj", theirs + "attention.self.query", d, d);
    want_linear(ours + "self_attn.k_proj", theirs + "attention.self.key", d, d);
    want_linear(ours + "self_attn.v_proj", theirs + "attention.self.value", d, d);
    want_linear(ours + "self_attn.out_proj", theirs + "attention.output.dense", d, d);
    want_norm(ours + "attn_layer_norm", theirs + "attention.output.LayerNorm", d);
    want_linear(ours + "fc1", theirs + "intermediate.dense", config.encoder.ffn_dim, d);
    want_linear(ours + "fc2", theirs + "output.dense", d, config.encoder.ffn_dim);
    want_norm(ours + "ffn_layer_norm", theirs + "output.LayerNorm", d);
  }
}

const io::TensorInfo& BertWeights::find(const Wanted& wanted) const {
  const io::TensorInfo* info = list_.find(prefix_ + wanted.foreign);
  if (info == nullptr) {
    info = list_.find(prefix_ + old_name(wanted.foreign));
  }
  const std::string file = file_.string();
  if (info == nullptr) {
    throw ModelError(fmt::format("{}: the tensor {}{} is missing; config.json asks for {}", file, prefix_,
                                 wanted.foreign, shape_text(wanted.shape)));
  }
  if (info->shape != wanted.shape) {
    throw ModelError(fmt::format("{}: tensor {}: config.json asks for {}, found {}", file, info->name,
                                 shape_text(wanted.shape), shape_text(info->shape)));
  }
  if (info->dtype != "F32" && info->dtype != "F16" && info->dtype != "BF16") {
    throw ModelError(
        fmt::format("{}: tensor {}: weights are F32, F16 or BF16, found {}", file, info->name, info->dtype));
  }
  return *info;
}

// Everything in the encoder and its embeddings must have been asked for, else something would be computed
// without it.
void BertWeights::check_rest() {
  std::set<std::string> used;
  for (const Wanted& wanted : wanted_) {
    used.insert(find(wanted).name);
  }
  used.insert(find(positions_).name);
  used.insert(find(token_types_).name);
  // Constant tables of indices.
  used.insert({prefix_ + "embeddings.position_ids", prefix_ + "embeddings.token_type_ids"});
  std::set<std::string> groups;
  for (const io::TensorInfo& info : list_.tensors) {
    if (used.contains(info.name)) {
      continue;
    }
    if (info.name.starts_with(prefix_ + "encoder.") || info.name.starts_with(prefix_ + "embeddings.")) {
      throw ModelError(
          fmt::format("{}: the tensor {} is not one of a BERT encoder with {} layers; leaving it out "
                      "would change what the model computes",
                      file_.string(), info.name, (wanted_.size() - 3) / 16));
    }
    groups.insert(info.name.substr(0, info.name.rfind('.')));
  }
  left_out_.assign(groups.begin(), groups.end());
}

std::vector<std::string> BertWeights::types() const {
  std::set<std::string> types;
  for (const Wanted& wanted : wanted_) {
    types.insert(find(wanted).dtype);
  }
  return {types.begin(), types.end()};
}

HostTensor BertWeights::tensor(const Wanted& wanted) const {
  return io::read_tensor(file_, find(wanted)).to(DType::float32);
}

HostTensor BertWeights::positions() const {
  const HostTensor places = tensor(positions_);
  const HostTensor types = tensor(token_types_);
  const std::int64_t rows = places.shape()[0];
  const auto d = static_cast<std::size_t>(places.shape()[1]);
  HostTensor table(DType::float32, {rows + kFirstPosition, places.shape()[1]});
  const auto values = table.mutable_values<float>();
  std::fill(values.begin(), values.end(), 0.0F);
  const auto from = places.values<float>();
  const auto type = types.values<float>();
  for (std::size_t at = 0; at < from.size(); ++at) {
    values[at + static_cast<std::size_t>(kFirstPosition) * d] = from[at] + type[at % d];
  }
  return table;
}

std::map<std::string, HostTensor> BertWeights::read(std::int64_t vocabulary) const {
  std::map<std::string, HostTensor> tensors;
  for (const Wanted& wanted : wanted_) {
    HostTensor values = tensor(wanted);
    if (wanted.foreign == kWords && vocabulary < values.shape()[0]) {
      values = values.slice_flat(0, {vocabulary, values.shape()[1]});
    }
    tensors.emplace(wanted.name, std::move(values));
  }
  tensors.emplace(positions_.name, positions());
  return tensors;
}

}  // namespace mog::model
