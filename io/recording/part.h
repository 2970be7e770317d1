// Stacks and parts: the pieces of a system, by the names under which their quantities are recorded.
//
// A system describes itself (io/recording/system.h): nothing above model/ knows a stack or a part by name, it
// asks what a part is (its role, what its queries and keys read, its group of orders, its colour). The names
// with constants are those of the systems that this program trains itself; a further system brings its own.
//
// Both types are small values that point into a table of the process, which only grows. Reading it takes no
// lock. Two parts are equal when their names are; each keeps the description of the recording it came from.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mog {

// What a part of a layer is. The parts of one system are told apart by what follows in PartDescription.
enum class PartRole : std::uint8_t {
  whole,       // no part: the layer as a whole
  attention,   // attention of a stack to itself
  cross,       // attention of a stack to another one
  carried,     // what is passed on of the layer's input; it has no map
  direction,   // of a recurrent layer: the states of one direction, with its gates
  input,       // of a recurrent layer: what a step takes from the layer below (W x)
  recurrence,  // of a recurrent layer: what a step takes from the step before (U h)
};
// The state of a word that a query or a key is made of: the layer's whole input, or one of the two states
// that a layer with order groups keeps apart (MoG paper §3.3).
enum class PartState : std::uint8_t { whole, previous, incremental };
// The orders of the subgraphs that a part makes or passes on.
enum class OrderGroup : std::uint8_t { any, low, middle, high };
// The map of words on words that a part has.
enum class PartMap : std::uint8_t {
  none,
  attention,
  carry,  // weights of the other steps in a recurrent state
};
// A place in the palette of parts (app/figures/style.h; Okabe and Ito's colours).
enum class PartColour : std::uint8_t { ink, soft, vermillion, blue, sky, green, purple, orange };

struct PartDescription {
  std::string name{};        // in quantity names: a letter, then letters a-z, digits, _; at most 32
  std::string label{};       // on the screen; empty: the name with spaces
  std::string short_name{};  // in annotations of expressions; empty: the name
  std::string tip{};         // one line: what it is; empty: nothing to say
  PartRole role = PartRole::attention;
  PartMap map = PartMap::attention;
  PartState query = PartState::whole;
  PartState key = PartState::whole;
  OrderGroup order = OrderGroup::any;
  std::string direction{};  // of input and recurrence: the part of their direction; empty: there is only one
  bool backward = false;    // of a direction: from the last word to the first
  PartColour colour = PartColour::ink;
  bool dashed = false;
  friend bool operator==(const PartDescription&, const PartDescription&) = default;
};
std::string_view name(PartRole role) noexcept;
std::string_view name(PartState state) noexcept;
std::string_view name(OrderGroup group) noexcept;
std::string_view name(PartMap map) noexcept;
std::string_view name(PartColour colour) noexcept;
// Throw UsageError naming the text and what is allowed.
PartRole parse_part_role(std::string_view text);
PartState parse_part_state(std::string_view text);
OrderGroup parse_order_group(std::string_view text);
PartMap parse_part_map(std::string_view text);
PartColour parse_part_colour(std::string_view text);

class Part {
 public:
  constexpr Part() = default;  // none
  // A part so described. Throws UsageError for a name that is none or that of a quantity, and when there are
  // too many (4,000).
  static Part describe(const PartDescription& description);
  // The part first described under this name, short name, or "i_" and its short name.
  static std::optional<Part> find(std::string_view text);
  // As find, or else a part of which only the name is known until a recording describes it (a session is read
  // before its recordings). Throws UsageError for a name that is none.
  static Part named(std::string_view text);
  // As find; throws UsageError listing the parts there are. "middle1", "m1" and "i_m1" are one part.
  static Part parse(std::string_view text);
  static std::vector<std::string> names();  // of all there are

  const PartDescription& description() const noexcept;
  PartRole role() const noexcept { return description().role; }
  bool attends() const noexcept { return role() == PartRole::attention; }
  std::string_view label() const noexcept { return description().label; }
  std::string_view short_name() const noexcept { return description().short_name; }

  // For widgets that keep numbers. of_id(part.id()) == part.
  constexpr int id() const noexcept { return index_; }
  static Part of_id(int id);  // none where there is no such part

  friend constexpr bool operator==(Part left, Part right) noexcept { return left.name_ == right.name_; }
  // Known parts first, in the order below; others by name.
  friend std::strong_ordering operator<=>(Part left, Part right) noexcept;

  static const Part none;
  // The order groups of a Graph-Transformer layer (MoG paper §3.3).
  static const Part high, middle1, middle2, low;
  static const Part full;  // the one attention of a plain layer
  // What a recurrent layer takes from the layer below (W x) and from the step before (U h); a bidirectional
  // layer has both of each direction, and the two directions themselves.
  static const Part below, recurrent;
  static const Part forward, forward_below, forward_recurrent;
  static const Part backward, backward_below, backward_recurrent;
  static const Part self, cross;  // a decoder's

 private:
  constexpr explicit Part(std::uint16_t known) : index_(known), name_(known) {}
  constexpr Part(std::uint16_t index, std::uint16_t name) : index_(index), name_(name) {}

  std::uint16_t index_ = 0;  // of the description
  std::uint16_t name_ = 0;   // index of the first description of this name
};

inline constexpr Part Part::none{};
inline constexpr Part Part::high{1};
inline constexpr Part Part::middle1{2};
inline constexpr Part Part::middle2{3};
inline constexpr Part Part::low{4};
inline constexpr Part Part::full{5};
inline constexpr Part Part::below{6};
inline constexpr Part Part::recurrent{7};
inline constexpr Part Part::forward{8};
inline constexpr Part Part::forward_below{9};
inline constexpr Part Part::forward_recurrent{10};
inline constexpr Part Part::backward{11};
inline constexpr Part Part::backward_below{12};
inline constexpr Part Part::backward_recurrent{13};
inline constexpr Part Part::self{14};
inline constexpr Part Part::cross{15};

std::string_view name(Part part) noexcept;  // "" for none

// A stack of layers; `heads` stands for the heads of tagging tasks.
class Stack {
 public:
  constexpr Stack() = default;  // encoder
  // Throws UsageError for a name that is none, and when there are too many (4,000).
  static Stack named(std::string_view name);
  static std::optional<Stack> find(std::string_view text);
  static std::vector<std::string> names();  // of all there are

  friend constexpr bool operator==(Stack, Stack) noexcept = default;
  // Known stacks first, in the order below; others by name.
  friend std::strong_ordering operator<=>(Stack left, Stack right) noexcept;

  static const Stack encoder, decoder, heads;

 private:
  constexpr explicit Stack(std::uint16_t index) : index_(index) {}
  friend std::string_view name(Stack stack) noexcept;

  std::uint16_t index_ = 0;
};

inline constexpr Stack Stack::encoder{};
inline constexpr Stack Stack::decoder{1};
inline constexpr Stack Stack::heads{2};

std::string_view name(Stack stack) noexcept;

}  // namespace mog
