#include "app/workflow/record/capture.h"

#include <gtest/gtest.h>

#include "io/recording/errors.h"
#include "tests/support/fake_model.h"

namespace mog::app {
namespace {

std::string names(const std::string& captures, const std::string& layers = "", bool graph = true) {
  const test::FakeModel model({.layers = 2, .graph = graph});
  CaptureSet set;
  set.names = parse_captures(captures);
  if (!layers.empty()) {
    set.layers = parse_layers(layers);
  }
  std::string text;
  for (const QuantitySchema& schema : select_quantities(model.quantities(), set, false)) {
    text += schema.name.text() + ":" + std::string(name(schema.dtype)) + " ";
  }
  return text;
}

TEST(Capture, SummaryHoldsStatisticsInFloat32) {
  const std::string summary = names("summary", "2");
  EXPECT_NE(summary.find("encoder.2.gate.mean:float32 "), std::string::npos) << summary;
  EXPECT_NE(summary.find("encoder.2.high.attention.row_entropy:float32 "), std::string::npos) << summary;
  EXPECT_NE(summary.find("encoder.2.low.output.share:float32 "), std::string::npos) << summary;
  EXPECT_NE(summary.find("heads.pos.logits:float32 "), std::string::npos) << summary;
  EXPECT_EQ(summary.find("float16"), std::string::npos) << summary;
  EXPECT_EQ(summary.find("encoder.1."), std::string::npos) << summary;
}

TEST(Capture, AttentionOfAPlainModelIsFull) {
  EXPECT_EQ(names("attention", "", false),
            "encoder.1.full.attention:float16 encoder.2.full.attention:float16 ");
}

TEST(Capture, GatesAreTheFullGateAndItsMean) {
  EXPECT_EQ(names("gates", "1"), "encoder.1.gate:float16 encoder.1.gate.mean:float32 ");
}

TEST(Capture, AllHoldsEveryOther) {
  const std::string all = names("all");
  for (const std::string capture : {"summary", "attention", "gates", "shares", "hidden"}) {
    std::string rest = names(capture);
    while (!rest.empty()) {
      const auto end = rest.find(' ');
      EXPECT_NE(all.find(rest.substr(0, end + 1)), std::string::npos) << capture << ": " << rest;
      rest.erase(0, end + 1);
    }
  }
}

TEST(Capture, WrongNamesAndLayersAreRefused) {
  EXPECT_THROW(parse_captures("summary,atention"), UsageError);
  EXPECT_THROW(parse_captures(""), UsageError);
  EXPECT_THROW(parse_captures("none,summary"), UsageError);
  for (const std::string layers : {"", "0", "2-1", "1-", "a", "1,,2", "1-2-3"}) {
    EXPECT_THROW(parse_layers(layers), UsageError) << layers;
  }
  EXPECT_EQ(parse_layers("1,3-5"), (std::vector<LayerRange>{{1, 1}, {3, 5}}));
  EXPECT_THROW(names("summary", "3"), UsageError);
}

}  // namespace
}  // namespace mog::app
