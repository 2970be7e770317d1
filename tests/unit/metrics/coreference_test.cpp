// Expected values: the reference scorer 8.01 on its own test cases and on random ones, coval for LEA
// (make_coreference.py in tests/data/metrics).
#include "analysis/metrics/coreference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "analysis/metrics/assignment.h"
#include "analysis/metrics/resampling.h"
#include "io/recording/errors.h"
#include "tests/unit/metrics/expected_rows.h"

namespace mog::analysis {
namespace {

constexpr double kTolerance = 1e-10;  // the table has 15 digits

// "a|bc": two chains, a letter a mention.
std::vector<Chain> chains(const std::string& text) {
  std::vector<Chain> result;
  std::istringstream stream(text);
  for (std::string chain; std::getline(stream, chain, '|');) {
    result.emplace_back();
    for (const char letter : chain) {
      result.back().push_back({letter, letter + 1});
    }
  }
  return result;
}

struct Case {
  std::string name;
  std::string key;
  std::string response;
  std::map<std::string, std::vector<double>> sums;  // [metric, as the scorer calls it]
};

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const std::string& line : test::read("coreference.tsv")) {
    std::istringstream stream(line);
    std::vector<std::string> fields;
    for (std::string field; std::getline(stream, field, '\t');) {
      fields.push_back(field);
    }
    if (result.empty() || result.back().name != fields.at(0)) {
      result.push_back({fields.at(0), fields.at(1), fields.at(2), {}});
    }
    std::vector<double>& sums = result.back().sums[fields.at(3)];
    std::transform(fields.begin() + 4, fields.end(), std::back_inserter(sums),
                   [](const std::string& field) { return std::stod(field); });
  }
  return result;
}

CoreferenceMetric metric_of(const std::string& name) {
  return parse_coreference_metric(name == "bcub" ? "b3" : name);
}

TEST(Coreference, SumsAreThoseOfTheReferenceScorer) {
  std::size_t compared = 0;
  for (const Case& one : cases()) {
    for (const auto& [name, expected] : one.sums) {
      if (one.name == "all") {
        continue;
      }
      const std::vector<double> sums =
          coreference_sums(metric_of(name), chains(one.key), chains(one.response));
      ASSERT_EQ(sums.size(), expected.size());
      for (std::size_t k = 0; k < sums.size(); ++k) {
        EXPECT_NEAR(sums[k], expected[k], kTolerance) << one.name << " " << name << " " << k;
      }
      ++compared;
    }
  }
  EXPECT_EQ(compared, 357U);
}

TEST(Coreference, DocumentsAddUp) {
  const std::vector<Case> all = cases();
  for (const auto& [name, expected] : all.back().sums) {
    SegmentStatistics statistics;
    for (const Case& one : all) {
      if (one.name != "A9" && one.name != "all") {
        statistics.add(coreference_sums(metric_of(name), chains(one.key), chains(one.response)));
      }
    }
    ASSERT_EQ(statistics.sums.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(statistics.sums[k], expected[k], 1e-9) << name << " " << k;
    }
  }
}

CoreferenceScore score(const std::string& metric, const std::string& key, const std::string& response) {
  const CoreferenceMetric named = parse_coreference_metric(metric);
  return coreference_score(named, coreference_sums(named, chains(key), chains(response)));
}

void expect(const CoreferenceScore& score, double recall, double precision, double f1) {
  EXPECT_NEAR(score.recall, recall, 5e-6);
  EXPECT_NEAR(score.precision, precision, 5e-6);
  EXPECT_NEAR(score.f1, f1, 5e-6);
}

// What the configuration of the scorer's own tests says.
TEST(Coreference, ScoresAreThoseOfTheScorersTests) {
  const std::string three = "a|bc|def";
  expect(score("muc", three, "a|bcx|defy|z"), 1, 0.6, 0.75);
  expect(score("b3", three, "a|bcx|defy|z"), 1, 55.0 / 108, 110.0 / 163);
  expect(score("ceafm", three, "a|bcx|dy|z"), 0.66667, 0.57143, 0.61538);
  expect(score("ceafe", three, "a|bcxB|dy|z"), 0.68889, 0.51667, 0.59048);
  expect(score("blanc", three, "a|bcx|dy|Bz"), 0.35227, 0.20870, 0.25817);
  expect(score("blanc", "ab|cde", "bcx|de"), 7.0 / 24, 7.0 / 24, 7.0 / 24);
  expect(score("blanc", "abcdef", "ab|cde|f"), 0.26667, 1, 0.42105);  // the key has no other links
  expect(score("blanc", "a|b|c|d|e|f", "ab|cde|f"), 0.73333, 1, 0.84615);
  expect(score("muc", "a|b", "a|b"), 0, 0, 0);
  expect(score("mentions", three, "a|bcxB|dy|z"), 4.0 / 6, 0.5, 4.0 / 7);
  // Their mean: (.5 + 14/25 + .72) / 3.
  EXPECT_NEAR(score("conll", three, "a|de").f1, (0.5 + 14.0 / 25 + 0.72) / 3, 1e-12);
}

