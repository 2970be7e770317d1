// Direct logit attribution.
//
// With the scales of its norms frozen, the way from any addition to the residual state to the logit is
// linear. Instead of carrying every addition up, the logit's own direction is carried down: u, the difference
// of two rows of the map to the vocabulary (through the projection before it), is pulled back through the
// last norm, and of post-norm layers through both of theirs; a norm's bias is read off where it is added.
// What a block, a head or a source token adds is then one inner product. Layers that add to the state leave
// the direction as it is, so that a pre-norm stack needs one direction for all.
//
// Cost beside the forward pass: d² a layer for the heads, and by source token n · a more. In float64,
// whatever the weights are.
#include "model/engine/inference/logit_parts.h"

#include <c10/core/InferenceMode.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"
#include "model/engine/decomposition/layer_trace.h"
#include "model/engine/modules/layer_edits.h"
#include "model/engine/modules/next_token.h"
#include "model/engine/modules/packed_input.h"
#include "model/engine/modules/query_key.h"

namespace mog::engine {
namespace {

using model::LogitPart;

at::Tensor exact(const at::Tensor& values) {
  return values.to(at::kDouble);
}
double product_of(const at::Tensor& left, const at::Tensor& right) {
  return at::dot(exact(left).reshape({-1}), exact(right).reshape({-1})).item<double>();
}

// One layer at the token that is read.
struct LayerRows {
  at::Tensor input;         // [d_model]
  at::Tensor context;       // [attention_dim]
  at::Tensor attention;     // Z [d_model]
  at::Tensor feed_forward;  // [d_model]
  at::Tensor weights;       // by source: [head, source]
  at::Tensor values;        // by source: [source, attention_dim]
};

class KeepingRows final : public LayerEdits {
 public:
  KeepingRows(std::int64_t token, LayerRows& rows) : token_(token), rows_(rows) {}
  at::Tensor heads(Part /*part*/, const at::Tensor& context) override {
    rows_.context = context.select(0, token_);
    return context;
  }
  at::Tensor attention(const at::Tensor& added) override {
    rows_.attention = added.select(0, token_);
    return added;
  }
  at::Tensor feed_forward(const at::Tensor& added) override {
    rows_.feed_forward = added.select(0, token_);
    return added;
  }

 private:
  std::int64_t token_;
  LayerRows& rows_;
};

// The attention of one token, of the layer in progress.
class KeepingMaps final : public Taps {
 public:
  explicit KeepingMaps(std::int64_t token) : token_(token) {}
  bool wants(const QuantityName& name) const override {
    return name.quantity() == Quantity::attention && name.reduction() == Reduction::full;
  }
  void rows(const QuantityName& /*name*/, const at::Tensor& /*values*/) override {}
  void sentences(const QuantityName& /*name*/, const at::Tensor& /*values*/) override {}
  bool wants_contributions(Stack /*stack*/, std::int64_t /*layer*/) const override { return false; }
  void contribution(const QuantityName& /*part_output*/, const at::Tensor& /*entering*/) override {}
  void maps(const QuantityName& /*name*/, const AttentionPlan& /*plan*/, const AttentionGroup& /*group*/,
            const at::Tensor& maps) override {
    map = maps.select(0, 0).select(1, token_);
  }
  void flush() override {}

  at::Tensor map;  // [head, source]

 private:
  std::int64_t token_;
};

class LogitTrace {
 public:
  LogitTrace(const ForwardContext& context, std::int64_t source_rows, const model::LogitPartsRequest& request)
      : context_(context), config_(context.config.encoder), request_(request), maps_(request.token) {
    model::PackedBatch batch;
    batch.append(request.ids);
    input_ = make_input(context.config, batch, context.weights.device(), source_rows, 0, {});
  }

  model::LogitParts run() {
    forward();
    backward();
    model::LogitParts parts;
    const at::Tensor output = encode(context_, input_).narrow(0, request_.token, 1);
    parts.logit = difference(next_token_scores(context_, output, ids(), /*cap=*/false));
    parts.capped = difference(next_token_scores(context_, output, ids()));
    parts.shares = {shares_.rbegin(), shares_.rend()};
    return parts;
  }

