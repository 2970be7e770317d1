#include "app/workflow/statistics/running_job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "app/workflow/merge/merge_job.h"
#include "tests/unit/workflow/recorded_corpus.h"

namespace mog {
namespace {

using app::RunningOptions;
using app::RunningStatisticsJob;
using test::corpus_text;
using test::error_of;
using test::fake_loaded;
using test::FakeModel;
using test::TemporaryFolder;

RunningOptions options_for(const std::filesystem::path& input,
                           const std::string& quantity = "gate,share,entropy,leaves") {
  RunningOptions options;
  options.request.texts.quantity = quantity;
  options.request.texts.bins = "0,5,10";
  options.request.bootstrap.resamples = 100;
  options.record.input = input;
  options.request.batch_tokens = 60;
  options.record.streams = 1;
  return options;
}

std::string table_text(const io::PartialStatistics& statistics) {
  return analysis::to_csv(app::table_of(statistics, "test"));
}

double number_in(const analysis::Table& table, std::size_t row, const char* column) {
  const analysis::Cell& cell = table.rows.at(row).at(table.column(column));
  if (const auto* const whole = std::get_if<std::int64_t>(&cell)) {
    return static_cast<double>(*whole);
  }
  return std::get<double>(cell);
}

TEST(RunningStatisticsJob, CountsWhatARecordingHas) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", corpus_text(80));
  for (const std::string quantity :
       {"gate,share,entropy,max,leaves", "encoder.*.high.attention.row_entropy"}) {
    for (const std::string by : {"layer,length", "layer,position", "layer,length,head"}) {
      RunningOptions options = options_for(corpus, quantity);
      options.request.texts.by = by;
      const auto counted =
          app::table_of(RunningStatisticsJob(fake_loaded(), options).run().statistics, "test");

      app::RecordOptions record = options.record;
      record.output = folder / ("r" + std::to_string(std::hash<std::string>()(quantity + by)));
      record.capture.names = {app::CaptureName::summary, app::CaptureName::orders};
      record.capture.store = DType::float32;
      app::RecordJob(fake_loaded(), record).run();
      app::StatisticsOptions statistics = app::statistics_options(options.request);
      statistics.recordings = {record.output};
      const analysis::Table expected = app::StatisticsJob(statistics).run();

      ASSERT_EQ(counted.columns, expected.columns);
      ASSERT_EQ(counted.rows.size(), expected.rows.size());
      for (std::size_t row = 0; row < expected.rows.size(); ++row) {
        for (const char* const column : {"sentences", "tokens", "mean"}) {
          const double value = number_in(expected, row, column);
          if (std::isnan(value)) {
            EXPECT_TRUE(std::isnan(number_in(counted, row, column)));
          } else {
            EXPECT_NEAR(number_in(counted, row, column), value, 1e-12) << quantity << by << column << row;
          }
        }
      }
    }
  }
}

// What is computed from maps: as from a recording of these.
TEST(RunningStatisticsJob, CountsTheAttentionGrammarOfARecordingOfMaps) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", corpus_text(40));
  app::RecordOptions record = options_for(corpus).record;
  record.output = folder / "maps.rec";
  record.capture.names = {app::CaptureName::attention, app::CaptureName::gates, app::CaptureName::shares};
  record.capture.store = DType::float32;
  app::RecordJob(fake_loaded(), record).run();
  app::GrammarTexts chosen;
  chosen.heads = "contribution";
  chosen.gate = "share";
  chosen.residual_share = 0.25;
  for (const app::GrammarTexts& grammar : {app::GrammarTexts(), chosen}) {
    for (const std::string by : {"layer,length", "layer,position"}) {
      RunningOptions options =
          options_for(corpus, "joins,edges,bands,part-leaves,leaves-mass,distinct,simple");
      options.request.texts.by = by;
      options.request.texts.words = "1-9";
      options.request.grammar = grammar;
      options.request.orders = 5;
      options.request.samples = 20;
      options.request.quantiles = true;
      const auto counted =
          app::table_of(RunningStatisticsJob(fake_loaded(), options).run().statistics, "test");
      app::StatisticsOptions statistics = app::statistics_options(options.request);
      statistics.recordings = {record.output};
      const analysis::Table expected = app::StatisticsJob(statistics).run();
      ASSERT_EQ(counted.columns, expected.columns);
      ASSERT_EQ(counted.rows.size(), expected.rows.size());
      for (std::size_t row = 0; row < expected.rows.size(); ++row) {
        for (const std::string& column : expected.columns) {
          const analysis::Cell& cell = expected.rows[row][expected.column(column)];
          const analysis::Cell& own = counted.rows[row][counted.column(column)];
          const bool drawn = column == "low" || column == "high" || column.starts_with("difference_");
          if (const auto* const real = std::get_if<double>(&cell); real != nullptr && !std::isnan(*real)) {
            EXPECT_NEAR(std::get<double>(own), *real, drawn ? 1.0 : 1e-12) << column << row;
          } else if (real == nullptr) {
            EXPECT_EQ(own, cell) << column << row;
          }
        }
      }
    }
  }
}

