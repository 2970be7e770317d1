#include "analysis/mog/expressions/expression_parser.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/analysis/golden_grammar.h"

namespace mog::analysis {
namespace {

using nlohmann::json;

ParsedExpression parse(const json& tested, const std::string& text) {
  if (tested.at("words").is_null()) {
    return parse_expression(text);
  }
  const auto words = tested.at("words").get<std::vector<std::string>>();
  return parse_expression(text, words);
}

// The golden file's way to write an operand.
json operand(const ParsedExpression& parsed, std::int32_t subgraph, const std::vector<MogEdge>& edges) {
  const Subgraph& s = parsed.expression.subgraphs().at(static_cast<std::size_t>(subgraph));
  if (s.is_atom()) {
    return json::array({"atom", parsed.names.at(static_cast<std::size_t>(s.source))});
  }
  for (const MogEdge& edge : edges) {
    if (edge.made == subgraph) {
      return json::array({"sub", edge.id});
    }
  }
  return nullptr;
}

TEST(ExpressionParser, ValidGoldenCases) {
  const json golden = test::read_json("expressions.json");
  for (const json& tested : golden.at("valid")) {
    const std::string text = tested.at("text");
    const ParsedExpression parsed = parse(tested, text);
    const Expression& e = parsed.expression;
    EXPECT_EQ(parsed.text(), tested.at("canonical")) << text;
    EXPECT_EQ(parse(tested, parsed.text()).text(), parsed.text()) << text;
    EXPECT_EQ(parse(tested, parsed.text()).expression, e) << text;
    EXPECT_EQ(e.order(), tested.at("order")) << text;
    EXPECT_EQ(e.leaves(), tested.at("leaves")) << text;
    EXPECT_EQ(e.depth(), tested.at("depth")) << text;
    EXPECT_EQ(e.kind(), tested.at("kind")) << text;
    EXPECT_EQ(e.simple(), tested.at("simple")) << text;
    EXPECT_EQ(e.owner_anchored(), tested.at("owner_anchored")) << text;
    EXPECT_EQ(parsed.names.at(static_cast<std::size_t>(e.owner())), tested.at("owner")) << text;
    json nodes = json::array();
    for (const std::int32_t word : e.words()) {
      const ExpressionWord& written = parsed.words.at(static_cast<std::size_t>(word));
      nodes.push_back({{"name", parsed.names.at(static_cast<std::size_t>(word))},
                       {"form", written.form},
                       {"position", written.position > 0 ? json(written.position) : json(nullptr)}});
    }
    EXPECT_EQ(nodes, tested.at("nodes")) << text;
    json edges = json::array();
    const std::vector<MogEdge> tuples = e.edges();
    for (const MogEdge& edge : tuples) {
      json annotation = json::object();
      for (const auto& [key, value] : parsed.annotations.at(static_cast<std::size_t>(edge.made))) {
        annotation[key] = value;
      }
      edges.push_back({{"id", edge.id},
                       {"source", parsed.names.at(static_cast<std::size_t>(edge.source))},
                       {"target", parsed.names.at(static_cast<std::size_t>(edge.target))},
                       {"left", operand(parsed, edge.left, tuples)},
                       {"right", operand(parsed, edge.right, tuples)},
                       {"sub", edge.id},
                       {"order", edge.order},
                       {"kind", edge.kind},
                       {"annotation", annotation}});
    }
    EXPECT_EQ(edges, tested.at("edges")) << text;
  }
}

TEST(ExpressionParser, InvalidGoldenCases) {
  const json golden = test::read_json("expressions.json");
  for (const json& tested : golden.at("invalid")) {
    const std::string text = tested.at("text");
    try {
      parse(tested, text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const ExpressionError& error) {
      EXPECT_EQ(name(error.reason()), tested.at("reason")) << text;
      EXPECT_EQ(error.column(), tested.at("column")) << text;
    }
  }
}

// A weight is refused for what is wrong with it: 1e-400 lies in [0,1], but no double holds it.
TEST(ExpressionParser, WeightsAreRefusedForWhatIsWrong) {
  const auto refusal = [](const std::string& value) -> std::string {
    try {
      parse_expression("(a)->a U[w=" + value + "] (b)->b");
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.column(), 12) << value;
      return error.what();
    }
    return "";
  };
  for (const char* const kept : {"0", "1", "0e-400", "0.25", "1e-5", "5e-324"}) {
    EXPECT_EQ(refusal(kept), "") << kept;
  }
  for (const std::string& small :
       {std::string("1e-400"), "0." + std::string(400, '0') + "1", std::string("1e-99999999999999999999")}) {
    EXPECT_NE(refusal(small).find("write 0 for a smaller one"), std::string::npos) << refusal(small);
  }
  EXPECT_NE(refusal("1e-400").find("found \"1e-400\""), std::string::npos) << refusal("1e-400");
  for (const std::string& outside :
       {std::string("1.5"), std::string("1e400"), std::string("0.0001e+400"), std::string("-1e-400"),
        std::string("-0.5"), "1" + std::string(400, '0') + "e-1"}) {
    EXPECT_NE(refusal(outside).find("from 0 to 1; divide"), std::string::npos) << refusal(outside);
  }
  for (const char* const other : {"x", "nan", "inf", "0.5x"}) {
    EXPECT_NE(refusal(other).find("a number from 0 to 1, such as"), std::string::npos) << refusal(other);
  }
  EXPECT_NE(refusal("").find("expected a value"), std::string::npos);
}

TEST(ExpressionParser, NestingOfManyLevels) {
  constexpr int kLevels = 30'000;
  std::string text = "a";
  std::string opening;
  std::string closing;
  for (int i = 0; i < kLevels; ++i) {
    opening += '(';
    closing += ")->a U (b)->b";
  }
  const ParsedExpression parsed = parse_expression(opening + text + closing);
  EXPECT_EQ(parsed.expression.depth(), kLevels);
  EXPECT_EQ(parsed.expression.order(), 2);
  EXPECT_EQ(parsed.text(), opening + text + closing);
  EXPECT_THROW(parse_expression(opening), ExpressionError);
}

TEST(ExpressionParser, FirstAnnotationCounts) {
  const ParsedExpression parsed = parse_expression("((a)->a U[l=1] (b)->b)->a U ((a)->a U[l=2] (b)->b)->b");
  EXPECT_EQ(parsed.text(), "((a)->a U[l=1] (b)->b)->a U ((a)->a U[l=1] (b)->b)->b");
  EXPECT_EQ(parsed.text(false), "((a)->a U (b)->b)->a U ((a)->a U (b)->b)->b");
}

TEST(ExpressionParser, ReadsWhatKBestPrints) {
  const json golden = test::read_json("worked_example.json");
  const std::vector<std::string> words = {"a", "b", "c"};
  for (const json& row : golden.at("expected").at("derivations")) {
    EXPECT_EQ(parse_expression(row.at("annotated").get<std::string>(), words).text(false),
              row.at("expression"));
  }
}

TEST(ExpressionParser, BytesThatAreNotUtf8AreNames) {
  EXPECT_EQ(parse_expression("\xFF").words.at(0).form, "\xEF\xBF\xBD");
  EXPECT_THROW(parse_expression("(\xFF)->"), ExpressionError);
}

}  // namespace
}  // namespace mog::analysis