 private:
  at::Tensor ids() const {
    std::vector<std::int64_t> ids = {request_.logits.answer};
    if (request_.logits.against) {
      ids.push_back(*request_.logits.against);
    }
    return to_device(ids, context_.weights.device());
  }
  static double difference(const at::Tensor& scores) {
    const at::Tensor row = exact(scores.select(0, 0)).to(at::kCPU);
    return row.size(0) == 1 ? row[0].item<double>() : (row[0] - row[1]).item<double>();
  }
  const EncoderLayer& weights(std::int64_t layer) const {
    return context_.weights.encoder_layers[static_cast<std::size_t>(layer) - 1];
  }

  void forward() {
    ForwardContext own = context_;
    own.taps = request_.by_source ? &maps_ : nullptr;
    at::Tensor state = encode_embedding(context_, input_);
    for (std::int64_t layer = 1; layer <= config_.layers; ++layer) {
      LayerRows rows;
      rows.input = state.select(0, request_.token);
      KeepingRows keeping(request_.token, rows);
      const at::Tensor next = encode_edited_layer(own, input_, layer, {}, state, keeping);
      if (request_.by_source) {
        rows.weights = maps_.map.clone();
        rows.values = values_of(layer, state);
      }
      layers_.push_back(std::move(rows));
      state = next;
    }
    last_ = state.select(0, request_.token);
  }

  // [source, attention_dim]: a value row for each head.
  at::Tensor values_of(std::int64_t layer, const at::Tensor& state) const {
    const EncoderLayer& own = weights(layer);
    const at::Tensor read = model::reads_normed(config_.norm) ? own.attention_norm(state) : state;
    const at::Tensor projected = own.from_incremental(read);
    const std::int64_t width = config_.key_dim();
    return repeat_heads(projected.narrow(1, config_.attention_dim + width, width), config_.key_heads(),
                        config_.heads);
  }

  void add(LogitPart part, std::int64_t layer, double value, std::int64_t head = 0,
           std::optional<std::int64_t> source = {}) {
    shares_.push_back({part, layer, head, source, value});
  }

  // g, a direction behind a norm at z, before the norm; `bias` gets what the norm's bias adds.
  static at::Tensor pulled(const LayerNorm& norm, const at::Tensor& z, const at::Tensor& g, double& bias) {
    if (!norm.weight.defined()) {
      return g;
    }
    const FrozenNorm frozen(norm, z.unsqueeze(0));
    bias += product_of(g, frozen.offset());
    at::Tensor weighed = g * exact(norm.weight);
    if (!norm.rms) {
      weighed = weighed - weighed.mean();
    }
    return weighed / exact(frozen.scale()).squeeze();
  }

  // From the logit down to the embedding: parts come last first.
  void backward() {
    at::Tensor direction = output_direction();
    for (std::int64_t layer = config_.layers; layer >= 1; --layer) {
      const EncoderLayer& own = weights(layer);
      const LayerRows& rows = layers_[static_cast<std::size_t>(layer) - 1];
      const bool post = config_.norm == model::NormPlace::post;
      double bias = 0;
      if (post) {
        const at::Tensor attended = own.attention_norm((rows.input + rows.attention).unsqueeze(0)).squeeze(0);
        direction = pulled(own.feed_forward.norm, attended + rows.feed_forward, direction, bias);
      }
      const at::Tensor fed = direction;
      if (post) {
        direction = pulled(own.attention_norm, rows.input + rows.attention, direction, bias);
        add(LogitPart::norm_bias, layer, bias);
      }
      add(LogitPart::feed_forward, layer, product_of(fed, rows.feed_forward));
      add_attention(layer, rows, direction);
    }
    const at::Tensor first = layers_.empty() ? last_ : layers_.front().input;
    add(LogitPart::embedding, 0, product_of(direction, first));
  }

