// A student from a trained encoder.
//
// What has the same name and shape is copied. The difficult part is attention: a plain layer attends from F
// to F with full width d; the Graph-Transformer has three attentions (I to I, I to P, P to I), often of half
// the width. Every part starts as a copy of the plain attention. Where it is narrower, a head h keeps of its
// score form [Wq bq]ᵀ·Wk and of its output form Wo·Wv the best approximation of the rank it has left (both
// have rank d/H at most, so halving the width halves the rank): truncated singular value decompositions,
// with the singular values shared evenly between the two factors. The key's bias adds the same to all scores
// of a query and drops out of the softmax; the value's bias adds Wo·bv to every output and goes to the
// output's bias. `select` keeps whole heads instead.
//
// A recurrent encoder has none of this: it takes the layers of a recurrent encoder like it, or the embeddings
// of any other.
#include "model/engine/training/warm_start.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"
#include "model/engine/training/fit_start.h"
#include "model/engine/training/initial_weights.h"

namespace mog::engine {
namespace {

// One attention of the source.
struct PlainAttention {
  at::Tensor query, query_bias, key, key_bias, value, value_bias, output, output_bias;
};

// The same attention at the student's width.
struct NarrowAttention {
  at::Tensor query, query_bias, key, value;  // [a, d], [a], [a, d], [a, d]
  at::Tensor key_bias, value_bias;           // [a]
  at::Tensor output;                         // [d, a]
  at::Tensor constant;                       // [d]: what every output gets on top
};

// left·rightᵀ ≈ matrix, both of `rank` columns.
std::pair<at::Tensor, at::Tensor> factors(const at::Tensor& matrix, std::int64_t rank) {
  const auto [u, s, vh] = at::linalg_svd(matrix, /*full_matrices=*/false);
  const at::Tensor root = s.narrow(0, 0, rank).sqrt();
  return {u.narrow(1, 0, rank) * root, vh.narrow(0, 0, rank).t() * root};
}

class Start {
 public:
  Start(const model::ModelConfig& config, const model::ModelConfig& source_config, TensorTable source,
        const model::WarmStartOptions& options)
      : config_(config), source_config_(source_config), source_(std::move(source)), options_(options) {
    check();
    const model::EncoderConfig& ours = config_.encoder;
    const model::EncoderConfig& theirs = source_config_.encoder;
    if (ours.recurrent() && ours.embed_scale != theirs.embed_scale) {
      // What enters the first layer is the same.
      const double root = std::sqrt(static_cast<double>(ours.embedding_width()));
      at::Tensor& table = source_.at("encoder.embed_tokens.weight");
      table = table * (theirs.embed_scale ? root : 1.0 / root);
    }
  }

  // Fills `table`, which holds a new model's weights.
  void fill(TensorTable& table) const {
    for (auto& [name, tensor] : table) {
      const std::string from = source_name(name);
      if (of_labels(name) && !same_labels()) {
        continue;  // rows of other labels or relations
      }
      if (name == "encoder.embed_tokens.weight") {
        take_rows(tensor);
      } else if (embeddings_only() && !name.starts_with("encoder.embed_")) {
        continue;  // its other tensors read states of another kind
      } else if (const auto found = source_.find(from);
                 found != source_.end() && found->second.sizes() == tensor.sizes()) {
        tensor.copy_(found->second);
      }
    }
    if (options_.cut != model::HeadCut::fit && config_.encoder.graph() && !source_config_.encoder.graph()) {
      for (std::int64_t layer = 1; layer <= config_.encoder.layers; ++layer) {
        carry_attention(table, layer);
      }
    }
  }