TEST(Coreference, NothingOnOneSideIsZero) {
  for (const char* const metric : {"muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll", "mentions"}) {
    expect(score(metric, "", ""), 0, 0, 0);
    expect(score(metric, "ab", ""), 0, 0, 0);
    expect(score(metric, "", "ab"), 0, 0, 0);
    expect(score(metric, "ab|cd", "cd|ab"), 1, 1, 1);
  }
  EXPECT_THROW(parse_coreference_metric("muk"), UsageError);
  EXPECT_THROW(coreference_score(CoreferenceMetric::muc, std::vector<double>{1, 2}), ShapeError);
}

TEST(Coreference, RepeatedMentionsGainNothing) {
  EXPECT_EQ(coreference_sums(CoreferenceMetric::b_cubed, chains("ab|c"), chains("abxxx|xc|b")),
            coreference_sums(CoreferenceMetric::b_cubed, chains("ab|c"), chains("abx|c")));
}

TEST(Coreference, IsResampledOverDocuments) {
  const auto metric = make_metric(CoreferenceMetric::conll);
  SegmentStatistics good;
  SegmentStatistics bad;
  for (int document = 0; document < 12; ++document) {
    const std::string key = document % 2 == 0 ? "ab|cde|f" : "abc|de";
    good.add(
        coreference_sums(CoreferenceMetric::conll, chains(key), chains(document % 3 == 0 ? "ab|cde" : key)));
    bad.add(coreference_sums(CoreferenceMetric::conll, chains(key), chains("a|bc|de")));
  }
  const ScoreInterval interval = bootstrap_score(*metric, good, 200);
  EXPECT_LT(interval.low, interval.score);
  EXPECT_GE(interval.high, interval.score);
  const PairedResult test = paired_test(*metric, bad, good, PairedTest::randomization, 500);
  EXPECT_GT(test.difference, 10);
  EXPECT_LT(test.p_value, 0.01);
}

double sum_of(const std::vector<double>& values, std::int64_t columns,
              const std::vector<std::int64_t>& assigned) {
  double sum = 0;
  for (std::size_t row = 0; row < assigned.size(); ++row) {
    sum += assigned[row] < 0
               ? 0
               : values[row * static_cast<std::size_t>(columns) + static_cast<std::size_t>(assigned[row])];
  }
  return sum;
}

// Every order of the longer side.
double best_by_hand(const std::vector<double>& values, std::int64_t rows, std::int64_t columns) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(std::max(rows, columns)));
  std::iota(order.begin(), order.end(), 0);
  double best = -1e9;
  do {
    double sum = 0;
    for (std::int64_t at = 0; at < std::min(rows, columns); ++at) {
      const std::int64_t other = order[static_cast<std::size_t>(at)];
      sum += values[static_cast<std::size_t>(rows <= columns ? at * columns + other : other * columns + at)];
    }
    best = std::max(best, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(Assignment, IsTheBestOfAll) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const auto rows = static_cast<std::int64_t>(1 + random() % 6);
    const auto columns = static_cast<std::int64_t>(1 + random() % 6);
    std::vector<double> values(static_cast<std::size_t>(rows * columns));
    for (double& value : values) {
      value = static_cast<double>(random() % 9) - 4;  // ties and negative ones
    }
    const std::vector<std::int64_t> assigned = best_assignment(values, rows, columns);
    std::vector<std::int64_t> used;
    std::copy_if(assigned.begin(), assigned.end(), std::back_inserter(used),
                 [](std::int64_t c) { return c >= 0; });
    std::ranges::sort(used);
    EXPECT_EQ(std::ssize(used), std::min(rows, columns));
    EXPECT_EQ(std::ranges::adjacent_find(used), used.end());
    EXPECT_DOUBLE_EQ(sum_of(values, columns, assigned), best_by_hand(values, rows, columns));
  }
  EXPECT_TRUE(best_assignment({}, 0, 3).empty());
  EXPECT_EQ(best_assignment({}, 2, 0), (std::vector<std::int64_t>{-1, -1}));
  EXPECT_THROW(best_assignment(std::vector<double>{1}, 1, 2), ShapeError);
}

}  // namespace
}  // namespace mog::analysis
