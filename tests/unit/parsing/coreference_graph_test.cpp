#include "analysis/parsing/coreference_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "io/recording/errors.h"
#include "io/text/conll2012.h"
#include "tests/support/places.h"

namespace mog::analysis {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<std::vector<std::string>> texts_of(const std::vector<Chain>& chains, const Words& words) {
  std::vector<std::vector<std::string>> texts;
  for (const Chain& chain : chains) {
    texts.emplace_back();
    for (const Mention& mention : chain) {
      std::string text;
      for (std::int64_t at = mention.begin; at < mention.end; ++at) {
        text += (text.empty() ? "" : " ") + words[static_cast<std::size_t>(at)];
      }
      texts.back().push_back(text);
    }
  }
  return texts;
}

// The matrix as the poster prints it, with the column "to" that its header misses.
TEST(CoreferenceGraph, ThePostersMatrixHasItsTwoEntities) {
  const Words words = words_of("A young Parisian ... a gypsy singer , as his use to her songs");
  const std::map<std::string, std::string> rows = {{"Parisian", "1 0 0 0 0 0 0 0 0 0 0 0 0 0"},
                                                   {"singer", "0 0 0 0 1 0 0 0 0 0 0 0 0 0"},
                                                   {"his", "0 0 2 0 0 0 0 0 0 1 0 0 0 0"},
                                                   {"her", "0 0 0 0 0 0 2 0 0 0 0 0 1 0"}};
  std::vector<GraphArc> arcs;
  for (std::size_t row = 0; row < words.size(); ++row) {
    if (const auto found = rows.find(words[row]); found != rows.end()) {
      const Words cells = words_of(found->second);
      ASSERT_EQ(cells.size(), words.size());
      for (std::size_t column = 0; column < cells.size(); ++column) {
        if (cells[column] != "0") {
          arcs.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(column),
                          cells[column] == "1" ? kMentionRelation : kCoreferenceRelation});
        }
      }
    }
  }
  ASSERT_EQ(arcs.size(), 6U);
  const std::vector<Chain> chains = coreference_chains(arcs);
  EXPECT_EQ(texts_of(chains, words),
            (std::vector<std::vector<std::string>>{{"A young Parisian", "his"}, {"a gypsy singer", "her"}}));
  const CoreferenceGraph graph = coreference_graph(chains);
  EXPECT_EQ(graph.arcs, arcs);
  EXPECT_EQ(graph.lost_mentions, 0);
  EXPECT_EQ(graph.lost_links, 0);
}

TEST(CoreferenceGraph, TheAntecedentIsTheNearest) {
  const CoreferenceGraph graph = coreference_graph(std::vector<Chain>{{{5, 6}, {0, 1}, {2, 4}}, {{1, 2}}});
  EXPECT_EQ(graph.arcs,
            (std::vector<GraphArc>{{0, 0, 1}, {1, 1, 1}, {3, 0, 2}, {3, 2, 1}, {5, 3, 2}, {5, 5, 1}}));
}

TEST(CoreferenceGraph, OfMentionsWithOneLastTokenTheLongestStays) {
  // "the house of the man" loses "the man", which the chain of "he" then lacks.
  const CoreferenceGraph graph = coreference_graph(std::vector<Chain>{{{0, 5}}, {{3, 5}, {6, 7}, {8, 9}}});
  EXPECT_EQ(graph.lost_mentions, 1);
  EXPECT_EQ(graph.lost_links, 1);
  EXPECT_EQ(coreference_chains(graph.arcs), (std::vector<Chain>{{{0, 5}}, {{6, 7}, {8, 9}}}));
}

TEST(CoreferenceGraph, APairHasOneRelation) {
  // "[[he] himself]": the nearest antecedent ends at the mention's first token.
  const CoreferenceGraph two = coreference_graph(std::vector<Chain>{{{1, 2}, {1, 3}}});
  EXPECT_EQ(two.arcs, (std::vector<GraphArc>{{1, 1, 1}, {2, 1, 1}}));
  EXPECT_EQ(two.lost_links, 1);
  const CoreferenceGraph three = coreference_graph(std::vector<Chain>{{{0, 1}, {1, 2}, {1, 3}}});
  EXPECT_EQ(three.arcs, (std::vector<GraphArc>{{0, 0, 1}, {1, 0, 2}, {1, 1, 1}, {2, 0, 2}, {2, 1, 1}}));
  EXPECT_EQ(three.lost_links, 0);
}

