// What is asked of a layer decides what is computed of it:
//   parts of its output (split, separate terms, values): some layer norms' worth of [token, d_model];
//   queries and keys of the parts of its input (scores, and all that follows from them): a product [token,
//   d_model] × [d_model, 2a] a part, and the same again where the nine terms are wanted too;
//   by group, the terms, what they do to the pattern, values by cause (group_decomposition.cpp): the larger
//   part.
//
// The parts of a layer's input come from all layers below. So once any layer needs them they are carried
// upwards through every layer; where nobody needs the parts of an output one by one, as what is carried and
// the rest, which saves the others.
#include "model/engine/decomposition/layer_decomposition.h"

#include <algorithm>
#include <array>
#include <vector>

#include "model/engine/decomposition/group_decomposition.h"
#include "model/engine/decomposition/layer_identities.h"

namespace mog::engine {
namespace {

constexpr std::array kSplits = {Quantity::split, Quantity::carried};
constexpr std::array kApart = {Quantity::separate_terms};
constexpr std::array kScores = {Quantity::logit_terms, Quantity::separate_terms};
constexpr std::array kShapley = {Quantity::aumann_shapley, Quantity::value_parts, Quantity::pseudo_gate};
constexpr std::array kValues = {Quantity::value_parts, Quantity::pseudo_gate};
constexpr std::array kMaps = {Quantity::kobayashi, Quantity::mixing_ratio, Quantity::globenc, Quantity::alti};

}  // namespace

LayerDecomposition::LayerDecomposition(Observation& observation, std::span<const AttentionGroup> groups,
                                       std::int64_t layers, bool check)
    : groups_(groups), layers_(layers), check_(check) {
  const auto anywhere = [&](std::span<const Quantity> quantities) {
    return check_ || std::any_of(quantities.begin(), quantities.end(),
                                 [&](Quantity quantity) { return observation.wants_quantity(quantity); });
  };
  parts_ = anywhere(kSplits) || anywhere(kApart) || anywhere(kValues);
  splits_ = parts_ || anywhere(kScores) || anywhere(kShapley);
}

StateParts LayerDecomposition::run(const LayerTrace& trace, StateParts state, Results& results,
                                   Identities& identities) const {
  give_norm_scales(trace, results);
  if (splits_) {
    if (trace.layer == 1) {
      state = {.previous = {}, .incremental = trace.input, .bias = {}};
    }
    const OutputParts parts = parts_ ? split_output(trace) : OutputParts();
    if (parts_) {
      give_split(trace, parts, results);
      if (check_) {
        check_split(trace, parts, groups_, identities);
      }
    }
    run_attention(trace, state, parts, results, identities);
    state = {};
    if (trace.layer < layers_) {
      state = parts_ ? next_state(parts) : joined_state(trace);
    }
  }
  if (check_ || results.ask_any(kMaps)) {
    run_maps(trace, results, identities);
  }
  return state;
}

void LayerDecomposition::give_norm_scales(const LayerTrace& trace, Results& results) const {
  if (!results.ask(Part::none, Quantity::norm_scale)) {
    return;
  }
  // Before the blocks or behind their sums; where there is none, behind what the blocks give.
  const bool behind = !trace.norm1.changes() && trace.output1.changes();
  const FrozenNorm& first = behind ? trace.output1 : trace.norm1;
  const FrozenNorm& second = behind ? trace.output2 : trace.norm2;
  for (const AttentionGroup& group : groups_) {
    results.gather(Part::none, Quantity::norm_scale, Reduction::full,
                   at::stack({group_rows(first.scale(), group), group_rows(second.scale(), group)}, 1));
  }
}

void LayerDecomposition::give_split(const LayerTrace& trace, const OutputParts& parts,
                                    Results& results) const {
  const std::vector<at::Tensor> all = {parts.carried, parts.attention, parts.feed_forward, parts.bias};
  if (results.ask(Part::none, Quantity::split)) {
    for (const AttentionGroup& group : groups_) {
      std::vector<at::Tensor> own;
      for (const at::Tensor& part : all) {
        own.push_back(group_rows(part.contiguous(), group));
      }
      results.gather(Part::none, Quantity::split, Reduction::full, at::stack(own, 1));
    }
  }
  if (results.ask(Part::none, Quantity::split, Reduction::norm)) {
    std::vector<at::Tensor> norms;
    for (const at::Tensor& part : all) {
      norms.push_back(norm_of(part));
    }
    norms.push_back(norm_of(trace.output));
    results.give_rows(Part::none, Quantity::split, Reduction::norm, at::stack(norms, 1));
  }
  const bool cosine = results.ask(Part::none, Quantity::carried, Reduction::cosine);
  const bool gain = results.ask(Part::none, Quantity::carried, Reduction::gain);
  if (cosine || gain) {
    const at::Tensor carried = norm_of(parts.carried);
    const at::Tensor input = norm_of(trace.input);
    if (cosine) {
      results.give_rows(Part::none, Quantity::carried, Reduction::cosine,
                        (parts.carried * trace.input).sum(-1) / (carried * input));
    }
    if (gain) {
      results.give_rows(Part::none, Quantity::carried, Reduction::gain, carried / input);
    }
  }
}

void LayerDecomposition::run_attention(const LayerTrace& trace, const StateParts& state,
                                       const OutputParts& parts, Results& results,
                                       Identities& identities) const {
  const bool shapley = check_ || results.ask_any(kShapley);
  if (!shapley && !results.ask_any(kScores)) {
    return;
  }
  const bool apart = check_ || results.ask_any(kApart);
  const bool by_value = check_ || results.ask_any(kValues);
  const ScoreParts joined = score_parts(trace, state, /*separate=*/false);
  const ScoreParts separate = apart ? score_parts(trace, state, /*separate=*/true) : ScoreParts();
  const ValueParts values = by_value ? value_parts(trace, state) : ValueParts();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    GroupDecomposition group(trace, groups_[i], trace.patterns[i], results, identities);
    group.give_logit_terms(joined);
    if (apart) {
      group.give_separate_terms(separate);
    }
    if (shapley) {
      const at::Tensor maps = group.give_shapley(joined);
      if (by_value) {
        group.give_values(parts, values, maps);
      }
    }
  }
}

void LayerDecomposition::run_maps(const LayerTrace& trace, Results& results, Identities& identities) const {
  const GivenVectors given(trace);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    GroupDecomposition(trace, groups_[i], trace.patterns[i], results, identities).give_maps(given);
  }
}

}  // namespace mog::engine
