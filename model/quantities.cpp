// The one list of what the engine can give for a configuration (docs/quantities.md).
#include <algorithm>
#include <array>
#include <utility>

#include "io/recording/system.h"
#include "model/model.h"

namespace mog::model {
namespace {

constexpr std::int64_t kGroups = 4;      // i_h, i_m1, i_m2, i_l
constexpr std::int64_t kDistances = 16;  // 0, 1, 2, 3-4, 5-8, …

class List {
 public:
  explicit List(const ModelConfig& config) : d_(config.encoder.d_model) {}

  void add(const QuantityName& name, std::vector<Axis> axes, std::vector<std::int64_t> extents,
           const char* units, std::string description) {
    schemas_.push_back(
        {name, std::move(axes), std::move(extents), DType::float32, units, std::move(description)});
  }
  // One vector a token. width: of d_model numbers unless it is said.
  void vectors(const QuantityName& name, std::string description, std::int64_t width = 0) {
    const Axis token = name.stack() == Stack::decoder ? Axis::target_token : Axis::token;
    add(name, {token, Axis::d_model}, {0, width > 0 ? width : d_}, "1", std::move(description));
  }
  // Attention patterns and their reductions.
  void attention(const QuantityName& name, std::int64_t heads, Axis query, Axis key, const char* what) {
    add(name, {Axis::head, query, key}, {heads, 0, 0}, "probability",
        std::string("attention pattern of ") + what + "; each row sums to 1");
    add(name.with(Reduction::row_entropy), {Axis::head, query}, {heads, 0}, "nats",
        std::string("entropy of each attention row of ") + what);
    add(name.with(Reduction::row_max), {Axis::head, query}, {heads, 0}, "probability",
        std::string("greatest weight of each attention row of ") + what);
    add(name.with(Reduction::sink), {Axis::head, query}, {heads, 0}, "probability",
        std::string("weight of the first key of each attention row of ") + what);
    if ((query == Axis::query) == (key == Axis::key)) {  // of one text
      add(name.with(Reduction::distance), {Axis::head, query, Axis::distance}, {heads, 0, kDistances},
          "probability", std::string("weights of each attention row of ") + what + " by distance in tokens");
    }
    const std::vector<Axis> ranked = {Axis::head, query, Axis::rank};
    add(name.with(Reduction::top), ranked, {heads, 0, kTopKeys}, "probability",
        std::string("greatest weights of each attention row of ") + what + ", greatest first");
    add(name.with(Reduction::top_key), ranked, {heads, 0, kTopKeys}, "1",
        std::string("keys of the greatest weights of each attention row of ") + what +
            ", counted from 0; -1 where there is none");
    add(name.with(Reduction::mean_heads), {query, key}, {0, 0}, "probability",
        std::string("attention pattern of ") + what + ", averaged over heads");
  }
  // What each head adds to a part of an encoder layer.
  void head_norms(const QuantityName& attention, std::int64_t heads, const char* what) {
    add(attention.with(Reduction::norm), {Axis::head, Axis::query}, {heads, 0}, "1",
        std::string("Euclidean norm of what each head adds to the output of ") + what);
  }
  // What the heads of a part take, `width` numbers side by side.
  void context(const QuantityName& name, std::int64_t width, const char* what) {
    vectors(
        name,
        std::string("what the heads of ") + what + " take of their keys, side by side, before the output map",
        width);
  }
  void part_output(const QuantityName& name, const char* what) {
    vectors(name, std::string(what) + ", after its output map");
    add(name.with(Reduction::norm), {Axis::token}, {0}, "1",
        std::string("Euclidean norm of what ") + what + " contributes to Z");
    add(name.with(Reduction::share), {Axis::token}, {0}, "1",
        std::string("norm of what ") + what + " contributes to Z, divided by the sum over all parts");
  }
  // Of a recurrent layer: `what`, its norm, and its share beside `beside`.
  void compared(const QuantityName& name, std::string_view what, std::string_view beside,
                std::int64_t width) {
    vectors(name, std::string(what), width);
    add(name.with(Reduction::norm), {Axis::token}, {0}, "1", std::string("Euclidean norm of ").append(what));
    add(name.with(Reduction::share), {Axis::token}, {0}, "1",
        std::string("norm of ")
            .append(what)
            .append(", divided by the sum of it and that of ")
            .append(beside));
  }
  std::int64_t d_model() const noexcept { return d_; }
  std::vector<QuantitySchema> take() {
    std::sort(schemas_.begin(), schemas_.end(),
              [](const QuantitySchema& left, const QuantitySchema& right) { return left.name < right.name; });
    return std::move(schemas_);
  }

