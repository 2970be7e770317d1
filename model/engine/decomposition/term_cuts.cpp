#include "model/engine/decomposition/term_cuts.h"

#include <array>
#include <set>

#include "model/engine/decomposition/split.h"

namespace mog::engine {

std::vector<AttentionOptions::Product> TermCuts::begin_layer(std::int64_t layer,
                                                             const StackPositions& positions,
                                                             const at::Tensor& input) {
  trace_ = {};
  if (layer > applied_.last_cut_layer()) {
    return {};
  }
  trace_.layer = layer;
  trace_.input = input;
  begin_trace(config_.encoder, weights_.encoder_layers[static_cast<std::size_t>(layer) - 1], positions,
              trace_);
  if (layer == 1) {
    state_ = {.previous = {}, .incremental = input, .bias = {}};
  }
  const std::set<model::LogitTerm>* const cut = applied_.cut_terms(layer);
  if (cut == nullptr) {
    return {};
  }
  const ScoreParts parts = score_parts(trace_, state_, /*separate=*/false);
  struct Row {
    const at::Tensor& query;
    model::LogitTerm with_previous;
    model::LogitTerm with_incremental;
  };
  const std::array<Row, 3> rows = {{{parts.query_previous, model::LogitTerm::pp, model::LogitTerm::pi},
                                    {parts.query_incremental, model::LogitTerm::ip, model::LogitTerm::ii},
                                    {parts.query_bias, model::LogitTerm::bp, model::LogitTerm::bi}}};
  std::vector<AttentionOptions::Product> products;
  for (const Row& row : rows) {
    const bool previous = cut->contains(row.with_previous);
    const bool incremental = cut->contains(row.with_incremental);
    if (previous && incremental) {
      products.push_back({row.query, parts.key_previous + parts.key_incremental});
    } else if (previous || incremental) {
      products.push_back({row.query, previous ? parts.key_previous : parts.key_incremental});
    }
  }
  return products;
}

void TermCuts::end_layer(const at::Tensor& mapped, const at::Tensor& fused, const at::Tensor& attended,
                         const at::Tensor& feed_forward, const at::Tensor& output) {
  if (trace_.weights == nullptr) {
    return;
  }
  trace_.mapped = mapped;
  trace_.attended_sum = fused;
  trace_.attended = attended;
  trace_.feed_forward = feed_forward;
  trace_.output = output;
  freeze_norms(config_.encoder, trace_);
  state_ = next_state(split_output(trace_));
}

}  // namespace mog::engine
