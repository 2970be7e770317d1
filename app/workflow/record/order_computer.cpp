// Orders are the only recorded quantity that the engine does not know: they are computed from maps and gates
// of a batch when these arrive, sentence by sentence through a recording in memory, by the same grammar as
// everything that is computed later. Inputs that were not asked for are observed in float32 and dropped
// again.
//
// A sentence costs its grammar, expected leaves, and distributions up to 64 leaves (analysis/mog/orders);
// bins are powers of two, the last takes the rest of the mass. Pieces of a word get the word's values,
// special tokens 0.
//
// Trap: inputs that are recorded as well are observed in float32, too, whatever --store says, and rounded
// afterwards where the header asks for it. Else orders would depend on what is kept beside them.
#include "app/workflow/record/order_computer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/grammar/from_recording.h"
#include "analysis/mog/orders/posteriors.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr std::int64_t kCap = 64;

QuantityName order_name(Stack stack, std::int64_t layer, Reduction reduction) {
  return {stack, layer, Part::none, Quantity::order, reduction};
}

// Whether the grammar of a recurrent stack reads the share of a part: what is taken from the step before, and
// the forward one of two directions.
bool is_step(const StackDescription& stack, Part part) {
  const std::vector<DirectionParts> directions = stack.directions();
  return std::any_of(directions.begin(), directions.end(), [part](const DirectionParts& direction) {
    return part == direction.recurrent ||
           (part != Part::none && part == direction.state && !part.description().backward);
  });
}

// What the attention grammar reads, in float32.
std::vector<QuantitySchema> grammar_inputs(const StackDescription& stack,
                                           std::span<const QuantitySchema> offered) {
  std::vector<QuantitySchema> inputs;
  bool maps = false;
  for (QuantitySchema schema : offered) {
    const QuantityName& name = schema.name;
    if (name.stack() != stack.stack) {
      continue;
    }
    const bool map = name.quantity() == Quantity::attention && name.reduction() == Reduction::mean_heads;
    const bool mean = name.reduction() == Reduction::mean;
    const bool gate = (name.quantity() == Quantity::gate && mean) ||
                      (name.quantity() == Quantity::input_gate && mean) ||
                      (name.quantity() == Quantity::forget_gate && mean) ||
                      (name.quantity() == Quantity::self_gate && name.reduction() == Reduction::full);
    // Of a recurrent encoder: in the place of maps. Of two directions also the forward one's share.
    const bool step = name.reduction() == Reduction::share && is_step(stack, name.part());
    if (map || gate || step) {
      maps = maps || map || step;
      schema.dtype = DType::float32;
      inputs.push_back(std::move(schema));
    }
  }
  if (!maps) {
    throw UsageError(
        "--capture orders: the model offers no attention maps averaged over heads, from which "
        "orders are computed");
  }
  return inputs;
}

std::size_t order_bin(std::size_t leaves) {
  std::size_t bin = 0;
  for (std::size_t last = 1; last < leaves; last *= 2) {
    ++bin;
  }
  return std::min<std::size_t>(bin, kOrderBins - 1);
}

// Values of one sentence: [layer] -> [token], and [layer] -> [token, bin].
struct SentenceOrders {
  std::map<std::int64_t, std::vector<float>> mean;
  std::map<std::int64_t, std::vector<float>> masses;
};

SentenceOrders orders_of(const RecordingSource& source, std::span<const std::int64_t> layers) {
  SentenceOrders orders;
  const Sentence sentence = source.sentence(0);
  for (const std::int64_t layer : layers) {
    orders.mean[layer].assign(sentence.tokens.size(), 0.0F);
    orders.masses[layer].assign(sentence.tokens.size() * kOrderBins, 0.0F);
  }
  const bool any_word = std::any_of(sentence.tokens.begin(), sentence.tokens.end(),
                                    [](const Token& token) { return token.word >= 0; });
  if (!any_word) {
    return orders;
  }
  analysis::WordGrammar built = analysis::build_word_grammar(source, 0);
  const analysis::AttentionGrammar grammar(std::move(built.input));
  const std::vector<double> leaves = analysis::expected_leaves(grammar);
  const analysis::LeavesDistributions distributions = analysis::leaves_distributions(grammar, kCap);
  for (std::size_t t = 0; t < sentence.tokens.size(); ++t) {
    const std::int64_t word = built.word_of_token[t];
    if (word < 0) {
      continue;
    }
    for (const std::int64_t layer : layers) {
      const auto symbol = grammar.r_symbol(layer, static_cast<std::int32_t>(word));
      orders.mean[layer][t] = static_cast<float>(leaves.at(static_cast<std::size_t>(symbol)));
      const analysis::LeavesDistribution& distribution =
          distributions.words.at(static_cast<std::size_t>(layer - 1)).at(static_cast<std::size_t>(word));
      std::array<double, kOrderBins> bins = {};
      for (std::size_t k = 0; k < distribution.probability.size(); ++k) {
        bins[order_bin(k + 1)] += distribution.probability[k];
      }
      bins.back() += distribution.tail;
      for (std::size_t b = 0; b < bins.size(); ++b) {
        orders.masses[layer][t * kOrderBins + b] = static_cast<float>(bins[b]);
      }
    }
  }
  return orders;
}

}  // namespace

