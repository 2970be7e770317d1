#include "io/recording/seen_keys.h"

#include <gtest/gtest.h>

#include <string>

namespace mog {
namespace {

RecordingHeader header_of(bool causal, const std::string& config) {
  RecordingHeader header;
  header.model.config_json = config;
  StackDescription stack;
  stack.causal = causal;
  stack.layers = 3;
  header.system.stacks = {stack};
  return header;
}

// "x..\nxx.\nxxx\n": rows are queries.
std::string drawn(const SeenKeys& seen, std::int64_t tokens) {
  std::string text;
  for (std::int64_t query = 0; query < tokens; ++query) {
    for (std::int64_t key = 0; key < tokens; ++key) {
      text += seen(query, key) ? 'x' : '.';
    }
    text += '\n';
  }
  return text;
}

SeenKeys of_layer(const RecordingHeader& header, std::int64_t layer) {
  return {header, header.stack().stack, layer};
}

TEST(SeenKeys, AreAllWhereNothingSaysOtherwise) {
  EXPECT_TRUE(SeenKeys().all());
  EXPECT_TRUE(of_layer(header_of(false, ""), 1).all());
  EXPECT_EQ(drawn(of_layer(header_of(false, "{}"), 0), 2), "xx\nxx\n");
}

TEST(SeenKeys, AreThoseBeforeFromLeftToRight) {
  EXPECT_EQ(drawn(of_layer(header_of(true, ""), 2), 3), "x..\nxx.\nxxx\n");
}

TEST(SeenKeys, LieInTheWindowOfTheirLayer) {
  const RecordingHeader both = header_of(false, R"({"encoder": {"windows": [0, 1, 2]}})");
  EXPECT_TRUE(of_layer(both, 1).all());
  EXPECT_EQ(drawn(of_layer(both, 2), 4), "xx..\nxxx.\n.xxx\n..xx\n");
  EXPECT_TRUE(of_layer(both, 0).all());  // layer 1 sees all
  const RecordingHeader left = header_of(true, R"({"encoder": {"windows": [1, 2, 1]}})");
  EXPECT_EQ(drawn(of_layer(left, 1), 4), "x...\nxx..\n.xx.\n..xx\n");
  EXPECT_EQ(drawn(of_layer(left, 0), 4), "x...\nxx..\nxxx.\n.xxx\n");
  EXPECT_FALSE(of_layer(left, 9).all());  // no such layer: the mask alone
}

TEST(SeenKeys, OfACardThatCannotBeReadAreThoseOfTheMask) {
  for (const char* const config :
       {"{", "[1]", R"({"encoder": 3})", R"({"encoder": {"windows": ["a"]}})",
        R"({"encoder": {"windows": [-1, 2, 3]}})", R"({"encoder": {"windows": 4.5}})"}) {
    EXPECT_TRUE(attention_windows(header_of(false, config).model).empty()) << config;
  }
}

TEST(SeenKeys, OfAnUnknownStackAreAll) {
  EXPECT_TRUE(SeenKeys(header_of(true, ""), Stack::decoder, 1).all());
}

}  // namespace
}  // namespace mog
