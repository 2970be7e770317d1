// The list of the exact decompositions (docs/quantities.md, Exact decompositions). Under relative
// positions their bias on the scores is a logit term of its own; where they have vectors, or attention reads
// a graph, these are three or six more; the values of a graph's relations are a value part and an order
// group.
#include <algorithm>
#include <string>
#include <utility>

#include "model/model.h"

namespace mog::model {
namespace {

constexpr std::int64_t kSplitParts = 4;     // carried, attention, feed-forward, bias
constexpr std::int64_t kNorms = 2;          // layer norms of a layer
constexpr std::int64_t kLogitTerms = 6;     // pp, pi, ip, ii, bp, bi
constexpr std::int64_t kSeparateTerms = 9;  // with the bias part apart
constexpr std::int64_t kCauses = 7;         // uniform attention and the six terms
constexpr std::int64_t kValueParts = 2;     // previous, incremental
constexpr std::int64_t kGroups = 6;         // low, mid, high, base, feed-forward, bias
constexpr std::int64_t kBesideValues = 3;   // carried, feed-forward, bias
constexpr std::int64_t kSides = 3;          // of the scores: previous, incremental, constant
constexpr const char* kProbability = "probability";

class List {
 public:
  explicit List(const EncoderConfig& config) : config_(config), graph_(config.graph_input ? 1 : 0) {
    const bool bias = config.relative_buckets > 0 || config.position == Position::alibi;
    further_ = bias ? 1 : 0;
    if (config.disentangled) {
      further_ += kSides * (config.disentangled->terms() - 1);
    }
    if (config.graph_input) {
      further_ += config.graph_input->form == RelationForm::three_term ? 6 : 3;
    }
  }

  void layer(std::int64_t layer) {
    layer_ = layer;
    splits();
    scores();
    shapley();
    values();
    propagation();
    maps();
  }
  void whole() {
    layer_ = 0;
    const std::string what = "the encoder's output by source token, the last source is the bias";
    add(Part::none, Quantity::propagation, Reduction::full, {Axis::token, Axis::source, Axis::d_model},
        {0, 0, config_.d_model}, "1", what);
    add(Part::none, Quantity::propagation, Reduction::norm, {Axis::token, Axis::source}, {0, 0}, "1",
        "norms of " + what);
    add(Part::none, Quantity::propagation, Reduction::projection, {Axis::token, Axis::source}, {0, 0}, "1",
        "projection shares of " + what + "; each row sums to 1");
  }
  std::vector<QuantitySchema> take() {
    std::sort(schemas_.begin(), schemas_.end(),
              [](const QuantitySchema& left, const QuantitySchema& right) { return left.name < right.name; });
    return std::move(schemas_);
  }

 private:
  void add(Part part, Quantity quantity, Reduction reduction, std::vector<Axis> axes,
           std::vector<std::int64_t> extents, const char* units, std::string description) {
    schemas_.push_back({{Stack::encoder, layer_, part, quantity, reduction},
                        std::move(axes),
                        std::move(extents),
                        DType::float32,
                        units,
                        std::move(description)});
  }

