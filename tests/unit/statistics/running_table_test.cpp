#include "analysis/statistics/running_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/statistics/running_sums.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::int64_t kLayers = 2;
constexpr std::int64_t kHeads = 3;

RecordingHeader header() {
  RecordingHeader result;
  result.model.name = "test";
  result.model.layers = kLayers;
  result.provenance.corpus_name = "corpus";
  for (std::int64_t layer = 1; layer <= kLayers; ++layer) {
    result.quantities.push_back(
        {{Stack::encoder, layer, Part::full, Quantity::attention, Reduction::row_entropy},
         {Axis::head, Axis::query},
         {kHeads, 0},
         DType::float32,
         "nats",
         "entropy"});
  }
  return result;
}

// Irregular values that no short sum represents.
float value(std::int64_t number, std::int64_t layer, std::int64_t head, std::int64_t token) {
  return static_cast<float>(
      std::abs(std::sin(static_cast<double>(number * 7919 + layer * 104729 + head * 31 + token))) * 3);
}

void fill(MemoryRecording& recording, std::int64_t first, std::int64_t last, std::int64_t step = 1) {
  recording.begin(header());
  for (std::int64_t number = first; number <= last; number += step) {
    RecordingBatch batch;
    Sentence& sentence = batch.sentences.emplace_back();
    sentence.number = number;
    const std::int64_t words = 1 + (number * 7) % 24;
    for (std::int64_t word = 0; word < words; ++word) {
      sentence.words.push_back({"w", {}});
      for (std::int64_t piece = 0; piece < 1 + word % 2; ++piece) {
        sentence.tokens.push_back({"w", 4, word, {}});
      }
    }
    sentence.tokens.push_back({"</s>", 2, -1, {}});
    const auto tokens = static_cast<std::int64_t>(sentence.tokens.size());
    for (std::int64_t layer = 1; layer <= kLayers; ++layer) {
      std::vector<float> values;
      for (std::int64_t head = 0; head < kHeads; ++head) {
        for (std::int64_t token = 0; token < tokens; ++token) {
          values.push_back(token + 1 == tokens ? 100.0F : value(number, layer, head, token));
        }
      }
      const auto size = static_cast<std::int64_t>(values.size());
      batch.quantities.emplace_back(header().quantities[static_cast<std::size_t>(layer - 1)].name,
                                    HostTensor::of<float>({size}, values));
    }
    recording.write(batch);
  }
  recording.finish();
}

LengthOptions lengths(Averaging averaging = Averaging::micro) {
  LengthOptions result;
  result.measure = Measure::entropy;
  result.bins = LengthBins({0, 5, 10, 20});
  result.averaging = averaging;
  result.by_head = true;
  result.quantiles = true;
  result.bootstrap = {.resamples = 400, .confidence = 0.95, .seed = 9};
  return result;
}

EntryOptions entries() {
  EntryOptions result;
  result.bins = LengthBins({0, 5, 10, 20});
  result.by_head = true;
  result.quantiles = true;
  result.bootstrap = {.resamples = 400, .confidence = 0.95, .seed = 9};
  return result;
}

using Maker = std::function<std::unique_ptr<RunningTable>()>;

const std::vector<Maker>& makers() {
  static const std::vector<Maker> kMakers = {
      [] { return running_lengths(lengths(), header()); },
      [] { return running_lengths(lengths(Averaging::macro), header()); },
      [] {
        LengthOptions options = lengths();
        options.by = BinnedBy::position;
        return running_lengths(options, header());
      },
      [] { return running_entries(header().quantities[1].name, entries(), header()); }};
  return kMakers;
}

