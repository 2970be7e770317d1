#include "model/engine/decomposition/decoder_results.h"

#include <utility>

#include "model/engine/decomposition/layer_trace.h"

namespace mog::engine {

bool DecoderResults::ask(std::int64_t layer, Quantity quantity, Reduction reduction) const {
  return observation_.wants_exactly({Stack::decoder, layer, Part::none, quantity, reduction});
}

void DecoderResults::gather(std::int64_t layer, Quantity quantity, Reduction reduction,
                            const at::Tensor& values) {
  if (values.defined() && ask(layer, quantity, reduction)) {
    gathered_[{Stack::decoder, layer, Part::none, quantity, reduction}].push_back(values.reshape({-1}));
  }
}

void DecoderResults::give() {
  for (const auto& [name, sentences] : gathered_) {
    std::vector<std::int64_t> offsets = {0};
    for (const at::Tensor& values : sentences) {
      offsets.push_back(offsets.back() + values.numel());
    }
    observation_.packed(name, at::cat(sentences), std::move(offsets));
  }
  gathered_.clear();
}

void DecoderChecks::compare(std::string_view identity, std::int64_t layer, std::int64_t sentence,
                            const at::Tensor& found, const at::Tensor& expected) {
  if (!empty()) {
    checks_[layer].push_back({identity, sentence, found, expected, /*parts=*/false});
  }
}

void DecoderChecks::sums_to(std::string_view identity, std::int64_t layer, std::int64_t sentence,
                            const at::Tensor& parts, const at::Tensor& expected) {
  if (!empty()) {
    checks_[layer].push_back({identity, sentence, parts, expected, /*parts=*/true});
  }
}

void DecoderChecks::tell() {
  for (const auto& [layer, checks] : checks_) {
    identities_.begin_layer(layer);
    for (const Check& check : checks) {
      AttentionGroup group;
      group.first_sentence = check.sentence;
      group.sentences = 1;
      if (check.parts) {
        identities_.sums_to(check.identity, group, check.found.unsqueeze(0), check.expected.unsqueeze(0));
      } else {
        identities_.compare(check.identity, group, check.found.unsqueeze(0), check.expected.unsqueeze(0));
      }
    }
    identities_.end_layer();
  }
  checks_.clear();
}

ContextVectors::ContextVectors(const DecoderResults& results, Quantity quantity, Sentence sentence,
                               bool check)
    : quantity_(quantity), sentence_(std::move(sentence)) {
  const at::Tensor& output = sentence_.output;
  const std::int64_t targets = output.size(0);
  const std::int64_t columns = sentence_.sources + targets + 1;
  const auto layers = static_cast<std::int64_t>(sentence_.outputs.size());
  for (std::int64_t layer = 0; layer <= layers; ++layer) {
    const auto asks = [&](Reduction reduction) { return results.ask(layer, quantity, reduction); };
    const auto map = [&](bool wanted) {
      return wanted ? at::empty({targets, columns}, output.options()) : at::Tensor();
    };
    Kept kept;
    if (asks(Reduction::full)) {
      kept.vectors = at::empty({targets, columns, output.size(1)}, output.options());
    }
    kept.norms = map(asks(Reduction::norm));
    kept.projections = map(asks(Reduction::projection) || asks(Reduction::share));
    kept.logits = map(asks(Reduction::logit) || (check && layer == 0));
    if (check) {
      kept.sum = at::zeros_like(output);
    }
    kept_.push_back(std::move(kept));
  }
}

// values: [T, source, …].
void ContextVectors::put(const at::Tensor& to, std::int64_t first, const at::Tensor& values, bool bias) {
  const std::int64_t own = values.size(1) - (bias ? 1 : 0);
  to.narrow(1, first, own).copy_(values.narrow(1, 0, own));
  if (bias) {
    to.select(1, to.size(1) - 1).copy_(values.select(1, own));
  }
}

void ContextVectors::take(std::int64_t layer, std::int64_t first, const at::Tensor& vectors, bool bias) {
  const Kept& kept = kept_.at(static_cast<std::size_t>(layer));
  const at::Tensor by_target = vectors.transpose(0, 1);   // [T, source, d_model]
  const auto along = [&](const at::Tensor& directions) {  // [T, d_model]
    return at::matmul(by_target, directions.unsqueeze(-1)).squeeze(-1);
  };
  if (kept.vectors.defined()) {
    put(kept.vectors, first, by_target, bias);
  }
  if (kept.norms.defined()) {
    put(kept.norms, first, norm_of(by_target), bias);
  }
  if (kept.projections.defined()) {
    const at::Tensor square = sentence_.output.square().sum(-1, /*keepdim=*/true);
    put(kept.projections, first, along(sentence_.output) / square, bias);
  }
  if (kept.logits.defined()) {
    put(kept.logits, first, along(sentence_.next_rows), bias);
  }
  if (kept.sum.defined()) {
    kept.sum.add_(by_target.sum(1));
  }
}

at::Tensor ContextVectors::by_side(const at::Tensor& projections) const {
  const std::int64_t prefix = projections.size(1) - sentence_.sources - 1;
  return at::stack({projections.narrow(1, 0, sentence_.sources).sum(1),
                    projections.narrow(1, sentence_.sources, prefix).sum(1), projections.select(1, -1)},
                   1);
}

void ContextVectors::give(DecoderResults& results, DecoderChecks& checks) {
  if (kept_.front().logits.defined() && sentence_.next_bias.defined()) {
    kept_.front().logits.select(1, -1).add_(sentence_.next_bias);
  }
  const std::string_view identity =
      quantity_ == Quantity::contribution ? "decoder contributions" : "contributions by position";
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const Kept& kept = kept_[i];
    const auto layer = static_cast<std::int64_t>(i);
    results.gather(layer, quantity_, Reduction::full, kept.vectors);
    results.gather(layer, quantity_, Reduction::norm, kept.norms);
    results.gather(layer, quantity_, Reduction::projection, kept.projections);
    results.gather(layer, quantity_, Reduction::logit, kept.logits);
    if (results.ask(layer, quantity_, Reduction::share)) {
      results.gather(layer, quantity_, Reduction::share, by_side(kept.projections));
    }
    if (kept.sum.defined()) {
      checks.compare(identity, layer, sentence_.number, kept.sum,
                     layer == 0 ? sentence_.output : sentence_.outputs[i - 1]);
    }
  }
  if (!checks.empty()) {
    at::Tensor logits = (sentence_.output * sentence_.next_rows).sum(-1);
    if (sentence_.next_bias.defined()) {
      logits = logits + sentence_.next_bias;
    }
    checks.sums_to(quantity_ == Quantity::contribution ? "logits by contributions" : "logits by position", 0,
                   sentence_.number, kept_.front().logits, logits);
  }
}

}  // namespace mog::engine
