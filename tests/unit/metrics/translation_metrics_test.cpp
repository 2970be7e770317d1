// Expected values: sacreBLEU 2.6.0 on the texts of tests/data/metrics (make.py there).
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/metrics/resampling.h"
#include "analysis/metrics/translation_metric.h"
#include "io/recording/errors.h"
#include "tests/unit/metrics/expected_rows.h"

namespace mog::analysis {
namespace {

using test::Lines;
using test::read;
using test::Row;

std::vector<Row> rows(const std::string& kind) {
  return test::rows("expected.tsv", kind);
}

std::vector<Lines> references(const std::string& count) {
  std::vector<Lines> result = {read("reference.txt")};
  if (count == "2") {
    result.push_back(read("reference-2.txt"));
  }
  return result;
}

BleuOptions bleu_options(const Row& row) {
  BleuOptions options;
  options.tokenizer = parse_bleu_tokenizer(row.fields[0]);
  options.smoothing = parse_bleu_smoothing(row.fields[1]);
  return options;
}

ChrfOptions chrf_options(const Row& row) {
  ChrfOptions options;
  options.word_order = std::stoi(row.fields[0]);
  options.whitespace = row.fields[1] == "1";
  options.eps_smoothing = row.fields[2] == "1";
  return options;
}

std::unique_ptr<TranslationMetric> metric_of(const std::string& name) {
  if (name == "BLEU") {
    return make_metric(BleuOptions{});
  }
  return make_metric(ChrfOptions{.word_order = name == "chrF2++" ? 2 : 0});
}

TEST(Bleu, TokenizesAsSacrebleu) {
  const Lines lines = read("reference.txt");
  for (const Row& row : rows("tokens")) {
    EXPECT_EQ(tokenize(parse_bleu_tokenizer(row.fields[0]), lines.at(std::stoul(row.fields[1]))),
              tokenize(BleuTokenizer::none, row.fields[2]))
        << row.fields[0] << " line " << row.fields[1];
  }
}

TEST(Bleu, ScoresAsSacrebleu) {
  const Lines hypothesis = read("hypothesis.txt");
  for (const Row& row : rows("bleu")) {
    EXPECT_NEAR(corpus_bleu(hypothesis, references(row.fields[2]), bleu_options(row)).score, row.number(),
                1e-9)
        << row.fields[0] << ' ' << row.fields[1] << ' ' << row.fields[2];
  }
}

TEST(Bleu, SaysWhatItIsMadeOf) {
  const Lines hypothesis = read("hypothesis.txt");
  for (const Row& row : rows("details")) {
    EXPECT_EQ(corpus_bleu(hypothesis, references(row.fields[2]), bleu_options(row)).details(), row.fields[3]);
  }
  for (const Row& row : rows("signature")) {
    EXPECT_EQ("nrefs:" + row.fields[2] + "|" + signature(bleu_options(row)), row.fields[3]);
  }
}

TEST(Bleu, ScoresSentencesAsSacrebleu) {
  const Lines hypothesis = read("hypothesis.txt");
  const Lines reference = read("reference.txt");
  BleuOptions options;
  options.effective_order = true;
  for (const Row& row : rows("sentence")) {
    const std::size_t i = std::stoul(row.fields[0]);
    EXPECT_NEAR(corpus_bleu(std::span(&hypothesis.at(i), 1), std::span(&reference.at(i), 1), options).score,
                row.number(), 1e-9)
        << i;
  }
  for (const Row& row : rows("smoothed")) {
    const std::size_t i = std::stoul(row.fields[1]);
    options = {};
    options.smoothing = parse_bleu_smoothing(row.fields[0]);
    EXPECT_NEAR(corpus_bleu(std::span(&hypothesis.at(i), 1), std::span(&reference.at(i), 1), options).score,
                row.number(), 1e-9)
        << row.fields[0] << ' ' << i;
  }
}

// 6 of 7 words, 4 of 6 pairs, 3 of 5, 2 of 4; longer than the reference: no brevity penalty.
TEST(Bleu, TokenizedModeIsMultiBleu) {
  const Lines hypothesis = {"the cat sat on the red mat"};
  const Lines reference = {"the cat sat on the mat"};
  BleuOptions options;
  options.tokenizer = BleuTokenizer::none;
  options.smoothing = BleuSmoothing::none;
  const BleuScore score = corpus_bleu(hypothesis, reference, options);
  EXPECT_NEAR(score.score, 100 * std::pow(6.0 / 7 * 4 / 6 * 3 / 5 * 2 / 4, 0.25), 1e-12);
  EXPECT_EQ(score.counts.correct, (std::array<std::int64_t, 4>{6, 4, 3, 2}));
}

TEST(Bleu, EqualTextsScoreAHundredAndNothingScoresNothing) {
  const Lines lines = read("reference.txt");
  EXPECT_NEAR(corpus_bleu(lines, lines).score, 100, 1e-9);
  EXPECT_EQ(corpus_bleu(Lines(lines.size()), lines).score, 0);
  EXPECT_EQ(corpus_bleu(lines, Lines(lines.size())).score, 0);
}

TEST(Bleu, LinesThatDoNotAlignAreRefused) {
  EXPECT_THROW(corpus_bleu(Lines{"a", "b"}, Lines{"a"}), UsageError);
  EXPECT_THROW(corpus_bleu(Lines{"a"}, std::span<const Lines>{}), UsageError);
  EXPECT_THROW(parse_bleu_tokenizer("zh"), UsageError);
  EXPECT_THROW(parse_bleu_smoothing("add"), UsageError);
}

TEST(Chrf, ScoresAsSacrebleu) {
  const Lines hypothesis = read("hypothesis.txt");
  for (const Row& row : rows("chrf")) {
    EXPECT_NEAR(corpus_chrf(hypothesis, references(row.fields[3]), chrf_options(row)), row.number(), 1e-9)
        << row.fields[0] << row.fields[1] << row.fields[2] << row.fields[3];
  }
  for (const Row& row : rows("chrf_signature")) {
    EXPECT_EQ("nrefs:" + row.fields[3] + "|" + signature(chrf_options(row)), row.fields[4]);
  }
  const Lines reference = read("reference.txt");
  for (const Row& row : rows("sentence_chrf")) {
    const std::size_t i = std::stoul(row.fields[0]);
    EXPECT_NEAR(chrf_of(count_chrf(hypothesis.at(i), std::span(&reference.at(i), 1))), row.number(), 1e-9)
        << i;
  }
}

// sacreBLEU adds the resampled sums up in float32.
TEST(Resampling, IntervalsAreSacrebleus) {
  const Lines hypothesis = read("hypothesis.txt");
  for (const Row& row : rows("bootstrap")) {
    const auto metric = metric_of(row.fields[0]);
    const ScoreInterval found =
        bootstrap_score(*metric, segment_statistics(*metric, hypothesis, references("1")), 200);
    EXPECT_NEAR(found.mean, row.numbers().at(0), 1e-4) << row.fields[0];
    EXPECT_NEAR(found.half_width, row.numbers().at(1), 1e-4) << row.fields[0];
    EXPECT_LT(found.low, found.score);
    EXPECT_GT(found.high, found.score);
  }
}

void expect_paired(const std::string& kind, const std::string& other) {
  for (const Row& row : rows(kind)) {
    const auto metric = metric_of(row.fields[2]);
    const SegmentStatistics first = segment_statistics(*metric, read("hypothesis.txt"), references("1"));
    const SegmentStatistics second = segment_statistics(*metric, read(other), references("1"));
    const PairedResult found =
        paired_test(*metric, first, second, parse_paired_test(row.fields[0]), std::stoll(row.fields[1]));
    EXPECT_NEAR(found.baseline, row.numbers().at(0), 1e-9);
    EXPECT_NEAR(found.system, row.numbers().at(1), 1e-9);
    EXPECT_NEAR(found.p_value, row.numbers().at(2), 1e-9)
        << kind << ' ' << row.fields[0] << ' ' << row.fields[2];
  }
}

TEST(Resampling, PairedTestsAreSacrebleus) {
  expect_paired("paired", "hypothesis-2.txt");
  expect_paired("near", "near.txt");
}

TEST(Resampling, WhatCannotBeComparedIsRefused) {
  const auto metric = make_metric(BleuOptions{});
  const std::vector<Lines> one = {{"a b c d"}};
  const std::vector<Lines> two = {{"a b c d", "e"}};
  const SegmentStatistics first = segment_statistics(*metric, one[0], one);
  EXPECT_THROW(
      paired_test(*metric, first, segment_statistics(*metric, two[0], two), PairedTest::bootstrap, 10),
      UsageError);
  EXPECT_THROW(paired_test(*metric, first, first, PairedTest::randomization, 0), UsageError);
  EXPECT_THROW(bootstrap_score(*metric, first, -1), UsageError);
  EXPECT_THROW(segment_statistics(*metric, one[0], two), UsageError);
  EXPECT_THROW(segment_statistics(*metric, Lines{}, {}), UsageError);
  EXPECT_THROW(parse_paired_test("t"), UsageError);
}

}  // namespace
}  // namespace mog::analysis