TEST(CoreferenceGraph, ArcsOfAModelAreReadAsTheyAre) {
  // Two starts of one token: the longest. Links to and from tokens that end no mention say nothing.
  EXPECT_EQ(coreference_chains(std::vector<GraphArc>{{2, 0, 1}, {2, 1, 1}, {3, 3, 1}, {3, 1, 2}, {4, 2, 2}}),
            (std::vector<Chain>{{{0, 3}}, {{3, 4}}}));
  EXPECT_TRUE(coreference_chains({}).empty());
  for (const GraphArc& wrong :
       {GraphArc{1, 2, 1}, GraphArc{1, 1, 2}, GraphArc{1, 0, 3}, GraphArc{1, -1, 1}}) {
    EXPECT_THROW(coreference_chains(std::vector{wrong}), FormatError);
  }
  EXPECT_THROW(coreference_graph(std::vector<Chain>{{{2, 2}}}), UsageError);
}

std::vector<Chain> sorted(std::vector<Chain> chains) {
  std::erase_if(chains, [](const Chain& chain) { return chain.empty(); });
  for (Chain& chain : chains) {
    std::ranges::sort(chain);
  }
  std::ranges::sort(chains);
  return chains;
}

TEST(CoreferenceGraph, ComesBackWhereMentionsEndApart) {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<Chain> chains(1 + random() % 4);
    for (std::int64_t last = 0; last < 12; ++last) {
      if (random() % 2 == 0) {
        chains[random() % chains.size()].push_back(
            {last - static_cast<std::int64_t>(random() % 3) % (last + 1), last + 1});
      }
    }
    chains = sorted(chains);
    const CoreferenceGraph graph = coreference_graph(chains);
    EXPECT_EQ(graph.lost_mentions, 0);
    std::set<std::pair<std::int32_t, std::int32_t>> pairs;
    for (const GraphArc& arc : graph.arcs) {
      EXPECT_TRUE(pairs.emplace(arc.query, arc.key).second);
    }
    const std::vector<Chain> back = sorted(coreference_chains(graph.arcs));
    if (graph.lost_links == 0) {
      EXPECT_EQ(back, chains);
    } else {
      EXPECT_EQ(std::ssize(back), std::ssize(chains) + graph.lost_links);
    }
  }
}

TEST(CoreferenceGraph, WhatLitBankLoses) {
  MOG_REQUIRE_SHARED(folder, "data/coref/litbank");
  std::int64_t mentions = 0;
  std::int64_t lost_mentions = 0;
  std::int64_t lost_links = 0;
  std::vector<double> sums(12, 0);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    for (const io::CorefDocument& document : io::read_conll2012(entry.path())) {
      std::map<std::int64_t, Chain> by_number;
      for (const io::CorefMention& mention : document.mentions) {
        by_number[mention.chain].push_back({mention.begin, mention.end});
      }
      std::vector<Chain> chains;
      for (const auto& [number, chain] : by_number) {
        chains.push_back(chain);
      }
      const CoreferenceGraph graph = coreference_graph(chains);
      mentions += std::ssize(document.mentions);
      lost_mentions += graph.lost_mentions;
      lost_links += graph.lost_links;
      const auto of_document =
          coreference_sums(CoreferenceMetric::conll, chains, coreference_chains(graph.arcs));
      std::ranges::transform(sums, of_document, sums.begin(), std::plus<>());
    }
  }
  EXPECT_EQ(mentions, 23150);
  EXPECT_EQ(lost_mentions, 782);
  EXPECT_EQ(lost_links, 407);
  EXPECT_NEAR(coreference_score(CoreferenceMetric::conll, sums).f1, 0.9748, 5e-5);
}

}  // namespace
}  // namespace mog::analysis