std::vector<QuantitySchema> order_quantities(Stack stack, std::int64_t layer) {
  return {{order_name(stack, layer, Reduction::full),
           {Axis::token, Axis::order},
           {0, kOrderBins},
           DType::float32,
           "probability",
           "probability that a derivation of the word has 1, 2, 3-4, 5-8, 9-16, 17-32, 33-64 or more leaves"},
          {order_name(stack, layer, Reduction::mean),
           {Axis::token},
           {0},
           DType::float32,
           "leaves",
           "expected order with repeats (leaves) under the attention grammar"}};
}

OrderComputer::OrderComputer(RecordingHeader kept, std::span<const QuantitySchema> offered,
                             const CaptureSet& set)
    : inputs_(kept), header_(std::move(kept)) {
  const auto by_name = [](const QuantitySchema& left, const QuantitySchema& right) {
    return left.name < right.name;
  };
  inputs_.quantities = grammar_inputs(header_.stack(), offered);
  observed_ = header_.quantities;
  for (const QuantitySchema& schema : inputs_.quantities) {
    // What is kept and read is kept in float32, as the statistics are.
    const auto same = std::find_if(observed_.begin(), observed_.end(),
                                   [&](const QuantitySchema& entry) { return entry.name == schema.name; });
    if (same == observed_.end()) {
      observed_.push_back(schema);
    } else {
      same->dtype = DType::float32;
    }
  }
  std::sort(observed_.begin(), observed_.end(), by_name);
  for (std::int64_t layer = 1; layer <= header_.stack().layers; ++layer) {
    if (set.keeps_layer(layer)) {
      layers_.push_back(layer);
      for (QuantitySchema& schema : order_quantities(header_.stack().stack, layer)) {
        header_.quantities.push_back(std::move(schema));
      }
    }
  }
  std::sort(header_.quantities.begin(), header_.quantities.end(), by_name);
}

void OrderComputer::add(RecordingBatch& batch) const {
  std::map<QuantityName, HostTensor> given(batch.quantities.begin(), batch.quantities.end());
  std::map<QuantityName, std::int64_t> read;  // elements so far
  std::map<std::int64_t, std::vector<float>> mean;
  std::map<std::int64_t, std::vector<float>> masses;
  for (const Sentence& sentence : batch.sentences) {
    const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
    RecordingBatch one;
    one.sentences = {sentence};
    for (const QuantitySchema& schema : inputs_.quantities) {
      const std::int64_t elements = schema.elements(tokens);
      one.quantities.emplace_back(schema.name,
                                  given.at(schema.name).slice_flat(read[schema.name], {elements}));
      read[schema.name] += elements;
    }
    MemoryRecording source;
    source.begin(inputs_);
    source.write(one);
    const SentenceOrders orders = orders_of(source, layers_);
    for (const std::int64_t layer : layers_) {
      const auto& layer_mean = orders.mean.at(layer);
      const auto& layer_masses = orders.masses.at(layer);
      mean[layer].insert(mean[layer].end(), layer_mean.begin(), layer_mean.end());
      masses[layer].insert(masses[layer].end(), layer_masses.begin(), layer_masses.end());
    }
  }
  const auto flat = [](const std::vector<float>& values) {
    return HostTensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
  };
  batch.quantities.clear();
  for (const QuantitySchema& schema : header_.quantities) {
    if (schema.name.quantity() != Quantity::order) {
      batch.quantities.emplace_back(schema.name, given.at(schema.name));
    } else {
      const bool full = schema.name.reduction() == Reduction::full;
      batch.quantities.emplace_back(schema.name, flat((full ? masses : mean).at(schema.name.layer())));
    }
  }
}

}  // namespace mog::app
