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

TEST(QuantityName, SortsAsAModelComputes) {
  EXPECT_LT(QuantityName::parse("encoder.2.gate"), QuantityName::parse("encoder.10.gate"));
  EXPECT_LT(QuantityName::parse("encoder.2.high.attention"), QuantityName::parse("encoder.2.low.output"));
  EXPECT_LT(QuantityName::parse("encoder.2.gate"), QuantityName::parse("decoder.1.input"));
}

}  // namespace
}  // namespace mog