 private:
  std::int64_t d_;
  std::vector<QuantitySchema> schemas_;
};

void graph_terms(List& list, const QuantityName& name, const EncoderConfig& config) {
  const std::int64_t terms = config.graph_input->form == RelationForm::three_term ? 3 : 2;
  list.add(
      name, {Axis::head, Axis::graph_term, Axis::query, Axis::key}, {config.heads, terms, 0, 0}, "1",
      "terms of the attention scores: content, and relation of query and key in the graph; the pattern is "
      "the softmax of their sum");
  list.add(name.with(Reduction::covariance), {Axis::head, Axis::graph_term}, {config.heads, terms}, "1",
           "share of each term in the variance of the scores; sums to 1");
  list.add(name.with(Reduction::leave_out), {Axis::head, Axis::graph_term}, {config.heads, terms}, "nats",
           "mean over queries of KL(pattern || pattern without the term)");
}

void encoder_layer(List& list, const EncoderConfig& config, std::int64_t layer) {
  const auto name = [&](Part part, Quantity quantity) {
    return QuantityName(Stack::encoder, layer, part, quantity);
  };
  struct PartText {
    Part part;
    const char* attention;
    const char* output;
  };
  constexpr std::array<PartText, 3> kParts = {
      {{Part::high, "the high part (query I, keys I)", "the high part i_h"},
       {Part::middle1, "the first middle part (query I, keys P)", "the first middle part i_m1"},
       {Part::middle2, "the second middle part (query P, keys I)", "the second middle part i_m2"}}};
  const bool groups = config.has_groups(layer);
  list.vectors(name(Part::none, Quantity::input),
               config.graph() ? "full representation F = P + I before the layer" : "input x of the layer");
  if (config.graph()) {
    list.vectors(name(Part::none, Quantity::previous), "previous representation P before the layer");
    list.vectors(name(Part::none, Quantity::incremental), "incremental representation I before the layer");
    for (const PartText& part : kParts) {
      if (groups || part.part == Part::high) {
        list.attention(name(part.part, Quantity::attention), config.heads, Axis::query, Axis::key,
                       part.attention);
        list.head_norms(name(part.part, Quantity::attention), config.heads, part.output);
        list.context(name(part.part, Quantity::context), config.attention_dim, part.output);
        list.part_output(name(part.part, Quantity::output), part.output);
      }
    }
  } else {
    list.attention(name(Part::full, Quantity::attention), config.heads, Axis::query, Axis::key,
                   "the layer's self-attention");
    list.head_norms(name(Part::full, Quantity::attention), config.heads, "the layer's self-attention");
    list.context(name(Part::full, Quantity::context), config.attention_dim, "the layer's self-attention");
    list.part_output(name(Part::full, Quantity::output), "the layer's self-attention");
  }
  if (config.graph_input) {
    graph_terms(list, name(Part::full, Quantity::graph_terms), config);
  }
  if (groups) {
    list.part_output(name(Part::low, Quantity::output), "the low part i_l");
    if (config.fusion == Fusion::weight_gate) {
      const QuantityName gate = name(Part::none, Quantity::gate);
      list.vectors(gate, "weight gate w, in (0, 1): 1 keeps only high and middle, 0 only low order");
      list.add(gate.with(Reduction::mean), {Axis::token}, {0}, "1",
               "weight gate w averaged over dimensions: the weight of high order");
    } else if (config.fusion == Fusion::self_gate) {
      list.add(name(Part::none, Quantity::self_gate), {Axis::token, Axis::group_query, Axis::group_key},
               {0, kGroups, kGroups}, "probability",
               "self gate S; rows and columns i_h, i_m1, i_m2, i_l; each row sums to 1");
    }
  }
  list.vectors(name(Part::none, Quantity::fused),
               config.graph() ? "fused Z of all parts" : "output Z of the attention block");
  list.vectors(name(Part::none, Quantity::attended), config.norm != NormPlace::post
                                                         ? "sum A of input and attention block"
                                                         : "A, after the attention block's layer norm");
  list.vectors(name(Part::none, Quantity::feed_forward),
               "output of the feed-forward block, before the residual sum");
  list.vectors(name(Part::none, Quantity::output),
               config.graph() ? "full representation F' after the layer" : "output x' of the layer");
}

// A gate or state of a recurrent layer; gates with their mean.
void recurrent_vectors(List& list, const QuantityName& name, const std::string& what, bool mean,
                       std::int64_t width) {
  list.vectors(name, what, width);
  if (mean) {
    list.add(name.with(Reduction::mean), {Axis::token}, {0}, "1", what + ", averaged over dimensions");
  }
}

constexpr const char* kGruGate = "share of the new value z, in (0, 1): 0 keeps the state of the step before";
constexpr const char* kLstmGate = "share of the new value i / (i + f), in (0, 1)";

// The gates, states and maps of one direction.
void recurrent_direction(List& list, const EncoderConfig& config, std::int64_t layer,
                         const DirectionParts& parts) {
  const bool lstm = config.kind == EncoderKind::lstm;
  const std::int64_t width = config.hidden_width();
  const bool backward = parts.state == Part::backward;
  const auto name = [&](Part part, Quantity quantity) {
    return QuantityName(Stack::encoder, layer, part, quantity);
  };
  const auto vectors = [&](Quantity quantity, const char* what, bool mean) {
    const std::string of = parts.state == Part::none ? "" : backward ? "backward: " : "forward: ";
    recurrent_vectors(list, name(parts.state, quantity), of + what, mean, width);
  };
  vectors(Quantity::gate, lstm ? kLstmGate : kGruGate, true);
  if (lstm) {
    vectors(Quantity::input_gate, "input gate i", true);
    vectors(Quantity::forget_gate, "forget gate f", true);
    vectors(Quantity::output_gate, "output gate o", true);
  } else {
    vectors(Quantity::reset, "reset gate r", true);
  }
  vectors(Quantity::candidate, "new value before the gates", false);
  if (lstm) {
    vectors(Quantity::cell, "cell state c", false);
  }
  list.add(name(parts.carry, Quantity::carry), {Axis::query, Axis::key}, {0, 0}, "1",
           backward ? "carry weight of each later step (key) in the backward state of a step (query), upper "
                      "triangular; what its row misses to 1 is the weight of the zero start state"
                    : "carry weight of each earlier step (key) in the state of a step (query), lower "
                      "triangular; what its row misses to 1 is the weight of the zero start state");
  const char* const below = "the input W x of the new value";
  const char* const before =
      backward ? "the step after, U h of the new value" : "the step before, U h of the new value";
  list.compared(name(parts.below, Quantity::output), below, before, width);
  list.compared(name(parts.recurrent, Quantity::output), before, below, width);
}

void recurrent_layer(List& list, const EncoderConfig& config, std::int64_t layer) {
  const auto name = [&](Part part, Quantity quantity) {
    return QuantityName(Stack::encoder, layer, part, quantity);
  };
  list.vectors(name(Part::none, Quantity::input), "input x of the layer", config.input_width(layer));
  if (!config.bidirectional) {
    recurrent_direction(list, config, layer, kOnlyDirection);
    list.vectors(name(Part::none, Quantity::output), "state h after the layer");
    return;
  }
  recurrent_direction(list, config, layer, kForward);
  recurrent_direction(list, config, layer, kBackward);
  const std::string gate = config.kind == EncoderKind::lstm ? kLstmGate : kGruGate;
  recurrent_vectors(list, name(Part::none, Quantity::gate),
                    gate + "; the forward half, then the backward half", true, config.d_model);
  const char* const forward = "the forward state after the layer";
  const char* const backward = "the backward state after the layer";
  list.compared(name(Part::forward, Quantity::output), forward, backward, config.hidden_width());
  list.compared(name(Part::backward, Quantity::output), backward, forward, config.hidden_width());
  list.vectors(name(Part::none, Quantity::output),
               "forward and backward state side by side, after the layer");
}

void decoder(List& list, const DecoderConfig& config, std::int64_t vocabulary) {
  for (std::int64_t layer = 1; layer <= config.layers; ++layer) {
    const auto name = [&](Part part, Quantity quantity) {
      return QuantityName(Stack::decoder, layer, part, quantity);
    };
    list.vectors(name(Part::none, Quantity::input), "state before the decoder layer");
    list.attention(name(Part::self, Quantity::attention), config.heads, Axis::target_query, Axis::target_key,
                   "the decoder's self-attention (causal)");
    list.attention(name(Part::cross, Quantity::attention), config.heads, Axis::target_query, Axis::key,
                   "the decoder's attention to the source");
    list.vectors(name(Part::none, Quantity::output), "state after the decoder layer");
  }
  list.vectors({Stack::decoder, 0, Part::none, Quantity::output}, "last state of the decoder");
  list.add({Stack::decoder, 0, Part::none, Quantity::logits}, {Axis::target_token, Axis::vocabulary},
           {0, vocabulary}, "1", "scores of the next target token before the softmax");
}

void global_representation(List& list, const GretConfig& config, std::int64_t layers) {
  const std::int64_t capsules = config.capsules;
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    const auto name = [&](Quantity quantity) {
      return QuantityName(Stack::encoder, layer, Part::none, quantity);
    };
    const QuantityName routing = name(Quantity::routing);
    list.add(
        routing, {Axis::capsule, Axis::token}, {capsules, 0}, "probability",
        config.route_axis == RouteAxis::positions
            ? "weight of each token in each capsule after the last step of routing; each row sums to 1"
            : "weight of each token in each capsule after the last step of routing; each column sums to 1");
    list.add(routing.with(Reduction::row_entropy), {Axis::capsule}, {capsules}, "nats",
             "entropy of each row of the routing weights");
    list.add(name(Quantity::capsules), {Axis::capsule, Axis::d_model}, {capsules, list.d_model()}, "1",
             "capsules u after the last step of routing");
    list.add(name(Quantity::capsules).with(Reduction::norm), {Axis::capsule}, {capsules}, "1",
             "Euclidean norm of each capsule, below 1");
    if (config.pooling == CapsulePooling::attentive) {
      list.add(name(Quantity::pooling), {Axis::capsule}, {capsules}, "probability",
               "weight of each capsule in what the layer gives to the global state; they sum to 1");
    }
  }
  const QuantityName gate(Stack::decoder, 0, Part::none, Quantity::global_gate);
  list.vectors(gate, "gate g, in (0, 1): how much of the global state the last decoder state takes");
  list.add(gate.with(Reduction::mean), {Axis::target_token}, {0}, "1",
           "gate g of the global state, averaged over dimensions");
}

void pair_scores(List& list, const GraphConfig& graph) {
  for (const PairHead& head : pair_heads(graph)) {
    std::vector<Axis> axes = {Axis::query, Axis::key};
    std::vector<std::int64_t> extents = {0, 0};
    if (head.classes > 0) {
      axes.insert(axes.begin(), Axis::tag);
      extents.insert(extents.begin(), head.classes);
    }
    list.add(QuantityName::pair_scores(head.name), std::move(axes), std::move(extents), "1",
             head.classes > 0 ? "scores of each label for query and key before the softmax over labels"
                              : "scores of each key for the query before the softmax over keys");
  }
}

// What follows each token by the last states (layer 0), or by those of a layer through the last norm.
void next_tokens(List& list, const ModelConfig& config, std::int64_t layer) {
  const QuantityName name(Stack::encoder, layer, Part::none, Quantity::next_token);
  const std::string by = layer == 0 ? "" : ", by the states of the layer through the last norm (logit lens)";
  list.add(name, {Axis::token, Axis::vocabulary}, {0, config.next_token_rows()}, "1",
           "scores of what follows each token before the softmax" + by);
  list.add(name.with(Reduction::surprisal), {Axis::token}, {0}, "nats",
           "surprisal of each token after those before it; the first has none, NaN" + by);
  list.add(name.with(Reduction::rank), {Axis::token}, {0}, "1",
           "rank of each token among all after those before it, from 1; the first has none, NaN" + by);
  list.add(name.with(Reduction::entropy), {Axis::token}, {0}, "nats",
           "entropy of what is predicted behind each token" + by);
  list.add(name.with(Reduction::best), {Axis::token, Axis::rank}, {0, best_tokens(config)}, "1",
           "ids of the most probable tokens behind each token" + by);
  list.add(name.with(Reduction::best_probability), {Axis::token, Axis::rank}, {0, best_tokens(config)},
           "probability", "probabilities of the most probable tokens behind each token" + by);
}

}  // namespace

