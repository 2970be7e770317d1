#include "analysis/mog/orders/generation_counts.h"

#include <gtest/gtest.h>

#include "analysis/mog/expressions/expression_parser.h"
#include "analysis/mog/orders/order_bands.h"
#include "tests/unit/analysis/golden_grammar.h"

namespace mog::analysis {
namespace {

using nlohmann::json;

const json& golden() {
  static const json counts = test::read_json("counts.json");
  return counts;
}

// Golden counts are numbers or decimal strings.
std::string digits(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::to_string(value.get<std::int64_t>());
}

TEST(GenerationCounts, GoldenPlainAndGraphTransformer) {
  ASSERT_EQ(golden().at("generation").size(), 6U);
  for (const json& tested : golden().at("generation")) {
    const auto words = tested.at("words").get<std::int64_t>();
    const auto order = tested.at("order").get<std::int64_t>();
    EXPECT_EQ(distinct_derivations(words, order), digits(tested.at("distinct")));
    const auto rows = generation_counts(words, order, 6);
    ASSERT_EQ(rows.size(), tested.at("plain_held_by_layer").size());
    for (std::size_t l = 0; l < rows.size(); ++l) {
      EXPECT_EQ(rows[l].plain_held, digits(tested.at("plain_held_by_layer")[l]));
      EXPECT_EQ(rows[l].plain_new, digits(tested.at("plain_new_by_layer")[l]));
      EXPECT_EQ(rows[l].graph_held, digits(tested.at("graph_held_by_layer")[l]));
      EXPECT_EQ(rows[l].graph_high, digits(tested.at("graph_new_by_layer")[l].at("h")));
      EXPECT_EQ(rows[l].graph_middle1, digits(tested.at("graph_new_by_layer")[l].at("m1")));
      EXPECT_EQ(rows[l].graph_middle2, digits(tested.at("graph_new_by_layer")[l].at("m2")));
    }
  }
}

TEST(GenerationCounts, TheGraphTransformerHoldsEveryDistinctDerivationOnce) {
  // 9 words need at most 8 layers.
  for (std::int64_t order = 1; order <= 9; ++order) {
    EXPECT_EQ(generation_counts(9, order, 8).back().graph_held, distinct_derivations(9, order)) << order;
  }
}

TEST(GenerationCounts, GoldenMultiplicities) {
  for (const json& tested : golden().at("multiplicity")) {
    const auto parsed = parse_expression(tested.at("expression").get<std::string>());
    EXPECT_EQ(parsed.expression.depth(), tested.at("depth").get<int>());
    const auto rows = multiplicities(parsed.expression, 8);
    for (std::size_t l = 0; l < rows.size(); ++l) {
      EXPECT_EQ(rows[l].plain_multiplicity, digits(tested.at("plain_multiplicity_by_layer")[l]));
      EXPECT_EQ(rows[l].plain_events, tested.at("plain_events_by_layer")[l].get<std::int64_t>());
      EXPECT_EQ(rows[l].graph_multiplicity, tested.at("graph_multiplicity_by_layer")[l].get<std::int64_t>());
    }
  }
  const auto overlapping = parse_expression("(a)->a U ((b)->b U (a)->a)->b");
  EXPECT_THROW(multiplicities(overlapping.expression, 3), UsageError);
}

TEST(GenerationCounts, GoldenCountsOfOrders) {
  for (const json& row : golden().at("distinct_of_order_k_over_n_words")) {
    EXPECT_EQ(distinct_derivations(row[0], row[1]), digits(row[2])) << row;
  }
  for (const json& row : golden().at("per_owner_and_node_set")) {
    EXPECT_EQ(owned_derivations(row[0]), digits(row[1])) << row;
  }
  for (const json& row : golden().at("free_anchor")) {
    EXPECT_EQ(free_anchor_derivations(row[0]), digits(row[1])) << row;
  }
}

TEST(GenerationCounts, GoldenOverlaps) {
  for (const json& tested : golden().at("raw_with_overlaps")) {
    const auto rows = overlap_counts(tested.at("words"), 5);
    for (std::size_t l = 0; l < rows.size(); ++l) {
      EXPECT_EQ(rows[l].plain, digits(tested.at("plain")[l]));
      EXPECT_EQ(rows[l].graph, digits(tested.at("graph")[l]));
    }
  }
}

TEST(GenerationCounts, GoldenRecurrentEncoders) {
  for (const json& row : golden().at("gru_one_layer")) {
    EXPECT_EQ(recurrent_of_order(row[0], row[1]), digits(row[2])) << row;
  }
  for (const json& row : golden().at("gru_total")) {
    EXPECT_EQ(recurrent_total(row[0], row[1]), digits(row[2])) << row;
  }
  EXPECT_THROW(recurrent_total(512, 8), UsageError);
}

TEST(GenerationCounts, GoldenGrammars) {
  ASSERT_EQ(golden().at("grammar_derivations").size(), 60U);
  for (const json& row : golden().at("grammar_derivations")) {
    const GrammarSize size = grammar_size(parse_grammar_kind(row.at("kind").get<std::string>()),
                                          row.at("words"), row.at("layers"));
    EXPECT_EQ(size.rules, digits(row.at("rules"))) << row;
    EXPECT_EQ(size.derivations, digits(row.at("derivations_of_last_word"))) << row;
  }
}

TEST(OrderBands, Golden) {
  for (const json& row : golden().at("order_ranges")) {
    const auto layer = row.at("layer").get<std::int64_t>();
    for (const BandKind kind : {BandKind::exact, BandKind::nominal}) {
      const json& bands = row.at(std::string(name(kind)));
      for (const auto& [key, parts] : {std::pair("high", std::vector{Part::high}),
                                       std::pair("middle", std::vector{Part::middle1, Part::middle2}),
                                       std::pair("low", std::vector{Part::low})}) {
        for (const Part part : parts) {
          const auto band = order_band(layer, part, kind);
          ASSERT_EQ(band.has_value(), !bands.at(key).is_null()) << layer << key;
          if (band) {
            EXPECT_EQ(json({band->low, band->high}), bands.at(key)) << layer << key;
          }
        }
      }
    }
  }
  EXPECT_THROW(order_band(0, Part::high, BandKind::exact), UsageError);
  EXPECT_THROW(order_band(1, Part::cross, BandKind::exact), UsageError);
}

// A band is exact when the counts of every order in it, and of no other, are positive.
TEST(OrderBands, AreReachedOrderByOrder) {
  for (std::int64_t order = 1; order <= 14; ++order) {
    const auto rows = generation_counts(14, order, 6);
    for (const GenerationRow& row : rows) {
      const auto reached = [&](Part part) {
        const auto band = order_band(row.layer, part, BandKind::exact);
        return band && band->holds(order);
      };
      EXPECT_EQ(row.graph_high != "0", reached(Part::high)) << row.layer << ' ' << order;
      EXPECT_EQ(row.graph_middle1 != "0", reached(Part::middle1)) << row.layer << ' ' << order;
      EXPECT_EQ(row.graph_middle2 != "0", reached(Part::middle2)) << row.layer << ' ' << order;
    }
  }
}

}  // namespace
}  // namespace mog::analysis
