#include "model/foreign/stack_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "io/recording/errors.h"

namespace mog::model {
namespace {

using Change = TensorPlan::Change;

HostTensor filled(std::int64_t count, float value) {
  HostTensor tensor(DType::float32, {count});
  const auto values = tensor.mutable_values<float>();
  std::fill(values.begin(), values.end(), value);
  return tensor;
}

HostTensor transposed(const HostTensor& matrix) {
  const auto rows = static_cast<std::size_t>(matrix.shape()[0]);
  const auto columns = static_cast<std::size_t>(matrix.shape()[1]);
  HostTensor result(DType::float32, {matrix.shape()[1], matrix.shape()[0]});
  const auto from = matrix.values<float>();
  const auto to = result.mutable_values<float>();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      to[c * rows + r] = from[r * columns + c];
    }
  }
  return result;
}

HostTensor plus_one(const HostTensor& weight) {
  HostTensor result(DType::float32, weight.shape());
  const auto from = weight.values<float>();
  std::transform(from.begin(), from.end(), result.mutable_values<float>().begin(),
                 [](float x) { return 1.0F + x; });
  return result;
}

HostTensor times(const HostTensor& weight, double factor) {
  if (factor == 1.0) {
    return weight;
  }
  HostTensor result(DType::float32, weight.shape());
  const auto from = weight.values<float>();
  std::transform(from.begin(), from.end(), result.mutable_values<float>().begin(),
                 [&](float x) { return static_cast<float>(static_cast<double>(x) * factor); });
  return result;
}

// rows [n, in] · mapᵀ, map [out, in].
HostTensor mapped(const HostTensor& rows, const HostTensor& map) {
  const auto count = static_cast<std::size_t>(rows.shape()[0]);
  const auto in = static_cast<std::size_t>(rows.shape()[1]);
  const auto out = static_cast<std::size_t>(map.shape()[0]);
  const HostTensor columns = transposed(map);
  HostTensor result(DType::float32, {rows.shape()[0], map.shape()[0]});
  const auto from = rows.values<float>();
  const auto by = columns.values<float>();
  const auto to = result.mutable_values<float>();
  std::fill(to.begin(), to.end(), 0.0F);
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t i = 0; i < in; ++i) {
      const float factor = from[r * in + i];
      for (std::size_t o = 0; o < out; ++o) {
        to[r * out + o] += factor * by[i * out + o];
      }
    }
  }
  return result;
}

// [width] → [heads * width].
HostTensor repeated(const HostTensor& weight, std::int64_t heads) {
  HostTensor result(DType::float32, {heads * weight.size()});
  const auto from = weight.values<float>();
  auto to = result.mutable_values<float>().begin();
  for (std::int64_t head = 0; head < heads; ++head) {
    to = std::copy(from.begin(), from.end(), to);
  }
  return result;
}

// Pieces of `count` rows every `step` rows from `first` on; of a matrix or a vector.
struct Rows {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t step = 0;
  std::int64_t pieces = 1;
};

HostTensor pick(const HostTensor& tensor, const Rows& rows) {
  std::vector<std::int64_t> shape = tensor.shape();
  const std::int64_t width = tensor.size() / shape[0];
  shape[0] = rows.count * rows.pieces;
  HostTensor result(DType::float32, shape);
  const auto from = tensor.values<float>();
  auto to = result.mutable_values<float>().begin();
  for (std::int64_t piece = 0; piece < rows.pieces; ++piece) {
    const auto begin = from.begin() + (rows.first + piece * rows.step) * width;
    to = std::copy(begin, begin + rows.count * width, to);
  }
  return result;
}

// Masks and frequencies that were saved beside the weights of a layer; they follow from the configuration.
constexpr const char* kBuffers[] = {"attn.bias",
                                    "attn.masked_bias",
                                    "attn.attention.bias",
                                    "attn.attention.masked_bias",
                                    "attn.causal_mask",
                                    "attn.rotary_emb.inv_freq",
                                    "attention.bias",
                                    "attention.masked_bias",
                                    "attention.rotary_emb.inv_freq",
                                    "attention.self.rotary_embeddings.inv_freq",
                                    "self_attn.rotary_emb.inv_freq",
                                    "self_attention.rotary_emb.inv_freq"};

