// The weights are one step of the attention grammar, so the flow is the grammar's input read edge by edge. A
// sentence of 60 words and 6 layers has some 60,000 edges, of which a picture can show a few hundred. So
// they are never stored: each walk makes them anew from the maps, O(layers · parts · words²), and keeps what
// is above a threshold.
//
// The threshold that is proposed leaves about two edges a state: nth_element over all weights but the
// carried ones, rounded up to two digits that a person can type. Ways to a state, or from it, are one search
// over the edges that are left, O(edges), so they are ways of strong steps only: a way of many weak ones is
// not shown.
//
// Of a plain layer what is carried beside the attention is not part of the maps. It is taken from recorded
// splits or pseudo-gates where all layers have them, else assumed to be one half, and the caption says
// which.
//
// Traps: weights are compared as float32 for the threshold and as doubles for the edges; rounding up lies
// between. Words are numbered as the grammar numbers them.
#include "analysis/figure_data/information_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/figure_data/builders.h"
#include "analysis/statistics/table.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::int64_t kEdgesAState = 2;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// The second of two significant digits, upwards: a threshold that a person can type.
double round_up(double value) {
  if (!(value > 0)) {
    return 0;
  }
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  const double steps = std::ceil(value / unit - 1e-9);
  // Division by a whole power of ten is exact to the last digit, a product with 0.001 is not.
  return unit < 1 ? steps / std::round(1 / unit) : steps * unit;
}

// Which rows a state of `kind` with some layers has between input and output.
std::int64_t rows_a_layer(GrammarKind kind) {
  return kind == GrammarKind::two_directions ? 3 : 1;
}

}  // namespace

FlowState parse_flow_state(const std::string& text, bool descendants) {
  FlowState state;
  state.descendants = descendants;
  const std::size_t sign = text.find('@');
  const std::size_t colon = text.find(':');
  const auto number = [&](std::size_t begin, std::size_t end, std::int64_t least) {
    std::int64_t value = -1;
    const char* const last = text.data() + std::min(end, text.size());
    const auto [stop, error] = std::from_chars(text.data() + std::min(begin, text.size()), last, value);
    if (sign == std::string::npos || error != std::errc() || stop != last || value < least) {
      throw UsageError(fmt::format(
          "a state of the information flow: expected WORD@LAYER, words from 1, layer 0 the input, "
          "for example 4@2 or 4@2:forward, found \"{}\"",
          text));
    }
    return value;
  };
  state.word = number(0, sign, 1) - 1;
  state.layer = number(sign + 1, colon, 0);
  if (colon != std::string::npos) {
    state.part = Part::parse(text.substr(colon + 1));
  }
  return state;
}

std::string flow_state_text(const FlowState& state) {
  return fmt::format("{}@{}{}", state.word + 1, state.layer,
                     state.part == Part::none ? std::string() : fmt::format(":{}", mog::name(state.part)));
}

InformationFlow::InformationFlow(const RecordingSource& source, std::int64_t index,
                                 const WordGrammarOptions& grammar)
    : model_(source.header().model), corpus_(source.header().provenance.corpus_name) {
  WordGrammar built = build_word_grammar(source, index, grammar);
  input_ = std::move(built.input);
  choices_ = built.choices;
  directions_ = source.header().stack().directions();
  std::stable_partition(directions_.begin(), directions_.end(), [](const DirectionParts& direction) {
    return !direction.state.description().backward;
  });
  validate(input_);
  const Sentence sentence = source.sentence(index);
  sentence_ = sentence.number;
  word_of_token_ = std::move(built.word_of_token);
  const auto choice = [&](std::string_view key) {
    const auto found = std::find_if(built.choices.begin(), built.choices.end(),
                                    [&](const auto& one) { return one.first == key; });
    return found == built.choices.end() ? std::string() : found->second;
  };
  if (is_recurrent(input_.kind)) {
    weights_ = "carried from the step before 1 − z, taken from it z·σ, from the layer below z·(1 − σ)";
    if (input_.kind == GrammarKind::two_directions) {
      weights_ += "; a joined state: the shares of the directions";
    }
  } else if (input_.kind == GrammarKind::order_groups) {
    weights_ = fmt::format("carried 1 − g, parts g·π·A (g: {}, π: {})", choice("gate"), choice("pi"));
  } else if (grammar.rho) {
    weights_ = fmt::format("carried ρ = {}, attention (1 − ρ)·A", shortest(*grammar.rho));
  } else {
    read_carried_shares(source, index);
  }
  if (!is_recurrent(input_.kind)) {
    const std::string heads = choice("heads");
    weights_ += heads == "uniform" ? "; A: mean over heads" : "; A: heads " + heads;
  }
  double maps = 0;
  for (const auto& layer : built.dropped) {
    for (const std::vector<double>& map : layer) {
      for (const double mass : map) {
        dropped_ += mass;
        maps += 1;
      }
    }
  }
  dropped_ = maps > 0 ? dropped_ / maps : 0;
  make_rows();
  measure();
}

