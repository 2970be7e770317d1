// The oracle against every forest of up to six words and every tree of the treebanks: what it derives is the
// tree.
#include "analysis/parsing/transition_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/conllu.h"
#include "tests/support/places.h"
#include "tests/unit/parsing/forests.h"

namespace mog::analysis {
namespace {

using Heads = std::vector<std::int32_t>;

// No two arcs cross, those of the root (before the first word) among them.
bool is_projective(const Heads& heads) {
  const auto words = static_cast<std::int32_t>(heads.size());
  for (std::int32_t a = 1; a <= words; ++a) {
    for (std::int32_t b = 1; b <= words; ++b) {
      const auto [low, high] = std::minmax(a, heads[static_cast<std::size_t>(a - 1)]);
      const auto [left, right] = std::minmax(b, heads[static_cast<std::size_t>(b - 1)]);
      if (low < left && left < high && high < right) {
        return false;
      }
    }
  }
  return true;
}

std::vector<std::int32_t> copy(std::span<const std::int32_t> values) {
  return {values.begin(), values.end()};
}

std::string actions(const ParserTrace& trace) {
  std::string text;
  for (const ParserTransition& transition : trace.transitions) {
    text += transition.action == ParserAction::swap ? 'H' : name(transition.action).front();
  }
  return text;
}

std::int64_t swaps(const ParserTrace& trace) {
  return std::count_if(trace.transitions.begin(), trace.transitions.end(),
                       [](const ParserTransition& one) { return one.action == ParserAction::swap; });
}

// Labels that tell the words of a sentence apart.
Heads labels_of(const Heads& heads) {
  Heads labels;
  for (std::size_t word = 0; word < heads.size(); ++word) {
    labels.push_back(static_cast<std::int32_t>(7 * word % 5));
  }
  return labels;
}

void expect_replayed(const Heads& heads) {
  const Heads labels = labels_of(heads);
  const ParserTrace trace = oracle_trace(heads, labels);
  const ParserState last = trace.final_state();
  ASSERT_TRUE(last.is_final());
  ASSERT_EQ(copy(last.heads()), heads);
  ASSERT_EQ(copy(last.labels()), labels);
  ASSERT_EQ(trace.transitions.size(), 2 * heads.size() + 2 * static_cast<std::size_t>(swaps(trace)));
  ASSERT_EQ(swaps(trace) == 0, is_projective(heads));
}

TEST(TransitionSystem, DerivesTheExampleOfTheSlides) {
  // book me the morning flight
  const ParserTrace trace = oracle_trace(Heads{0, 1, 5, 5, 1});
  EXPECT_EQ(actions(trace), "SSRSSSLLRR");
  const ParserState state = trace.after(6);
  EXPECT_EQ(copy(state.stack()), (Heads{0, 1, 3, 4, 5}));
  EXPECT_TRUE(state.buffer().empty());
  EXPECT_EQ(copy(state.removed()), Heads{2});
  EXPECT_EQ(copy(state.heads()), (Heads{kNoHead, 1, kNoHead, kNoHead, kNoHead}));
  EXPECT_EQ(copy(trace.final_state().removed()), (Heads{2, 4, 3, 5, 1}));
}

TEST(TransitionSystem, SwapsWhatCrosses) {
  // Nivre (2009), figure 1: "A hearing is scheduled on the issue today".
  const Heads heads = {2, 3, 0, 3, 2, 7, 5, 4};
  ASSERT_FALSE(is_projective(heads));
  const ParserTrace trace = oracle_trace(heads);
  EXPECT_EQ(copy(trace.final_state().heads()), heads);
  EXPECT_GT(swaps(trace), 0);
  const StaticOracle oracle(heads);
  // A hearing on the issue is scheduled today
  EXPECT_LT(oracle.projective_rank(7), oracle.projective_rank(3));
  EXPECT_LT(oracle.projective_rank(3), oracle.projective_rank(4));
  EXPECT_EQ(oracle.projective_rank(0), 0);
}

TEST(TransitionSystem, ReplaysEveryForestOfUpToSixWords) {
  for (std::int32_t words = 0; words <= 6; ++words) {
    std::int64_t forests = 0;
    test::for_each_forest(words, [&](const Heads& heads) {
      ++forests;
      expect_replayed(heads);
    });
    // Cayley: as many as labelled trees of words + 1 vertices.
    std::int64_t expected = 1;
    for (std::int32_t factor = 1; factor < words; ++factor) {
      expected *= words + 1;
    }
    EXPECT_EQ(forests, expected);
  }
}

TEST(TransitionSystem, ReplaysTheTreebanks) {
  MOG_REQUIRE_SHARED(folder, "data/treebanks");
  std::int64_t files = 0;
  std::int64_t crossing = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!io::is_treebank(entry.path())) {
      continue;
    }
    ++files;
    io::ConlluReader reader(entry.path());
    io::TreebankSentence sentence;
    while (reader.next(sentence)) {
      Heads heads;
      for (const io::TreebankWord& word : sentence.words) {
        heads.push_back(static_cast<std::int32_t>(word.head));
      }
      expect_replayed(heads);
      crossing += is_projective(heads) ? 0 : 1;
    }
  }
  EXPECT_GT(files, 0);
  EXPECT_GT(crossing, 0);
}

