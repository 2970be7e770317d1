#include "analysis/statistics/paired_difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/figure_data/corpus_difference.h"
#include "analysis/statistics/sentence_key.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

struct Row {
  std::int64_t number = 0;
  std::int64_t words = 1;
  std::vector<double> means;  // one a layer
  std::uint64_t text = 0;     // sentence_key; 0: that of a text of its own for every number
};

LengthStatistics statistics(const std::string& model, const std::vector<std::int64_t>& layers,
                            const std::vector<Row>& rows) {
  LengthStatistics result;
  result.model.name = model;
  result.corpus_name = "corpus";
  result.bin_sentences.resize(1);
  result.bin_means.resize(1);
  for (const std::int64_t layer : layers) {
    result.series.push_back({.layer = layer});
  }
  for (const Row& row : rows) {
    const std::uint64_t text = row.text != 0 ? row.text : static_cast<std::uint64_t>(row.number);
    result.bin_sentences[0].push_back({.number = row.number, .words = row.words, .text = text});
    result.bin_means[0].insert(result.bin_means[0].end(), row.means.begin(), row.means.end());
  }
  return result;
}

// Numbers that look random, in (-1, 1).
double noise(std::uint64_t stream, std::uint64_t index) {
  return static_cast<double>(keyed_random(7, stream, 0, index) >> 11U) * 0x1p-52 - 1.0;
}