void InformationFlow::make_rows() {
  rows_.push_back({"input", 0, Part::none});
  for (std::int64_t layer = 1; layer <= input_.layers; ++layer) {
    if (input_.kind == GrammarKind::two_directions) {
      for (const Part direction : input_.joins) {
        rows_.push_back({fmt::format("{} {}", layer, direction.label()), layer, direction});
      }
    }
    rows_.push_back({fmt::format("layer {}", layer), layer, Part::none});
  }
}

// How much of a word a plain layer carries on beside what it attends to.
void InformationFlow::read_carried_shares(const RecordingSource& source, std::int64_t index) {
  const Stack stack = source.header().stack().stack;
  const auto name_of = [stack](std::int64_t layer, bool split) {
    return split ? QuantityName(stack, layer, Part::none, Quantity::split, Reduction::norm)
                 : QuantityName(stack, layer, Part::none, Quantity::pseudo_gate, Reduction::proximity);
  };
  const auto recorded = [&](bool split) {
    for (std::int64_t layer = 1; layer <= input_.layers; ++layer) {
      if (source.header().find(name_of(layer, split)) == nullptr) {
        return false;
      }
    }
    return true;
  };
  const bool split = recorded(true);
  if (!split && !recorded(false)) {
    weights_ = "carried ρ = 1/2 (assumed), attention (1 − ρ)·A";
    return;
  }
  std::vector<std::int64_t> word_of_piece;
  for (const std::int64_t word : word_of_token_) {
    word_of_piece.push_back(word + 1);
  }
  // split.norm: carried, attention, …; pseudo_gate: low (carried and what pp gives), mid, high, base, …
  const std::size_t shared = split ? 2 : 4;
  for (std::int64_t layer = 1; layer <= input_.layers; ++layer) {
    const HostTensor tensor = source.read(index, name_of(layer, split));
    const std::vector<float> values = tensor.to_floats();
    const std::size_t width = values.size() / std::max<std::size_t>(1, word_of_piece.size());
    std::vector<double> share;
    for (std::size_t piece = 0; piece < word_of_piece.size() && width >= shared; ++piece) {
      double sum = 0;
      for (std::size_t entry = 0; entry < shared; ++entry) {
        sum += std::max(0.0, static_cast<double>(values[piece * width + entry]));
      }
      const double carried = std::max(0.0, static_cast<double>(values[piece * width]));
      share.push_back(sum > 0 && std::isfinite(sum) ? carried / sum : 0.5);
    }
    input_.rho[at(layer - 1)] = merge_values(share, 1, word_of_piece, words());
  }
  weights_ = split ? "carried ρ: its norm beside that of attention (split.norm), attention (1 − ρ)·A"
                   : "carried ρ: low order of the pseudo-gate beside mid, high and base, attention (1 − ρ)·A";
}

void InformationFlow::measure() {
  std::vector<float> weights;
  for_each_edge([&](const FlowEdge& edge) {
    ++edge_count_;
    if (!edge.carried) {
      weights.push_back(static_cast<float>(edge.weight));
    }
  });
  const auto wanted = static_cast<std::size_t>(
      std::min(kEdgesAState * words() * input_.layers * rows_a_layer(input_.kind), FlowOptions{}.at_most));
  if (weights.size() <= wanted) {
    return;
  }
  const auto place = weights.begin() + static_cast<std::ptrdiff_t>(wanted);
  std::nth_element(weights.begin(), place, weights.end(), std::greater<>());
  automatic_threshold_ = round_up(static_cast<double>(*place));
}

std::int64_t InformationFlow::token_of(std::int64_t word) const {
  const auto found = std::find(word_of_token_.begin(), word_of_token_.end(), word);
  return found == word_of_token_.end() ? -1 : found - word_of_token_.begin();
}

std::int64_t InformationFlow::row_of(const FlowState& state) const {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].layer == state.layer && rows_[row].part == state.part && state.word >= 0 &&
        state.word < words()) {
      return static_cast<std::int64_t>(row);
    }
  }
  throw UsageError(fmt::format(
      "the information flow has no state {}: there are {} words and {} layers{}", flow_state_text(state),
      words(), input_.layers,
      input_.kind == GrammarKind::two_directions
          ? fmt::format(" (parts {}, {} and joined)", mog::name(input_.joins[0]), mog::name(input_.joins[1]))
          : ""));
}

std::vector<FlowEdge> InformationFlow::strong_edges(double threshold) const {
  std::vector<FlowEdge> edges;
  for_each_edge([&](const FlowEdge& edge) {
    if (edge.weight >= threshold) {
      edges.push_back(edge);
    }
  });
  return edges;
}