std::int64_t best_tokens(const ModelConfig& config) {
  constexpr std::int64_t kBest = 10;
  return std::min(kBest, config.next_token_rows());
}

std::vector<QuantitySchema> quantities(const ModelConfig& config) {
  List list(config);
  list.add({Stack::encoder, 0, Part::none, Quantity::embedding}, {Axis::token, Axis::d_model},
           {0, config.encoder.recurrent() ? config.encoder.embedding_width() : config.encoder.d_model}, "1",
           "scaled embedding plus position: input of layer 1");
  if (config.encoder.graph_input) {
    list.add({Stack::encoder, 0, Part::none, Quantity::graph}, {Axis::query, Axis::key}, {0, 0}, "1",
             "relation of query and key in the graph that the encoder reads; 0 is none");
  }
  for (std::int64_t layer = 1; layer <= config.encoder.layers; ++layer) {
    if (config.encoder.recurrent()) {
      recurrent_layer(list, config.encoder, layer);
    } else {
      encoder_layer(list, config.encoder, layer);
    }
  }
  list.vectors({Stack::encoder, 0, Part::none, Quantity::output}, "output of the encoder");
  if (config.language_model) {
    for (std::int64_t layer = 0; layer <= config.encoder.layers; ++layer) {
      next_tokens(list, config, layer);
    }
  }
  if (config.decoder) {
    decoder(list, *config.decoder, config.target_vocab_size);
  }
  if (config.gret) {
    global_representation(list, *config.gret, config.encoder.layers);
  }
  for (const auto& [task, tags] : config.tasks) {
    list.add({Stack::heads, 0, Part::none, Quantity::logits, Reduction::full, task}, {Axis::token, Axis::tag},
             {0, static_cast<std::int64_t>(tags.size())}, "1", "tag scores of the task before the softmax");
  }
  if (config.graph) {
    pair_scores(list, *config.graph);
  }
  return list.take();
}

}  // namespace mog::model
