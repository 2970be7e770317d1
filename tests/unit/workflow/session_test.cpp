#include "app/workflow/session/session.h"

#include <gtest/gtest.h>

#include <set>

#include "app/workflow/common/shell_line.h"
#include "app/workflow/figures/figure.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

Session zeros() {
  Session session;
  session.models = {"/models/a", "/models/b"};
  SessionItem typed;
  typed.model = 1;
  typed.sentences = {
      {"it's a \"test\" é", {}, -1},
      {"changed",
       {model::MaskToken{.sentence = 0, .token = 0}, model::ReplaceToken{.sentence = 0, .token = 2, .id = 0},
        model::ScaleHead{.layer = 1, .part = Part::middle2, .head = 2, .factor = 0},
        model::ScalePart{.layer = 2, .part = Part::low, .factor = 0},
        model::ScaleLayer{.layer = 3, .factor = 0},
        model::SetGate{.layer = 1, .sentence = 0, .token = 0, .value = 0},
        model::SetGate{.layer = 2, .sentence = 0, .token = {}, .value = 1}},
       0}};
  session.items = {{"/recordings/r.rec", -1, {}}, typed};
  session.selection = {.item = 0,
                       .sentence = 0,
                       .layer = 0,
                       .part = Part::none,
                       .head = 0,
                       .token = 0,
                       .key = 2,
                       .shortest = 0,
                       .longest = 0};
  session.held = {.item = 1, .sentence = 0};
  session.views = {{"a", false},
                   {"b", 0.0},
                   {"c", std::string()},
                   {"d", std::vector<double>{0, 0}},
                   {"e", std::vector<double>{}},
                   {"f", 0.1}};
  return session;
}

TEST(Session, ZeroFalseAndEmptySurviveTheRoundTrip) {
  const std::string text = print_session(zeros());
  const Session read = parse_session(text, "x");
  EXPECT_EQ(print_session(read), text);
  EXPECT_EQ(read.views, zeros().views);
  EXPECT_EQ(read.selection.token, 0);
  EXPECT_EQ(read.selection.key, 2);
  EXPECT_EQ(read.selection.shortest, 0);
  EXPECT_EQ(read.selection.longest, 0);
  EXPECT_EQ(read.selection.item, 0);
  ASSERT_TRUE(read.held.has_value());
  EXPECT_EQ(read.held->item, 1);
  EXPECT_EQ(read.held->sentence, 0);
  ASSERT_EQ(read.items.size(), 2U);
  EXPECT_EQ(read.items[1].model, 1);
  const SessionSentence& changed = read.items[1].sentences.at(1);
  EXPECT_EQ(changed.parent, 0);
  ASSERT_EQ(changed.interventions.size(), 7U);
  EXPECT_EQ(std::get<model::MaskToken>(changed.interventions[0]).token, 0);
  EXPECT_EQ(std::get<model::ScaleHead>(changed.interventions[2]).part, Part::middle2);
  EXPECT_EQ(std::get<model::SetGate>(changed.interventions[5]).token, 0);
  EXPECT_EQ(std::get<model::SetGate>(changed.interventions[5]).value, 0);
  EXPECT_FALSE(std::get<model::SetGate>(changed.interventions[6]).token);
  EXPECT_EQ(read.items[1].sentences[0].text, "it's a \"test\" é");
}

TEST(Session, CutsOfGraphTermsSurviveTheRoundTrip) {
  Session session = zeros();
  session.items[1].sentences[1].interventions = {
      model::CutGraphTerm{.layer = 2, .term = model::GraphTerm::relation_value, .head = {}},
      model::CutGraphTerm{.layer = 1, .term = model::GraphTerm::content, .head = 3}};
  const std::string text = print_session(session);
  const Session read = parse_session(text, "x");
  EXPECT_EQ(print_session(read), text);
  const auto& found = read.items[1].sentences.at(1).interventions;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(std::get<model::CutGraphTerm>(found[0]).term, model::GraphTerm::relation_value);
  EXPECT_FALSE(std::get<model::CutGraphTerm>(found[0]).head);
  EXPECT_EQ(std::get<model::CutGraphTerm>(found[1]).head, 3);
  std::string wrong = text;
  wrong.replace(wrong.find("relation_value"), 14, "relation_worth");
  EXPECT_THROW(parse_session(wrong, "x"), FormatError);
}

// As before there were held sentences.
TEST(Session, NothingHasToBeHeld) {
  Session session = zeros();
  session.held.reset();
  const std::string text = print_session(session);
  EXPECT_EQ(text.find("held"), std::string::npos);
  EXPECT_FALSE(parse_session(text, "x").held.has_value());
}

