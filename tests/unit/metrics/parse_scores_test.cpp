// Alignment of words by the cases of conll18_ud_eval.py's own tests and by cases worked by hand; whole files
// are compared with that script in tests/integration/cli_evaluate_parses.py.
#include "analysis/metrics/parse_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/metrics/parse_groups.h"
#include "analysis/metrics/resampling.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

using Strings = std::vector<std::string>;

// Tokens of one sentence: "ab", or "ab a b" for a multiword token of two words. The first word is the root
// and the head of all others.
ParsedText text_of(const Strings& tokens) {
  ParsedSentence sentence;
  for (const std::string& text : tokens) {
    std::istringstream stream(text);
    ParsedToken token;
    stream >> token.form;
    Strings forms{std::istream_iterator<std::string>(stream), {}};
    token.multiword = !forms.empty();
    forms = forms.empty() ? Strings{token.form} : forms;
    token.words = static_cast<std::int32_t>(forms.size());
    for (const std::string& form : forms) {
      const std::int32_t head = sentence.words.empty() ? 0 : 1;
      std::string lower;
      for (const char c : form) {
        lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
      sentence.words.push_back({lower, "_", "X", "_", "_", head, head == 0 ? "root" : "dep:sub"});
    }
    sentence.tokens.push_back(token);
  }
  ParsedText result("text");
  result.add(sentence);
  return result;
}

ParseCounts counts_of(const ParsedText& reference, const ParsedText& hypothesis, ParseMeasure measure) {
  const ParseComparison comparison(reference, hypothesis);
  return ParseCounts::of(comparison.statistics(measure, common_ends({&reference, &hypothesis})).sums);
}

double aligned(const Strings& reference, const Strings& hypothesis) {
  return counts_of(text_of(reference), text_of(hypothesis), ParseMeasure::words).found;
}

TEST(ParseScores, AlignsWordsAsTheScriptOfCoNLL2018) {
  EXPECT_EQ(aligned({"a"}, {"a"}), 1);
  EXPECT_EQ(aligned({"a", "b", "c"}, {"a", "b", "c"}), 3);
  EXPECT_EQ(aligned({"abc a b c"}, {"a", "b", "c"}), 3);
  EXPECT_EQ(aligned({"a", "bc b c", "d"}, {"a", "b", "c", "d"}), 4);
  EXPECT_EQ(aligned({"abcd a b c d"}, {"ab a b", "cd c d"}), 4);
  EXPECT_EQ(aligned({"abc a b c", "de d e"}, {"a", "bcd b c d", "e"}), 5);
  EXPECT_EQ(aligned({"abcd"}, {"a", "b", "c", "d"}), 0);
  EXPECT_EQ(aligned({"abc", "d"}, {"a", "b", "c", "d"}), 1);
  EXPECT_EQ(aligned({"a", "bc", "d"}, {"a", "b", "c", "d"}), 2);
  EXPECT_EQ(aligned({"a", "bc b c", "d"}, {"a", "b", "cd"}), 2);
  EXPECT_EQ(aligned({"abc a BX c", "def d EX f"}, {"ab a b", "cd c d", "ef e f"}), 4);
  EXPECT_EQ(aligned({"ab a b", "cd bc d"}, {"a", "bc", "d"}), 2);
  EXPECT_EQ(aligned({"a", "bc b c", "d"}, {"ab AX BX", "cd CX a"}), 1);
  EXPECT_THROW(aligned({"a"}, {"b"}), FormatError);
  EXPECT_THROW(aligned({"a", "b"}, {"a"}), FormatError);
}

TEST(ParseScores, HeadsAreTheSameWordsNotTheSameNumbers) {
  // The hypothesis joins the first two words: all heads have other numbers, and the root is lost.
  const ParsedText reference = text_of({"a", "b", "c", "d"});
  const ParsedText hypothesis = text_of({"ab", "c", "d"});
  const ParseCounts words = counts_of(reference, hypothesis, ParseMeasure::words);
  EXPECT_EQ(words.found, 2);
  const ParseCounts heads = counts_of(reference, hypothesis, ParseMeasure::uas);
  EXPECT_EQ(heads.found, 0);  // "ab" is no word of the reference
  EXPECT_EQ(heads.reference, 4);
  EXPECT_EQ(heads.hypothesis, 3);
  EXPECT_EQ(heads.aligned, 2);
  EXPECT_DOUBLE_EQ(words.f1(), 4.0 / 7);
  EXPECT_DOUBLE_EQ(words.precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(words.recall(), 0.5);
}

TEST(ParseScores, SpacesInsideTokensDoNotCount) {
  ParsedText with("with");
  with.add({{{"1\u00A0000", "_", "NUM", "_", "_", 0, "root"}}, {{"1\u00A0000", 1, false}}});
  ParsedText without("without");
  without.add({{{"1000", "_", "NUM", "_", "_", 0, "root"}}, {{"1000", 1, false}}});
  EXPECT_EQ(counts_of(with, without, ParseMeasure::las).found, 1);
  ParsedText empty("empty");
  EXPECT_THROW(empty.add({{{" ", "_", "_", "_", "_", 0, "root"}}, {{" ", 1, false}}}), FormatError);
}

TEST(ParseScores, ScoresOfGroupsWithDifferentSides) {
  // 4 of the reference's 5 words found, 3 of the hypothesis' 6 right: F1 of 0.8 and 0.5.
  const ParseCounts counts{5, 4, 6, 3, 5};
  EXPECT_DOUBLE_EQ(counts.f1(), 2 * 0.8 * 0.5 / 1.3);
  EXPECT_EQ(ParseCounts().f1(), 0);
  EXPECT_EQ(ParseCounts().aligned_accuracy(), 0);
  EXPECT_DOUBLE_EQ(ParseMetric(ParseMeasure::las, true, ParseValue::recall).score(counts.row()), 80);
}

TEST(ParseScores, GroupsFollowEveryFilesOwnTree) {
  const auto chain = [](const std::vector<std::int32_t>& heads) {
    ParsedSentence sentence;
    for (const std::int32_t head : heads) {
      sentence.words.push_back({"w", "_", "X", "_", "_", head, head == 0 ? "root" : "dep"});
      sentence.tokens.push_back({"w", 1, false});
    }
    ParsedText text("chain");
    text.add(sentence);
    return text;
  };
  const ParsedText reference = chain({2, 3, 4, 0});
  const ParsedText hypothesis = chain({0, 1, 1, 1});
  const LengthBins bins({1, 2, 3});
  const ParseGroups lengths = parse_groups(ParseGrouping::dependency_length, bins, reference, {&hypothesis});
  EXPECT_EQ(lengths.groups.front().label, "root");
  EXPECT_EQ(lengths.reference, (std::vector<std::int32_t>{1, 1, 1, 0}));
  EXPECT_EQ(lengths.hypotheses.front(), (std::vector<std::int32_t>{0, 1, 2, 3}));
  const ParseGroups distances = parse_groups(ParseGrouping::root_distance, bins, reference, {&hypothesis});
  EXPECT_EQ(distances.reference, (std::vector<std::int32_t>{2, 2, 1, 0}));
  EXPECT_EQ(distances.hypotheses.front(), (std::vector<std::int32_t>{0, 1, 1, 1}));
  const ParseGroups above(
      parse_groups(ParseGrouping::root_distance, LengthBins({2}), reference, {&hypothesis}));
  EXPECT_EQ(above.reference, (std::vector<std::int32_t>{0, 0, 0, -1}));
}

TEST(ParseScores, EqualSystemsDoNotDiffer) {
  const ParseMetric metric(ParseMeasure::las, true);
  SegmentStatistics same;
  same.sums.assign(kParseCounts, 0.0);
  for (int segment = 0; segment < 20; ++segment) {
    const ParseCounts counts{10, segment % 3 + 5.0, 10, segment % 3 + 5.0, 10};
    same.segments.push_back(counts.row());
    std::ranges::transform(same.sums, same.segments.back(), same.sums.begin(), std::plus<>());
  }
  for (const PairedTest test : {PairedTest::bootstrap, PairedTest::randomization}) {
    EXPECT_EQ(paired_test(metric, same, same, test, 100, 1, Ties::extreme).p_value, 1);
    EXPECT_EQ(paired_test(metric, same, same, test, 100, 1).p_value, 1.0 / 101);  // sacreBLEU's
  }
}

// The relative error reductions that Mohammadshahi and Henderson's talk states, of LAS on WSJ's development
// part. Its "drops" are the errors that a model has more, in per cent of the better model's.
TEST(ParseScores, RelativeErrorReductionsOfTheTalk) {
  struct Stated {
    double before = 0;
    double after = 0;
    double reduction = 0;
  };
  constexpr std::array kReductions = {
      Stated{89.07, 90.16, 9.97},   // StateTr with graph input
      Stated{91.94, 92.88, 11.66},  // BERT StateTr with graph input
      Stated{89.07, 91.94, 26.26},  // StateTr started from BERT
      Stated{90.16, 92.88, 27.64},  // with graph input from BERT
      Stated{90.95, 92.88, 21.33},  // BERT StateCLSTr to BERT StateTr with graph input
      Stated{93.29, 93.60, 4.62},   // BERT SentTr with graph input
      Stated{93.60, 93.74, 2.19},   // seven layers
  };
  for (const Stated& stated : kReductions) {
    EXPECT_NEAR(relative_error_reduction(stated.before, stated.after), stated.reduction, 0.005);
  }
  // Increases of the better model's errors.
  constexpr std::array kDrops = {Stated{91.94, 90.95, 12.28}, Stated{92.88, 92.13, 10.53},
                                 Stated{92.88, 92.25, 8.85}};
  for (const Stated& stated : kDrops) {
    EXPECT_NEAR(relative_error_reduction(stated.before, stated.after), -stated.reduction, 0.005);
  }
  EXPECT_EQ(relative_error_reduction(90, 90), 0);
  EXPECT_EQ(relative_error_reduction(0, 100), 100);
  EXPECT_THROW(relative_error_reduction(100, 99), UsageError);
  EXPECT_THROW(relative_error_reduction(90, 101), UsageError);
  EXPECT_THROW(relative_error_reduction(std::nan(""), 90), UsageError);
}

}  // namespace
}  // namespace mog::analysis
