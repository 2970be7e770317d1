#include "io/recording/quantity_name.h"

#include <gtest/gtest.h>

#include "io/recording/errors.h"

namespace mog {
namespace {

TEST(QuantityName, ParsesAndPrintsTheSameText) {
  for (const char* const text :
       {"encoder.embedding", "encoder.3.gate", "encoder.3.gate.mean", "encoder.12.middle1.attention",
        "encoder.3.high.attention.row_entropy", "encoder.3.low.output.share", "decoder.2.cross.attention",
        "heads.upos.logits", "encoder.output", "encoder.1.full.attention.mean_heads", "encoder.1.output"}) {
    EXPECT_EQ(QuantityName::parse(text).text(), text);
  }
}

TEST(QuantityName, AcceptsOtherSpellingsOfParts) {
  EXPECT_EQ(QuantityName::parse("encoder.3.m1.attention").text(), "encoder.3.middle1.attention");
  EXPECT_EQ(QuantityName::parse("encoder.3.i_h.output").text(), "encoder.3.high.output");
  EXPECT_EQ(parse_part("i_m2"), Part::middle2);
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

TEST(QuantityName, SortsAsAModelComputes) {
  EXPECT_LT(QuantityName::parse("encoder.2.gate"), QuantityName::parse("encoder.10.gate"));
  EXPECT_LT(QuantityName::parse("encoder.2.high.attention"), QuantityName::parse("encoder.2.low.output"));
  EXPECT_LT(QuantityName::parse("encoder.2.gate"), QuantityName::parse("decoder.1.input"));
}

}  // namespace
}  // namespace mog