std::string message_of(const std::string& text) {
  try {
    parse_session(text, "some.mog-session");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(Session, WhatIsWrongIsNamedWithItsPlace) {
  const std::string sound = print_session(zeros());
  const auto with = [&sound](const std::string& from, const std::string& to) {
    std::string text = sound;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"{", "not JSON"},
           {"[1]", "is this a session"},
           {with("\"version\": 1", "\"version\": 2"), "version 2"},
           {with("\"model\": 2", "\"model\": 3"), "items[2].model"},
           {with("\"parent\": 1", "\"parent\": 2"), "items[2].sentences[2].parent"},
           {with("\"edit\": \"mask\"", "\"edit\": \"melt\""), "edits[1].edit"},
           {with("\"head\": 2", "\"head\": 0"), "edits[3].head"},
           {with("\"item\": 1", "\"item\": 9"), "selection.item"},
           {with("\"item\": 2", "\"item\": 0"), "held.item"},
           {with("\"item\": 2", "\"item\": 3"), "held.item should be at most 2"},
           {with("\"b\": 0.0", "\"b\": null"), "views.b"},
           {with("\"part\": \"all\"", "\"part\": \"not a part\""), "selection.part"},
           {with("\"token\": 1,\n    \"key\"", "\"token\": 1e99,\n    \"key\""), "selection.token"}}) {
    EXPECT_NE(message_of(text).find(words), std::string::npos) << words << ": " << message_of(text);
    EXPECT_NE(message_of(text).find("some.mog-session"), std::string::npos);
  }
}

TEST(FigureCommand, OnlyWhatDiffersFromTheDefaultIsSaid) {
  FigureRequest request{.kind = "attention", .inputs = {"a b.rec"}};
  request.set("sentence", 3).set("colours", "power");
  EXPECT_EQ(shell_line(figure_arguments(request)), "mog figure attention 'a b.rec' --sentence 3");
  EXPECT_EQ(shell_words(shell_line(figure_arguments(request))), figure_arguments(request));
  const std::vector<std::string> odd = {"mog", "", "it's", "a  b", "\\'\"$"};
  EXPECT_EQ(shell_words(shell_line(odd)), odd);
  request.kind = "attention-arcs";
  request.set("colours", std::string())
      .set("layer", 2)
      .set("part", Part::middle1)
      .set("heads", std::vector<std::int64_t>{1, 3})
      .set("threshold", std::optional(0.0))
      .set("from", 4)
      .set("at-most", 80)
      .flag("by-word")
      .set("block", "1-2");
  EXPECT_EQ(
      shell_line(figure_arguments(request)),
      "mog figure attention-arcs 'a b.rec' --sentence 3 --layer 2 --part middle1 --heads 1,3 --threshold 0 "
      "--at-most 80 --from 4 --by-word --block 1-2");
}

TEST(FigureCommand, EveryKindReadsItsOwnCommand) {
  std::set<std::string_view> names;
  for (const FigureKind* const kind : figure_kinds()) {
    EXPECT_TRUE(names.insert(kind->name).second) << kind->name << " is there twice";
    Choices choices;
    const std::unique_ptr<Figure> figure = kind->create();
    figure->declare(choices);
    FigureRequest request{.kind = std::string(kind->name)};
    for (const Choice& choice : choices.all()) {
      EXPECT_FALSE(choice.help.empty()) << kind->name << " --" << choice.name;
      if (!choice.usual.empty()) {
        request.set(choice.name, choice.usual);
      }
    }
    // What is usual is no choice: it is read back, and the command does not say it.
    EXPECT_NO_THROW(choices.take(request.choices, kind->name)) << kind->name;
    EXPECT_EQ(figure_arguments(request).size(), 3U) << kind->name;
    EXPECT_TRUE(kind->example.starts_with(kind->name)) << kind->name;
    EXPECT_EQ(kind->title.empty(), kind->reading.empty()) << kind->name;
  }
}

TEST(FigureCommand, WhatAKindDoesNotKnowIsRefused) {
  FigureRequest request{.kind = "tree"};
  EXPECT_THROW(figure_of(request.set("token", 3)), UsageError);
  request.choices.clear();
  EXPECT_THROW(figure_of(request.set("leaves", 3).flag("projective")), UsageError);
  EXPECT_THROW(figure_of(request.set("projective", "yes")), UsageError);
  EXPECT_THROW(figure_of({.kind = "trea"}), UsageError);
  EXPECT_EQ(kinds_with("ancestors"), "information-flow");
  EXPECT_EQ(kinds_with("at-most"), "attention-arcs and posterior-arcs");
}

TEST(FigureCommand, AShellReadsEveryWordAsItIs) {
  const std::vector<std::string> words = {"it's", "", "a$b", "plain-1.svg", "ä"};
  EXPECT_EQ(shell_line(words), "'it'\\''s' '' 'a$b' plain-1.svg 'ä'");
}

}  // namespace
}  // namespace mog::app