 private:
  static bool of_labels(const std::string& name) {
    return name.find("relation_") != std::string::npos || name.starts_with("heads.labels.") ||
           (name.starts_with("parser.") && name.ends_with(".labels.weight"));
  }
  bool same_labels() const {
    return config_.graph == source_config_.graph &&
           config_.encoder.graph_input == source_config_.encoder.graph_input;
  }
  bool embeddings_only() const { return config_.encoder.recurrent() && !source_config_.encoder.recurrent(); }
  void check() const {
    const model::EncoderConfig& ours = config_.encoder;
    const model::EncoderConfig& theirs = source_config_.encoder;
    if (!options_.rows.empty() && static_cast<std::int64_t>(options_.rows.size()) != config_.vocab_size) {
      throw ModelError(concat("Starting from a trained encoder: ", options_.rows.size(),
                              " vocabulary rows are mapped and the vocabulary has ", config_.vocab_size,
                              "."));
    }
    if (ours.recurrent() || theirs.recurrent()) {
      return check_recurrent(ours, theirs);
    }
    const auto refuse = [](const char* key, std::int64_t mine, std::int64_t other) {
      throw ModelError(concat("Starting from a trained encoder: encoder.", key, " is ", mine, " here and ",
                              other, " there; both must be equal."));
    };
    if (ours.d_model != theirs.d_model) {
      refuse("d_model", ours.d_model, theirs.d_model);
    }
    if (ours.ffn_dim != theirs.ffn_dim) {
      refuse("ffn_dim", ours.ffn_dim, theirs.ffn_dim);
    }
    if (theirs.norm_kind != model::NormKind::layer || theirs.head_dim > 0 ||
        (theirs.embedding_dim > 0 && !theirs.recurrent()) || !theirs.attention_scale ||
        !theirs.projection_bias || theirs.gated_ffn || theirs.relative_buckets > 0) {
      throw ModelError(
          "Starting from a trained encoder: it has rms norms, relative positions, gated feed-forward blocks, "
          "or maps without biases (as T5); only encoders of BERT's or fairseq's form can be started from.");
    }
    if (!ours.graph() && theirs.graph()) {
      throw ModelError(
          "Starting from a trained encoder: a plain Transformer cannot start from a Graph-Transformer; only "
          "the other way round.");
    }
    if (ours.graph() && theirs.graph() &&
        (ours.attention_dim != theirs.attention_dim || ours.heads != theirs.heads ||
         ours.share_qkv != theirs.share_qkv)) {
      throw ModelError(
          "Starting from a trained encoder: both are Graph-Transformers but differ in attention_dim, heads "
          "or "
          "share_qkv; these must be equal.");
    }
    if (!ours.graph() && ours.heads != theirs.heads) {
      refuse("heads", ours.heads, theirs.heads);
    }
  }

  // A recurrent encoder takes its layers from one of the same kind and cell, and from any other encoder its
  // embeddings.
  static void check_recurrent(const model::EncoderConfig& ours, const model::EncoderConfig& theirs) {
    if (!ours.recurrent()) {
      throw ModelError(concat("Starting from a trained encoder: it is recurrent (kind = ", name(theirs.kind),
                              ") and has no attention; a Transformer can start from Transformers only."));
    }
    if (ours.embedding_width() != theirs.embedding_width()) {
      throw ModelError(concat("Starting from a trained encoder: its embeddings have ",
                              theirs.embedding_width(), " numbers and those here ", ours.embedding_width(),
                              "; set encoder.embedding_dim = ", theirs.embedding_width(), "."));
    }
    if (!theirs.recurrent()) {
      return;  // the embeddings alone
    }
    const auto kind = [](const model::EncoderConfig& encoder) {
      return concat(encoder.bidirectional ? "a bidirectional " : "a ", model::name(encoder.kind), " of cell ",
                    model::name(encoder.cell), " and d_model ", encoder.d_model);
    };
    if (ours.cell != theirs.cell || ours.kind != theirs.kind || ours.d_model != theirs.d_model ||
        ours.bidirectional != theirs.bidirectional) {
      throw ModelError(concat("Starting from a trained encoder: it is ", kind(theirs), ", and here is ",
                              kind(ours), "; kind, cell, d_model and bidirectional must be equal."));
    }
  }

  std::int64_t source_layer(std::int64_t layer) const {  // both from 0
    return layer * source_config_.encoder.layers / config_.encoder.layers;
  }

  // Layers of encoders of different depth are matched by their share of the depth.
  std::string source_name(const std::string& name) const {
    constexpr std::string_view kPrefix = "encoder.layers.";
    if (!name.starts_with(kPrefix)) {
      return name;
    }
    const std::size_t dot = name.find('.', kPrefix.size());
    const std::int64_t layer = std::stoll(name.substr(kPrefix.size(), dot - kPrefix.size()));
    return std::string(kPrefix) + std::to_string(source_layer(layer)) + name.substr(dot);
  }

  void take_rows(at::Tensor& embedding) const {
    const at::Tensor& theirs = source_.at("encoder.embed_tokens.weight");
    if (options_.rows.empty()) {
      if (theirs.sizes() != embedding.sizes()) {
        throw ModelError(concat("Starting from a trained encoder: the vocabulary has ", embedding.size(0),
                                " rows here and ", theirs.size(0), " there, and no rows are mapped."));
      }
      embedding.copy_(theirs);
      return;
    }
    for (std::size_t at = 0; at < options_.rows.size(); ++at) {
      const std::int64_t row = options_.rows[at];
      if (row >= theirs.size(0)) {
        throw ModelError(concat("Starting from a trained encoder: row ", row, " of its vocabulary of ",
                                theirs.size(0), " does not exist."));
      }
      if (row >= 0) {
        embedding.select(0, static_cast<std::int64_t>(at)).copy_(theirs.select(0, row));
      }
    }
  }

