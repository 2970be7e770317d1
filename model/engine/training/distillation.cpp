// Layer l of the student is compared with layer ceil(l·L'/L) of the teacher, so that the last meets the
// last. States are compared by unit: where both read the same pieces a unit is a token, else it is a word,
// whose pieces are averaged on both sides (decision 11). Maps are averaged over parts and heads, for the
// numbers of heads differ, and compared as distributions (KL from the teacher's row).
//
// Maps are kept as they come, group by group, and only their mean over heads: what is kept here is O(Σ
// tokens²) a layer, without the factor of the heads. States cost O(layers · tokens · width).
//
// Traps: only real queries count; padded rows of a block are left out by `scatter`. Small weights are
// clamped before log(). With "relative" the variance of the teacher is a constant: no gradient goes through
// it.
#include "model/engine/training/distillation.h"

#include <algorithm>
#include <optional>

#include "model/engine/common/text.h"
#include "model/engine/modules/global_representation.h"

namespace mog::engine {
namespace {

// Keeps log() of a map finite where a weight has vanished.
constexpr double kSmallestWeight = 1e-9;
constexpr double kSmallestVariance = 1e-9;

at::Tensor state_difference(const at::Tensor& student, const at::Tensor& teacher, model::StateLoss loss) {
  switch (loss) {
    case model::StateLoss::mse:
      return at::mse_loss(student, teacher);
    case model::StateLoss::relative: {
      const double variance = (teacher - teacher.mean(0)).square().mean().item<double>();
      return at::mse_loss(student, teacher) / std::max(variance, kSmallestVariance);
    }
    case model::StateLoss::cosine:
      break;
  }
  return 1.0 - at::cosine_similarity(student, teacher, 1).mean();
}

// Σ over the real queries of a group of KL(teacher's row ‖ student's row). Masked keys have weight 0 on both
// sides and give 0.
at::Tensor divergence(const at::Tensor& student, const at::Tensor& teacher, const AttentionGroup& group) {
  const at::Tensor rows =
      (teacher * (teacher.clamp_min(kSmallestWeight).log() - student.clamp_min(kSmallestWeight).log()))
          .sum(-1)
          .flatten();
  return group.padded ? rows.index_select(0, group.scatter).sum() : rows.sum();
}

at::Tensor attention_loss(const StateTaps& student, const StateTaps& teacher, std::int64_t student_layers,
                          std::int64_t teacher_layers, const PackedInput& input) {
  const std::vector<AttentionGroup>& groups = input.source.self_plan.groups;
  at::Tensor sum;
  for (std::int64_t layer = 1; layer <= student_layers; ++layer) {
    const std::vector<at::Tensor> left = student.mean_maps(layer);
    const std::vector<at::Tensor> right =
        teacher.mean_maps((layer * teacher_layers + student_layers - 1) / student_layers);
    for (std::size_t at = 0; at < groups.size(); ++at) {
      const at::Tensor part = divergence(left[at], right[at], groups[at]);
      sum = sum.defined() ? sum + part : part;
    }
  }
  return sum / static_cast<double>(student_layers * input.source.ids.size(0));
}

// Sums over the tokens of each sentence: their cosine is that of the means.
at::Tensor sentence_sums(const at::Tensor& states, const PackedInput& input) {
  const std::vector<std::int64_t>& offsets = input.source.offsets;
  const auto sentences = static_cast<std::int64_t>(offsets.size()) - 1;
  std::vector<std::int64_t> owner;
  for (std::int64_t at = 0; at < sentences; ++at) {
    owner.resize(static_cast<std::size_t>(offsets[static_cast<std::size_t>(at) + 1]), at);
  }
  const at::Tensor index = at::tensor(owner, at::kLong).to(states.device());
  return at::zeros({sentences, states.size(1)}, states.options().requires_grad(false))
      .index_add(0, index, states);
}

// [unit, d_model]; the states themselves where every token is one.
at::Tensor unit_means(const at::Tensor& states, const Reading& reading) {
  if (!reading.units.defined()) {
    return states;
  }
  const at::TensorOptions options = states.options().requires_grad(false);
  const at::Tensor sizes = at::zeros({reading.unit_count, 1}, options)
                               .index_add(0, reading.units, at::ones({states.size(0), 1}, options));
  return at::zeros({reading.unit_count, states.size(1)}, options).index_add(0, reading.units, states) / sizes;
}

}  // namespace

bool StateTaps::wants(const QuantityName& name) const {
  if (name.stack() != Stack::encoder || name.reduction() != Reduction::full) {
    return false;
  }
  switch (name.quantity()) {
    case Quantity::embedding:
      return true;
    case Quantity::output:
      return name.part() == Part::none;
    case Quantity::attention:
      // With P = 0 the middle parts of the first layer look at nothing.
      return keep_maps_ && (name.layer() > 1 || name.part() == Part::high || name.part() == Part::full);
    default:
      return false;
  }
}

void StateTaps::rows(const QuantityName& name, const at::Tensor& values) {
  if (name.quantity() == Quantity::output && name.layer() == 0) {
    output_ = values;
  } else {
    states_[static_cast<std::size_t>(name.layer())] = values;
  }
}

void StateTaps::maps(const QuantityName& name, const AttentionPlan& plan, const AttentionGroup&,
                     const at::Tensor& maps) {
  PartMaps& part = maps_[static_cast<std::size_t>(name.layer())];
  const at::Tensor mean = maps.mean(1);
  if (part.groups.size() < plan.groups.size()) {
    part.groups.push_back(mean);
  } else {
    part.groups[part.next] = part.groups[part.next] + mean;
  }
  part.next = (part.next + 1) % plan.groups.size();
  part.count += part.next == 0 ? 1 : 0;
}

std::vector<at::Tensor> StateTaps::mean_maps(std::int64_t layer) const {
  const PartMaps& part = maps_[static_cast<std::size_t>(layer)];
  std::vector<at::Tensor> means = part.groups;
  for (at::Tensor& mean : means) {
    mean = part.count > 1 ? mean / static_cast<double>(part.count) : mean;
  }
  return means;
}

DistillationTerms distillation_terms(const Reading& student, const Reading& teacher,
                                     const model::LossWeights& losses, model::StateLoss state_loss) {
  const std::int64_t layers = student.config.layers;
  const std::int64_t theirs = teacher.config.layers;
  const at::Tensor& last =
      student.taps.output().defined() ? student.taps.output() : student.taps.state(layers);
  DistillationTerms terms;
  const auto add = [&](const char* name, double factor, const at::Tensor& value) {
    terms.values[name] = value.item<double>();
    terms.total = terms.total.defined() ? terms.total + factor * value : factor * value;
  };
  const auto difference = [&](const at::Tensor& ours, const at::Tensor& other) {
    return state_difference(unit_means(ours, student), unit_means(other, teacher), state_loss);
  };
  if (losses.hidden > 0.0) {
    at::Tensor sum;
    for (std::int64_t layer = 1; layer <= layers; ++layer) {
      const at::Tensor part =
          difference(student.taps.state(layer), teacher.taps.state((layer * theirs + layers - 1) / layers));
      sum = sum.defined() ? sum + part : part;
    }
    add("hidden", losses.hidden, sum / static_cast<double>(layers));
  }
  if (losses.last > 0.0) {
    add("last", losses.last, difference(last, teacher.taps.output()));
  }
  if (losses.attention > 0.0) {
    add("attention", losses.attention,
        attention_loss(student.taps, teacher.taps, layers, theirs, student.input));
  }
  if (losses.sentence > 0.0) {
    add("sentence", losses.sentence,
        1.0 - at::cosine_similarity(sentence_sums(last, student.input),
                                    sentence_sums(teacher.taps.output(), teacher.input), 1)
                  .mean());
  }
  return terms;
}

SourceStates encode_layerwise(const ForwardContext& student, const PackedInput& input,
                              const StateTaps& teacher) {
  std::optional<GlobalRepresentation> global;
  if (student.config.gret) {
    global.emplace(student, input.source);
  }
  at::Tensor output;
  for (std::int64_t layer = 1; layer <= student.config.encoder.layers; ++layer) {
    output = layer == 1
                 ? encode_layer(student, input, 1, {}, encode_embedding(student, input))
                 : encode_layer(student, input, layer, teacher.state(layer - 2), teacher.state(layer - 1));
    if (global) {
      global->add_layer(layer, output);
    }
  }
  return {output, global ? global->state() : GlobalState{}};
}

}  // namespace mog::engine
