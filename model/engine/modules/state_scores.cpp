// A state is three rows of the encoder's output. A token that is not there has a row too, the last one, so
// that a state is one look-up: O(states · tokens of a state · d_model · width) in all.
#include "model/engine/modules/state_scores.h"

#include <algorithm>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"

namespace mog::engine {
namespace {

constexpr double kSlope = 0.1;  // of the leaky rectifiers

std::vector<float> on_host(const at::Tensor& values) {
  const at::Tensor host = values.to(at::kFloat).cpu().contiguous();
  return {host.const_data_ptr<float>(), host.const_data_ptr<float>() + host.numel()};
}

}  // namespace

void check_states(std::span<const model::StateTokens> states, std::span<const std::int64_t> offsets) {
  for (std::size_t state = 0; state < states.size(); ++state) {
    std::ptrdiff_t sentence = -1;
    for (const std::int64_t token : states[state]) {
      const auto after = std::upper_bound(offsets.begin(), offsets.end(), token);
      const std::ptrdiff_t own = token < 0 ? sentence : after - offsets.begin();
      if (token < -1 || token >= offsets.back() || (sentence >= 0 && own != sentence)) {
        throw ShapeError(concat("a state of a parser: state ", state + 1, " names token ", token + 1,
                                " of the batch; its tokens must be of one sentence of ", offsets.back(),
                                " tokens in all, and -1 where there is none"));
      }
      sentence = own;
    }
  }
}

at::Tensor StateReader::read(std::span<const model::StateTokens> states) const {
  const std::int64_t missing = rows_.size(0) - 1;
  std::vector<std::int64_t> rows;
  rows.reserve(states.size() * std::tuple_size_v<model::StateTokens>);
  for (const model::StateTokens& state : states) {
    for (const std::int64_t token : state) {
      rows.push_back(token < 0 ? missing : token);
    }
  }
  const at::Tensor index = at::tensor(rows, at::TensorOptions().dtype(at::kLong)).to(rows_.device());
  return rows_.index_select(0, index).view({static_cast<std::int64_t>(states.size()), -1});
}

at::Tensor state_scores(const StateScorer& head, const at::Tensor& vectors, const Dropout* dropout,
                        double probability) {
  const at::Tensor hidden =
      at::leaky_relu(head.hidden(vectors.narrow(1, 0, head.hidden.weight.size(1))), kSlope);
  return head.output(dropout == nullptr ? hidden : dropout->apply(hidden, probability));
}

model::StateScores host_state_scores(const Weights& weights, const StateReader& reader,
                                     std::span<const model::StateTokens> states) {
  const at::Tensor vectors = reader.read(states);
  const auto scores = [&](const char* head) {
    return on_host(state_scores(weights.state_heads.at(head), vectors, nullptr, 0.0));
  };
  return {scores("actions"), scores("labels")};
}

}  // namespace mog::engine
