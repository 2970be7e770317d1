// What is drawn of a parse, step by step, and the command that draws it.
#include "app/workflow/parse/parse_picture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "io/recording/errors.h"
#include "tests/support/parsing_model.h"

namespace mog::app {
namespace {

using analysis::ArcFigure;
using analysis::CellMark;
using analysis::HeatMap;

const ArcFigure& arcs_of(const analysis::FigureData& figure) {
  return std::get<ArcFigure>(figure.body);
}

// Of w words the wanted head has e^5 against w - 1 others.
double wanted(double words) {
  return std::exp(5.0) / (std::exp(5.0) + words - 1);
}

TEST(ParsePicture, ArcsAreTheTreeWithRelationsAndTags) {
  const ParsedSentence parsed = parse_text(test::parsing_model(), "the dog barked", {});
  EXPECT_EQ(parsed.steps(), 1);
  const analysis::FigureData figure = parse_picture(parsed, ParsePicture::arcs);
  const ArcFigure& arcs = arcs_of(figure);
  ASSERT_EQ(arcs.arcs.size(), 3U);
  EXPECT_EQ(arcs.words[1].text, "dog");
  EXPECT_FALSE(arcs.words[1].tag.empty());
  EXPECT_EQ(arcs.arcs[0].source, 1);
  EXPECT_EQ(arcs.arcs[0].target, 0);
  EXPECT_EQ(arcs.arcs[0].label, "a");
  EXPECT_NEAR(arcs.arcs[0].weight, wanted(3), 1e-6);
  EXPECT_EQ(arcs.arcs[2].source, -1);
  EXPECT_EQ(arcs.arcs[2].label, "root");
  EXPECT_TRUE(arcs.gold.empty());
  EXPECT_TRUE(figure.title.empty());
  EXPECT_NE(figure.caption.find("typed sentence"), std::string::npos) << figure.caption;
}

TEST(ParsePicture, ARoundMarksWhatHasChanged) {
  const ParsedSentence parsed = parse_text(test::parsing_model(true), "a b c d", {});
  ASSERT_EQ(parsed.steps(), 3);  // the third gives the tree that it has read
  const analysis::FigureData second = parse_picture(parsed, ParsePicture::arcs, 2);
  EXPECT_EQ(second.title, "round 2 of 3");
  const ArcFigure& arcs = arcs_of(second);
  for (std::size_t word = 0; word < 3; ++word) {
    EXPECT_TRUE(arcs.arcs[word].changed) << word;
    EXPECT_EQ(arcs.arcs[word].source, 3) << word;
    EXPECT_EQ(arcs.gold[word].head, static_cast<std::int64_t>(word) + 1);  // as it was
  }
  EXPECT_FALSE(arcs.arcs[3].changed);
  EXPECT_EQ(arcs.gold.size(), 3U);
  EXPECT_NE(arcs.arcs[0].tuple.find("before: b → a, a"), std::string::npos) << arcs.arcs[0].tuple;
  EXPECT_TRUE(arcs_of(parse_picture(parsed, ParsePicture::arcs, 3)).gold.empty());
  EXPECT_THROW(parse_picture(parsed, ParsePicture::arcs, 4), UsageError);
}

TEST(ParsePicture, TheMatrixHasEveryHeadOfAWord) {
  const TreeConstraints set{.forced = {{1, 3}}, .forbidden = {{2, 1}}};
  const ParsedSentence parsed = parse_text(test::parsing_model(), "a b c", {.constraints = set});
  const analysis::FigureData figure = parse_picture(parsed, ParsePicture::matrix);
  const auto& map = std::get<HeatMap>(figure.body);
  ASSERT_EQ(map.rows.size(), 4U);
  ASSERT_EQ(map.columns.size(), 3U);
  EXPECT_EQ(map.rows[0].text, "root");
  for (std::int64_t column = 0; column < 3; ++column) {
    double sum = 0;
    for (std::int64_t row = 0; row < 4; ++row) {
      if (row == column + 1) {
        EXPECT_TRUE(std::isnan(map.value(row, column)));
      } else {
        sum += map.value(row, column);
      }
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  }
  EXPECT_NEAR(map.value(2, 0), wanted(3), 1e-6);
  const auto has = [&](const CellMark& mark) {
    return std::find(map.marks.begin(), map.marks.end(), mark) != map.marks.end();
  };
  EXPECT_TRUE(has({3, 0, CellMark::Kind::found}));
  EXPECT_TRUE(has({3, 0, CellMark::Kind::forced}));
  EXPECT_TRUE(has({1, 1, CellMark::Kind::forbidden}));
  EXPECT_NE(figure.caption.find("set by hand: 1:3"), std::string::npos) << figure.caption;
  EXPECT_NE(figure.caption.find("forbidden by hand: 2:1"), std::string::npos) << figure.caption;
  EXPECT_TRUE(arcs_of(parse_picture(parsed, ParsePicture::arcs)).arcs[0].forced);
}

// The forced arc is read in the next round, and another word follows it.
TEST(ParsePicture, AModelThatReadsItsTreeReadsForcedArcs) {
  const ParsedSentence parsed = parse_text(test::parsing_model(true), "a b c d",
                                           {.constraints = {.forced = {{1, 3}}, .forbidden = {}}});
  ASSERT_GE(parsed.steps(), 2);
  EXPECT_EQ(parsed.parse.rounds[0].heads, (std::vector<std::int32_t>{3, 3, 4, 0}));
  EXPECT_EQ(parsed.parse.rounds[1].heads, (std::vector<std::int32_t>{3, 1, 4, 0}));
}

TEST(ParsePicture, TheCommandNamesWhatIsNotTheDefault) {
  PictureCommand command{.model = "PARSER"};
  EXPECT_EQ(picture_arguments(command),
            (std::vector<std::string>{"mog", "parse", "--model", "PARSER", "--input", "-"}));
  command.words = model::WordCut::spaces;
  command.choice = {.refinements = 2,
                    .projective = true,
                    .constraints = {.forced = {{7, 2}}, .forbidden = {{1, 0}, {3, 4}}}};
  command.picture = ParsePicture::matrix;
  command.step = 1;
  EXPECT_EQ(picture_arguments(command),
            (std::vector<std::string>{
                "mog",    "parse",         "--model", "PARSER",       "--input", "-",      "--words",
                "spaces", "--refinements", "2",       "--projective", "--force", "7:2",    "--forbid",
                "1:0",    "--forbid",      "3:4",     "--draw",       "matrix",  "--step", "1"}));
  EXPECT_THROW(parse_parse_picture("tree"), UsageError);
}

// States of a derivation, from a scripted one: "a b", SHIFT SHIFT LEFTARC RIGHTARC.
TEST(ParsePicture, StatesShowStackBufferAndTheNewArc) {
  ParsedSentence parsed;
  parsed.graph.kind = model::GraphKind::transitions;
  parsed.graph.labels = {"x", "root"};
  parsed.sentence.words = {{"a", {}}, {"b", {}}};
  using analysis::ParserAction;
  parsed.parse.steps = {{{ParserAction::shift, -1}, {0, 0, 1, 0}, 0},
                        {{ParserAction::shift, -1}, {0, 0.25, 0.75, 0}, 0},
                        {{ParserAction::left_arc, 0}, {0.5, 0.25, 0, 0.25}, 0.9},
                        {{ParserAction::right_arc, 1}, {0, 1, 0, 0}, 1}};
  parsed.parse.best.head_probabilities = {0.5, 1};
  parsed.parse.best.label_probabilities = {0.9, 1};
  ASSERT_EQ(parsed.steps(), 5);
  using Box = analysis::WordLabel::Box;
  const analysis::FigureData first = parse_picture(parsed, ParsePicture::arcs, 1);
  EXPECT_EQ(arcs_of(first).words[0].box, Box::framed);
  EXPECT_TRUE(arcs_of(first).arcs.empty());
  EXPECT_EQ(first.title, "state 1 of 5, then SHIFT (1.000)");
  const analysis::FigureData third = parse_picture(parsed, ParsePicture::arcs, 3);
  EXPECT_EQ(arcs_of(third).words[0].box, Box::filled);
  EXPECT_EQ(third.title, "state 3 of 5, then LEFTARC x (0.500)");
  const analysis::FigureData fourth = parse_picture(parsed, ParsePicture::arcs, 4);
  ASSERT_EQ(arcs_of(fourth).arcs.size(), 1U);
  EXPECT_TRUE(arcs_of(fourth).arcs[0].changed);
  EXPECT_EQ(arcs_of(fourth).arcs[0].source, 1);
  EXPECT_EQ(arcs_of(fourth).words[0].box, Box::none);
  EXPECT_EQ(arcs_of(fourth).words[1].box, Box::filled);
  const analysis::FigureData last = parse_picture(parsed, ParsePicture::arcs);
  EXPECT_EQ(arcs_of(last).arcs.size(), 2U);
  EXPECT_EQ(last.title, "state 5 of 5");
  const analysis::FigureData actions = parse_picture(parsed, ParsePicture::matrix, 2);
  const auto& map = std::get<HeatMap>(actions.body);
  EXPECT_EQ(map.rows.size(), 4U);
  EXPECT_EQ(map.columns.size(), 4U);
  EXPECT_EQ(map.value(1, 1), 0.25);
  EXPECT_EQ(map.marks[2], (CellMark{0, 2, CellMark::Kind::found}));
}

}  // namespace
}  // namespace mog::app
