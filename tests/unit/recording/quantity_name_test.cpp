#include "io/recording/quantity_name.h"

#include <gtest/gtest.h>

#include "io/recording/axes.h"
#include "io/recording/errors.h"

namespace mog {
namespace {

TEST(QuantityName, ParsesAndPrintsTheSameText) {
  for (const char* const text :
       {"encoder.embedding", "encoder.3.gate", "encoder.3.gate.mean", "encoder.12.middle1.attention",
        "encoder.3.high.attention.row_entropy", "encoder.3.low.output.share", "decoder.2.cross.attention",
        "heads.upos.logits", "encoder.output", "encoder.1.full.attention.mean_heads", "encoder.1.output",
        "encoder.2.split.norm", "encoder.2.carried.cosine", "encoder.4.full.logit_terms.covariance_heads",
        "encoder.4.alti.tree_order", "encoder.4.full.aumann_shapley", "encoder.propagation.projection",
        "encoder.flow.raw"}) {
    EXPECT_EQ(QuantityName::parse(text).text(), text);
  }
}

TEST(QuantityName, AcceptsOtherSpellingsOfParts) {
  EXPECT_EQ(QuantityName::parse("encoder.3.m1.attention").text(), "encoder.3.middle1.attention");
  EXPECT_EQ(QuantityName::parse("encoder.3.i_h.output").text(), "encoder.3.high.output");
  EXPECT_EQ(Part::parse("i_m2"), Part::middle2);
}

TEST(QuantityName, RefusesByNamingThePiece) {
  for (const char* const text :
       {"", "encoder", "encoder.0.gate", "encoder.03.gate", "encoder.3.middle3.attention",
        "encoder.3.gate.maximum", "encoder.3.gate.mean.mean", "heads.logits", "Encoder.3.gate",
        "encoder.99999999999999999999.gate"}) {
    EXPECT_THROW(QuantityName::parse(text), UsageError) << text;
  }
  try {
    QuantityName::parse("encoder.3.middle3.attention");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("\"middle3\""), std::string::npos) << error.what();
  }
}

TEST(Axes, NamedEntriesAreAsManyAsTheDecompositionsHave) {
  EXPECT_EQ(entry_names(Axis::logit_term).size(), 6U);
  EXPECT_EQ(entry_names(Axis::separate_term).size(), 9U);
  EXPECT_EQ(entry_names(Axis::gate_part).size(), 17U);
  EXPECT_EQ(entry_names(Axis::gate_part)[3], "pp.p");
  EXPECT_TRUE(entry_names(Axis::token).empty());
  EXPECT_EQ(entry_names(Axis::logit_term, 6).size(), 6U);
  EXPECT_EQ(entry_names(Axis::logit_term, 7).back(), "pos");
  EXPECT_EQ(entry_names(Axis::separate_term, 10).back(), "pos");
  EXPECT_EQ(entry_names(Axis::cause, 8).back(), "pos");
  const std::vector<std::string_view> sums = entry_names(Axis::covariance_sum, 8);
  EXPECT_EQ(sums[6], "pos");
  EXPECT_EQ(sums[7], "variance");
  const std::vector<std::string_view> gate = entry_names(Axis::gate_part, 19);
  ASSERT_EQ(gate.size(), 19U);
  EXPECT_EQ(gate[15], "pos.p");
  EXPECT_EQ(gate[18], "bias");
  EXPECT_EQ(parse_axis("walk_length"), Axis::walk_length);
}

TEST(Axes, RelationsOfAGraphAreFurtherTerms) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(entry_names(Axis::logit_term, 9), (Names{"pp", "pi", "ip", "ii", "bp", "bi", "pr", "ir", "br"}));
  EXPECT_EQ(entry_names(Axis::cause, 14),
            (Names{"u", "pp", "pi", "ip", "ii", "bp", "bi", "pos", "pr", "ir", "br", "rp", "ri", "rb"}));
  EXPECT_EQ(entry_names(Axis::separate_term, 15).back(), "rb");
  EXPECT_EQ(entry_names(Axis::covariance_sum, 10),
            (Names{"pp", "pi", "ip", "ii", "bp", "bi", "pr", "ir", "br", "variance"}));
  EXPECT_EQ(entry_names(Axis::value_part, 3), (Names{"p", "i", "r"}));
  EXPECT_EQ(entry_names(Axis::order_group, 7),
            (Names{"low", "mid", "high", "base", "graph", "feed_forward", "bias"}));
  for (const std::int64_t causes : {10, 11, 13, 14}) {  // three value parts each
    const Names gate = entry_names(Axis::gate_part, 3 * causes + 3);
    ASSERT_EQ(gate.size(), static_cast<std::size_t>(3 * causes + 3));
    EXPECT_EQ(gate[3], "u.r");
    EXPECT_EQ(gate[static_cast<std::size_t>(3 * causes)],
              std::string(entry_names(Axis::cause, causes).back()) + ".r");
    EXPECT_EQ(gate.back(), "bias");
  }
}

