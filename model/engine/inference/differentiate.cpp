// Derivatives by autograd. The encoder's modules are those of training, so a pass with gradients enabled
// needs nothing of its own but a leaf behind the embeddings and one of the keys' presence. The weights have
// no gradient: only what depends on the tokens is kept. A graph that is read is given, as in every other run.
//
// Backwards, one pass has the derivatives by all tokens, and keeps every layer for the way back. Along a
// direction, values and slopes go forward side by side, and nothing is kept. Either costs about three passes.
#include "model/engine/inference/differentiate.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/forward_grad.h>

#include <algorithm>
#include <cmath>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"
#include "model/engine/modules/pair_scores.h"

namespace mog::engine {
namespace {

constexpr const char* kWhat = "differentiating the model: ";

// [token] of the device.
at::Tensor rows_of(const std::vector<double>& values, std::int64_t tokens, const Weights& weights) {
  const at::Tensor host = values.empty() ? at::ones({tokens}, at::kDouble) : at::tensor(values, at::kDouble);
  return host.to(weights.device(), weights.dtype());
}

std::vector<double> to_host(const at::Tensor& values) {
  const at::Tensor host = values.detach().to(at::kCPU, at::kDouble).contiguous();
  return {host.const_data_ptr<double>(), host.const_data_ptr<double>() + host.numel()};
}

PackedInput source_input(const model::ModelConfig& config, const model::PackedBatch& batch,
                         const Weights& weights, Padding padding) {
  const at::Tensor& table = weights.encoder.positions;
  model::PackedBatch source;
  source.ids = batch.ids;
  source.offsets = batch.offsets;
  source.arcs = batch.arcs;
  return make_input(config, source, weights.device(), table.defined() ? table.size(0) : 0, 0,
                    {.padding = padding, .masked = {}});
}

// Derivatives along a direction travel at this level. LibTorch has one at a time, and its formulas know level
// 0 alone; tangents belong to tensors, so several threads may share it. Never given back.
std::uint64_t tangent_level() {
  static const std::uint64_t level = torch::autograd::ForwardADLevel::get_next_idx();
  return level;
}

// [pair], sentence by sentence.
at::Tensor arc_scores(const PairScorer& head, const AttentionPlan& plan, const at::Tensor& states) {
  const PairSides sides = pair_sides(head, states, nullptr, 0.0);
  std::vector<at::Tensor> blocks;
  blocks.reserve(plan.groups.size());
  for (const AttentionGroup& group : plan.groups) {
    blocks.push_back(pair_scores(sides, plan, group).reshape({-1}));
  }
  return at::cat(blocks);
}

// A pass over the source alone; `relaxed` gets the leaves that derivatives are taken by.
at::Tensor relaxed_output(const ForwardContext& context, const model::PackedBatch& batch,
                          const RelaxedTokens& relaxed, const QuantityName& of) {
  const bool pairs = of.quantity() == Quantity::pair_scores;
  // Scores of pairs are blocks of sentences one after another, which padding would part.
  const PackedInput input = source_input(context.config, batch, context.weights,
                                         pairs ? Padding{} : padding_for(context.weights.device()));
  ForwardContext own = context;
  own.relaxed = &relaxed;
  at::Tensor output = encode(own, input);
  if (pairs) {
    return arc_scores(context.weights.pair_heads.at(of.task()), input.source.self_plan, output);
  }
  return of.stack() == Stack::heads ? tag_logits(own, of.task(), output) : output;
}

}  // namespace

void require_differentiable(const model::ModelConfig& config, const Weights& weights,
                            const model::PackedBatch& batch, const model::Relaxation& at,
                            const QuantityName& of) {
  const bool output = of == QuantityName(Stack::encoder, 0, Part::none, Quantity::output);
  const bool logits = of.stack() == Stack::heads && of.quantity() == Quantity::logits &&
                      of.reduction() == Reduction::full && config.tasks.contains(of.task());
  const bool arcs = config.graph && config.graph->kind == model::GraphKind::dependencies &&
                    of == QuantityName::pair_scores("arcs");
  if (!output && !logits && !arcs) {
    throw UsageError(concat(kWhat, of.text(),
                            " is not offered; encoder.output is, heads.TASK.logits of the tasks it has, and "
                            "heads.arcs.pair_scores of a parser"));
  }
  if (has_rounded_products(weights)) {
    throw UsageError(
        concat(kWhat, "bfloat16 and 8 bits are too coarse for it; use --precision float32 or float64"));
  }
  const auto fits = [&](const std::vector<double>& values, const char* name) {
    if (!values.empty() && static_cast<std::int64_t>(values.size()) != batch.tokens()) {
      throw UsageError(
          concat(kWhat, name, " has ", values.size(), " values for ", batch.tokens(), " tokens"));
    }
  };
  fits(at.presence, "presence");
  fits(at.scale, "scale");
  if (at.presence.empty()) {
    return;
  }
  if (config.encoder.recurrent()) {
    throw UsageError(concat(kWhat, "a recurrent encoder attends to nothing; its tokens have no presence"));
  }
  for (std::int64_t sentence = 0; sentence < batch.sentences(); ++sentence) {
    double sum = 0;
    for (std::int64_t t = 0; t < batch.length(sentence); ++t) {
      const double value =
          at.presence[static_cast<std::size_t>(batch.offsets[static_cast<std::size_t>(sentence)] + t)];
      if (!(value >= 0.0 && value <= 1.0)) {
        throw UsageError(concat(kWhat, "a presence lies in [0, 1], not ", value));
      }
      sum += value;
    }
    if (sum <= 0.0) {
      throw UsageError(
          concat(kWhat, "nothing is left of sentence ", sentence + 1, " of the batch to attend to"));
    }
  }
}

void require_differentiable_along(const model::ModelConfig& config, const Weights& weights,
                                  const model::PackedBatch& batch, std::span<const double> leaving,
                                  const QuantityName& of) {
  require_differentiable(config, weights, batch, {}, of);
  if (config.encoder.recurrent()) {
    throw UsageError(concat(kWhat, "a recurrent encoder attends to nothing; no token leaves as a key"));
  }
  if (static_cast<std::int64_t>(leaving.size()) != batch.tokens()) {
    throw UsageError(
        concat(kWhat, "leaving has ", leaving.size(), " values for ", batch.tokens(), " tokens"));
  }
}

model::TokenGradients token_gradients(const ForwardContext& context, const model::PackedBatch& batch,
                                      const model::Relaxation& at, const QuantityName& of,
                                      const model::Cotangent& cotangent) {
  const at::AutoGradMode with_gradients(true);
  RelaxedTokens relaxed;
  relaxed.scale = rows_of(at.scale, batch.tokens(), context.weights).unsqueeze(1);
  if (!context.config.encoder.recurrent()) {
    relaxed.presence = rows_of(at.presence, batch.tokens(), context.weights).requires_grad_(true);
  }
  const at::Tensor output = relaxed_output(context, batch, relaxed, of);
  const std::vector<double> values = to_host(output);
  std::vector<double> slopes(values.size(), 0.0);
  cotangent(values, slopes);
  if (!std::all_of(slopes.begin(), slopes.end(), [](double slope) { return std::isfinite(slope); })) {
    throw ModelError(concat(kWhat, "a derivative by ", of.text(), " is no finite number"));
  }
  output.backward(
      at::tensor(slopes, at::kDouble).view(output.sizes()).to(output.device(), output.scalar_type()));
  const at::Tensor slope = relaxed.scaled.grad();
  model::TokenGradients gradients;
  gradients.scale = to_host((relaxed.embedding * slope).sum(-1));
  gradients.norm = to_host(at::linalg_vector_norm(slope, 2, at::IntArrayRef{-1}));
  gradients.presence = relaxed.presence.defined() && relaxed.presence.grad().defined()
                           ? to_host(relaxed.presence.grad())
                           : std::vector<double>(static_cast<std::size_t>(batch.tokens()), 0.0);
  return gradients;
}

model::DirectedSlopes directed_slopes(const ForwardContext& context, const model::PackedBatch& batch,
                                      std::span<const double> leaving, const QuantityName& of) {
  const at::AutoGradMode with_gradients(true);  // modules keep to operators that have derivatives
  const std::vector<double> direction(leaving.begin(), leaving.end());
  const auto level = static_cast<std::int64_t>(tangent_level());
  RelaxedTokens relaxed;
  relaxed.leaving = at::_make_dual(at::zeros({batch.tokens()}, context.weights.encoder.embedding.options()),
                                   rows_of(direction, batch.tokens(), context.weights), level);
  const at::Tensor output = relaxed_output(context, batch, relaxed, of);
  const auto [values, slopes] = at::_unpack_dual(output, level);
  model::DirectedSlopes result;
  result.values = to_host(values);
  result.slopes = slopes.defined() ? to_host(slopes) : std::vector<double>(result.values.size(), 0.0);
  return result;
}

}  // namespace mog::engine