// The sentences of corpus_text() with five tags, and a sentence that has a word of its own tag.
std::string treebank_text(int lines) {
  const char* const tags[] = {"NOUN", "VERB", "ADJ", "_", "PUNCT"};
  std::string text;
  for (int line = 1; line <= lines; ++line) {
    for (int word = 0; word < 1 + line * 7 % 17; ++word) {
      const std::string tag = line == 3 && word == 0 ? "X" : tags[(line + word * word) % 5];
      text += std::to_string(word + 1) + "\tw" + std::to_string(line * 31 + word * word) + "\t_\t" + tag +
              "\t_\t_\t" + std::to_string(word) + "\t" + (word == 0 ? "root" : "dep") + "\t_\t_\n";
    }
    text += '\n';
  }
  return text;
}

// Rows are those of a recording; numbers to 1e-12, but for intervals, which come from other draws.
void expect_recorded(const analysis::Table& counted, const analysis::Table& expected) {
  ASSERT_EQ(counted.columns, expected.columns);
  ASSERT_EQ(counted.rows.size(), expected.rows.size());
  for (std::size_t row = 0; row < expected.rows.size(); ++row) {
    for (const std::string& column : expected.columns) {
      const analysis::Cell& cell = expected.rows[row][expected.column(column)];
      const analysis::Cell& own = counted.rows[row][counted.column(column)];
      const bool drawn = column == "low" || column == "high" || column.starts_with("difference_");
      if (const auto* const real = std::get_if<double>(&cell); real != nullptr && !std::isnan(*real)) {
        EXPECT_NEAR(std::get<double>(own), *real, drawn ? 1.0 : 1e-12) << column << row;
      } else if (real == nullptr) {
        EXPECT_EQ(own, cell) << column << row;
      }
    }
  }
}

// The table of three parts that ran one by one, the last first.
std::string merged_parts(RunningOptions options, const TemporaryFolder& folder) {
  std::vector<std::filesystem::path> files;
  for (std::int64_t part = 3; part >= 1; --part) {
    options.record.shard = {.part = part, .parts = 3};
    options.sums = folder / (std::to_string(part) + ".sums");
    std::filesystem::remove(options.sums);
    RunningStatisticsJob(fake_loaded(), options).run();
    files.push_back(options.sums);
  }
  std::vector<std::string> notes;
  return table_text(app::merge_statistics(files, false, notes));
}

