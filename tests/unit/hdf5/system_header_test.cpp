// What a header says of its system, as JSON: read again as written, refused where it cannot be, and
// quantities of later programs skipped.
#include <gtest/gtest.h>

#include <functional>

#include "io/hdf5/recording/recording_json.h"
#include "io/recording/errors.h"
#include "tests/unit/hdf5/samples.h"

namespace mog {
namespace {

RecordingHeader read(const io::Json& json) {
  return io::header_from_json(json, "x.h5", "/header");
}

io::Json written() {
  RecordingHeader header = test::sample_header();
  header.describe_system();
  return io::header_to_json(header);
}

TEST(SystemHeader, ComesBack) {
  RecordingHeader header = test::sample_header();
  header.system.stacks = {{.stack = Stack::named("choir"),
                           .label = "Choir of 3",
                           .input = StackInput::target,
                           .causal = true,
                           .layers = 3,
                           .heads = 4,
                           .gate = GateKind::self,
                           .plain_first_layer = true,
                           .parts = {Part::describe({.name = "alto",
                                                     .label = "Alto é",
                                                     .short_name = "a",
                                                     .tip = "the second voice",
                                                     .role = PartRole::cross,
                                                     .query = PartState::previous,
                                                     .key = PartState::incremental,
                                                     .order = OrderGroup::middle,
                                                     .direction = "tenor",
                                                     .backward = true,
                                                     .colour = PartColour::orange,
                                                     .dashed = true})}}};
  header.quantities.clear();
  EXPECT_EQ(read(io::header_to_json(header)).system, header.system);
}

TEST(SystemHeader, OlderHeadersAreDescribedFromTheirCard) {
  io::Json json = written();
  json.erase("system");
  const RecordingHeader header = read(json);
  ASSERT_FALSE(header.system.stacks.empty());
  EXPECT_EQ(header.stack().stack, Stack::encoder);
  EXPECT_GE(header.stack().layers, 2);
}

TEST(SystemHeader, QuantitiesOfLaterProgramsAreSkippedAndNamed) {
  io::Json json = written();
  io::Json later = json["quantities"].front();
  later["name"] = "encoder.1.hologram.mean";
  later["axes"] = {"token", "fourth_dimension"};
  json["quantities"].push_back(later);
  const RecordingHeader header = read(json);
  EXPECT_EQ(header.unknown_quantities, std::vector<std::string>{"encoder.1.hologram.mean"});
  EXPECT_EQ(header.quantities.size(), test::sample_header().quantities.size());
}

TEST(SystemHeader, NamesThatAreNoneAreRefused) {
  for (const char* const wrong :
       {"", "encoder", "encoder..gate", "a b.c", "encoder.1.gate\n", "a.b.c.d.e.f.g"}) {
    io::Json json = written();
    json["quantities"].back()["name"] = wrong;
    EXPECT_THROW(read(json), FormatError) << wrong;
  }
}

TEST(SystemHeader, DescriptionsThatCannotBeAreRefused) {
  const std::vector<std::function<void(io::Json&)>> damages = {
      [](io::Json& system) { system["stacks"] = io::Json::array(); },
      [](io::Json& system) { system["stacks"].push_back(system["stacks"].front()); },
      [](io::Json& system) {  // a part of two stacks
        system["stacks"].push_back(system["stacks"].front());
        system["stacks"].back()["name"] = "another";
      },
      [](io::Json& system) { system["stacks"][0]["name"] = "No Name"; },
      [](io::Json& system) { system["stacks"][0]["name"] = "attention"; },
      [](io::Json& system) { system["stacks"][0]["input"] = "elsewhere"; },
      [](io::Json& system) { system["stacks"][0]["gate"] = "open"; },
      [](io::Json& system) { system["stacks"][0]["layers"] = -1; },
      [](io::Json& system) { system["stacks"][0]["layers"] = 100'000'000; },
      [](io::Json& system) { system["stacks"][0]["label"] = "two\nlines"; },
      [](io::Json& system) { system["stacks"][0]["label"] = std::string(1000, 'x'); },
      [](io::Json& system) { system["stacks"][0].erase("causal"); },
      [](io::Json& system) { system["stacks"][0]["parts"][0]["role"] = "king"; },
      [](io::Json& system) { system["stacks"][0]["parts"][0]["map"] = "globe"; },
      [](io::Json& system) { system["stacks"][0]["parts"][0]["colour"] = "#fff"; },
      [](io::Json& system) { system["stacks"][0]["parts"].push_back(system["stacks"][0]["parts"].front()); },
      [](io::Json& system) {
        for (int i = 0; i < 40; ++i) {
          system["stacks"][0]["parts"].push_back(system["stacks"][0]["parts"].front());
          system["stacks"][0]["parts"].back()["name"] = "p" + std::to_string(i);
        }
      }};
  for (std::size_t i = 0; i < damages.size(); ++i) {
    io::Json json = written();
    damages[i](json["system"]);
    EXPECT_THROW(read(json), FormatError) << i;
  }
}

}  // namespace
}  // namespace mog