namespace {

// Edges on the ways to a state, or from it.
std::vector<FlowEdge> relatives_of(const std::vector<FlowEdge>& edges, const FlowFigure& figure,
                                   std::int64_t state, bool descendants) {
  std::vector<std::vector<std::size_t>> touching(figure.rows.size() * figure.words.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const FlowEdge& edge = edges[i];
    touching[at(descendants ? figure.node(edge.from_row, edge.from_word)
                            : figure.node(edge.to_row, edge.to_word))]
        .push_back(i);
  }
  std::vector<char> kept(edges.size(), 0);
  std::vector<char> seen(touching.size(), 0);
  std::vector<std::int64_t> open = {state};
  seen[at(state)] = 1;
  while (!open.empty()) {
    const std::int64_t node = open.back();
    open.pop_back();
    for (const std::size_t i : touching[at(node)]) {
      kept[i] = 1;
      const FlowEdge& edge = edges[i];
      const std::int64_t next =
          descendants ? figure.node(edge.to_row, edge.to_word) : figure.node(edge.from_row, edge.from_word);
      if (seen[at(next)] == 0) {
        seen[at(next)] = 1;
        open.push_back(next);
      }
    }
  }
  std::vector<FlowEdge> result;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (kept[i] != 0) {
      result.push_back(edges[i]);
    }
  }
  return result;
}

// The strongest, in their order; of equal ones the first. True when some were left out.
bool keep_strongest(std::vector<FlowEdge>& edges, std::int64_t at_most) {
  if (static_cast<std::int64_t>(edges.size()) <= at_most) {
    return false;
  }
  std::vector<std::size_t> order(edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(at_most);
  std::nth_element(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
    return edges[a].weight != edges[b].weight ? edges[a].weight > edges[b].weight : a < b;
  });
  std::sort(order.begin(), end);
  std::vector<FlowEdge> strongest;
  for (auto place = order.begin(); place != end; ++place) {
    strongest.push_back(edges[*place]);
  }
  edges = std::move(strongest);
  return true;
}

}  // namespace

FigureData InformationFlow::figure(const FlowOptions& options) const {
  FlowFigure flow;
  for (std::size_t word = 0; word < input_.words.size(); ++word) {
    flow.words.push_back({input_.words[word], false, -1});
  }
  flow.rows = rows_;
  const double threshold = options.threshold.value_or(automatic_threshold_);
  flow.edges = strong_edges(threshold);
  FigureData figure;
  figure.title = threshold > 0 ? fmt::format("Information flow of at least {}", shortest(threshold))
                               : std::string("Information flow");
  if (options.state) {
    const std::int64_t row = row_of(*options.state);
    flow.state = flow.node(row, options.state->word);
    flow.edges = relatives_of(flow.edges, flow, *flow.state, options.state->descendants);
    figure.title +=
        fmt::format(", {} “{}” (word {}), {}", options.state->descendants ? "out of" : "into",
                    input_.words[at(options.state->word)], options.state->word + 1, rows_[at(row)].label);
  }
  const bool cut = keep_strongest(flow.edges, options.at_most);
  double greatest = 0;
  for (const FlowEdge& edge : flow.edges) {
    greatest = std::max(greatest, edge.weight);
  }
  flow.weight_of_full_width = greatest > 0 ? greatest : 1;
  flow.weight = {"weight of a step", "", weights_};
  std::string n = fmt::format("sentence {}, {} of {} edges{}", sentence_, flow.edges.size(), edge_count_,
                              cut ? " (the strongest)" : "");
  if (dropped_ > 0.0005) {
    n += fmt::format(", attention to special tokens left out ({:.0f} %)", 100 * dropped_);
  }
  figure.caption = caption(
      model_, corpus_, n,
      "summary: one step of the attention grammar" + (options.grammar.empty() ? "" : ": " + options.grammar));
  figure.body = std::move(flow);
  return figure;
}

std::vector<TreeFlow> strongest_keys(const InformationFlow& flow, std::size_t each) {
  std::vector<TreeFlow> result;
  if (flow.recurrent()) {
    return result;
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::map<std::int64_t, double>> keys;  // of a state
  flow.for_each_edge([&](const FlowEdge& edge) {
    if (!edge.carried && edge.from_word != edge.to_word) {
      keys[{flow.rows()[static_cast<std::size_t>(edge.to_row)].layer, edge.to_word}][edge.from_word] +=
          edge.weight;
    }
  });
  for (const auto& [state, weights] : keys) {
    std::vector<TreeFlow> of_state;
    for (const auto& [key, weight] : weights) {
      of_state.push_back({state.first, state.second, key, weight});
    }
    std::stable_sort(of_state.begin(), of_state.end(),
                     [](const TreeFlow& a, const TreeFlow& b) { return a.weight > b.weight; });
    of_state.resize(std::min(of_state.size(), each));
    result.insert(result.end(), of_state.begin(), of_state.end());
  }
  return result;
}

}  // namespace mog::analysis