  PlainAttention attention_of(std::int64_t layer) const {
    const std::string name = "encoder.layers." + std::to_string(source_layer(layer)) + ".self_attn.";
    const auto get = [&](const char* which) { return source_.at(name + which); };
    return {get("q_proj.weight"), get("q_proj.bias"), get("k_proj.weight"),   get("k_proj.bias"),
            get("v_proj.weight"), get("v_proj.bias"), get("out_proj.weight"), get("out_proj.bias")};
  }

  NarrowAttention narrow(const PlainAttention& from) const {
    const std::int64_t a = config_.encoder.attention_dim;
    const std::int64_t heads = config_.encoder.heads;
    const std::int64_t width = a / heads;
    const std::int64_t from_heads = source_config_.encoder.heads;
    const std::int64_t from_width = config_.encoder.d_model / from_heads;
    if (heads == from_heads && width == from_width) {
      return {from.query,    from.query_bias, from.key,    from.value,
              from.key_bias, from.value_bias, from.output, from.output_bias};
    }
    if (options_.cut == model::HeadCut::select) {
      if (width != from_width || heads > from_heads) {
        throw ModelError(concat("Starting from a trained encoder: heads = \"select\" keeps whole heads of ",
                                from_width, " columns; ", heads, " heads in attention_dim ", a, " have ",
                                width, ". Set heads = ", a / from_width, "."));
      }
      return selected(from, from_heads, from_width, heads);
    }
    if (heads != from_heads || width > from_width) {
      throw ModelError(concat(
          "Starting from a trained encoder: heads = \"svd\" needs as many heads as the "
          "source has (",
          from_heads, ", here ", heads, ") and an attention_dim of at most ", config_.encoder.d_model, "."));
    }
    return cut(from, heads, from_width, width);
  }

  static NarrowAttention cut(const PlainAttention& from, std::int64_t heads, std::int64_t from_width,
                             std::int64_t width) {
    const double scale = std::sqrt(static_cast<double>(width) / static_cast<double>(from_width));
    std::vector<at::Tensor> query, query_bias, key, value, output;
    for (std::int64_t head = 0; head < heads; ++head) {
      const auto rows = [&](const at::Tensor& x) { return x.narrow(0, head * from_width, from_width); };
      const at::Tensor with_bias = at::cat({rows(from.query), rows(from.query_bias).unsqueeze(1)}, 1);
      // Scores are divided by √width, which is smaller now.
      const auto [left, right] = factors(with_bias.t().mm(rows(from.key)) * scale, width);
      const std::int64_t d = from.query.size(1);
      query.push_back(left.narrow(0, 0, d).t());
      query_bias.push_back(left.select(0, d));
      key.push_back(right.t());
      const auto [out, in] =
          factors(from.output.narrow(1, head * from_width, from_width).mm(rows(from.value)), width);
      output.push_back(out);
      value.push_back(in.t());
    }
    const at::Tensor zeros = at::zeros({heads * width});
    return {at::cat(query),
            at::cat(query_bias),
            at::cat(key),
            at::cat(value),
            zeros,
            zeros,
            at::cat(output, 1),
            from.output_bias + from.output.mv(from.value_bias)};
  }

  // The heads whose output form is greatest.
  static NarrowAttention selected(const PlainAttention& from, std::int64_t from_heads,
                                  std::int64_t from_width, std::int64_t heads) {
    std::vector<double> size;
    for (std::int64_t head = 0; head < from_heads; ++head) {
      size.push_back(from.output.narrow(1, head * from_width, from_width)
                         .mm(from.value.narrow(0, head * from_width, from_width))
                         .norm()
                         .item<double>());
    }
    std::vector<std::int64_t> order(size.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t left, std::int64_t right) {
      return size[static_cast<std::size_t>(left)] > size[static_cast<std::size_t>(right)];
    });
    order.resize(static_cast<std::size_t>(heads));
    std::sort(order.begin(), order.end());
    std::vector<std::int64_t> columns;
    for (const std::int64_t head : order) {
      for (std::int64_t at = 0; at < from_width; ++at) {
        columns.push_back(head * from_width + at);
      }
    }
    const at::Tensor rows = at::tensor(columns, at::kLong);
    const auto pick = [&](const at::Tensor& x) { return x.index_select(0, rows); };
    return {pick(from.query),
            pick(from.query_bias),
            pick(from.key),
            pick(from.value),
            pick(from.key_bias),
            pick(from.value_bias),
            from.output.index_select(1, rows),
            from.output_bias};
  }