  // Behind the last layer, [d_model]; adds the biases above it.
  at::Tensor output_direction() {
    const NextTokenWeights& head = context_.weights.next_token;
    const auto of_pair = [&](const at::Tensor& rows) {
      const at::Tensor own = exact(rows.index_select(0, ids())) * context_.config.language_model->scale;
      return own.size(0) == 1 ? own[0] : own[0] - own[1];
    };
    at::Tensor direction = of_pair(head.weight);
    double bias = head.bias.defined() ? of_pair(head.bias).item<double>() : 0.0;
    const Linear& projection = head.projection;
    if (projection.weight.defined()) {
      bias += projection.bias.defined() ? product_of(direction, projection.bias) : 0.0;
      direction = at::mv(exact(projection.weight).t(), direction);
    }
    if (head.bias.defined() || projection.bias.defined()) {
      add(LogitPart::output_bias, 0, bias);
    }
    if (!config_.ends_with_norm()) {
      return direction;
    }
    const LayerNorm& norm = context_.weights.encoder.final_norm;
    double of_norm = 0;
    direction = pulled(norm, last_, direction, of_norm);
    if (norm.bias.defined()) {
      add(LogitPart::norm_bias, 0, of_norm);
    }
    return direction;
  }

  void add_attention(std::int64_t layer, const LayerRows& rows, const at::Tensor& direction) {
    const EncoderLayer& own = weights(layer);
    const Linear& map = own.outputs.front();
    double bias = 0;
    const at::Tensor added = direction * config_.residual_scale;
    const at::Tensor given =
        pulled(own.attention_output_norm, map(rows.context.unsqueeze(0)).squeeze(0), added, bias);
    bias += map.bias.defined() ? product_of(given, map.bias) : 0.0;
    if (map.bias.defined() || own.attention_output_norm.bias.defined()) {
      add(LogitPart::attention_bias, layer, bias);
    }
    // [head, width]: what a head's output is multiplied with.
    const at::Tensor by_head = at::mv(exact(map.weight).t(), given).view({config_.heads, -1});
    if (!request_.by_source) {
      const at::Tensor heads =
          (by_head * exact(rows.context).reshape({config_.heads, -1})).sum(1).to(at::kCPU).contiguous();
      for (std::int64_t head = config_.heads; head >= 1; --head) {
        add(LogitPart::head, layer, heads.const_data_ptr<double>()[head - 1], head);
      }
      return;
    }
    const at::Tensor values = exact(rows.values).reshape({rows.values.size(0), config_.heads, -1});
    const at::Tensor sources =
        (exact(rows.weights) * (values * by_head).sum(2).t()).to(at::kCPU).contiguous();  // [head, source]
    for (std::int64_t head = config_.heads; head >= 1; --head) {
      for (std::int64_t source = request_.token; source >= 0; --source) {
        add(LogitPart::head, layer, sources.const_data_ptr<double>()[(head - 1) * sources.size(1) + source],
            head, source);
      }
    }
  }

  const ForwardContext& context_;
  const model::EncoderConfig& config_;
  const model::LogitPartsRequest& request_;
  KeepingMaps maps_;
  PackedInput input_;
  std::vector<LayerRows> layers_;
  at::Tensor last_;  // [d_model]
  std::vector<model::LogitShare> shares_;
};

}  // namespace

void require_logit_parts(const model::ModelConfig& config, const Weights& weights,
                         const model::LogitPartsRequest& request) {
  constexpr const char* kWhat = "taking a logit apart: ";
  if (!config.language_model || config.encoder.kind != model::EncoderKind::transformer) {
    throw UsageError(concat(kWhat, "the model does not predict the next token (language_model)"));
  }
  if (has_rounded_products(weights)) {
    throw UsageError(
        concat(kWhat, "products in bfloat16 or 8 bits do not add up; use --precision float32 or float64"));
  }
  const auto tokens = static_cast<std::int64_t>(request.ids.size());
  if (request.token < 0 || request.token >= tokens) {
    throw UsageError(
        concat(kWhat, "token ", request.token, " (from 0), but the text has ", tokens, " tokens"));
  }
  for (const std::int64_t id :
       {request.logits.answer, request.logits.against.value_or(request.logits.answer)}) {
    if (id < 0 || id >= config.next_token_rows()) {
      throw UsageError(
          concat(kWhat, "the logit of ", id, ", but there are ids 0 to ", config.next_token_rows() - 1));
    }
  }
}

model::LogitParts logit_parts(const ForwardContext& context, std::int64_t source_rows,
                              const model::LogitPartsRequest& request) {
  const c10::InferenceMode inference;
  return LogitTrace(context, source_rows, request).run();
}

}  // namespace mog::engine