std::vector<std::int64_t> words_of(RunningTable& table) {
  std::vector<std::int64_t> all;
  for (const Additive* const sums : table.sums()) {
    const std::vector<std::int64_t> own = sums->words();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

void merge(RunningTable& into, RunningTable& from) {
  for (std::size_t i = 0; i < into.sums().size(); ++i) {
    into.sums()[i]->add_words(from.sums()[i]->words());
  }
}

TEST(RunningTable, PartsAddUpToTheWholeBitForBitInAnyOrder) {
  MemoryRecording whole;
  fill(whole, 1, 500);
  // Two ways to cut it: neighbours, and every third sentence.
  MemoryRecording cut[5];
  fill(cut[0], 1, 17);
  fill(cut[1], 18, 500);
  fill(cut[2], 1, 500, 3);
  fill(cut[3], 2, 500, 3);
  fill(cut[4], 3, 500, 3);
  for (const Maker& make : makers()) {
    const auto expected = make();
    expected->add(whole);
    for (const std::vector<int>& order : {std::vector{1, 0}, std::vector{4, 2, 3}}) {
      const auto merged = make();
      for (const int part : order) {
        const auto own = make();
        own->add(cut[part]);
        merge(*merged, *own);
      }
      EXPECT_EQ(words_of(*merged), words_of(*expected));
      EXPECT_EQ(to_csv(merged->table()), to_csv(expected->table()));
    }
  }
}

double number_in(const Table& table, std::size_t row, const char* column) {
  const Cell& cell = table.rows.at(row).at(table.column(column));
  if (const auto* const whole = std::get_if<std::int64_t>(&cell)) {
    return static_cast<double>(*whole);
  }
  const auto* const real = std::get_if<double>(&cell);
  return real == nullptr ? std::numeric_limits<double>::quiet_NaN() : *real;
}

// Every column but those of intervals, and those to within what another draw makes of them.
void expect_alike(const Table& found, const Table& expected, std::initializer_list<const char*> exact) {
  ASSERT_EQ(found.columns, expected.columns);
  ASSERT_EQ(found.rows.size(), expected.rows.size());
  for (std::size_t row = 0; row < found.rows.size(); ++row) {
    for (const char* const column : exact) {
      const double value = number_in(expected, row, column);
      EXPECT_NEAR(number_in(found, row, column), value, 1e-12 * std::max(1.0, std::abs(value)))
          << column << row;
    }
    for (const char* const column : {"q25", "q50", "q75", "quantile_bound"}) {
      EXPECT_EQ(number_in(found, row, column), number_in(expected, row, column)) << column << row;
    }
    for (const char* const column : {"q25_low", "q25_high", "q50_low", "q50_high", "q75_low", "q75_high"}) {
      EXPECT_FALSE(std::isnan(number_in(expected, row, column))) << column << row;
      EXPECT_EQ(number_in(found, row, column), number_in(expected, row, column)) << column << row;
    }
    const double width = number_in(expected, row, "high") - number_in(expected, row, "low");
    EXPECT_NEAR(number_in(found, row, "low"), number_in(expected, row, "low"), 0.25 * width) << row;
    EXPECT_NEAR(number_in(found, row, "high"), number_in(expected, row, "high"), 0.25 * width) << row;
  }
}

TEST(RunningTable, LengthsHaveTheCellsOfARecording) {
  MemoryRecording recording;
  fill(recording, 1, 500);
  for (const Averaging averaging : {Averaging::micro, Averaging::macro}) {
    for (const BinnedBy by : {BinnedBy::length, BinnedBy::position}) {
      LengthOptions options = lengths(averaging);
      options.by = by;
      LengthAccumulator accumulator(options);
      accumulator.add(recording);
      const auto running = running_lengths(options, header());
      running->add(recording);
      expect_alike(running->table(), accumulator.finish().table(),
                   {"layer", "head", "sentences", "tokens", "mean", "variance", "difference"});
    }
  }
}

TEST(RunningTable, EntriesHaveTheCellsOfARecording) {
  MemoryRecording recording;
  fill(recording, 1, 500);
  const RecordingSource* const sources[] = {&recording};
  const QuantityName names[] = {header().quantities[0].name};
  for (const bool by_head : {false, true}) {
    EntryOptions options = entries();
    options.by_head = by_head;
    const auto running = running_entries(names[0], options, header());
    running->add(recording);
    expect_alike(running->table(), entry_means(sources, names, options), {"sentences", "tokens", "mean"});
  }
}

TEST(RunningTable, TrendsAreThoseOfARecordingByteForByte) {
  MemoryRecording recording;
  fill(recording, 1, 300);
  LengthOptions options = lengths(Averaging::macro);
  options.quantiles = false;
  options.keep_means = true;
  const TrendOptions trend{.minimum_sentences = 5};
  LengthAccumulator accumulator(options);
  accumulator.add(recording);
  const LengthStatistics expected = accumulator.finish();
  const std::string table = to_csv(trend_table(expected, trends(expected, trend)));
  const auto merged = running_trends(options, trend, header());
  for (const std::int64_t first : {2, 3, 1}) {
    MemoryRecording part;
    fill(part, first, 300, 3);
    const auto own = running_trends(options, trend, header());
    own->add(part);
    merge(*merged, *own);
  }
  EXPECT_EQ(to_csv(merged->table()), table);
  EXPECT_NE(table.find("\ntest,corpus,entropy"), std::string::npos);
  EXPECT_NO_THROW(merged->expect(1'000'000));
  EXPECT_THROW(merged->expect(1'000'000'000), UsageError);
  std::vector<std::int64_t> words = words_of(*merged);
  words[0] = words[2 + kLayers * kHeads];  // a sentence twice
  EXPECT_THROW(running_trends(options, trend, header())->sums()[0]->add_words(words), FormatError);
  words.pop_back();
  EXPECT_THROW(running_trends(options, trend, header())->sums()[0]->add_words(words), FormatError);
}

TEST(RunningTable, OneSentenceHasNoInterval) {
  MemoryRecording recording;
  fill(recording, 3, 3);
  for (const Maker& make : makers()) {
    const auto running = make();
    running->add(recording);
    const Table table = running->table();
    EXPECT_TRUE(std::isnan(number_in(table, table.rows.size() - 1, "low")));
  }
}

TEST(RunningTable, RefusesWhatTheHeaderLacks) {
  LengthOptions options = lengths();
  options.measure = Measure::gate;
  EXPECT_THROW(running_lengths(options, header()), UsageError);
  EXPECT_THROW(running_entries({Stack::encoder, 1, Part::none, Quantity::gate}, entries(), header()),
               UsageError);
}

TEST(RunningSums, WordsComeBack) {
  RunningSums sums(2, 3, 2, 5);
  const double values[] = {0.1, -1e6, 1e-15};
  sums.add(1, values, poisson_weights(7, 1, 5));
  RunningSums other(2, 3, 2, 5);
  other.from_words(sums.words());
  EXPECT_EQ(other.words(), sums.words());
  EXPECT_EQ(other.rows(1), 1);
  EXPECT_NEAR(static_cast<double>(other.sum(1, 2).value()), 1e-15, 1e-18);
  std::vector<std::int64_t> words = sums.words();
  words.pop_back();
  EXPECT_THROW(other.from_words(words), FormatError);
  EXPECT_THROW(other.merge(RunningSums(2, 3, 2, 4)), UsageError);
}

// Small and large values in one column, of either sign, more of them than wait for one another.
TEST(RunningSums, WeightedSumsAreExact) {
  constexpr std::int64_t kResamples = 7;
  RunningSums sums(1, 1, 1, kResamples);
  std::vector<ExactSum> expected(kResamples);
  for (int i = 1; i < 3000; ++i) {
    const double values[] = {std::sin(i) * std::pow(10.0, i % 17 - 9)};
    const std::span<const float> weights = poisson_weights(i, 5, kResamples);
    sums.add(0, values, weights);
    for (std::size_t r = 0; r < weights.size(); ++r) {
      expected[r].add(ExactSum::rounded(values[0]) * static_cast<int>(weights[r]));
    }
  }
  const std::span<const ExactSum> found = sums.resampled(0, 0);
  EXPECT_EQ(std::vector<ExactSum>(found.begin(), found.end()), expected);
}

TEST(RunningSums, WeightsArePoissonsAndTheSentencesOwn) {
  constexpr std::int64_t kDraws = 100'000;
  const auto drawn = [](std::int64_t number, std::uint64_t seed, std::int64_t resamples) {
    const std::span<const float> weights = poisson_weights(number, seed, resamples);
    return std::vector<float>(weights.begin(), weights.end());
  };
  const std::vector<float> weights = drawn(12, 3, kDraws);
  double chance = std::exp(-1.0);
  for (int k = 0; k < 5; ++k) {
    const auto found =
        static_cast<double>(std::count(weights.begin(), weights.end(), static_cast<float>(k))) / kDraws;
    EXPECT_NEAR(found, chance, 4 * std::sqrt(chance / kDraws)) << k;
    chance /= k + 1;
  }
  EXPECT_EQ(drawn(12, 3, 10), std::vector<float>(weights.begin(), weights.begin() + 10));
  EXPECT_NE(drawn(13, 3, kDraws), weights);
  EXPECT_NE(drawn(12, 4, kDraws), weights);
}

TEST(ExactSum, DoesNotDependOnTheOrder) {
  std::vector<double> values;
  for (int i = 1; i < 2000; ++i) {
    values.push_back(std::sin(i) * std::pow(10.0, i % 13 - 6));
  }
  ExactSum forward;
  ExactSum backward;
  for (const double one : values) {
    forward.add(ExactSum::rounded(one));
  }
  for (std::size_t i = values.size(); i-- > 0;) {
    backward.add(ExactSum::rounded(values[i]));
  }
  EXPECT_EQ(forward, backward);
  EXPECT_NEAR(static_cast<double>(forward.value()), std::accumulate(values.begin(), values.end(), 0.0), 1e-6);
  const auto [low, high] = ExactSum(-5).words();
  EXPECT_EQ(ExactSum::from_words(low, high), ExactSum(-5));
}

TEST(ExactSum, IsNoNumberAfterOneThatIsNoneOrTooMuch) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e19}) {
    ExactSum sum;
    sum.add(ExactSum::rounded(1));
    sum.add(ExactSum::rounded(bad));
    sum.add(ExactSum::rounded(1));
    EXPECT_FALSE(sum.is_number());
    EXPECT_TRUE(std::isnan(sum.value()));
  }
  ExactSum large;
  for (int i = 0; i < 3; ++i) {
    large.add(ExactSum::rounded(4e18));
  }
  EXPECT_FALSE(large.is_number());
}

}  // namespace
}  // namespace mog::analysis