TEST(TransitionSystem, AnySequenceOfLegalActionsEndsInAForest) {
  std::uint32_t random = 1;
  for (std::int32_t words = 1; words <= 9; ++words) {
    for (int run = 0; run < 200; ++run) {
      ParserState state(words);
      std::int64_t steps = 0;
      while (!state.is_final()) {
        std::array<float, kParserActions> scores{};
        for (float& score : scores) {
          random = random * 1664525U + 1013904223U;
          score = static_cast<float>(random >> 8U);
        }
        // The illegal ones look best.
        for (std::size_t action = 0; action < kParserActions; ++action) {
          scores[action] += state.is_legal(static_cast<ParserAction>(action)) ? 0.0F : 1e9F;
        }
        state.apply({state.best_legal(scores), 3});
        ASSERT_LE(++steps, 2 * words + words * (words - 1));
      }
      ASSERT_TRUE(test::is_forest(copy(state.heads())));
      ASSERT_EQ(state.removed().size(), static_cast<std::size_t>(words));
    }
  }
}

TEST(TransitionSystem, KnowsWhatIsLegal) {
  using enum ParserAction;
  ParserState state(2);
  const auto legal = [&] {
    std::string text;
    for (const ParserAction action : {left_arc, right_arc, shift, swap}) {
      text += state.is_legal(action) ? '1' : '0';
    }
    return text;
  };
  EXPECT_EQ(legal(), "0010");
  state.apply({shift});
  EXPECT_EQ(legal(), "0110");  // a root of its own, before the end
  state.apply({shift});
  EXPECT_EQ(legal(), "1101");
  state.apply({swap});
  EXPECT_EQ(copy(state.stack()), (Heads{0, 2}));
  EXPECT_EQ(copy(state.buffer()), Heads{1});
  state.apply({shift});
  EXPECT_EQ(legal(), "1100");  // not swapped again
  EXPECT_THROW(state.apply({swap}), UsageError);
  state.apply({left_arc, 4});
  state.apply({right_arc, 2});
  EXPECT_EQ(legal(), "0000");
  EXPECT_TRUE(state.is_final());
  EXPECT_EQ(copy(state.heads()), (Heads{0, 1}));
  EXPECT_EQ(copy(state.labels()), (Heads{2, 4}));
  EXPECT_THROW(state.best_legal(std::array<float, kParserActions>{}), UsageError);
}

TEST(TransitionSystem, RefusesWhatIsNoTree) {
  EXPECT_THROW(StaticOracle(Heads{2, 1}), FormatError);
  EXPECT_THROW(StaticOracle(Heads{0, 2}), FormatError);
  EXPECT_THROW(StaticOracle(Heads{0, 3}), FormatError);
  EXPECT_THROW(StaticOracle(Heads{0, -1}), FormatError);
  EXPECT_THROW(StaticOracle(Heads{0, 1}, Heads{1}), FormatError);
  EXPECT_THROW(StaticOracle(Heads{0}).next(ParserState(2)), UsageError);
  EXPECT_THROW(oracle_trace(Heads{0}).after(3), UsageError);
  EXPECT_THROW(ParserState(-1), UsageError);
}

}  // namespace
}  // namespace mog::analysis
