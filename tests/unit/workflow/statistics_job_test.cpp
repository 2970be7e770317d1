#include "app/workflow/statistics/statistics_job.h"
#include "app/workflow/statistics/statistics_texts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <variant>

#include "io/recording/errors.h"
#include "tests/unit/workflow/recorded_corpus.h"

namespace mog::app {
namespace {

std::filesystem::path record(const test::TemporaryFolder& folder, const std::string& name,
                             std::int64_t shard = 1, std::int64_t shards = 1) {
  RecordOptions options;
  options.input = folder / "c.txt";
  if (!std::filesystem::exists(options.input)) {  // parts are of one corpus, written once
    folder.write("c.txt", test::corpus_text(60));
  }
  options.output = folder / name;
  options.shard.part = shard;
  options.shard.parts = shards;
  RecordJob(test::fake_loaded(), options).run();
  return options.output;
}

TEST(StatisticsJob, PartsOfACorpusGiveTheTableOfTheWhole) {
  const test::TemporaryFolder folder;
  StatisticsOptions whole;
  whole.recordings = {record(folder, "whole")};
  parse_quantities("gate,share,entropy", whole);
  StatisticsOptions parts = whole;
  parts.recordings = {record(folder, "b", 2, 2), record(folder, "a", 1, 2)};
  EXPECT_EQ(analysis::to_csv(StatisticsJob(parts).run()), analysis::to_csv(StatisticsJob(whole).run()));
}

TEST(StatisticsJob, RecordingsThatAreNotPartsStayApart) {
  const test::TemporaryFolder folder;
  StatisticsOptions options;
  options.recordings = {record(folder, "a"), record(folder, "b")};
  EXPECT_EQ(gather_statistics(options).size(), 2U);
}

// Differences of empty bins are NaN, which equals nothing.
bool same(const analysis::Cell& left, const analysis::Cell& right) {
  const double* const a = std::get_if<double>(&left);
  const double* const b = std::get_if<double>(&right);
  return left == right || (a != nullptr && b != nullptr && std::isnan(*a) && std::isnan(*b));
}

TEST(StatisticsJob, RelativeTablesHoldDifferences) {
  const test::TemporaryFolder folder;
  StatisticsOptions options;
  options.recordings = {record(folder, "a")};
  const analysis::Table plain = StatisticsJob(options).run();
  options.relative = true;
  const analysis::Table relative = StatisticsJob(options).run();
  EXPECT_EQ(relative.columns.size() + 3, plain.columns.size());
  ASSERT_EQ(relative.rows.size(), plain.rows.size());
  for (std::size_t row = 0; row < plain.rows.size(); ++row) {
    for (const char* const name : {"difference", "difference_low"}) {
      EXPECT_TRUE(same(relative.rows[row][relative.column(name)], plain.rows[row][plain.column(name)]))
          << name;
    }
  }
}

TEST(StatisticsJob, ByLayerAloneHasOneBin) {
  const test::TemporaryFolder folder;
  StatisticsOptions options;
  options.recordings = {record(folder, "a")};
  parse_by("layer", options);
  EXPECT_EQ(StatisticsJob(options).run().rows.size(), 3U);  // layers
  EXPECT_THROW(parse_by("length", options), UsageError);
  EXPECT_THROW(parse_by("layer,width", options), UsageError);
  EXPECT_THROW(parse_quantities("gate,weight", options), UsageError);
}

TEST(StatisticsJob, TrendsAndDimensionsAreTablesOfTheirOwn) {
  const test::TemporaryFolder folder;
  StatisticsOptions options;
  RecordOptions record_options;
  record_options.input = folder.write("c.txt", test::corpus_text(60));
  record_options.output = folder / "gates";
  record_options.capture.names = {CaptureName::gates};
  RecordJob(test::fake_loaded(), record_options).run();
  options.recordings = {record_options.output};
  options.bootstrap.resamples = 20;
  options.report = StatisticsReport::trends;
  EXPECT_EQ(StatisticsJob(options).run().rows.size(), 5U);  // layer; length of all and of three layers
  options.layers = {{2, 3}};
  EXPECT_EQ(StatisticsJob(options).run().rows.size(), 4U);
  options.report = StatisticsReport::dimensions;
  EXPECT_EQ(StatisticsJob(options).run().rows.size(), 2U);
  parse_by("layer,position", options);
  EXPECT_TRUE(options.by_position);
  EXPECT_THROW(StatisticsJob(options).run(), UsageError);  // no dimensions by position
  options.report = StatisticsReport::means;
  EXPECT_EQ(StatisticsJob(options).run().rows.size(), 2U * static_cast<std::size_t>(options.bins.size()));
  EXPECT_THROW(parse_by("layer,length,position", options), UsageError);
}

TEST(StatisticsJob, AMeasureThatWasNotRecordedIsRefused) {
  const test::TemporaryFolder folder;
  StatisticsOptions options;
  options.recordings = {record(folder, "a")};
  options.measures = {analysis::Measure::leaves};
  EXPECT_THROW(StatisticsJob(options).run(), UsageError);
  options.recordings = {};
  EXPECT_THROW(StatisticsJob(options).run(), UsageError);
}

}  // namespace
}  // namespace mog::app
