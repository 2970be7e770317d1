// A state is three rows of the encoder's output. A token that is not there has a row too, the last one, so
// that a state is one look-up: O(states · tokens of a state · d_model · width) in all.
#include "model/engine/modules/state_scores.h"

#include <algorithm>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"
#include "model/engine/modules/state_history.h"

namespace mog::engine {
namespace {

constexpr double kSlope = 0.1;  // of the leaky rectifiers

std::vector<float> on_host(const at::Tensor& values) {
  const at::Tensor host = values.to(at::kFloat).cpu().contiguous();
  return {host.const_data_ptr<float>(), host.const_data_ptr<float>() + host.numel()};
}

// The sentence of a token of the batch.
std::int64_t sentence_of(const std::vector<std::int64_t>& offsets, std::int64_t token) {
  return std::upper_bound(offsets.begin(), offsets.end(), token) - offsets.begin() - 1;
}

}  // namespace

void check_states(const model::ModelConfig& config, const model::PackedBatch& batch,
                  std::span<const model::StateTokens> states) {
  if (config.graph->reads_states() && !batch.states) {
    throw ShapeError("a state of a parser: the model reads states (graph.parser), and the batch has none");
  }
  const std::vector<std::int64_t>& offsets = batch.offsets;
  for (std::size_t state = 0; state < states.size(); ++state) {
    std::int64_t sentence = -1;
    for (const std::int64_t token : states[state]) {
      const std::int64_t own = token < 0 ? sentence : sentence_of(offsets, token);
      if (token < -1 || token >= offsets.back() || (sentence >= 0 && own != sentence)) {
        throw ShapeError(concat("a state of a parser: state ", state + 1, " names token ", token + 1,
                                " of the batch; its tokens must be of one sentence of ", offsets.back(),
                                " tokens in all, and -1 where there is none"));
      }
      sentence = own;
    }
    if (batch.states && sentence < 0) {
      throw ShapeError(concat("a state of a parser: state ", state + 1, " has no token"));
    }
  }
}

StateReader::StateReader(const Weights& weights, const model::PackedBatch& batch, const at::Tensor& encoded)
    : offsets_(batch.offsets), rows_(at::cat({encoded, weights.missing_token.unsqueeze(0)})) {
  if (weights.history.actions.defined()) {
    history_ = history_rows(weights.history, *batch.states);
  }
}

StateVectors StateReader::read(std::span<const model::StateTokens> states) const {
  const std::int64_t missing = rows_.size(0) - 1;
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> sentences;
  rows.reserve(states.size() * std::tuple_size_v<model::StateTokens>);
  for (const model::StateTokens& state : states) {
    for (const std::int64_t token : state) {
      rows.push_back(token < 0 ? missing : token);
    }
    sentences.push_back(sentence_of(offsets_, *std::max_element(state.begin(), state.end())));
  }
  const auto count = static_cast<std::int64_t>(states.size());
  return {rows_.index_select(0, to_device(rows, rows_.device())).view({count, -1}),
          history_.defined() ? history_.index_select(0, to_device(sentences, rows_.device())) : at::Tensor()};
}

at::Tensor state_scores(const StateScorer& head, const StateVectors& vectors, const Dropout* dropout,
                        double probability) {
  const bool pools = head.pool.weight.defined();
  const Linear& reads = pools ? head.pool : head.hidden;
  at::Tensor input = vectors.tokens.narrow(1, 0, reads.weight.size(1));
  if (pools) {
    input = at::tanh(head.pool(input));
  }
  if (vectors.history.defined()) {
    input = at::cat({input, vectors.history}, 1);
  }
  const at::Tensor hidden = at::leaky_relu(head.hidden(input), kSlope);
  return head.output(dropout == nullptr ? hidden : dropout->apply(hidden, probability));
}

model::StateScores host_state_scores(const Weights& weights, const StateReader& reader,
                                     std::span<const model::StateTokens> states) {
  const StateVectors vectors = reader.read(states);
  const auto scores = [&](const char* head) {
    return on_host(state_scores(weights.state_heads.at(head), vectors, nullptr, 0.0));
  };
  return {scores("actions"), scores("labels")};
}

}  // namespace mog::engine
