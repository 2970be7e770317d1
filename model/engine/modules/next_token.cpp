// What follows each token, from the encoder's states: scores over the vocabulary, and of these what is asked.
//
// Scores are tokens · vocabulary, of today's models megabytes a token: they are formed for some tokens at a
// time, and only what is kept of them stays. One softmax serves all that is asked of a tile.
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "model/engine/modules/forward.h"
#include "model/engine/modules/next_token.h"
#include "model/engine/modules/stack.h"
#include "model/model.h"

namespace mog::engine {
namespace {

constexpr std::int64_t kTileBytes = 64 << 20;

// weight [choice, width], bias [choice] or undefined: rows of the map.
at::Tensor scores_of(const ForwardContext& context, const at::Tensor& states, const at::Tensor& weight,
                     const at::Tensor& bias, bool cap) {
  const NextTokenWeights& weights = context.weights.next_token;
  const model::LanguageModelConfig& head = *context.config.language_model;
  const at::Tensor read = weights.projection.weight.defined() ? weights.projection(states) : states;
  at::Tensor scores = at::linear(read, weight, bias);
  if (scores.scalar_type() == at::kBFloat16) {
    scores = scores.to(at::kFloat);
  }
  if (head.scale != 1.0) {
    scores = scores * head.scale;
  }
  return cap && head.cap > 0.0 ? at::tanh(scores / head.cap) * head.cap : scores;
}

constexpr std::array kKept = {Reduction::full,    Reduction::surprisal, Reduction::rank,
                              Reduction::entropy, Reduction::best,      Reduction::best_probability};

// What was asked of all tiles.
class Predictions {
 public:
  Predictions(const ForwardContext& context, const QuantityName& name) : context_(context), name_(name) {
    for (std::size_t i = 0; i < kKept.size(); ++i) {
      wanted_[i] = context.taps->wants(name.with(kKept[i]));
    }
  }
  bool any() const {
    return std::any_of(wanted_.begin(), wanted_.end(), [](bool wanted) { return wanted; });
  }

  // scores: [token, V] of a tile; next: [token] ids of what follows each; meaningless where a text ends.
  void add(const at::Tensor& scores, const at::Tensor& next) {
    keep(Reduction::full, [&] { return scores; });
    const at::Tensor whole = at::logsumexp(scores, at::IntArrayRef{-1}, /*keepdim=*/true);
    const at::Tensor own = scores.gather(1, next.unsqueeze(1));
    keep(Reduction::surprisal, [&] { return (whole - own).squeeze(1); });
    keep(Reduction::rank, [&] { return (scores > own).sum(-1).to(scores.scalar_type()) + 1.0; });
    keep(Reduction::entropy, [&] { return whole.squeeze(1) - (at::exp(scores - whole) * scores).sum(-1); });
    if (wants(Reduction::best) || wants(Reduction::best_probability)) {
      const auto [values, ids] = scores.topk(model::best_tokens(context_.config), 1);
      keep(Reduction::best, [&, found = ids] { return found.to(scores.scalar_type()); });
      keep(Reduction::best_probability, [&, found = values] { return at::exp(found - whole); });
    }
  }

  // Surprisal and rank go to the token that they are of, one place on; the first of a text has none.
  void show(const StackInput& input) {
    for (std::size_t i = 0; i < kKept.size(); ++i) {
      if (!wanted_[i]) {
        continue;
      }
      at::Tensor values = at::cat(tiles_[i]);
      if (kKept[i] == Reduction::surprisal || kKept[i] == Reduction::rank) {
        values = values.roll(1, 0);
        const at::Tensor first = to_device({input.offsets.begin(), input.offsets.end() - 1}, values.device());
        values.index_fill_(0, first, std::numeric_limits<double>::quiet_NaN());
      }
      context_.taps->rows(name_.with(kKept[i]), values);
    }
  }

 private:
  static std::size_t place(Reduction reduction) {
    return static_cast<std::size_t>(std::find(kKept.begin(), kKept.end(), reduction) - kKept.begin());
  }
  bool wants(Reduction reduction) const { return wanted_[place(reduction)]; }
  template <class Make>
  void keep(Reduction reduction, const Make& make) {
    if (wants(reduction)) {
      tiles_[place(reduction)].push_back(make());
    }
  }

  const ForwardContext& context_;
  QuantityName name_;
  std::array<bool, kKept.size()> wanted_{};
  std::array<std::vector<at::Tensor>, kKept.size()> tiles_;
};

}  // namespace

at::Tensor next_token_scores(const ForwardContext& context, const at::Tensor& states, const at::Tensor& ids,
                             bool cap) {
  const NextTokenWeights& weights = context.weights.next_token;
  const at::Tensor bias = weights.bias.defined() ? weights.bias.index_select(0, ids) : at::Tensor();
  return scores_of(context, states, weights.weight.index_select(0, ids), bias, cap);
}

void show_next_tokens(const ForwardContext& context, const StackInput& input, std::int64_t layer,
                      const at::Tensor& states) {
  if (!context.config.language_model || context.taps == nullptr) {
    return;
  }
  Predictions predictions(context, {Stack::encoder, layer, Part::none, Quantity::next_token});
  if (!predictions.any()) {
    return;
  }
  const LayerNorm& norm = context.weights.encoder.final_norm;
  const at::Tensor read = layer == 0 ? states : norm(states);
  const at::Tensor next = input.ids.roll(-1, 0);
  const std::int64_t row_bytes =
      context.config.next_token_rows() * static_cast<std::int64_t>(states.element_size());
  const std::int64_t tile = std::max<std::int64_t>(1, kTileBytes / row_bytes);
  for (std::int64_t first = 0; first < read.size(0); first += tile) {
    const std::int64_t count = std::min(tile, read.size(0) - first);
    const NextTokenWeights& head = context.weights.next_token;
    predictions.add(scores_of(context, read.narrow(0, first, count), head.weight, head.bias, /*cap=*/true),
                    next.narrow(0, first, count));
  }
  predictions.show(input);
}

}  // namespace mog::engine
