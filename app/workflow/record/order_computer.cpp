// Orders are the only recorded quantity that the engine does not know: they are computed from maps and gates
// by the same grammar as everything that is computed later. Inputs that were not asked for are observed
// beside what is kept, in float32, and dropped again.
//
// A plain Transformer's layer goes on from the orders of the layer below: its map is read when the engine
// shows it, as a grammar of one layer whose words stand for what they derive already. So one map is in
// memory, never those of all layers: a text of 8,192 tokens costs a map in float32 and twice in float64, 1.3
// GB. Elsewhere (parts above one another, steps in time) all layers are one grammar, at the end of the run.
//
// A sentence costs its grammar, expected leaves, and distributions up to 64 leaves (analysis/mog/orders);
// bins are powers of two, the last takes the rest of the mass. Pieces of a word get the word's values,
// special tokens 0.
#include "app/workflow/record/order_computer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "analysis/mog/grammar/attention_grammar.h"
#include "analysis/mog/grammar/from_recording.h"
#include "app/workflow/record/attribution_computer.h"
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

using analysis::AttentionGrammar;
using analysis::LeavesDistribution;
using analysis::WordGrammar;

// One sentence of a run as a source of what a grammar reads; values are shared, not copied.
class OneSentence final : public RecordingSource {
 public:
  using Reading = std::function<HostTensor(const QuantityName&)>;
  OneSentence(const RecordingHeader& header, const Sentence& sentence, Reading read)
      : header_(header), sentence_(sentence), read_(std::move(read)) {}
  const RecordingHeader& header() const override { return header_; }
  std::int64_t size() const override { return 1; }
  Sentence sentence(std::int64_t /*index*/) const override { return sentence_; }
  std::vector<std::int64_t> token_counts() const override { return {std::ssize(sentence_.tokens)}; }
  std::vector<std::int64_t> word_counts() const override { return {std::ssize(sentence_.words)}; }
  HostTensor read(std::int64_t /*index*/, const QuantityName& name) const override { return read_(name); }

 private:
  const RecordingHeader& header_;
  const Sentence& sentence_;
  Reading read_;
};

// Of one layer, whose map the model has just given under that name.
WordGrammar grammar_of(const OneSentence& source, const QuantityName& name) {
  try {
    return analysis::build_word_grammar(source, 0);
  } catch (const FormatError&) {  // which speaks of a recording and of its only layer
    throw ModelError(fmt::format(
        "orders: the rows of {} in sentence {} are no probabilities: what the model computes there is no "
        "number, or not finite; look at its weights and the precision, or leave orders out",
        name.text(), source.sentence(0).number));
  }
}

bool has_words(const Sentence& sentence) {
  return std::any_of(sentence.tokens.begin(), sentence.tokens.end(),
                     [](const Token& token) { return token.word >= 0; });
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
  const StackDescription& stack = header_.stack();
  inputs_.quantities = grammar_inputs(stack, offered);
  if (analysis::rule_set(stack).kind == analysis::GrammarKind::attention) {
    layer_ = inputs_;
    const Part part = analysis::rule_set(stack).joins.front();
    layer_.quantities = {inputs_.quantities.front()};
    layer_.quantities.front().name = {stack.stack, 1, part, Quantity::attention, Reduction::mean_heads};
    for (StackDescription& described : layer_.system.stacks) {
      described.layers = described.stack == stack.stack ? 1 : described.layers;
    }
  }
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
  for (std::int64_t layer = 1; layer <= stack.layers; ++layer) {
    if (set.keeps_layer(layer)) {
      layers_.push_back(layer);
      for (QuantitySchema& schema : order_quantities(stack.stack, layer)) {
        header_.quantities.push_back(std::move(schema));
      }
    }
  }
  std::sort(header_.quantities.begin(), header_.quantities.end(), by_name);
}

std::unique_ptr<OrderPass> OrderComputer::begin(std::span<const Sentence> sentences,
                                                std::stop_token stop) const {
  return std::make_unique<OrderPass>(*this, sentences, std::move(stop));
}

void OrderComputer::add(RecordingBatch& batch) const {
  OrderPass pass(*this, batch.sentences, {});
  for (const QuantitySchema& schema : inputs_.quantities) {  // sorted: layer by layer
    for (const auto& [name, values] : batch.quantities) {
      if (name == schema.name) {
        pass.observe(name, {values, {}});
      }
    }
  }
  pass.finish(batch);
  keep_only(batch, header_);
}

OrderPass::OrderPass(const OrderComputer& computer, std::span<const Sentence> sentences, std::stop_token stop)
    : computer_(computer),
      sentences_(sentences.begin(), sentences.end()),
      stop_(std::move(stop)),
      below_(sentences.size()) {
  std::size_t tokens = 0;
  for (const Sentence& sentence : sentences_) {
    tokens += sentence.tokens.size();
  }
  for (const std::int64_t layer : computer_.layers_) {
    orders_[layer] = {std::vector<float>(tokens, 0.0F), std::vector<float>(tokens * kOrderBins, 0.0F)};
  }
}

std::optional<DType> OrderPass::wants(const QuantityName& name) const {
  return computer_.inputs_.find(name) == nullptr ? std::nullopt : std::optional(DType::float32);
}

bool OrderPass::layer_by_layer() const {
  return !computer_.layer_.quantities.empty();
}

