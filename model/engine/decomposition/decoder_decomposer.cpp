// Sentences of a batch share the encoder's groups of equal length, whose propagation comes in tiles of
// sources: each tile goes on through the decoder of its sentences at once, so that [S, source, d_model] of a
// sentence is never there as a whole. Decoder inputs and the positions of the encoder's output make tiles of
// their own. Patterns of the decoder come padded by groups and are kept as views of them.
#include "model/engine/decomposition/decoder_decomposer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/engine/decomposition/decoder_alti.h"

namespace mog::engine {
namespace {

bool needs(const QuantityName& name) {
  if (name.reduction() != Reduction::full) {
    return false;
  }
  if (name.layer() == 0) {
    return name.quantity() == Quantity::output &&
           (name.stack() == Stack::encoder || name.stack() == Stack::decoder);
  }
  return name.stack() == Stack::decoder &&
         (name.quantity() == Quantity::input || name.quantity() == Quantity::output ||
          name.quantity() == Quantity::attention);
}

// [source, rows, d_model], each source with its own row of `rows` [rows, d_model], sources [first, first +
// count); `more` sources of zeros behind them.
at::Tensor apart(const at::Tensor& rows, std::int64_t first, std::int64_t count, std::int64_t more) {
  at::Tensor vectors = at::zeros({count + more, rows.size(0), rows.size(1)}, rows.options());
  vectors.narrow(0, 0, count)
      .narrow(1, first, count)
      .diagonal(0, 0, 1)
      .copy_(rows.narrow(0, first, count).t());
  return vectors;
}

at::Tensor no_states(std::int64_t sources, const at::Tensor& states) {
  return at::zeros({sources, states.size(0), states.size(1)}, states.options());
}

}  // namespace

DecoderDecomposer::DecoderDecomposer(const model::ModelConfig& config, const Weights& weights,
                                     const PackedInput& input, Observation& observation, Taps& inner,
                                     Decomposer* encoder, std::span<model::Observer* const> observers)
    : config_(config),
      weights_(weights),
      input_(input),
      observation_(observation),
      inner_(inner),
      encoder_(encoder),
      identities_(observers, weights.dtype()),
      results_(observation),
      checks_(identities_),
      layers_(static_cast<std::size_t>(config.decoder->layers)) {
  if (encoder_ != nullptr) {
    encoder_->keep_for_decoder(asks(Quantity::contribution), asks(Quantity::alti));
  }
}

// Of the decoder; with a check everything.
bool DecoderDecomposer::asks(Quantity quantity) const {
  return !checks_.empty() || observation_.wants_quantity(Stack::decoder, quantity);
}

bool DecoderDecomposer::wants(const QuantityName& name) const {
  return needs(name) || inner_.wants(name);
}

DecoderDecomposer::Layer& DecoderDecomposer::layer(const QuantityName& name) {
  return layers_.at(static_cast<std::size_t>(name.layer()) - 1);
}

void DecoderDecomposer::rows(const QuantityName& name, const at::Tensor& values) {
  if (inner_.wants(name)) {
    inner_.rows(name, values);
  }
  if (!needs(name)) {
    return;
  }
  if (name.layer() == 0) {
    (name.stack() == Stack::encoder ? memory_ : output_) = values;
  } else {
    (name.quantity() == Quantity::input ? layer(name).input : layer(name).output) = values;
  }
}

void DecoderDecomposer::maps(const QuantityName& name, const AttentionPlan& plan, const AttentionGroup& group,
                             const at::Tensor& maps) {
  if (inner_.wants(name)) {
    inner_.maps(name, plan, group, maps);
  }
  if (!needs(name)) {
    return;
  }
  std::vector<at::Tensor>& own = name.part() == Part::self ? layer(name).self : layer(name).cross;
  for (std::int64_t i = 0; i < group.sentences; ++i) {
    const auto at = static_cast<std::size_t>(group.first_sentence + i);
    own.push_back(maps[i]
                      .narrow(1, 0, plan.query_offsets[at + 1] - plan.query_offsets[at])
                      .narrow(2, 0, plan.key_offsets[at + 1] - plan.key_offsets[at]));
  }
}

void DecoderDecomposer::flush() {
  inner_.flush();
  if (output_.defined()) {
    finish();
    output_ = at::Tensor();
  }
}

DecoderDecomposer::Run DecoderDecomposer::run_of(std::int64_t sentence) const {
  const auto at = static_cast<std::size_t>(sentence);
  const auto of = [at](const std::vector<std::int64_t>& offsets, const at::Tensor& rows) {
    return rows.narrow(0, offsets[at], offsets[at + 1] - offsets[at]);
  };
  const at::Tensor memory = of(input_.source.offsets, memory_);
  std::vector<DecoderLayerTrace> traces;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& own = layers_[i];
    traces.push_back(trace_layer(*config_.decoder, weights_.decoder_layers[i],
                                 {of(input_.target->offsets, own.input), own.self[at], own.cross[at],
                                  of(input_.target->offsets, own.output)},
                                 memory));
  }
  std::optional<FrozenNorm> final;
  if (config_.decoder->ends_with_norm()) {
    final.emplace(weights_.decoder.final_norm, traces.back().shown.output);
  }
  ContextVectors::Sentence facts;
  facts.number = sentence;
  facts.sources = memory.size(0);
  facts.output = of(input_.target->offsets, output_);
  for (const DecoderLayerTrace& trace : traces) {
    facts.outputs.push_back(trace.shown.output);
  }
  const at::Tensor read = of(input_.target->offsets, input_.target->ids);
  const at::Tensor next =
      at::cat({read.narrow(0, 1, read.size(0) - 1), at::full({1}, config_.eos_id, read.options())});
  facts.next_rows = weights_.output_projection.index_select(0, next);
  if (weights_.output_bias.defined()) {
    facts.next_bias = weights_.output_bias.index_select(0, next);
  }
  return {sentence, memory, DecoderPropagation(std::move(traces), std::move(final)), std::move(facts)};
}

