#include "analysis/parsing/coreference_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

using Numbers = std::vector<std::int64_t>;
using Windows = std::vector<TokenWindow>;

Numbers ones(std::size_t tokens) {
  return Numbers(tokens, 1);
}

TEST(CoreferenceWindows, EndWhereSentencesDo) {
  EXPECT_EQ(coreference_windows(ones(10), Numbers{0, 3, 7}, 10, 2), (Windows{{0, 10}}));
  // Sentences of 3, 4, 3: the second window begins where one does and shares two tokens or more.
  EXPECT_EQ(coreference_windows(ones(10), Numbers{0, 3, 7}, 8, 2), (Windows{{0, 7}, {3, 10}}));
  EXPECT_EQ(coreference_windows(ones(10), Numbers{0, 3, 7}, 8, 0), (Windows{{0, 7}, {7, 10}}));
  // A sentence that fits nowhere is cut.
  EXPECT_EQ(coreference_windows(ones(12), Numbers{0, 2}, 5, 1), (Windows{{0, 2}, {1, 6}, {5, 10}, {9, 12}}));
  // The overlap gives way to a sentence that fits whole.
  EXPECT_EQ(coreference_windows(ones(8), Numbers{0, 3}, 6, 3), (Windows{{0, 3}, {2, 8}}));
  EXPECT_TRUE(coreference_windows({}, {}, 4, 1).empty());
}

TEST(CoreferenceWindows, RefuseWhatCannotBe) {
  EXPECT_THROW(coreference_windows(Numbers{1, 5}, Numbers{0}, 4, 1), UsageError);
  EXPECT_THROW(coreference_windows(Numbers{1, 0}, Numbers{0}, 4, 1), UsageError);
  EXPECT_THROW(coreference_windows(ones(2), Numbers{0}, 4, 4), UsageError);
  EXPECT_THROW(merged_chains(Windows{{0, 1}}, {}), UsageError);
}

struct Document {
  Numbers positions;
  Numbers sentences;
  std::int64_t most = 0;
  std::int64_t overlap = 0;
};

Document random_document(std::mt19937_64& random) {
  Document document;
  document.most = static_cast<std::int64_t>(6 + random() % 20);
  document.overlap = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(document.most));
  const std::size_t tokens = 1 + random() % 60;
  for (std::size_t token = 0; token < tokens; ++token) {
    document.positions.push_back(static_cast<std::int64_t>(1 + random() % 3));
    if (token == 0 || random() % 6 == 0) {
      document.sentences.push_back(static_cast<std::int64_t>(token));
    }
  }
  return document;
}

std::int64_t taken(const Document& document, std::int64_t begin, std::int64_t end) {
  return std::accumulate(document.positions.begin() + begin, document.positions.begin() + end,
                         std::int64_t{0});
}

TEST(CoreferenceWindows, CoverEveryTokenAndFit) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    const Document document = random_document(random);
    const std::int64_t tokens = std::ssize(document.positions);
    const Windows windows =
        coreference_windows(document.positions, document.sentences, document.most, document.overlap);
    ASSERT_FALSE(windows.empty());
    EXPECT_EQ(windows.front().begin, 0);
    EXPECT_EQ(windows.back().end, tokens);
    const auto begins = [&](std::int64_t token) {
      return token == tokens || std::ranges::binary_search(document.sentences, token);
    };
    std::int64_t before = 0;
    for (std::size_t at = 0; at < windows.size(); ++at) {
      const TokenWindow& window = windows[at];
      EXPECT_LE(taken(document, window.begin, window.end), document.most);
      EXPECT_GT(window.end, before);
      // Only a window in which no sentence ends beyond the one before ends inside a sentence, and it is full.
      if (!begins(window.end)) {
        for (std::int64_t token = before + 1; token < window.end; ++token) {
          EXPECT_FALSE(begins(token));
        }
        EXPECT_GT(taken(document, window.begin, window.end + 1), document.most);
      }
      if (at > 0) {
        EXPECT_GT(window.begin, windows[at - 1].begin);
        EXPECT_LE(window.begin, before);
        // Less overlap only where one token more would leave the window no room beyond the one before.
        if (taken(document, window.begin, before) < document.overlap) {
          std::int64_t beyond = before + 1;
          while (!begins(beyond)) {
            ++beyond;
          }
          const bool whole = begins(before) && taken(document, before, beyond) <= document.most;
          const std::int64_t due = whole ? beyond : before + 1;
          EXPECT_TRUE(window.begin == windows[at - 1].begin + 1 ||
                      taken(document, window.begin - 1, due) > document.most);
        }
      }
      before = window.end;
    }
  }
}

// By hand: chains that share a mention are put together until none do.
std::vector<Chain> merged_by_hand(std::vector<Chain> chains) {
  const auto shares = [](const Chain& a, const Chain& b) {
    return std::ranges::any_of(a, [&](const Mention& m) { return std::ranges::find(b, m) != b.end(); });
  };
  for (std::size_t a = 0; a < chains.size(); ++a) {
    for (std::size_t b = a + 1; b < chains.size();) {
      if (shares(chains[a], chains[b])) {
        chains[a].insert(chains[a].end(), chains[b].begin(), chains[b].end());
        chains.erase(chains.begin() + static_cast<std::ptrdiff_t>(b));
        b = a + 1;
      } else {
        ++b;
      }
    }
  }
  for (Chain& chain : chains) {
    std::ranges::sort(chain);
    chain.erase(std::ranges::unique(chain).begin(), chain.end());
  }
  std::ranges::sort(chains);
  return chains;
}

TEST(CoreferenceWindows, ChainsThatShareAMentionAreOne) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 500; ++trial) {
    const Document document = random_document(random);
    const Windows windows =
        coreference_windows(document.positions, document.sentences, document.most, document.overlap);
    std::vector<Chain> gold(1 + random() % 4);
    for (std::int64_t token = 0; token < std::ssize(document.positions); ++token) {
      if (random() % 3 == 0) {
        const std::int64_t begin = std::max<std::int64_t>(0, token - static_cast<std::int64_t>(random() % 4));
        gold[random() % gold.size()].push_back({begin, token + 1});
      }
    }
    std::vector<std::vector<Chain>> found;
    std::vector<Chain> all;
    for (const TokenWindow& window : windows) {
      found.push_back(chains_inside(gold, window));
      for (Chain chain : found.back()) {
        for (Mention& mention : chain) {
          EXPECT_GE(mention.begin, 0);
          EXPECT_LE(mention.end, window.end - window.begin);
          mention.begin += window.begin;
          mention.end += window.begin;
        }
        all.push_back(chain);
      }
    }
    EXPECT_EQ(merged_chains(windows, found), merged_by_hand(all));
  }
}

TEST(CoreferenceWindows, OneSharedMentionJoinsTwoWindows) {
  const Windows windows = {{0, 5}, {3, 8}};
  EXPECT_EQ(merged_chains(windows,
                          std::vector<std::vector<Chain>>{{{{0, 1}, {3, 5}}, {{2, 3}}}, {{{0, 2}, {4, 5}}}}),
            (std::vector<Chain>{{{0, 1}, {3, 5}, {7, 8}}, {{2, 3}}}));
}

}  // namespace
}  // namespace mog::analysis