TEST(Axes, TheBiasIsOneSourceMore) {
  const QuantitySchema schema{QuantityName::parse("encoder.1.propagation"),
                              {Axis::token, Axis::source, Axis::d_model},
                              {0, 0, 8},
                              DType::float32,
                              "1",
                              ""};
  EXPECT_EQ(schema.shape(5), (std::vector<std::int64_t>{5, 6, 8}));
}

TEST(Axes, EveryAxisHasItsName) {
  for (int i = 0; i <= static_cast<int>(Axis::distance); ++i) {
    const auto axis = static_cast<Axis>(i);
    EXPECT_FALSE(name(axis).empty()) << i;
    EXPECT_EQ(parse_axis(name(axis)), axis);
  }
  EXPECT_THROW(parse_axis("time"), UsageError);
}

TEST(Axes, ExtentsThatAreNoneOfOursAddNoNames) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(entry_names(Axis::logit_term, 8).size(), 6U);
  EXPECT_EQ(entry_names(Axis::value_part, 9), (Names{"p", "i"}));
  EXPECT_EQ(entry_names(Axis::order_group, 9).size(), 6U);
  EXPECT_EQ(entry_names(Axis::context_side, 2), (Names{"source", "prefix"}));
  EXPECT_EQ(entry_names(Axis::context_side, 3), (Names{"source", "prefix", "bias"}));
  EXPECT_EQ(entry_names(Axis::graph_term, 2), (Names{"content", "relation_key"}));
  EXPECT_EQ(entry_names(Axis::group_query), (Names{"i_h", "i_m1", "i_m2", "i_l"}));
  EXPECT_EQ(entry_names(Axis::split_norm).back(), "output");
  EXPECT_EQ(entry_names(Axis::split_part).size(), 4U);
  EXPECT_EQ(entry_names(Axis::norm_place).size(), 2U);
}

TEST(Axes, TokensOfSentenceAndTranslationDecideTheShape) {
  const QuantitySchema schema{QuantityName::parse("decoder.1.cross.attention"),
                              {Axis::target_token, Axis::target_query, Axis::target_key, Axis::key,
                               Axis::context, Axis::context_bias, Axis::head},
                              {0, 0, 0, 0, 0, 0, 2},
                              DType::float32,
                              "1",
                              ""};
  EXPECT_EQ(schema.shape(5, 3), (std::vector<std::int64_t>{3, 3, 3, 5, 8, 9, 2}));
  EXPECT_EQ(schema.elements(5, 3), 3 * 3 * 3 * 5 * 8 * 9 * 2);
  EXPECT_TRUE(schema.of_target());
  const QuantitySchema gate{
      QuantityName::parse("encoder.1.gate"), {Axis::token}, {0}, DType::float32, "1", ""};
  EXPECT_FALSE(gate.of_target());
}

TEST(QuantityName, OfTasksAndOthersParts) {
  EXPECT_EQ(QuantityName::tag_scores("upos").text(), "heads.upos.logits");
  EXPECT_EQ(QuantityName::pair_scores("arc").text(), "heads.arc.pair_scores");
  EXPECT_TRUE(QuantityName::tag_scores("upos").of_task());
  const QuantityName name = QuantityName::parse("encoder.3.high.attention");
  EXPECT_EQ(name.with(Part::low).text(), "encoder.3.low.attention");
  EXPECT_EQ(name.with(Reduction::row_entropy).text(), "encoder.3.high.attention.row_entropy");
  EXPECT_EQ(map_quantity(Part::high), Quantity::attention);
  EXPECT_EQ(map_quantity(Part::forward), Quantity::carry);
  EXPECT_TRUE(is_quantity_word("share"));
  EXPECT_FALSE(is_quantity_word("high"));
}

TEST(QuantityName, SortsAsAModelComputes) {
  EXPECT_LT(QuantityName::parse("encoder.2.gate"), QuantityName::parse("encoder.10.gate"));
  EXPECT_LT(QuantityName::parse("encoder.2.high.attention"), QuantityName::parse("encoder.2.low.output"));
  EXPECT_LT(QuantityName::parse("encoder.2.gate"), QuantityName::parse("decoder.1.input"));
}

}  // namespace
}  // namespace mog