TEST(RunningStatisticsJob, CountsPartsOfSpeechOfTheTreebankThatItReads) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.conllu", treebank_text(70));
  app::RecordOptions record = options_for(corpus).record;
  record.output = folder / "all.rec";
  record.capture.names = {app::CaptureName::summary, app::CaptureName::orders, app::CaptureName::attention,
                          app::CaptureName::gates};
  record.capture.store = DType::float32;
  app::RecordJob(fake_loaded(), record).run();
  for (const std::string by : {"layer,upos", "upos,head"}) {
    RunningOptions options = options_for(
        corpus, by == "upos,head" ? "entropy,max" : "gate,share,entropy,leaves,joins,distinct,part-leaves");
    options.request.texts.by = by;
    options.request.texts.words = "1-12";
    options.request.samples = 20;
    options.request.quantiles = true;
    const std::string whole = table_text(RunningStatisticsJob(fake_loaded(), options).run().statistics);
    app::StatisticsOptions statistics = app::statistics_options(options.request);
    statistics.recordings = {record.output};
    statistics.treebank = corpus;
    expect_recorded(app::table_of(RunningStatisticsJob(fake_loaded(), options).run().statistics, "test"),
                    app::StatisticsJob(statistics).run());
    EXPECT_NE(whole.find(",X,"), std::string::npos);

    EXPECT_EQ(merged_parts(options, folder), whole);
  }
}

TEST(RunningStatisticsJob, CountsTrendsOfTheGrammarAsARecordingHasThem) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", corpus_text(60));
  app::RecordOptions record = options_for(corpus).record;
  record.output = folder / "maps.rec";
  record.capture.names = {app::CaptureName::attention, app::CaptureName::gates};
  record.capture.store = DType::float32;
  app::RecordJob(fake_loaded(), record).run();
  RunningOptions options = options_for(corpus, "joins,leaves-mass,bands,layers-needed");
  options.request.trend = true;
  options.request.minimum_sentences = 4;
  options.request.orders = 3;
  options.request.texts.words = "1-9";
  const std::string whole = table_text(RunningStatisticsJob(fake_loaded(), options).run().statistics);
  app::StatisticsOptions statistics = app::statistics_options(options.request);
  statistics.recordings = {record.output};
  EXPECT_EQ(whole, analysis::to_csv(app::StatisticsJob(statistics).run()));
  EXPECT_EQ(merged_parts(options, folder), whole);
}

TEST(RunningStatisticsJob, CountsDifferencesToTheShortestBin) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", corpus_text(60));
  app::RecordOptions record = options_for(corpus).record;
  record.output = folder / "maps.rec";
  record.capture.names = {app::CaptureName::summary, app::CaptureName::attention, app::CaptureName::gates};
  record.capture.store = DType::float32;
  app::RecordJob(fake_loaded(), record).run();
  RunningOptions options = options_for(corpus, "gate,entropy,joins");
  options.request.relative = true;
  app::StatisticsOptions statistics = app::statistics_options(options.request);
  statistics.recordings = {record.output};
  expect_recorded(app::table_of(RunningStatisticsJob(fake_loaded(), options).run().statistics, "test"),
                  app::StatisticsJob(statistics).run());
}

// A form that leaves no piece behind cannot be the word of a token.
TEST(RunningStatisticsJob, LeavesOutWhatIsNotTheTreebanksWhereThatIsAskedFor) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.conllu", treebank_text(20));
  RunningOptions options = options_for(corpus, "gate");
  options.request.texts.by = "layer,upos";
  options.request.long_sentences = "truncate";
  options.request.max_length = 12;
  EXPECT_NE(error_of([&] {
              RunningStatisticsJob(fake_loaded(), options).run();
            }).find("the model read only its beginning; --mismatch skip"),
            std::string::npos);
  options.request.mismatch = "skip";
  const app::RunningSummary summary = RunningStatisticsJob(fake_loaded(), options).run();
  ASSERT_EQ(summary.notes.size(), 1U);
  EXPECT_NE(summary.notes[0].find("were left out; the first: the treebank"), std::string::npos)
      << summary.notes[0];
}