void DecoderDecomposer::finish() {
  const bool tokens = encoder_ != nullptr && asks(Quantity::contribution);
  const bool positions = asks(Quantity::memory_contribution);
  const bool near = asks(Quantity::alti) || asks(Quantity::memory_alti);
  const std::vector<AttentionGroup>& groups = input_.source.self_plan.groups;
  for (std::size_t index = 0; index < groups.size(); ++index) {
    std::vector<Run> runs;
    for (std::int64_t i = 0; i < groups[index].sentences; ++i) {
      runs.push_back(run_of(groups[index].first_sentence + i));
    }
    if (tokens) {
      by_token(index, runs);
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (positions) {
        by_position(runs[i]);
      }
      if (near) {
        const bool rolls = encoder_ != nullptr && asks(Quantity::alti);
        alti(runs[i], rolls ? encoder_->rollouts()[index][static_cast<std::int64_t>(i)] : at::Tensor());
      }
    }
  }
  results_.give();
  checks_.tell();
}

void DecoderDecomposer::take_prefix(const Run& run, ContextVectors& vectors) const {
  const at::Tensor& inputs = run.propagation.layers().front().shown.input;
  const std::int64_t tile = run.propagation.tile();
  for (std::int64_t first = 0; first < inputs.size(0); first += tile) {
    const std::int64_t count = std::min(tile, inputs.size(0) - first);
    run.propagation.run(apart(inputs, first, count, 0), {}, /*bias=*/false,
                        [&](std::int64_t layer, const at::Tensor& given) {
                          vectors.take(layer, run.facts.sources + first, given, /*bias=*/false);
                        });
  }
}

void DecoderDecomposer::by_token(std::size_t index, std::span<const Run> runs) {
  std::vector<ContextVectors> kept;
  for (const Run& run : runs) {
    kept.emplace_back(results_, Quantity::contribution, run.facts, !checks_.empty());
  }
  encoder_->propagation().run(
      input_.source.self_plan.groups[index], index,
      [&](std::int64_t layer, const Propagation::Tile& tile, const at::Tensor& vectors) {
        if (layer != 0) {
          return;
        }
        const at::Tensor by_source = vectors.transpose(1, 2);  // [sentences, source, S, d_model]
        const std::int64_t count = by_source.size(1);
        for (std::int64_t i = 0; i < by_source.size(0); ++i) {
          const auto at = static_cast<std::size_t>(tile.sentence + i);
          const Run& run = runs[at];
          const bool bias = tile.source + count == run.facts.sources + 1;
          run.propagation.run(
              no_states(count, run.facts.output), by_source[i].contiguous(), bias,
              [&](std::int64_t to, const at::Tensor& given) { kept[at].take(to, tile.source, given, bias); });
        }
      });
  for (std::size_t i = 0; i < runs.size(); ++i) {
    take_prefix(runs[i], kept[i]);
    kept[i].give(results_, checks_);
  }
}

void DecoderDecomposer::by_position(const Run& run) {
  ContextVectors vectors(results_, Quantity::memory_contribution, run.facts, !checks_.empty());
  const std::int64_t sources = run.facts.sources;
  const std::int64_t tile = run.propagation.tile();
  for (std::int64_t first = 0; first < sources; first += tile) {
    const std::int64_t count = std::min(tile, sources - first);
    const bool bias = first + count == sources;
    const at::Tensor memory = apart(run.memory, first, count, bias ? 1 : 0);
    run.propagation.run(
        no_states(memory.size(0), run.facts.output), memory, bias,
        [&](std::int64_t layer, const at::Tensor& given) { vectors.take(layer, first, given, bias); });
  }
  take_prefix(run, vectors);
  vectors.give(results_, checks_);
}

void DecoderDecomposer::alti(const Run& run, const at::Tensor& encoder) {
  const std::vector<DecoderLayerTrace>& traces = run.propagation.layers();
  const auto joined = [](const ContextShares& shares) { return at::cat({shares.source, shares.prefix}, 1); };
  const auto sides = [](const ContextShares& shares) {
    return at::stack({shares.source.sum(1), shares.prefix.sum(1)}, 1);
  };
  const auto check = [&](const char* identity, std::int64_t layer, const ContextShares& shares) {
    const at::Tensor sum = joined(shares).sum(1);
    checks_.compare(identity, layer, run.sentence, sum, at::ones_like(sum));
  };
  ContextShares by_position = own_inputs(traces.front());
  ContextShares by_token = by_position;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const auto layer = static_cast<std::int64_t>(i) + 1;
    const ContextShares own = alti_of_layer(traces[i], run.memory);
    by_position = rolled(own, by_position, {});
    results_.gather(layer, Quantity::memory_alti, Reduction::full, joined(own));
    results_.gather(layer, Quantity::memory_alti, Reduction::product, joined(by_position));
    check("ALTI+ of a decoder layer", layer, own);
    check("ALTI+ of the decoder", layer, by_position);
    if (encoder.defined()) {
      by_token = rolled(own, by_token, encoder);
      results_.gather(layer, Quantity::alti, Reduction::product, joined(by_token));
      check("ALTI+ of both sides", layer, by_token);
    }
  }
  results_.gather(0, Quantity::memory_alti, Reduction::share, sides(by_position));
  if (encoder.defined()) {
    results_.gather(0, Quantity::alti, Reduction::share, sides(by_token));
  }
}

}  // namespace mog::engine
