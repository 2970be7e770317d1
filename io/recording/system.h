// What a recording says of the system that made it: its stacks, and the parts of their layers.
//
// Grammar, statistics, figures and the window read this and nothing else: whoever adds a system describes it
// in model/, and everything above works. Kept in the header of a recording (docs/recording-format.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/recording/model_card.h"
#include "io/recording/part.h"
#include "io/recording/quantity_name.h"

namespace mog {

// What a stack reads: the sentence, or its translation so far.
enum class StackInput : std::uint8_t { sentence, target };
// What decides how much of a layer's output is new.
enum class GateKind : std::uint8_t {
  none,
  weight,        // one weight for what attention makes, the rest for what is carried (`gate`)
  self,          // a softmax over the parts (`self_gate`)
  update,        // share of the new value of a recurrent layer (`gate`)
  input_forget,  // of an LSTM: i / (i + f) (`input_gate`, `forget_gate`)
};
std::string_view name(StackInput input) noexcept;
std::string_view name(GateKind gate) noexcept;
// Throw UsageError.
StackInput parse_stack_input(std::string_view text);
GateKind parse_gate_kind(std::string_view text);

// Where the quantities of one direction of a recurrent layer are named: its gates and states (`state`; none:
// without a part), its carry weights, and what its new value takes.
struct DirectionParts {
  Part state = Part::none;
  Part carry = Part::none;
  Part below = Part::none;
  Part recurrent = Part::none;
};

struct StackDescription {
  Stack stack{};
  std::string label{};  // what it is, for people: "Graph-Transformer", "bidirectional GRU"
  StackInput input = StackInput::sentence;
  bool causal = false;  // a position sees itself and those before it
  std::int64_t layers = 0;
  std::int64_t heads = 0;  // of attention; 0 in a recurrent stack
  GateKind gate = GateKind::none;
  bool plain_first_layer = false;  // layer 1 has one attention and no gate, though those above have parts
  std::vector<Part> parts{};       // in the order in which people are shown them

  bool has(PartRole role) const noexcept;
  bool recurrent() const noexcept { return has(PartRole::recurrence); }
  // Whether its layers keep previous and incremental subgraphs apart.
  bool has_groups() const noexcept;
  // Of a role, in order.
  std::vector<Part> with(PartRole role) const;
  // Those that a layer has: of a plain first layer its one attention.
  std::vector<Part> parts_of(std::int64_t layer) const;
  // The one that is carried on; none where the layers name none.
  Part carried() const noexcept;
  std::vector<DirectionParts> directions() const;
};

struct SystemDescription {
  std::vector<StackDescription> stacks{};

  // nullptr when there is none.
  const StackDescription* find(Stack stack) const noexcept;
  // The stack that pictures of a sentence are of: the first that reads the sentence. An empty one where there
  // is none.
  const StackDescription& main() const noexcept;
};
// Stacks and parts by their names, parts with all they say.
bool operator==(const SystemDescription& left, const SystemDescription& right);

// Of the recurrent encoders that this program trains itself.
inline constexpr DirectionParts kOnlyDirection{Part::none, Part::recurrent, Part::below, Part::recurrent};
inline constexpr DirectionParts kForward{Part::forward, Part::forward, Part::forward_below,
                                         Part::forward_recurrent};
inline constexpr DirectionParts kBackward{Part::backward, Part::backward, Part::backward_below,
                                          Part::backward_recurrent};

// The systems that this program trains itself, from their card: Graph-Transformer, Transformer, GRU and LSTM
// in one and two directions, each with a decoder or without. Where the card names no kind (recordings of
// other programs), the quantities tell.
SystemDescription known_system(const ModelCard& card, const std::vector<QuantityName>& quantities = {});

}  // namespace mog