TEST(RunningStatisticsJob, PartsAreMergedIntoTheWholeAndNothingIsLostOrDoubled) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", corpus_text(130));
  const auto all_kinds = [&] {
    RunningOptions options = options_for(corpus, "gate,share,entropy,leaves,joins,leaves-mass");
    options.request.orders = 4;
    options.request.quantiles = true;
    return options;
  };
  const std::string whole = table_text(RunningStatisticsJob(fake_loaded(), all_kinds()).run().statistics);
  std::vector<std::filesystem::path> files;
  for (std::int64_t part = 1; part <= 4; ++part) {
    RunningOptions options = all_kinds();
    options.record.shard = {.part = part, .parts = 4};
    options.sums = folder / (std::to_string(part) + ".sums");
    RunningStatisticsJob(fake_loaded(), options).run();
    files.insert(files.begin(), options.sums);
  }
  std::vector<std::string> notes;
  io::PartialStatistics all = app::merge_statistics(files, false, notes);
  EXPECT_EQ(table_text(all), whole);
  EXPECT_EQ(all.counted, 130);
  EXPECT_EQ(all.done, (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_TRUE(notes.empty());

  // Merged in two steps.
  const auto half = folder / "half.sums";
  io::write_partial_statistics(app::merge_statistics(std::span(files).first(2), true, notes), half);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("of 4 parts 1–2 are missing"), std::string::npos) << notes[0];
  const std::filesystem::path steps[] = {files[2], half, files[3]};
  EXPECT_EQ(table_text(app::merge_statistics(steps, false, notes)), whole);

  // Parts of another version of the program are named.
  notes.clear();
  io::PartialStatistics later = io::read_partial_statistics(files[0]);
  later.header.provenance.program_version = "9.9";
  io::write_partial_statistics(later, files[0]);
  EXPECT_EQ(table_text(app::merge_statistics(files, false, notes)), whole);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("by 9.9"), std::string::npos) << notes[0];

  const std::filesystem::path three[] = {files[0], files[1], files[3]};
  EXPECT_NE(error_of([&] { app::merge_statistics(three, false, notes); }).find("of 4 parts 2 is missing"),
            std::string::npos);
  const std::filesystem::path twice[] = {files[0], half};
  EXPECT_NE(error_of([&] { app::merge_statistics(twice, true, notes); }).find("part 4 of 4 is in"),
            std::string::npos);
}

TEST(RunningStatisticsJob, RefusesPartsOfAnotherRun) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", corpus_text(40));
  const auto part = [&](const std::string& name, const auto& change) {
    RunningOptions options = options_for(corpus);
    options.record.shard = {.part = name == "first" ? 1 : 2, .parts = 2};
    options.sums = folder / (name + ".sums");
    app::LoadedModel model = fake_loaded();
    change(options, model);
    RunningStatisticsJob(model, options).run();
    return options.sums;
  };
  const auto nothing = [](RunningOptions&, app::LoadedModel&) {};
  const auto first = part("first", nothing);
  const auto merged = [&](const std::filesystem::path& second) {
    std::vector<std::string> notes;
    const std::filesystem::path both[] = {first, second};
    return error_of([&] { app::merge_statistics(both, false, notes); });
  };
  EXPECT_EQ(merged(part("second", nothing)), "nothing was thrown");
  EXPECT_NE(merged(part("bins", [](RunningOptions& options,
                                   app::LoadedModel&) { options.request.texts.bins = "0,6,10"; }))
                .find("counted with the same options"),
            std::string::npos);
  EXPECT_NE(merged(part("model",
                        [](RunningOptions&, app::LoadedModel& model) {
                          model = fake_loaded(std::make_shared<FakeModel>(test::FakeModelOptions{.seed = 2}));
                        }))
                .find("are not of one run"),
            std::string::npos);
  EXPECT_NE(merged(part("text",
                        [&](RunningOptions& options, app::LoadedModel&) {
                          options.record.input = folder.write("d.txt", corpus_text(41));
                        }))
                .find("are not of one run"),
            std::string::npos);
  EXPECT_NE(
      merged(part("cut", [](RunningOptions& options, app::LoadedModel&) { options.record.shard.parts = 3; }))
          .find("cut in two ways"),
      std::string::npos);
}