class StackPlan {
 public:
  StackPlan(TensorPlan& plan, const EncoderConfig& encoder, const StackNames& names)
      : plan_(plan), encoder_(encoder), names_(names) {}

  void tables(std::int64_t vocabulary, std::int64_t positions) {
    const std::int64_t e = encoder_.embedding_width();
    Change add;
    if (!names_.token_types.empty()) {
      const auto types = plan_.later({names_.token_types + ".weight"}, {names_.types, e});
      add = [types](const HostTensor& table) { return sum_of(table, rows_of(types(), 0, 1)); };
    }
    if (names_.embedding_width > 0) {
      const auto map = plan_.later({names_.embedding_map + ".weight"}, {e, names_.embedding_width});
      plan_.tensor("encoder.embed_tokens.weight", {names_.embeddings + ".weight"},
                   {vocabulary, names_.embedding_width},
                   [map](const HostTensor& rows) { return mapped(rows, map()); });
    } else {
      plan_.tensor("encoder.embed_tokens.weight", {names_.embeddings + ".weight"}, {vocabulary, e}, add);
    }
    if (!names_.positions.empty()) {
      plan_.tensor("encoder.embed_positions.weight", {names_.positions + ".weight"}, {positions, e},
                   [first = names_.first_position, positions](const HostTensor& table) {
                     return position_table(table, first, positions - first);
                   });
    }
    if (encoder_.embedding_norm) {
      norm("encoder.embed_layer_norm", names_.embedding_norm, e);
    }
    if (encoder_.ends_with_norm()) {
      norm("encoder.layer_norm", names_.final_norm, encoder_.d_model);
    }
  }

  void layer(std::int64_t layer) {
    const std::string ours = fmt::format("encoder.layers.{}.", layer);
    theirs_ = fmt::format(fmt::runtime(names_.layer), layer);
    const std::int64_t d = encoder_.d_model;
    attention(ours + "self_attn.", layer);
    if (encoder_.norm != NormPlace::output) {
      if (layer > 0 || encoder_.first_norm) {
        norm(ours + "attn_layer_norm", theirs_ + names_.attention_norm, d);
      }
      norm(ours + "ffn_layer_norm", theirs_ + names_.ffn_norm, d);
    }
    if (norms_output(encoder_.norm)) {
      norm(ours + "attn_output_norm", theirs_ + names_.attention_output_norm, d);
      norm(ours + "ffn_output_norm", theirs_ + names_.ffn_output_norm, d);
    }
    feed_forward(ours);
    for (const char* const buffer : kBuffers) {
      plan_.ignore(theirs_ + buffer);
      plan_.ignore(fmt::format(fmt::runtime(names_.layer), '*') +
                   buffer);  // one for all, since transformers 5
    }
  }

 private:
  static HostTensor sum_of(const HostTensor& table, const HostTensor& row) {
    HostTensor result(DType::float32, table.shape());
    const auto from = table.values<float>();
    const auto more = row.values<float>();
    const auto to = result.mutable_values<float>();
    for (std::size_t i = 0; i < from.size(); ++i) {
      to[i] = from[i] + more[i % more.size()];
    }
    return result;
  }

