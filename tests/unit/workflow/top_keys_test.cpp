#include "app/workflow/record/top_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "analysis/figure_data/builders.h"
#include "analysis/mog/grammar/from_recording.h"
#include "app/workflow/statistics/statistics_job.h"
#include "io/recording/top_keys.h"
#include "tests/unit/workflow/recorded_corpus.h"

namespace mog {
namespace {

using test::corpus_text;
using test::error_of;
using test::fake_loaded;
using test::TemporaryFolder;

TEST(TopKeys, AreTheGreatestAndEqualOnesComeByTheirKey) {
  struct Row {
    std::vector<float> values;
    std::vector<float> weights;
    std::vector<float> keys;
    double rest;
  };
  const Row rows[] = {{{0.125F, 0.5F, 0.25F, 0.125F}, {0.5F, 0.25F, 0.125F}, {1, 2, 0}, 0.125},
                      {{0.25F, 0.25F, 0.25F, 0.25F}, {0.25F, 0.25F, 0.25F}, {0, 1, 2}, 0.25},
                      {{0, 0.5F, 0, 0.5F, 0}, {0.5F, 0.5F, 0}, {1, 3, -1}, 0},
                      {{0.75F, 0.25F}, {0.75F, 0.25F, 0}, {0, 1, -1}, 0},
                      {{1}, {1, 0, 0}, {0, -1, -1}, 0},
                      {{0.125F, 0.125F, 0.25F, 0.25F, 0.25F}, {0.25F, 0.25F, 0.25F}, {2, 3, 4}, 0.25}};
  for (const Row& row : rows) {
    std::vector<float> weights(3);
    std::vector<float> keys(3);
    EXPECT_EQ(app::top_keys(row.values, weights, keys), row.rest);
    EXPECT_EQ(weights, row.weights);
    EXPECT_EQ(keys, row.keys);
  }
}

app::RecordOptions options_of(const TemporaryFolder& folder, const std::string& name) {
  app::RecordOptions options;
  options.input = folder.write("corpus.txt", corpus_text(30));
  options.output = folder / name;
  options.capture.names = {app::CaptureName::attention, app::CaptureName::gates, app::CaptureName::summary};
  options.capture.store = DType::float32;
  options.batch_tokens = 60;
  options.streams = 2;
  return options;
}

// Of every row of every map: what sorting it gives.
TEST(TopKeys, OfARecordingAreThoseOfItsMaps) {
  const TemporaryFolder folder;
  app::RecordJob(fake_loaded(), options_of(folder, "maps.rec")).run();
  const io::RecordingReader maps(folder / "maps.rec");
  for (const DType store : {DType::float32, DType::float16, DType::uint8}) {
    for (const std::int64_t ranks : {1, 3, 40}) {
      app::RecordOptions options = options_of(folder, "top.rec");
      options.store_top_k = ranks;
      options.capture.store = store;
      options.overwrite = true;
      app::RecordJob(fake_loaded(), options).run();
      const io::RecordingReader top(folder / "top.rec");
      const double within = store == DType::float32 ? 0 : 0x1p-11;
      std::int64_t rows = 0;
      for (const QuantitySchema& schema : maps.header().quantities) {
        if (!app::is_top_key_map(schema)) {
          EXPECT_NE(top.header().find(schema.name), nullptr) << schema.name.text();
          continue;
        }
        EXPECT_EQ(top.header().find(schema.name), nullptr) << schema.name.text();
        for (std::int64_t index = 0; index < maps.size(); ++index) {
          const std::vector<float> map = maps.read(index, schema.name).to_floats();
          const auto read = [&](Reduction reduction) {
            return top.read(index, schema.name.with(reduction)).to_floats();
          };
          const std::vector<float> weights = read(Reduction::top);
          const std::vector<float> keys = read(Reduction::top_key);
          const std::vector<float> rest = read(Reduction::rest);
          const std::size_t tokens = maps.sentence(index).tokens.size();
          ASSERT_EQ(rest.size(), map.size() / tokens);
          const auto kept = static_cast<std::size_t>(ranks);
          ASSERT_EQ(weights.size(), rest.size() * kept);
          for (std::size_t row = 0; row < rest.size(); ++row) {
            std::vector<std::size_t> order(tokens);
            std::iota(order.begin(), order.end(), std::size_t{0});
            const float* const values = map.data() + row * tokens;
            std::stable_sort(order.begin(), order.end(),
                             [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
            double others = 0;
            for (std::size_t rank = 0; rank < std::max(kept, tokens); ++rank) {
              if (rank >= kept) {
                others += static_cast<double>(values[order[rank]]);
              } else if (rank >= tokens) {
                EXPECT_EQ(weights[row * kept + rank], 0);
                EXPECT_EQ(keys[row * kept + rank], -1);
              } else {
                EXPECT_NEAR(weights[row * kept + rank], values[order[rank]], within);
                EXPECT_EQ(keys[row * kept + rank], static_cast<float>(order[rank]));
              }
            }
            EXPECT_NEAR(rest[row], others, 1e-6);
            ++rows;
          }
        }
      }
      EXPECT_GT(rows, 1000);
    }
  }
}

TEST(TopKeys, AreOfOneNumberOfRanks) {
  const TemporaryFolder folder;
  for (const std::string name : {"encoder.*.*.attention.top", "encoder.*.*.attention.top_key"}) {
    for (const std::int64_t ranks : {2, 40}) {
      app::RecordOptions options = options_of(folder, "both.rec");
      options.quantities = {name};
      options.store_top_k = ranks;
      const std::string error = error_of([&] { app::RecordJob(fake_loaded(), options).run(); });
      EXPECT_NE(error.find("leave out one of the two"), std::string::npos) << error;
    }
  }
}

// Beside maps that are kept, orders and exact checks the same rows come from maps.
TEST(TopKeys, AreTheSameWhereMapsAreNeeded) {
  const TemporaryFolder folder;
  app::RecordOptions options = options_of(folder, "rows.rec");
  options.store_top_k = 3;
  app::RecordJob(fake_loaded(), options).run();
  options.output = folder / "orders.rec";
  options.capture.names.insert(app::CaptureName::orders);
  app::RecordJob(fake_loaded(), options).run();
  const io::RecordingReader rows(folder / "rows.rec");
  const io::RecordingReader orders(folder / "orders.rec");
  std::size_t compared = 0;
  for (const QuantitySchema& schema : rows.header().quantities) {
    const Reduction reduction = schema.name.reduction();
    if (reduction == Reduction::top || reduction == Reduction::top_key || reduction == Reduction::rest) {
      for (std::int64_t index = 0; index < rows.size(); ++index) {
        const std::vector<float> found = rows.read(index, schema.name).to_floats();
        const std::vector<float> expected = orders.read(index, schema.name).to_floats();
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
          EXPECT_NEAR(found[i], expected[i], 1e-6) << schema.name.text();
        }
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 100U);
}

TEST(TopKeys, WhatReadsMapsSaysThatThereAreNone) {
  const TemporaryFolder folder;
  app::RecordOptions options = options_of(folder, "top.rec");
  options.store_top_k = 2;
  app::RecordJob(fake_loaded(), options).run();
  const io::RecordingReader top(folder / "top.rec");
  EXPECT_EQ(top_keys_held(top.header()), 2);
  const std::string said = "it holds the 2 greatest weights of each row alone (--store-top-k)";
  const auto says = [&](const std::function<void()>& action) {
    const std::string error = error_of(action);
    EXPECT_NE(error.find(said), std::string::npos) << error;
  };
  says([&] { analysis::build_word_grammar(top, 0, {}); });
  says([&] { analysis::attention_map(top, 0, 1, Part::high, 0); });
  app::StatisticsOptions joins;
  joins.recordings = {options.output};
  joins.measures.clear();
  joins.word_measures = {analysis::WordMeasure::joins};
  says([&] { app::StatisticsJob(joins).run(); });
  // Statistics of rows are there beside them.
  app::StatisticsOptions entropy;
  entropy.recordings = {options.output};
  entropy.measures = {analysis::Measure::entropy, analysis::Measure::maximum};
  EXPECT_FALSE(app::StatisticsJob(entropy).run().rows.empty());
  // Weights and what is left have means by rank; keys have none.
  app::StatisticsOptions named;
  named.recordings = {options.output};
  named.measures.clear();
  named.names = {"encoder.*.high.attention.*"};
  const analysis::Table table = app::StatisticsJob(named).run();
  EXPECT_TRUE(std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
    return row.at(table.column("quantity")) == analysis::Cell(std::string("encoder.1.high.attention.top"));
  }));
  named.names = {"encoder.1.high.attention.top_key"};
  EXPECT_NE(error_of([&] { app::StatisticsJob(named).run(); }).find("numbers of keys"), std::string::npos);

  app::RecordOptions none = options_of(folder, "none.rec");
  none.capture.names = {app::CaptureName::summary};
  none.store_top_k = 2;
  EXPECT_NE(error_of([&] { app::RecordJob(fake_loaded(), none); }).find("add --capture attention"),
            std::string::npos);
  none.capture.names = {app::CaptureName::attention};
  for (const std::int64_t ranks : {-1, 2049}) {
    none.store_top_k = ranks;
    EXPECT_NE(error_of([&] { app::RecordJob(fake_loaded(), none); }).find("allowed are 1 to 2048"),
              std::string::npos);
  }
  // Orders and top keys are made of the same maps.
  options.capture.names = {app::CaptureName::attention, app::CaptureName::gates, app::CaptureName::orders};
  options.overwrite = true;
  app::RecordJob(fake_loaded(), options).run();
  const io::RecordingReader both(folder / "top.rec");
  EXPECT_NE(both.header().find(QuantityName::parse("encoder.1.order")), nullptr);
  EXPECT_NE(both.header().find(QuantityName::parse("encoder.1.high.attention.top")), nullptr);
}

}  // namespace
}  // namespace mog
