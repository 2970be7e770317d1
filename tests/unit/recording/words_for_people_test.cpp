// Small words in messages: counts, names that were meant, what a recording without maps says.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "io/recording/counted.h"
#include "io/recording/nearest_name.h"
#include "io/recording/top_keys.h"

namespace mog {
namespace {

using Names = std::vector<std::string>;

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(1, "sentence"), "1 sentence");
  EXPECT_EQ(counted(0, "sentence"), "0 sentences");
  EXPECT_EQ(counted(12, "entry", "entries"), "12 entries");
  EXPECT_EQ(plural(1, "entry", "entries"), "entry");
}

TEST(Counted, ThousandsAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
  EXPECT_EQ(grouped(-123), "-123");
  EXPECT_EQ(grouped(-1'234'567), "-1,234,567");
}

TEST(NearestName, IsOneWithFewLettersChanged) {
  const Names names = {"record", "recordings", "tree", "trees", "stats", "statistics", "--theme"};
  EXPECT_EQ(nearest_names("recrod", names), Names{"record"});           // swapped
  EXPECT_EQ(nearest_names("reord", names), Names{"record"});            // left out
  EXPECT_EQ(nearest_names("treess", names), (Names{"trees", "tree"}));  // put in
  EXPECT_EQ(nearest_names("stat", names), (Names{"stats", "statistics"}));
  EXPECT_EQ(nearest_names("--tehme", names), Names{"--theme"});
  EXPECT_EQ(nearest_names("completely", names), Names());
  EXPECT_EQ(nearest_names("", names), Names());
  EXPECT_EQ(nearest_names("--", names), Names());
  EXPECT_EQ(nearest_names(std::string(101, 'r'), names), Names());
}

TEST(NearestName, NoMoreThanThreeAndEachOnce) {
  const Names names = {"cat", "cot", "cut", "cart", "cat"};
  const Names near = nearest_names("cyt", names);
  EXPECT_EQ(near, (Names{"cat", "cot", "cut"}));
}

TEST(NearestName, IsSaidAsAQuestion) {
  EXPECT_EQ(did_you_mean("tre", {"tree", "record"}), "; did you mean tree?");
  EXPECT_EQ(did_you_mean("cyt", {"cat", "cot"}), "; did you mean cat or cot?");
  EXPECT_EQ(did_you_mean("cyt", {"cat", "cot", "cut"}), "; did you mean cat, cot or cut?");
  EXPECT_EQ(did_you_mean("zzz", {"cat"}), "");
}

TEST(NearestName, IsInTheRefusalOfAChoice) {
  EXPECT_STREQ(unknown_choice("--theme", "drak", {"light", "dark"}).what(),
               "--theme drak: allowed are light and dark; did you mean dark?");
  EXPECT_STREQ(unknown_choice("--size", "x", {"one", "two", "three"}).what(),
               "--size x: allowed are one, two and three");
}

TEST(TopKeys, ARecordingOfThemSaysThatTheyAreNoMap) {
  RecordingHeader header;
  EXPECT_EQ(top_keys_held(header), 0);
  EXPECT_EQ(only_top_keys(header), "");
  const auto add = [&](const char* name, std::vector<Axis> axes, std::vector<std::int64_t> extents) {
    header.quantities.push_back(
        {QuantityName::parse(name), std::move(axes), std::move(extents), DType::float32, "1", ""});
  };
  add("encoder.1.gate", {Axis::token}, {0});
  add("encoder.1.full.attention", {Axis::query, Axis::key}, {0, 0});
  add("encoder.1.full.attention.top", {}, {});
  EXPECT_EQ(top_keys_held(header), 0);
  add("encoder.1.full.attention.top", {Axis::query, Axis::rank}, {0, 4});
  EXPECT_EQ(top_keys_held(header), 0);  // by its name beside other quantities: nothing took its map's place
  add("encoder.1.full.attention.rest", {Axis::query}, {0});
  EXPECT_EQ(top_keys_held(header), 4);
  EXPECT_NE(only_top_keys(header).find("it holds the 4 greatest weights of each row alone"),
            std::string::npos);
}

}  // namespace
}  // namespace mog