  void splits() {
    const std::int64_t d = config_.d_model;
    add(Part::none, Quantity::norm_scale, Reduction::full, {Axis::norm_place, Axis::token}, {kNorms, 0}, "1",
        "scales sqrt(var + eps) of the layer norms");
    add(Part::none, Quantity::split, Reduction::full, {Axis::split_part, Axis::token, Axis::d_model},
        {kSplitParts, 0, d}, "1", "carried, attention, feed-forward and bias part of x'; they sum to x'");
    add(Part::none, Quantity::split, Reduction::norm, {Axis::token, Axis::split_norm}, {0, kSplitParts + 1},
        "1", "norms of the carried, attention, feed-forward and bias part of x', and of x'");
    add(Part::none, Quantity::carried, Reduction::cosine, {Axis::token}, {0}, "1",
        "cosine of what is carried and the layer's input");
    add(Part::none, Quantity::carried, Reduction::gain, {Axis::token}, {0}, "1",
        "norm of what is carried over the norm of the layer's input");
  }
  void scores() {
    const std::int64_t heads = config_.heads;
    const std::int64_t count = kLogitTerms + further_;
    const std::int64_t separate = kSeparateTerms + further_;
    const auto terms = [&](Reduction reduction, std::vector<Axis> axes, std::vector<std::int64_t> extents,
                           const char* units, const char* description) {
      add(Part::full, Quantity::logit_terms, reduction, std::move(axes), std::move(extents), units,
          description);
    };
    terms(Reduction::full, {Axis::head, Axis::logit_term, Axis::query, Axis::key}, {heads, count, 0, 0}, "1",
          "terms of the attention scores: query part, key part; the pattern is the softmax of their sum");
    terms(Reduction::covariance, {Axis::head, Axis::logit_term}, {heads, count}, "1",
          "share of each logit term in the variance of the scores; sums to 1");
    terms(Reduction::covariance_heads, {Axis::logit_term}, {count}, "1",
          "share of each logit term in the variance of the scores, all heads together; sums to 1");
    terms(Reduction::covariance_sums, {Axis::head, Axis::covariance_sum}, {heads, count + 1}, "1",
          "covariances of each logit term with the score and variance of the score, summed over queries");
    terms(Reduction::leave_out, {Axis::head, Axis::logit_term}, {heads, count}, "nats",
          "mean over queries of KL(pattern || pattern without the logit term)");
    add(Part::full, Quantity::separate_terms, Reduction::full,
        {Axis::head, Axis::separate_term, Axis::query, Axis::key}, {heads, separate, 0, 0}, "1",
        "terms of the attention scores with the bias part apart: query part, key part");
    add(Part::full, Quantity::separate_terms, Reduction::covariance, {Axis::head, Axis::separate_term},
        {heads, separate}, "1", "share of each of the nine terms in the variance of the scores");
  }
  void shapley() {
    const std::int64_t heads = config_.heads;
    const std::int64_t count = kLogitTerms + further_;
    const auto maps = [&](Reduction reduction, std::vector<Axis> axes, std::vector<std::int64_t> extents,
                          const char* units, const char* description) {
      add(Part::full, Quantity::aumann_shapley, reduction, std::move(axes), std::move(extents), units,
          description);
    };
    maps(Reduction::full, {Axis::head, Axis::logit_term, Axis::query, Axis::key}, {heads, count, 0, 0},
         kProbability, "what each logit term does to the attention pattern (Aumann-Shapley)");
    maps(Reduction::share, {Axis::head, Axis::logit_term}, {heads, count}, "1",
         "signed share of each logit term in pattern - 1/T; sums to 1");
    maps(Reduction::absolute_share, {Axis::head, Axis::logit_term}, {heads, count}, "1",
         "share of each logit term in the sum of absolute effects on the pattern; sums to 1");
    maps(Reduction::nodes, {Axis::head}, {heads}, "1", "nodes of the quadrature");
    maps(Reduction::residual, {Axis::head}, {heads}, kProbability, "greatest error of the quadrature");
  }
  void values() {
    const std::int64_t causes = kCauses + further_;
    const std::int64_t parts = kValueParts + graph_;
    add(Part::full, Quantity::value_parts, Reduction::full,
        {Axis::cause, Axis::value_part, Axis::token, Axis::d_model}, {causes, parts, 0, config_.d_model}, "1",
        "output of the attention block by cause and value part");
    add(Part::full, Quantity::value_parts, Reduction::norm, {Axis::cause, Axis::value_part, Axis::token},
        {causes, parts, 0}, "1", "norms of the output of the attention block by cause and value part");
    const auto gate = [&](Reduction reduction, Axis axis, std::int64_t count, const std::string& text) {
      add(Part::none, Quantity::pseudo_gate, reduction, {Axis::token, axis}, {0, count}, "1", text);
    };
    const std::string groups = graph_ > 0 ? "low, mid, high, base, graph, feed-forward, bias"
                                          : "low, mid, high, base, feed-forward, bias";
    gate(Reduction::projection, Axis::order_group, kGroups + graph_,
         "projection share of " + groups + " in x'; sums to 1");
    gate(Reduction::proximity, Axis::order_group, kGroups + graph_,
         "proximity of " + groups + " to x'; sums to 1");
    gate(Reduction::fine, Axis::gate_part, causes * parts + kBesideValues,
         "projection share of carried, " + std::to_string(causes * parts) +
             " value parts, feed-forward, bias in x'; sums to 1");
  }
  void propagation() {
    add(Part::none, Quantity::propagation, Reduction::full, {Axis::token, Axis::source, Axis::d_model},
        {0, 0, config_.d_model}, "1", "x' by source token, the last source is the bias; they sum to x'");
    add(Part::none, Quantity::propagation, Reduction::norm, {Axis::token, Axis::source}, {0, 0}, "1",
        "norms of x' by source token, the last source is the bias");
  }
  void maps() {
    const std::vector<Axis> map = {Axis::query, Axis::key};
    add(Part::none, Quantity::kobayashi, Reduction::full, map, {0, 0}, "1",
        "norms through attention, residual and layer norm (N-ResLN)");
    add(Part::none, Quantity::mixing_ratio, Reduction::full, {Axis::token}, {0}, "1",
        "norm of what other tokens give over that plus the norm of the own");
    add(Part::none, Quantity::globenc, Reduction::full, map, {0, 0}, "1",
        "norms through attention and both layer norms (GlobEnc, N-ResOut)");
    add(Part::none, Quantity::alti, Reduction::full, map, {0, 0}, kProbability,
        "proximity of what each key gives to the sum (ALTI); each row sums to 1");
  }

  const EncoderConfig& config_;
  std::int64_t graph_;        // 1 where attention reads a graph
  std::int64_t further_ = 0;  // logit terms of positions and relations
  std::int64_t layer_ = 0;
  std::vector<QuantitySchema> schemas_;
};

}  // namespace

ModelConfig decomposable_twin(ModelConfig config) {
  config.encoder.kind = EncoderKind::transformer;
  return config;
}

std::string why_no_decompositions(const ModelConfig& config) {
  switch (config.encoder.kind) {
    case EncoderKind::transformer:
      return "";
    case EncoderKind::graph_transformer:
      return "a Graph-Transformer computes previous and incremental parts itself (its gate and parts are "
             "recorded); exact decompositions are for plain Transformer encoders";
    default:
      return "a recurrent encoder has no attention; exact decompositions are for plain Transformer encoders";
  }
}

std::vector<QuantitySchema> decomposition_quantities(const ModelConfig& config) {
  if (!why_no_decompositions(config).empty()) {
    return {};
  }
  List list(config.encoder);
  for (std::int64_t layer = 1; layer <= config.encoder.layers; ++layer) {
    list.layer(layer);
  }
  list.whole();
  return list.take();
}

}  // namespace mog::model
