#include "analysis/parsing/coreference_baseline.h"

#include <gtest/gtest.h>

#include <sstream>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST(CoreferenceBaseline, TheHeadStandsBeforeWhatDescribesIt) {
  const auto head = [](const std::string& text) {
    const Words words = words_of(text);
    return words[static_cast<std::size_t>(head_token({0, std::ssize(words)}, words))];
  };
  EXPECT_EQ(head("the old house of the man"), "house");
  EXPECT_EQ(head("a girl who sang"), "girl");
  EXPECT_EQ(head("mr. lockwood , the tenant"), "lockwood");
  EXPECT_EQ(head("the young man"), "man");
  EXPECT_EQ(head("that"), "that");  // the first word is never what follows a head
  EXPECT_EQ(head("that of his"), "that");
}

TEST(CoreferenceBaseline, MentionsOfOneHeadAreOneChain) {
  const Words words = words_of("the man saw a man of honour and he knew he was the honour");
  const std::vector<Mention> mentions = {{0, 2}, {3, 7}, {6, 7}, {8, 9}, {10, 11}, {12, 14}, {8, 9}};
  EXPECT_EQ(baseline_chains(CoreferenceBaseline::same_head, mentions, words),
            (std::vector<Chain>{{{0, 2}, {3, 7}}, {{6, 7}, {12, 14}}, {{8, 9}, {10, 11}}}));
}

TEST(CoreferenceBaseline, APronounGoesWithTheNearestNameThatHasEnded) {
  const Words words = words_of("he met ann and her brother ; i think she left");
  // "her brother" has not ended at "her"; "i" is no name.
  const std::vector<Mention> mentions = {{0, 1}, {2, 3}, {4, 6}, {4, 5}, {7, 8}, {9, 10}};
  EXPECT_EQ(baseline_chains(CoreferenceBaseline::nearest, mentions, words),
            (std::vector<Chain>{{{0, 1}}, {{2, 3}, {4, 5}}, {{4, 6}, {9, 10}}, {{7, 8}}}));
}

TEST(CoreferenceBaseline, RefusesWhatIsNotThere) {
  EXPECT_THROW(baseline_chains(CoreferenceBaseline::nearest, std::vector<Mention>{{0, 2}}, words_of("a")),
               UsageError);
  EXPECT_THROW(parse_coreference_baseline("nearst"), UsageError);
  EXPECT_EQ(parse_coreference_baseline("same-head"), CoreferenceBaseline::same_head);
}

}  // namespace
}  // namespace mog::analysis