bool OrderPass::observe(const QuantityName& name, const model::PackedValues& values) {
  if (!layer_by_layer()) {
    given_.insert_or_assign(name, values.values);
  } else if (name.quantity() == Quantity::attention) {
    if (name.layer() != ++layers_done_) {
      throw ModelError(
          fmt::format("orders: expected the map of layer {}, found {}", layers_done_, name.text()));
    }
    add_layer(name, values.values);
  }
  return !stop_.stop_requested();
}

void OrderPass::put(std::int64_t layer, std::size_t first_token, std::span<const std::int64_t> word_of_token,
                    const Words& words) {
  const auto kept = orders_.find(layer);
  if (kept == orders_.end()) {
    return;
  }
  for (std::size_t t = 0; t < word_of_token.size(); ++t) {
    if (word_of_token[t] < 0) {
      continue;
    }
    const auto word = static_cast<std::size_t>(word_of_token[t]);
    kept->second.mean[first_token + t] = static_cast<float>(words.mean[word]);
    const LeavesDistribution& masses = words.masses[word];
    std::array<double, kOrderBins> bins = {};
    for (std::size_t k = 0; k < masses.probability.size(); ++k) {
      bins[order_bin(k + 1)] += masses.probability[k];
    }
    bins.back() += masses.tail;
    for (std::size_t b = 0; b < bins.size(); ++b) {
      kept->second.masses[(first_token + t) * kOrderBins + b] = static_cast<float>(bins[b]);
    }
  }
}

// maps: [query, key] of every sentence, one behind another.
void OrderPass::add_layer(const QuantityName& name, const HostTensor& maps) {
  const analysis::SearchControl control{.stop = stop_};
  std::int64_t first = 0;
  std::size_t first_token = 0;
  for (std::size_t s = 0; s < sentences_.size(); ++s) {
    const auto tokens = static_cast<std::int64_t>(sentences_[s].tokens.size());
    HostTensor own = maps.slice_flat(first, {tokens, tokens});
    first += tokens * tokens;
    if (has_words(sentences_[s])) {
      const OneSentence source(computer_.layer_, sentences_[s], [&](const QuantityName&) { return own; });
      WordGrammar built = grammar_of(source, name);
      const AttentionGrammar grammar(std::move(built.input));
      Words& words = below_[s];
      const std::vector<double> leaves = analysis::expected_leaves(grammar, words.mean);
      words.masses =
          std::move(analysis::leaves_distributions(grammar, kCap, control, words.masses).words.front());
      words.mean.assign(leaves.begin() + grammar.r_symbol(1, 0), leaves.begin() + grammar.top_symbol());
      put(layers_done_, first_token, built.word_of_token, words);
    }
    first_token += sentences_[s].tokens.size();
  }
}

void OrderPass::add_all() {
  const analysis::SearchControl control{.stop = stop_};
  std::map<QuantityName, std::int64_t> read;  // elements so far
  std::size_t first_token = 0;
  for (const Sentence& sentence : sentences_) {
    const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
    std::map<QuantityName, HostTensor> own;
    for (const QuantitySchema& schema : computer_.inputs_.quantities) {
      const auto values = given_.find(schema.name);
      if (values == given_.end()) {
        throw ModelError(
            fmt::format("orders need {}: the model offers it but did not give it", schema.name.text()));
      }
      std::int64_t& from = read[schema.name];
      own.emplace(schema.name, values->second.slice_flat(from, schema.shape(tokens)));
      from += schema.elements(tokens);
    }
    if (has_words(sentence)) {
      const OneSentence source(computer_.inputs_, sentence,
                               [&](const QuantityName& name) { return own.at(name); });
      WordGrammar built = analysis::build_word_grammar(source, 0);
      const AttentionGrammar grammar(std::move(built.input));
      const std::vector<double> leaves = analysis::expected_leaves(grammar);
      analysis::LeavesDistributions distributions = analysis::leaves_distributions(grammar, kCap, control);
      for (std::int64_t layer = 1; layer <= grammar.layers(); ++layer) {
        Words words;
        for (std::int32_t word = 0; word < grammar.word_count(); ++word) {
          words.mean.push_back(leaves.at(static_cast<std::size_t>(grammar.r_symbol(layer, word))));
        }
        words.masses = std::move(distributions.words.at(static_cast<std::size_t>(layer - 1)));
        put(layer, first_token, built.word_of_token, words);
      }
    }
    first_token += sentence.tokens.size();
  }
}

void OrderPass::finish(RecordingBatch& batch) {
  if (!layer_by_layer()) {
    add_all();
  } else if (layers_done_ != computer_.header_.stack().layers &&
             std::any_of(sentences_.begin(), sentences_.end(), has_words)) {
    throw ModelError(fmt::format("orders need the maps of {} layers; the model gave {}",
                                 computer_.header_.stack().layers, layers_done_));
  }
  const auto flat = [](const std::vector<float>& values) {
    return HostTensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
  };
  const Stack stack = computer_.header_.stack().stack;
  for (const auto& [layer, values] : orders_) {
    batch.quantities.emplace_back(order_name(stack, layer, Reduction::full), flat(values.masses));
    batch.quantities.emplace_back(order_name(stack, layer, Reduction::mean), flat(values.mean));
  }
}

}  // namespace mog::app