std::string message(const std::function<void()>& run) {
  try {
    run();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

std::vector<double> p_values(const std::vector<double>& differences, std::size_t cells,
                             std::int64_t permutations = 1999) {
  PairedOptions options;
  options.permutations = permutations;
  return max_t_p_values(differences, cells, options);
}

PairedDifference compared(const LengthStatistics& first, const LengthStatistics& second,
                          std::int64_t permutations = 1999) {
  PairedOptions options;
  options.permutations = permutations;
  options.allow_partial = true;
  return paired_difference(first, second, options);
}

const PairedOptions kStrict;

const std::vector<Row> kFirst = {{1, 3, {0.2, 0.5}}, {2, 5, {0.4, 0.5}}, {4, 2, {0.3, 0.5}}, {5, 2, {9, 9}}};
const std::vector<Row> kSecond = {
    {1, 3, {0.5, 0.5}}, {2, 5, {0.5, 0.5}}, {3, 1, {7, 7}}, {4, 2, {0.8, 0.5}}, {5, 2, {9, 9}, 55}};

TEST(PairedDifference, PairsTheSameText) {
  const PairedDifference found = compared(statistics("a", {1, 2}, kFirst), statistics("b", {1, 2}, kSecond));
  EXPECT_EQ(found.sentences, 3);
  EXPECT_EQ(found.first_sentences, 4);
  EXPECT_EQ(found.second_sentences, 5);
  EXPECT_EQ(found.other_text, 0);
  EXPECT_EQ(found.pairs_text(), "3 sentences of both (of 4 and 5)");
  ASSERT_EQ(found.cells.size(), 2U);
  const PairedCell& cell = found.cells[0];
  EXPECT_NEAR(cell.first_mean, 0.3, 1e-15);
  EXPECT_NEAR(cell.second_mean, 0.6, 1e-15);
  EXPECT_NEAR(cell.difference, 0.3, 1e-15);  // of 0.3, 0.1, 0.5
  EXPECT_NEAR(cell.low, 0.1, 1e-12);         // of three sentences the ends are the least and the greatest
  EXPECT_NEAR(cell.high, 0.5, 1e-12);
  EXPECT_EQ(found.cells[1].difference, 0.0);
  EXPECT_EQ(found.cells[1].p, 1.0);
  ASSERT_EQ(found.notes.size(), 3U);
  EXPECT_EQ(found.notes[0], "left out: 1 sentence of the first recording, which has no pair");
  EXPECT_EQ(found.notes[1], "left out: 2 sentences of the second recording, which have no pair");
  EXPECT_EQ(found.notes[2], "p cannot be below 0.25 with 3 sentences");
}

// The same place in two corpora says nothing, nor does the same number of words.
TEST(PairedDifference, OtherTextsAreNoPairs) {
  std::vector<Row> english;
  std::vector<Row> german;
  for (std::int64_t n = 1; n <= 300; ++n) {
    english.push_back({n, 7, {0.5 + noise(1, static_cast<std::uint64_t>(n))}});
  }
  for (std::int64_t n = 1; n <= 977; ++n) {
    german.push_back(
        {n, 7, {0.5 + noise(2, static_cast<std::uint64_t>(n))}, 10'000U + static_cast<std::uint64_t>(n)});
  }
  const auto first = statistics("en", {1}, english);
  const auto second = statistics("de", {1}, german);
  for (const bool allowed : {false, true}) {
    PairedOptions options;
    options.allow_partial = allowed;
    const std::string text = message([&] { paired_difference(first, second, options); });
    for (const char* const words : {"0 of 300 and 977 sentences have the same text in both", "0.0\u00a0%",
                                    "--pair-by number pairs the 300 of the same number"}) {
      EXPECT_NE(text.find(words), std::string::npos) << words << " in " << text;
    }
    EXPECT_EQ(text.find("--allow-partial"), std::string::npos) << text;
  }
  PairedOptions by_number;
  by_number.pair_by = PairBy::number;
  const PairedDifference found = paired_difference(first, second, by_number);
  EXPECT_EQ(found.sentences, 300);
  EXPECT_EQ(found.pairs_text(), "300 sentences paired by number (of 300 and 977), 300 with another text");
  EXPECT_EQ(found.notes.back(),
            "300 of 300 pairs have two different texts: they were paired by their numbers alone (--pair-by "
            "number)");
}

TEST(PairedDifference, FewPairsMustBeAllowed) {
  std::vector<Row> rows;
  for (std::int64_t n = 1; n <= 20; ++n) {
    rows.push_back({n, 3, {noise(3, static_cast<std::uint64_t>(n))}});
  }
  const auto whole = statistics("a", {1}, rows);
  std::vector<Row> changed = rows;
  changed[0].text = 1001;
  changed[1].text = 1002;
  EXPECT_EQ(paired_difference(whole, statistics("b", {1}, changed), kStrict).sentences, 18);  // nine of ten
  changed[2].text = 1003;
  const auto fewer = statistics("b", {1}, changed);
  const std::string text = message([&] { paired_difference(whole, fewer, kStrict); });
  EXPECT_NE(
      text.find("17 of 20 and 20 sentences have the same text in both (85.0\u00a0% of the smaller corpus"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("--allow-partial compares the 17"), std::string::npos) << text;
  EXPECT_EQ(compared(whole, fewer).pairs_text(), "17 sentences of both (of 20 and 20)");
  // A part of a corpus is wholly in pairs.
  EXPECT_EQ(
      paired_difference(whole, statistics("b", {1}, {rows.begin(), rows.begin() + 5}), kStrict).sentences, 5);
}

// A text that occurs several times is paired in order, one with one.
TEST(PairedDifference, OrderDoesNotMatter) {
  std::vector<Row> rows;
  for (std::int64_t n = 1; n <= 30; ++n) {
    rows.push_back(
        {n, 3, {noise(4, static_cast<std::uint64_t>(n)), 1}, static_cast<std::uint64_t>(1 + n % 7)});
  }
  const auto first = statistics("a", {1, 2}, rows);
  std::vector<Row> other = rows;
  for (Row& row : other) {
    row.means[0] += 0.25;
  }
  const PairedDifference straight = compared(first, statistics("b", {1, 2}, other));
  EXPECT_EQ(straight.sentences, 30);
  // Groups of one text in another order, each with its sentences in theirs.
  std::stable_sort(other.begin(), other.end(), [](const Row& a, const Row& b) { return a.text > b.text; });
  for (std::size_t i = 0; i < other.size(); ++i) {
    other[i].number = static_cast<std::int64_t>(i) + 1;
  }
  const PairedDifference shuffled = compared(first, statistics("b", {1, 2}, other));
  EXPECT_EQ(shuffled.table().rows, straight.table().rows);
  EXPECT_NEAR(shuffled.cells[0].difference, 0.25, 1e-15);
}

TEST(SentenceKey, IsOfTheCharactersAlone) {
  const auto key = [](const std::string& text) {
    Sentence sentence;
    sentence.text = text;
    return sentence_key(sentence);
  };
  EXPECT_EQ(key("Don't go ."), key("Do n't  go.\t"));
  EXPECT_EQ(key("a b"), key("a\u00a0b\u3000"));
  EXPECT_NE(key("a b"), key("A b"));
  EXPECT_NE(key("a b"), key("b a"));
  EXPECT_NE(key("\u00e9"), key("e\u0301"));
  EXPECT_EQ(key(" \t"), 0U);
  EXPECT_EQ(key(""), 0U);
  Sentence words;
  for (const char* const text : {"a", "b"}) {
    words.words.emplace_back().text = text;
  }
  EXPECT_EQ(sentence_key(words), key("ab"));
}

// Of three differences of one sign the signs of all must agree: 2 of 8 draws. Worked by hand.
TEST(PairedDifference, PIsTheShareOfSignsAsExtreme) {
  const std::vector<double> differences = {0.3, 0.1, 0.5};
  const auto p = p_values(differences, 1, 99999);
  EXPECT_NEAR(p.at(0), 0.25, 0.005);
  // |±1 ±2 ±3| ≥ 2: six of eight sums (6, 4, 2 and their negatives) of 0, ±2, ±4, ±6 with 0 twice.
  const auto second = p_values(std::vector<double>{1, -2, 3}, 1, 99999);
  EXPECT_NEAR(second.at(0), 0.75, 0.005);
}

TEST(PairedDifference, TheSmallestPIsOneOverAllDraws) {
  std::vector<double> differences(200, 1.0);
  EXPECT_EQ(p_values(differences, 1, 99).at(0), 1.0 / 100);
}

// Signs are shared by the cells, so cells alike are adjusted for nothing, and others for each other.
TEST(PairedDifference, IsAdjustedForWhatCellsDoNotHaveInCommon) {
  constexpr std::size_t kSentences = 40;
  std::vector<double> alone;
  std::vector<double> twice;
  std::vector<double> many;
  constexpr std::size_t kMany = 12;
  for (std::size_t s = 0; s < kSentences; ++s) {
    const double value = noise(0, s) + 0.2;
    alone.push_back(value);
    twice.insert(twice.end(), {value, 5 * value});
    many.push_back(value);
    for (std::size_t c = 1; c < kMany; ++c) {
      many.push_back(noise(c, s));
    }
  }
  const double p = p_values(alone, 1).at(0);
  EXPECT_LT(p, 0.2);
  EXPECT_EQ(p_values(twice, 2), (std::vector<double>{p, p}));
  const auto adjusted = p_values(many, kMany);
  EXPECT_GT(adjusted.at(0), p);
  for (std::size_t c = 0; c < kMany; ++c) {
    std::vector<double> one;
    for (std::size_t s = 0; s < kSentences; ++s) {
      one.push_back(many[s * kMany + c]);
    }
    EXPECT_GE(adjusted[c], p_values(one, 1).at(0)) << c;  // the same signs
  }
}

// Of corpora without any difference one in twenty has a cell with p < .05, however many cells there are.
TEST(PairedDifference, FindsNothingWhereNothingIs) {
  constexpr std::size_t kCorpora = 300;
  constexpr std::size_t kCells = 6;
  constexpr std::size_t kSentences = 24;
  int found = 0;
  int small = 0;
  for (std::size_t corpus = 0; corpus < kCorpora; ++corpus) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < kSentences * kCells; ++i) {
      differences.push_back(noise(100 + corpus, i));
    }
    const auto p = p_values(differences, kCells, 199);
    const double least = *std::min_element(p.begin(), p.end());
    found += least < kSignificant ? 1 : 0;
    small += least < 0.5 ? 1 : 0;
  }
  EXPECT_LE(found, 27);  // 15 expected, standard deviation 3.8
  EXPECT_GE(found, 4);
  EXPECT_NEAR(small, 150, 30);
}

TEST(PairedDifference, FindsAShiftAndOnlyThere) {
  constexpr std::size_t kCells = 5;
  std::vector<double> differences;
  for (std::size_t i = 0; i < 60 * kCells; ++i) {
    differences.push_back(noise(3, i) + (i % kCells == 2 ? 0.5 : 0.0));
  }
  const auto p = p_values(differences, kCells);
  EXPECT_EQ(p[2], 1.0 / 2000);
  for (const std::size_t c : {0U, 1U, 3U, 4U}) {
    EXPECT_GT(p[c], kSignificant) << c;
  }
}

TEST(PairedDifference, LayersOfOneAloneAreNamed) {
  const auto first = statistics("a", {1, 3}, kFirst);
  const PairedDifference found = compared(first, statistics("b", {1, 2}, kSecond));
  ASSERT_EQ(found.cells.size(), 1U);
  EXPECT_EQ(found.cells[0].series.layer, 1);
  EXPECT_EQ(found.notes.at(0), "left out: 1 row that only the first recording has (layer 3)");
  EXPECT_EQ(found.notes.at(1), "left out: 1 row that only the second recording has (layer 2)");
  EXPECT_EQ(
      message([&] {
        compared(first, statistics("b", {2, 4}, kSecond));
      }),
      "the difference of a and b in \"gate\": they share no layer and part; the first has layers 1 and 3, "
      "the second layers 2 and 4");
}

TEST(PairedDifference, NeedsTwoSharedSentences) {
  const auto first = statistics("a", {1}, {{1, 3, {0.2}}, {2, 3, {0.2}}, {3, 3, {0.2}}});
  const auto second = statistics("b", {1}, {{1, 3, {0.2}}, {2, 3, {0.2}, 22}, {9, 3, {0.2}}});
  const std::string text = message([&] { compared(first, second); });
  EXPECT_NE(text.find("1 of 3 and 3 sentences have the same text in both"), std::string::npos) << text;
  EXPECT_THROW(compared(first, first, 0), UsageError);
}

TEST(PairedDifference, ValuesThatAreNoNumbersSpoilTheirCellAlone) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto first = statistics("a", {1, 2}, {{1, 1, {0, 0}}, {2, 1, {0, 0}}, {3, 1, {0, 0}}});
  const auto second = statistics("b", {1, 2}, {{1, 1, {1, 1}}, {2, 1, {kNan, 1}}, {3, 1, {1, 1}}});
  const PairedDifference found = compared(first, second);
  EXPECT_TRUE(std::isnan(found.cells[0].difference));
  EXPECT_TRUE(std::isnan(found.cells[0].p));
  EXPECT_EQ(found.cells[1].difference, 1.0);
  EXPECT_LT(found.cells[1].p, 0.3);
}

TEST(PairedDifference, OneSeedGivesTheSameTable) {
  const auto first = statistics("a", {1, 2}, kFirst);
  const auto second = statistics("b", {1, 2}, kSecond);
  const std::string once = to_csv(compared(first, second).table());
  EXPECT_EQ(once, to_csv(compared(first, second).table()));
  EXPECT_NE(once.find("\nb,b,corpus,gate,1,1,,,3,"), std::string::npos) << once;
  PairedOptions stopped;
  std::stop_source source;
  source.request_stop();
  stopped.allow_partial = true;
  stopped.bootstrap.stop = source.get_token();
  EXPECT_THROW(paired_difference(first, second, stopped), Interrupted);
}

TEST(PairedDifference, TheFigureSaysWhatTheMarksAre) {
  const PairedDifference found = compared(statistics("a", {1, 2}, kFirst), statistics("b", {1, 2}, kSecond));
  const FigureData figure = corpus_difference_figure(found);
  const auto& plot = std::get<LinePlot>(figure.body);
  EXPECT_EQ(plot.x_categories, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(plot.zero_line, 0.0);
  EXPECT_EQ(plot.significant, kSignificant);
  ASSERT_EQ(plot.series.size(), 1U);
  EXPECT_EQ(plot.series[0].points[0].p, found.cells[0].p);
  EXPECT_EQ(figure.caption,
            "model b less a; corpus corpus; 3 sentences of both (of 4 and 5); bands: 95\u00a0% bootstrap "
            "over sentences; p: "
            "max-T test by 1,999 sign flips of sentences, adjusted for 2 cells; level of the claim: summary");
  EXPECT_EQ(figure.table().columns.back(), "p");
}

}  // namespace
}  // namespace mog::analysis
