// What a change does to the probabilities of output tokens.
#include <gtest/gtest.h>

#include "app/workflow/record/next_tokens.h"
#include "tests/support/translating_model.h"

namespace mog::app {
namespace {

using test::TranslatingModel;

TEST(NextTokens, ComparesTheSameOutputBeforeAndAfter) {
  const LoadedModel loaded = test::translating_model();
  const Sentence sentence = loaded.tokenizer->encode("the dog barked", 1);
  const std::vector<NextToken> tokens = next_tokens(
      loaded, {sentence, {}}, {sentence, {model::MaskToken{.sentence = 0, .token = 1}}}, std::stop_token());
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[0].text, "ein");
  EXPECT_EQ(tokens[1].text, "Hund");
  EXPECT_TRUE(tokens[2].end);
  EXPECT_FALSE(tokens[1].end);
  EXPECT_NEAR(tokens[0].before, TranslatingModel::probability(0), 1e-9);
  EXPECT_EQ(tokens[0].after, tokens[0].before);
  EXPECT_NEAR(tokens[1].before, TranslatingModel::probability(0), 1e-9);
  EXPECT_NEAR(tokens[1].after, TranslatingModel::probability(1), 1e-9);
  EXPECT_LT(tokens[1].after, tokens[1].before);
  for (std::int64_t token = 0; token < 3; ++token) {
    EXPECT_EQ(tokens[static_cast<std::size_t>(token)].source, TranslatingModel::read_by(token));
  }
}

TEST(NextTokens, AreNoneWithoutADecoder) {
  LoadedModel loaded;
  loaded.model = std::make_shared<const test::FakeModel>();
  loaded.tokenizer = std::make_shared<const test::FakeTokenizer>();
  const Sentence sentence = loaded.tokenizer->encode("the dog barked", 1);
  EXPECT_TRUE(next_tokens(loaded, {sentence, {}}, {sentence, {}}, std::stop_token()).empty());
}

}  // namespace
}  // namespace mog::app
