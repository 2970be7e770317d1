// What a recording says of its system: stacks and parts by name, and what is known of systems that say
// nothing.
#include "io/recording/system.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "io/recording/errors.h"

namespace mog {
namespace {

// The words of the refusal.
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

std::string text(const std::vector<Part>& parts) {
  std::string all;
  for (const Part part : parts) {
    all += (all.empty() ? "" : " ") + std::string(name(part));
  }
  return all;
}

TEST(Part, NamesOfEveryKindComeBack) {
  for (const PartRole role : {PartRole::whole, PartRole::attention, PartRole::cross, PartRole::carried,
                              PartRole::direction, PartRole::input, PartRole::recurrence}) {
    EXPECT_EQ(parse_part_role(name(role)), role);
  }
  for (const PartState state : {PartState::whole, PartState::previous, PartState::incremental}) {
    EXPECT_EQ(parse_part_state(name(state)), state);
  }
  for (const OrderGroup group : {OrderGroup::any, OrderGroup::low, OrderGroup::middle, OrderGroup::high}) {
    EXPECT_EQ(parse_order_group(name(group)), group);
  }
  for (const PartMap map : {PartMap::none, PartMap::attention, PartMap::carry}) {
    EXPECT_EQ(parse_part_map(name(map)), map);
  }
  for (const PartColour colour :
       {PartColour::ink, PartColour::soft, PartColour::blue, PartColour::vermillion, PartColour::sky,
        PartColour::green, PartColour::purple, PartColour::orange}) {
    EXPECT_EQ(parse_part_colour(name(colour)), colour);
  }
  for (const GateKind gate :
       {GateKind::none, GateKind::weight, GateKind::self, GateKind::update, GateKind::input_forget}) {
    EXPECT_EQ(parse_gate_kind(name(gate)), gate);
  }
  for (const StackInput input : {StackInput::sentence, StackInput::target}) {
    EXPECT_EQ(parse_stack_input(name(input)), input);
  }
  EXPECT_EQ(refusal([] { parse_part_role("atention"); }),
            "\"atention\" is no role of a part; use whole, attention, cross, carried, direction, input, "
            "recurrence; did you mean attention?");
  EXPECT_EQ(refusal([] { parse_gate_kind("x"); }),
            "\"x\" is no kind of gate; use none, weight, self, update, input_forget");
  EXPECT_EQ(refusal([] { parse_stack_input(""); }), "\"\" is no input of a stack; use sentence, target");
  EXPECT_EQ(name(static_cast<PartRole>(99)), "");
}

TEST(Part, DescriptionsAreKeptApartAndNamesAreOnePart) {
  PartDescription description{.name = "my_part", .role = PartRole::carried};
  const Part first = Part::describe(description);
  EXPECT_EQ(first.label(), "my part");
  EXPECT_EQ(first.short_name(), "my_part");
  EXPECT_EQ(Part::describe(description).id(), first.id());
  description.label = "another";
  const Part second = Part::describe(description);
  EXPECT_EQ(second, first);
  EXPECT_NE(second.id(), first.id());
  EXPECT_EQ(second.label(), "another");
  EXPECT_EQ(Part::of_id(second.id()).label(), "another");
  EXPECT_EQ(Part::of_id(-1), Part::none);
  EXPECT_EQ(Part::of_id(1 << 20), Part::none);
  EXPECT_EQ(Part::describe({}), Part::none);
  EXPECT_EQ(Part::find("my_part"), first);
}

TEST(Part, NamesThatAreKnownAloneWaitForTheirDescription) {
  const Part waiting = Part::named("to_come");
  EXPECT_EQ(name(waiting), "to_come");
  EXPECT_EQ(Part::find("to_come"), std::nullopt);
  EXPECT_EQ(Part::named("to_come").id(), waiting.id());
  EXPECT_EQ(Part::describe({.name = "to_come", .label = "here"}), waiting);
  EXPECT_EQ(Part::find("to_come")->label(), "here");
  EXPECT_EQ(Part::named("m1"), Part::middle1);
}

TEST(Part, KnownPartsComeFirstThenNames) {
  const Part a = Part::describe({.name = "sorted_a"});
  const Part b = Part::describe({.name = "sorted_b"});
  EXPECT_LT(Part::high, Part::low);
  EXPECT_LT(Part::low, a);
  EXPECT_LT(a, b);
  EXPECT_GT(b, a);
  EXPECT_LT(Stack::encoder, Stack::decoder);
  EXPECT_LT(Stack::decoder, Stack::named("a_stack"));
  EXPECT_LT(Stack::named("a_stack"), Stack::named("b_stack"));
}

TEST(Part, NamesThatAreNoneAreRefused) {
  for (const char* const name : {"Part", "1part", "a-part", "a part", "_part", "\xc3\xa4"}) {
    EXPECT_NE(refusal([&] { Part::named(name); }).find("is no name of a part: expected a letter a to z"),
              std::string::npos)
        << name;
    EXPECT_NE(refusal([&] { Stack::named(name); }).find("is no name of a stack"), std::string::npos) << name;
  }
  EXPECT_NE(refusal([] { Part::named(std::string(33, 'a')); }).find("at most 32"), std::string::npos);
  EXPECT_NE(refusal([] { Stack::named(""); }).find("is no name of a stack"), std::string::npos);
  EXPECT_NE(refusal([] { Part::named("gate"); }).find("that is the name of a quantity"), std::string::npos);
  EXPECT_NE(refusal([] { Stack::named("share"); }).find("that is the name of a quantity"), std::string::npos);
  const std::string unknown = refusal([] { Part::parse("middel1"); });
  EXPECT_NE(unknown.find("\"middel1\" is no part; use high, middle1"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("did you mean middle1"), std::string::npos) << unknown;
  EXPECT_EQ(Stack::find("nowhere"), std::nullopt);
}

// ---- systems
TEST(System, GraphTransformersAreTheirParts) {
  ModelCard card;
  card.encoder_kind = "graph_transformer";
  card.fusion = "self_gate";
  card.first_layer = "plain";
  card.layers = 3;
  card.heads = 2;
  const SystemDescription system = known_system(card);
  ASSERT_EQ(system.stacks.size(), 1U);
  const StackDescription& stack = system.main();
  EXPECT_EQ(stack.label, "Graph-Transformer");
  EXPECT_EQ(stack.gate, GateKind::self);
  EXPECT_EQ(text(stack.parts), "high middle1 middle2 low");
  EXPECT_EQ(text(stack.parts_of(1)), "high");
  EXPECT_EQ(text(stack.parts_of(2)), "high middle1 middle2 low");
  EXPECT_TRUE(stack.has_groups());
  EXPECT_FALSE(stack.recurrent());
  EXPECT_EQ(stack.carried(), Part::low);
  EXPECT_TRUE(stack.directions().empty());
  card.fusion = "weight_gate";
  EXPECT_EQ(known_system(card).main().gate, GateKind::weight);
  card.fusion = "sum";
  card.first_layer = "incremental";
  EXPECT_EQ(known_system(card).main().gate, GateKind::none);
  EXPECT_EQ(text(known_system(card).main().parts_of(1)), "high middle1 middle2 low");
}

TEST(System, RecurrentEncodersHaveDirections) {
  ModelCard card;
  card.encoder_kind = "gru";
  const StackDescription one = known_system(card).main();
  EXPECT_EQ(one.label, "GRU");
  EXPECT_TRUE(one.causal);
  EXPECT_EQ(one.gate, GateKind::update);
  EXPECT_FALSE(one.has_groups());
  EXPECT_EQ(one.carried(), Part::none);
  ASSERT_EQ(one.directions().size(), 1U);
  EXPECT_EQ(one.directions()[0].carry, Part::recurrent);
  EXPECT_EQ(one.directions()[0].below, Part::below);
  EXPECT_EQ(one.directions()[0].state, Part::none);
  card.encoder_kind = "lstm";
  card.bidirectional = true;
  const StackDescription both = known_system(card).main();
  EXPECT_EQ(both.label, "bidirectional LSTM");
  EXPECT_FALSE(both.causal);
  EXPECT_EQ(both.gate, GateKind::input_forget);
  ASSERT_EQ(both.directions().size(), 2U);
  EXPECT_EQ(both.directions()[1].state, Part::backward);
  EXPECT_EQ(both.directions()[1].carry, Part::backward);
  EXPECT_EQ(both.directions()[1].below, Part::backward_below);
  EXPECT_EQ(both.directions()[1].recurrent, Part::backward_recurrent);
}

TEST(System, PlainOnesAreNamedByWhatTheySee) {
  ModelCard card;
  card.encoder_kind = "transformer";
  EXPECT_EQ(known_system(card).main().label, "Transformer");
  card.causal = true;
  card.decoder_layers = 2;
  const SystemDescription system = known_system(card);
  EXPECT_EQ(system.main().label, "causal Transformer");
  ASSERT_NE(system.find(Stack::decoder), nullptr);
  EXPECT_EQ(system.find(Stack::decoder)->layers, 2);
  EXPECT_EQ(text(system.find(Stack::decoder)->parts), "self cross");
  EXPECT_EQ(system.find(Stack::heads), nullptr);
  EXPECT_EQ(SystemDescription().main().label, "");
}

// Recordings of other programs name no kind.
TEST(System, OfAnUnknownKindTheQuantitiesTell) {
  const auto of = [](const std::vector<const char*>& names) {
    std::vector<QuantityName> quantities;
    for (const char* const name : names) {
      quantities.push_back(QuantityName::parse(name));
    }
    return known_system(ModelCard(), quantities);
  };
  const SystemDescription plain =
      of({"encoder.4.full.attention", "encoder.2.full.attention", "decoder.3.cross.attention"});
  EXPECT_EQ(plain.main().label, "Transformer");
  EXPECT_EQ(plain.main().layers, 4);
  ASSERT_NE(plain.find(Stack::decoder), nullptr);
  EXPECT_EQ(plain.find(Stack::decoder)->layers, 3);
  const SystemDescription graph = of({"encoder.1.high.attention", "decoder.1.self.attention"});
  EXPECT_EQ(graph.main().label, "Graph-Transformer");
  EXPECT_EQ(graph.main().gate, GateKind::weight);
  EXPECT_EQ(of({"encoder.1.high.attention", "encoder.1.self_gate"}).main().gate, GateKind::self);
  EXPECT_EQ(of({"heads.upos.logits"}).main().layers, 0);
}

TEST(System, AreEqualWhenTheirPartsSayTheSame) {
  ModelCard card;
  card.encoder_kind = "graph_transformer";
  const SystemDescription system = known_system(card);
  EXPECT_EQ(system, known_system(card));
  const std::vector<std::function<void(StackDescription&)>> changes = {
      [](StackDescription& s) { s.stack = Stack::decoder; },
      [](StackDescription& s) { s.label = "other"; },
      [](StackDescription& s) { s.input = StackInput::target; },
      [](StackDescription& s) { s.causal = true; },
      [](StackDescription& s) { s.layers = 9; },
      [](StackDescription& s) { s.heads = 9; },
      [](StackDescription& s) { s.gate = GateKind::update; },
      [](StackDescription& s) { s.plain_first_layer = true; },
      [](StackDescription& s) { s.parts.pop_back(); },
      [](StackDescription& s) { s.parts[0] = Part::describe({.name = "high", .label = "of another"}); }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    SystemDescription other = system;
    changes[i](other.stacks[0]);
    EXPECT_FALSE(other == system) << i;
  }
  EXPECT_FALSE(SystemDescription() == system);
}

}  // namespace
}  // namespace mog