TEST(RunningStatisticsJob, GoesOnAfterAnInterruption) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", corpus_text(120));
  const std::string whole =
      table_text(RunningStatisticsJob(fake_loaded(), options_for(corpus)).run().statistics);
  RunningOptions options = options_for(corpus);
  options.sums = folder / "c.sums";
  options.commit_every = 10;
  std::stop_source stop;
  auto model = std::make_shared<FakeModel>();
  model->on_run([&](std::int64_t run) {
    if (run == 5) {
      stop.request_stop();
    }
  });
  EXPECT_THROW(RunningStatisticsJob(fake_loaded(model), options).run(stop.get_token()), Interrupted);
  std::vector<std::string> notes;
  EXPECT_NE(error_of([&] {
              app::merge_statistics({&options.sums, 1}, false, notes);
            }).find("not complete"),
            std::string::npos);
  // A failure keeps what was committed.
  options.resume = true;
  auto failing = std::make_shared<FakeModel>();
  failing->on_run([](std::int64_t run) {
    if (run == 4) {
      throw DeviceError("the device is gone");
    }
  });
  EXPECT_THROW(RunningStatisticsJob(fake_loaded(failing), options).run(), DeviceError);
  const app::RunningSummary summary = RunningStatisticsJob(fake_loaded(), options).run();
  EXPECT_GT(summary.run.estimate.already_recorded, 0);
  EXPECT_EQ(summary.run.recorded + summary.run.estimate.already_recorded, 120);
  EXPECT_EQ(table_text(summary.statistics), whole);
  EXPECT_EQ(table_text(app::merge_statistics({&options.sums, 1}, false, notes)), whole);

  options.request.texts.bins = "0,6";
  EXPECT_NE(error_of([&] { RunningStatisticsJob(fake_loaded(), options).run(); }).find("it counted"),
            std::string::npos);
}

TEST(RunningStatisticsJob, RefusesWhatTheModelOrARunDoesNotHave) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", corpus_text(10));
  for (const std::string quantity : {"relations", "joins,relations", "gate,encoder.1.gate.mean"}) {
    EXPECT_THROW(RunningStatisticsJob(fake_loaded(), options_for(corpus, quantity)), UsageError) << quantity;
  }
  const auto refused = [&](const std::string& quantity, const auto& change) {
    RunningOptions options = options_for(corpus, quantity);
    change(options.request);
    return error_of([&] { RunningStatisticsJob(fake_loaded(), options); });
  };
  EXPECT_NE(refused("joins", [](app::RunningRequest& request) { request.texts.by = "layer,upos"; })
                .find("--input takes a treebank"),
            std::string::npos);
  EXPECT_NE(refused("gate",
                    [](app::RunningRequest& request) {
                      request.texts.by = "layer,upos";
                      request.relative = true;
                    })
                .find("parts of speech (--by upos) have none"),
            std::string::npos);
  EXPECT_NE(refused("edges", [](app::RunningRequest& request) { request.grammar.target = "cross"; })
                .find("translates nothing"),
            std::string::npos);
  EXPECT_NE(refused("joins", [](app::RunningRequest& request) { request.grammar.rho = 0.5; })
                .find("only a plain Transformer has it"),
            std::string::npos);
  EXPECT_NE(refused("gate", [](app::RunningRequest& request) { request.grammar.pi = "uniform"; })
                .find("only quantities of the attention grammar"),
            std::string::npos);
  EXPECT_THROW(
      RunningStatisticsJob(fake_loaded(std::make_shared<FakeModel>(test::FakeModelOptions{.graph = false})),
                           options_for(corpus, "gate")),
      UsageError);
}

}  // namespace
}  // namespace mog