  // Rows of a map [rows, in] of theirs; all of it where rows.count is 0.
  void map(const std::string& ours, const std::string& theirs, std::int64_t out, std::int64_t in, bool bias,
           const Rows& rows = {}, std::int64_t all = 0) {
    const std::int64_t whole = rows.count > 0 ? all : out;
    const auto change = [rows](bool turned) -> Change {
      if (rows.count == 0) {
        return turned ? Change(transposed) : Change();
      }
      return [rows, turned](const HostTensor& tensor) {
        return pick(turned ? transposed(tensor) : tensor, rows);
      };
    };
    const std::vector<std::int64_t> shape =
        names_.transposed ? std::vector<std::int64_t>{in, whole} : std::vector<std::int64_t>{whole, in};
    plan_.tensor(ours + ".weight", {theirs + ".weight"}, shape, change(names_.transposed));
    if (plan_.has(theirs + ".bias") && bias) {
      plan_.tensor(ours + ".bias", {theirs + ".bias"}, {whole}, change(false));
    } else if (bias) {
      plan_.made(ours + ".bias", [out] { return filled(out, 0.0F); });
    }
  }

  void norm(const std::string& ours, const std::string& theirs, std::int64_t width) {
    const bool bias = encoder_.norm_kind == NormKind::layer;
    if (names_.plain_norms) {
      plan_.made(ours + ".weight", [width] { return filled(width, 1.0F); });
    } else {
      plan_.tensor(ours + ".weight", {theirs + ".weight", theirs + ".gamma"}, {width},
                   names_.norms_from_one ? Change(plus_one) : Change());
    }
    if (bias && !names_.plain_norms && (plan_.has(theirs + ".bias") || plan_.has(theirs + ".beta"))) {
      plan_.tensor(ours + ".bias", {theirs + ".bias", theirs + ".beta"}, {width});
    } else if (bias) {
      plan_.made(ours + ".bias", [width] { return filled(width, 0.0F); });
    }
  }

  // Of queries or keys: for each head the same, for each its own, or as wide as the row.
  void head_norm(const std::string& ours, const std::string& theirs, std::int64_t heads, double factor) {
    const std::int64_t width = encoder_.head_width();
    const bool bias = encoder_.query_key_norm_kind == NormKind::layer;
    if (theirs.find("{}") != std::string::npos) {
      std::vector<std::function<HostTensor()>> rows;
      for (std::int64_t head = 0; head < heads; ++head) {
        rows.push_back(plan_.later({fmt::format(fmt::runtime(theirs), head) + ".weight"}, {width}));
      }
      plan_.made(ours + ".weight", [rows, heads, width] {
        HostTensor all(DType::float32, {heads * width});
        auto to = all.mutable_values<float>().begin();
        for (const auto& row : rows) {
          const HostTensor own = row();
          to = std::copy(own.values<float>().begin(), own.values<float>().end(), to);
        }
        return all;
      });
    } else {
      const io::TensorInfo* const info = plan_.weights().find(plan_.prefix() + theirs + ".weight");
      const bool by_head = info != nullptr && info->shape.size() == 2;  // Cohere: [heads, width]
      const bool row = encoder_.query_key_norm == QueryKeyNorm::row;
      const std::vector<std::int64_t> shape = by_head
                                                  ? std::vector<std::int64_t>{heads, width}
                                                  : std::vector<std::int64_t>{row ? heads * width : width};
      const auto spread = [this, by_head, row, heads, factor](bool one) -> Change {
        return [one, by_head, row, heads, factor](const HostTensor& weight) {
          const HostTensor own = times(one ? plus_one(weight) : weight, factor);
          return by_head ? own.slice_flat(0, {own.size()}) : row ? own : repeated(own, heads);
        };
      };
      plan_.tensor(ours + ".weight", {theirs + ".weight"}, shape, spread(names_.norms_from_one));
      if (bias && plan_.has(theirs + ".bias")) {
        plan_.tensor(ours + ".bias", {theirs + ".bias"}, shape, spread(false));
        return;
      }
    }
    if (bias) {
      plan_.made(ours + ".bias", [count = heads * width] { return filled(count, 0.0F); });
    }
  }

