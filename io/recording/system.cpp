#include "io/recording/system.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "io/recording/errors.h"
#include "io/recording/named_values.h"

namespace mog {
namespace {

constexpr std::array kInputs = {std::pair{StackInput::sentence, std::string_view("sentence")},
                                std::pair{StackInput::target, std::string_view("target")}};
constexpr std::array kGates = {std::pair{GateKind::none, std::string_view("none")},
                               std::pair{GateKind::weight, std::string_view("weight")},
                               std::pair{GateKind::self, std::string_view("self")},
                               std::pair{GateKind::update, std::string_view("update")},
                               std::pair{GateKind::input_forget, std::string_view("input_forget")}};

template <class Table>
auto parse_in(const Table& table, std::string_view text, std::string_view what) {
  const auto found = find_in(table, text);
  if (!found) {
    throw UsageError(fmt::format("\"{}\" is no {}; use {}", text, what, fmt::join(names_in(table), ", ")));
  }
  return *found;
}

StackDescription graph_transformer(const ModelCard& card) {
  return {.stack = Stack::encoder,
          .label = "Graph-Transformer",
          .gate = card.fusion == "weight_gate" ? GateKind::weight
                  : card.fusion == "self_gate" ? GateKind::self
                                               : GateKind::none,
          .plain_first_layer = card.first_layer == "plain",
          .parts = {Part::high, Part::middle1, Part::middle2, Part::low}};
}

StackDescription recurrent(const ModelCard& card) {
  const bool lstm = card.encoder_kind == "lstm";
  StackDescription stack{
      .stack = Stack::encoder,
      .label = fmt::format("{}{}", card.bidirectional ? "bidirectional " : "", lstm ? "LSTM" : "GRU"),
      .causal = !card.bidirectional,
      .gate = lstm ? GateKind::input_forget : GateKind::update};
  if (card.bidirectional) {
    stack.parts = {Part::forward,  Part::forward_below,  Part::forward_recurrent,
                   Part::backward, Part::backward_below, Part::backward_recurrent};
  } else {
    stack.parts = {Part::below, Part::recurrent};
  }
  return stack;
}

// From what was recorded alone.
StackDescription unknown_kind(const std::vector<QuantityName>& quantities) {
  const auto holds = [&](const auto& what) {
    return std::any_of(quantities.begin(), quantities.end(), [&](const QuantityName& name) {
      return name.stack() == Stack::encoder && what(name);
    });
  };
  const bool graph = holds([](const QuantityName& name) { return name.part() == Part::high; });
  if (!graph) {
    return {.stack = Stack::encoder, .label = "Transformer", .parts = {Part::full}};
  }
  const bool self = holds([](const QuantityName& name) { return name.quantity() == Quantity::self_gate; });
  ModelCard card;
  card.fusion = self ? "self_gate" : "weight_gate";
  return graph_transformer(card);
}

}  // namespace

std::string_view name(StackInput input) noexcept {
  return name_in(kInputs, input);
}
std::string_view name(GateKind gate) noexcept {
  return name_in(kGates, gate);
}
StackInput parse_stack_input(std::string_view text) {
  return parse_in(kInputs, text, "input of a stack");
}
GateKind parse_gate_kind(std::string_view text) {
  return parse_in(kGates, text, "kind of gate");
}

bool StackDescription::has(PartRole role) const noexcept {
  return std::any_of(parts.begin(), parts.end(), [role](Part part) { return part.role() == role; });
}

bool StackDescription::has_groups() const noexcept {
  return std::any_of(parts.begin(), parts.end(), [](Part part) {
    return part.attends() && part.description().query != PartState::whole;
  });
}

std::vector<Part> StackDescription::with(PartRole role) const {
  std::vector<Part> result;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(result),
               [role](Part part) { return part.role() == role; });
  return result;
}

std::vector<Part> StackDescription::parts_of(std::int64_t layer) const {
  if (!plain_first_layer || layer != 1) {
    return parts;
  }
  std::vector<Part> attending = with(PartRole::attention);
  attending.resize(std::min<std::size_t>(attending.size(), 1));
  return attending;
}

Part StackDescription::carried() const noexcept {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [](Part part) { return part.role() == PartRole::carried; });
  return found == parts.end() ? Part::none : *found;
}

std::vector<DirectionParts> StackDescription::directions() const {
  std::vector<DirectionParts> result;
  for (const Part recurrence : with(PartRole::recurrence)) {
    const std::string& direction = recurrence.description().direction;
    DirectionParts parts_of{.carry = recurrence, .recurrent = recurrence};
    for (const Part part : parts) {
      const PartDescription& about = part.description();
      if (about.role == PartRole::input && about.direction == direction) {
        parts_of.below = part;
      } else if (about.role == PartRole::direction && about.name == direction) {
        parts_of.state = part;
        parts_of.carry = part;
      }
    }
    result.push_back(parts_of);
  }
  return result;
}

const StackDescription* SystemDescription::find(Stack stack) const noexcept {
  const auto found = std::find_if(stacks.begin(), stacks.end(),
                                  [stack](const StackDescription& entry) { return entry.stack == stack; });
  return found == stacks.end() ? nullptr : &*found;
}

const StackDescription& SystemDescription::main() const noexcept {
  static const StackDescription none;
  const auto found = std::find_if(stacks.begin(), stacks.end(), [](const StackDescription& entry) {
    return entry.input == StackInput::sentence;
  });
  return found == stacks.end() ? none : *found;
}

bool operator==(const SystemDescription& left, const SystemDescription& right) {
  const auto same_part = [](Part a, Part b) { return a.description() == b.description(); };
  const auto same = [&](const StackDescription& a, const StackDescription& b) {
    return a.stack == b.stack && a.label == b.label && a.input == b.input && a.causal == b.causal &&
           a.layers == b.layers && a.heads == b.heads && a.gate == b.gate &&
           a.plain_first_layer == b.plain_first_layer &&
           std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(), same_part);
  };
  return std::equal(left.stacks.begin(), left.stacks.end(), right.stacks.begin(), right.stacks.end(), same);
}

SystemDescription known_system(const ModelCard& card, const std::vector<QuantityName>& quantities) {
  StackDescription encoder =
      card.encoder_kind == "graph_transformer"                    ? graph_transformer(card)
      : card.encoder_kind == "gru" || card.encoder_kind == "lstm" ? recurrent(card)
      : card.encoder_kind.empty()
          ? unknown_kind(quantities)
          : StackDescription{.stack = Stack::encoder,
                             .label = card.causal ? "causal Transformer" : "Transformer",
                             .causal = card.causal,
                             .parts = {Part::full}};
  encoder.layers = card.layers;
  encoder.heads = card.heads;
  SystemDescription system;
  std::int64_t decoder_layers = card.decoder_layers;
  for (const QuantityName& name : quantities) {
    std::int64_t& layers = name.stack() == Stack::decoder ? decoder_layers : encoder.layers;
    if (name.stack() == Stack::encoder || name.stack() == Stack::decoder) {
      layers = std::max(layers, name.layer());
    }
  }
  system.stacks.push_back(std::move(encoder));
  if (decoder_layers > 0) {
    system.stacks.push_back({.stack = Stack::decoder,
                             .label = "Transformer decoder",
                             .input = StackInput::target,
                             .causal = true,
                             .layers = decoder_layers,
                             .heads = card.heads,
                             .parts = {Part::self, Part::cross}});
  }
  return system;
}

}  // namespace mog
