#include "io/recording/recording_label.h"

#include <gtest/gtest.h>

namespace mog {
namespace {

using Names = std::vector<std::string>;

TEST(RecordingLabel, DifferentNamesStayAsTheyAre) {
  EXPECT_EQ(told_apart({}), Names());
  EXPECT_EQ(told_apart(std::vector<Named>{{"a", "m", "/x/a"}, {"b", "m", "/x/a"}}), (Names{"a", "b"}));
}

TEST(RecordingLabel, EqualNamesGetTheOtherName) {
  EXPECT_EQ(told_apart(std::vector<Named>{{"a", "m", "/x/a"}, {"b", "m", "/x/b"}, {"a", "n", "/y/a"}}),
            (Names{"a (m)", "b", "a (n)"}));
}

TEST(RecordingLabel, OrAsMuchOfThePathAsTellsThemApart) {
  EXPECT_EQ(told_apart(std::vector<Named>{{"a", "", "/x/1"}, {"a", "", "/x/2"}}), (Names{"a (1)", "a (2)"}));
  EXPECT_EQ(told_apart(std::vector<Named>{{"a", "m", "/x/p/1"}, {"a", "m", "/x/q/1"}, {"a", "n", "/x/q/2"}}),
            (Names{"a (p/1)", "a (q/1)", "a (q/2)"}));
  // Neither recording.h5 nor the name itself says anything.
  EXPECT_EQ(told_apart(std::vector<Named>{{"a", "", "/x/a/recording.h5"}, {"a", "", "/y/./a/"}}),
            (Names{"a (x)", "a (y)"}));
}

TEST(RecordingLabel, OrNumbers) {
  EXPECT_EQ(told_apart(std::vector<Named>{{"a", "m", ""}, {"a", "m", ""}}), (Names{"a (1)", "a (2)"}));
  EXPECT_EQ(told_apart(std::vector<Named>{{"a", "", "/a"}, {"a", "", "/x"}}), (Names{"a (1)", "a (2)"}));
}

}  // namespace
}  // namespace mog