  void attention(const std::string& ours, std::int64_t layer) {
    const std::int64_t d = encoder_.d_model;
    const std::int64_t a = encoder_.attention_dim;
    const std::int64_t keys = encoder_.key_dim();
    const bool bias = encoder_.projection_bias;
    if (names_.fused.empty()) {
      map(ours + "q_proj", theirs_ + names_.query, a, d, bias);
      map(ours + "k_proj", theirs_ + names_.key, keys, d, bias);
      map(ours + "v_proj", theirs_ + names_.value, keys, d, bias);
    } else {
      const std::string fused = theirs_ + names_.fused;
      const std::int64_t all = a + 2 * keys;
      const auto [query, key, value] = fused_rows();
      map(ours + "q_proj", fused, a, d, bias, query, all);
      map(ours + "k_proj", fused, keys, d, bias, key, all);
      map(ours + "v_proj", fused, keys, d, bias, value, all);
    }
    map(ours + "out_proj", theirs_ + names_.out, d, a, bias);
    if (encoder_.query_key_norm != QueryKeyNorm::none) {
      const double factor = encoder_.window(layer + 1) == 0 ? names_.global_norm_factor : 1.0;
      head_norm(ours + "q_norm", theirs_ + names_.query_norm, encoder_.heads, factor);
      head_norm(ours + "k_norm", theirs_ + names_.key_norm, encoder_.key_heads(), factor);
    }
  }

  std::array<Rows, 3> fused_rows() const {
    const std::int64_t a = encoder_.attention_dim;
    const std::int64_t keys = encoder_.key_dim();
    const std::int64_t width = encoder_.head_width();
    switch (names_.fused_rows) {
      case FusedRows::stacked:
        break;
      case FusedRows::by_head: {
        const std::int64_t step = 3 * width;
        return {{{0, width, step, encoder_.heads},
                 {width, width, step, encoder_.heads},
                 {2 * width, width, step, encoder_.heads}}};
      }
      case FusedRows::by_group: {
        const std::int64_t groups = encoder_.key_heads();
        const std::int64_t queries = a / groups;
        const std::int64_t step = queries + 2 * width;
        return {{{0, queries, step, groups},
                 {queries, width, step, groups},
                 {queries + width, width, step, groups}}};
      }
    }
    return {{{0, a, 0, 1}, {a, keys, 0, 1}, {a + keys, keys, 0, 1}}};
  }

  void feed_forward(const std::string& ours) {
    const std::int64_t d = encoder_.d_model;
    const std::int64_t f = encoder_.ffn_dim;
    const bool bias = encoder_.projection_bias;
    if (!encoder_.gated_ffn) {
      map(ours + "fc1", theirs_ + names_.up, f, d, bias);
    } else if (names_.fused_up.empty()) {
      map(ours + "fc1", theirs_ + names_.gate, f, d, bias);
      map(ours + "fc1_linear", theirs_ + names_.up, f, d, bias);
    } else {
      const std::string fused = theirs_ + names_.fused_up;
      map(ours + "fc1", fused, f, d, bias, {names_.gate_first ? 0 : f, f, 0, 1}, 2 * f);
      map(ours + "fc1_linear", fused, f, d, bias, {names_.gate_first ? f : 0, f, 0, 1}, 2 * f);
    }
    map(ours + "fc2", theirs_ + names_.down, d, f, bias);
  }

  TensorPlan& plan_;
  const EncoderConfig& encoder_;
  const StackNames& names_;
  std::string theirs_;  // prefix of the layer
};

}  // namespace

void plan_stack(TensorPlan& plan, const EncoderConfig& encoder, std::int64_t vocabulary,
                std::int64_t positions, const StackNames& names) {
  std::size_t begin = 0;
  while (begin < names.own.size()) {
    const std::size_t end = std::min(names.own.find(' ', begin), names.own.size());
    plan.own(names.own.substr(begin, end - begin));
    begin = end + 1;
  }
  StackPlan stack(plan, encoder, names);
  stack.tables(vocabulary, positions);
  for (std::int64_t layer = 0; layer < encoder.layers; ++layer) {
    stack.layer(layer);
  }
}

}  // namespace mog::model