  void carry_attention(TensorTable& table, std::int64_t layer) const {
    const model::EncoderConfig& encoder = config_.encoder;
    const PlainAttention plain = attention_of(layer - 1);
    const NarrowAttention part = narrow(plain);
    const std::string name = "encoder.layers." + std::to_string(layer - 1) + ".";
    const auto set = [&](const std::string& tensor, const at::Tensor& value) {
      const auto found = table.find(name + tensor);
      if (found != table.end()) {
        found->second.copy_(value);
      }
    };
    for (const char* which : {"high", "middle1", "middle2", "incremental", "previous"}) {
      const std::string base = std::string(which) + ".";
      set(base + "q_proj.weight", part.query);
      set(base + "q_proj.bias", part.query_bias);
      set(base + "k_proj.weight", part.key);
      set(base + "k_proj.bias", part.key_bias);
      set(base + "v_proj.weight", part.value);
      set(base + "v_proj.bias", part.value_bias);
    }
    // The gate multiplies the new parts by w and `low` by 1 - w.
    const bool gated = encoder.has_groups(layer) && encoder.fusion == model::Fusion::weight_gate &&
                       encoder.gate_form == model::GateForm::linear2;
    const double w = gated ? 1.0 / (1.0 + std::exp(-options_.gate_bias)) : 1.0;
    const double low_share = gated ? 1.0 - w : 1.0;
    const bool groups = encoder.has_groups(layer);
    if (encoder.attention_dim == encoder.d_model) {
      set("out_proj.weight", part.output * (options_.high_scale / w));
      set("out_proj.bias", part.constant / (groups ? 3.0 * w : 1.0));
    }
    set("high.out_proj.weight", part.output * (options_.high_scale / w));
    set("high.out_proj.bias", part.constant / w);
    for (const char* which : {"middle1.", "middle2.", "middle."}) {
      set(std::string(which) + "out_proj.weight", part.output * (options_.middle_scale / w));
      set(std::string(which) + "out_proj.bias", at::zeros_like(part.constant));
    }
    set("low.weight", plain.output.mm(plain.value) * (options_.low_scale / low_share));
    set("low.bias", at::zeros_like(plain.output_bias));
    for (const char* which : {"gate.new.weight", "gate.low.weight"}) {
      if (const auto found = table.find(name + which); found != table.end()) {
        found->second.mul_(options_.gate_scale);
      }
    }
    set("gate.new.bias", at::full_like(plain.output_bias, options_.gate_bias));
  }

  const model::ModelConfig& config_;
  const model::ModelConfig& source_config_;
  TensorTable source_;
  const model::WarmStartOptions& options_;
};

void fit(const model::ModelConfig& config, const model::ModelConfig& source, const TensorTable& given,
         const model::WarmStartOptions& start, TensorTable& table) {
  const model::TrainingBatch& sample = start.sample;
  if (sample.input.sentences() == 0) {
    throw UsageError("Starting from a trained encoder: heads = \"fit\" needs a sample of text.");
  }
  model::PackedBatch theirs = sample.input;
  if (!sample.teacher_ids.empty()) {
    theirs.ids = sample.teacher_ids;
  }
  const auto rows = [](const TensorTable& weights) {
    const auto positions = weights.find("encoder.embed_positions.weight");
    return positions == weights.end() ? 0 : positions->second.size(0);
  };
  fit_start(config, source, given, make_input(config, sample.input, at::kCPU, rows(table), 0),
            make_input(source, theirs, at::kCPU, rows(given), 0), start.gate_bias, table);
}

}  // namespace

std::map<std::string, HostTensor> warm_start(const model::ModelConfig& config,
                                             const model::TrainerOptions& options,
                                             const model::ModelConfig& source,
                                             const std::map<std::string, HostTensor>& source_weights,
                                             const model::WarmStartOptions& start) {
  const at::NoGradGuard no_gradients;
  TensorTable given;
  for (const auto& [name, tensor] : source_weights) {
    given.emplace(name, from_host(tensor).to(at::kFloat));
  }
  model::TrainerOptions drawn = options;
  if (const auto table = given.find("encoder.embed_positions.weight"); table != given.end()) {
    drawn.positions = table->second.size(0);
  }
  TensorTable table = initial_weights(config, drawn);
  Start(config, source, given, start).fill(table);
  if (start.cut == model::HeadCut::fit && !config.encoder.recurrent()) {
    fit(config, source, given, start, table);
  }
  std::map<std::string, HostTensor> weights;
  for (const auto& [name, tensor] : table) {
    weights.emplace(name, to_host(tensor));
  }
  return weights;
}

}  // namespace mog::engine
