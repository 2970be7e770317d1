#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/workflow/experiment/train_sweep.h"
#include "app/workflow/train/config_difference.h"
#include "app/workflow/train/sweep_job.h"
#include "io/recording/errors.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/workflow/train_fake.h"

namespace mog::app {
namespace {

std::string message_of(const std::function<void()>& work, ExitCode code) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Axes in the file's order, which is not the alphabet's.
constexpr const char* kSweep = R"(
[sweep]
seeds = [7, 3]
[sweep.axes.variant]
sum = { "model.encoder.fusion" = "sum" }
gate = { model.encoder.fusion = "weight_gate" }
plain = { "model.encoder.kind" = "transformer", remove = ["model.encoder.attention_dim"] }
[sweep.axes.depth]
L1 = { "model.encoder.layers" = 1 }
same = {}
)";
const std::string kSound = test::fake_config_text("epochs = 2\n") + kSweep;

std::vector<std::string> names(const Sweep& sweep) {
  std::vector<std::string> names;
  for (const SweepRun& run : sweep.runs) {
    names.push_back(run.name);
  }
  return names;
}

TEST(Sweep, IsTheProductOfAxesAndSeedsInTheOrderOfTheFile) {
  const Sweep sweep = *parse_sweep(kSound, "c.toml");
  EXPECT_EQ(sweep.axes, (std::vector<std::string>{"variant", "depth"}));
  EXPECT_EQ(names(sweep),
            (std::vector<std::string>{"sum-L1-s7", "sum-L1-s3", "sum-same-s7", "sum-same-s3", "gate-L1-s7",
                                      "gate-L1-s3", "gate-same-s7", "gate-same-s3", "plain-L1-s7",
                                      "plain-L1-s3", "plain-same-s7", "plain-same-s3"}));
  EXPECT_EQ(sweep.runs[4].values, (std::vector<std::string>{"gate", "L1"}));
  EXPECT_EQ(sweep.runs[4].seed, 7);
  EXPECT_EQ(sweep.output, "model");
  EXPECT_FALSE(parse_sweep(test::fake_config_text("epochs = 2\n"), "c.toml").has_value());
}

TEST(Sweep, ARunIsTheFileWithItsChanges) {
  const Sweep sweep = *parse_sweep(kSound, "c.toml");
  const TrainConfig& sum = sweep.runs[0].config;
  EXPECT_EQ(sum.model.encoder.fusion, model::Fusion::sum);
  EXPECT_EQ(sum.model.encoder.layers, 1);
  EXPECT_EQ(sum.training.trainer.seed, 7);
  EXPECT_EQ(sum.name, "fake-sum-L1-s7");
  EXPECT_EQ(sum.output, "model/sum-L1-s7");
  EXPECT_EQ(sum.training.epochs, 2);
  const TrainConfig& plain = sweep.runs[11].config;
  EXPECT_FALSE(plain.model.encoder.graph());
  EXPECT_EQ(plain.model.encoder.attention_dim, 8);  // the width of the model, since the key is removed
  EXPECT_EQ(plain.model.encoder.layers, 3);
  EXPECT_EQ(plain.training.trainer.seed, 3);
}

TEST(Sweep, TheTextOfARunIsAConfigurationThatGivesTheSameRun) {
  const Sweep sweep = *parse_sweep(kSound, "c.toml");
  for (const SweepRun& run : sweep.runs) {
    const TrainConfig again = parse_train_config(run.config.text, "c.toml");
    EXPECT_EQ(again.model, run.config.model);
    EXPECT_EQ(again.name, run.config.name);
    EXPECT_EQ(again.training.trainer.seed, run.seed);
    EXPECT_EQ(again.training.learning_rate, run.config.training.learning_rate);
    EXPECT_EQ(again.train.conllu, run.config.train.conllu);
    EXPECT_EQ(again.sources.size(), 1U);
    EXPECT_EQ(run.config.text.find("sweep"), std::string::npos);
  }
}

TEST(Sweep, WithoutSeedsTheFilesSeedIsTheOnlyOne) {
  const Sweep sweep = *parse_sweep(replaced(kSound, "seeds = [7, 3]\n", ""), "c.toml");
  EXPECT_EQ(sweep.runs.size(), 6U);
  EXPECT_EQ(sweep.runs[0].name, "sum-L1-s5");
  const Sweep seeds =
      *parse_sweep(test::fake_config_text("epochs = 2\n") + "[sweep]\nseeds = [1, 2]\n", "c.toml");
  EXPECT_EQ(names(seeds), (std::vector<std::string>{"s1", "s2"}));
}

TEST(Sweep, OnlyAndSkipChooseByPattern) {
  const Sweep sweep =
      *parse_sweep(replaced(kSound, "seeds = [7, 3]",
                            "seeds = [7, 3]\nonly = [\"sum-*\", \"gate-*\"]\nskip = \"*-L1-s3\""),
                   "c.toml");
  EXPECT_EQ(names(sweep), (std::vector<std::string>{"sum-L1-s7", "sum-same-s7", "sum-same-s3", "gate-L1-s7",
                                                    "gate-same-s7", "gate-same-s3"}));
}

TEST(Sweep, RunsAreSelectedByPatternAndShare) {
  const Sweep sweep = *parse_sweep(kSound, "c.toml");
  EXPECT_EQ(select_runs(sweep, {}).size(), 12U);
  EXPECT_EQ(select_runs(sweep, std::vector<std::string>{"plain-*-s3", "sum-L1-s7"}),
            (std::vector<std::size_t>{0, 9, 11}));
  EXPECT_EQ(select_runs(sweep, std::vector<std::string>{"2/5"}), (std::vector<std::size_t>{1, 6, 11}));
  for (const char* bad : {"nothing", "0/2", "3/2", "a/2", "1/", "/"}) {
    EXPECT_THROW(select_runs(sweep, std::vector<std::string>{bad}), UsageError) << bad;
  }
}

TEST(Sweep, ParametersLeaveOutWhatTheDataDecide) {
  const Sweep sweep = *parse_sweep(kSound, "c.toml");
  TrainConfig config = sweep.runs[8].config;  // plain, one layer, d 8, ffn 8
  // Four maps 8·8+8, two norms 16, two feed-forward maps 8·8+8.
  EXPECT_EQ(inner_parameters(config), 6 * 72 + 32);
  config.model.vocab_size = 1000;
  config.model.tasks = {{"pos", {"X", "Y"}}};
  EXPECT_EQ(inner_parameters(config), 6 * 72 + 32);
}

TEST(Sweep, WrongChangesAreNamedWhereTheyStand) {
  const auto line_of = [](const std::string& part) {
    const std::size_t at = kSound.find(part);
    return "line " +
           std::to_string(1 + std::count(kSound.begin(), kSound.begin() + static_cast<long>(at), '\n')) +
           ": ";
  };
  const auto refusal = [&](const std::string& from, const std::string& to, ExitCode code = ExitCode::format) {
    const std::string message = message_of([&] { parse_sweep(replaced(kSound, from, to), "c.toml"); }, code);
    EXPECT_NE(message.find(line_of(from)), std::string::npos) << message;
    return message;
  };
  const std::string sum = "sum = { \"model.encoder.fusion\" = \"sum\" }";
  EXPECT_NE(
      refusal(sum, "sum = { \"model.encoder.fusoin\" = \"sum\" }").find("unknown key model.encoder.fusoin"),
      std::string::npos);
  const std::string choice = refusal(sum, "sum = { \"model.encoder.fusion\" = \"gated\" }");
  EXPECT_NE(choice.find("fusion"), std::string::npos);
  EXPECT_NE(choice.find("gated"), std::string::npos);
  EXPECT_NE(refusal(sum, "sum = { \"model.decoder.layers\" = 2 }").find("no section [model.decoder]"),
            std::string::npos);
  EXPECT_NE(refusal(sum, "sum = { \"modle.encoder.layers\" = 2 }").find("in no section"), std::string::npos);
  EXPECT_NE(refusal(sum, "sum = { name = \"x\" }").find("in no section"), std::string::npos);
  EXPECT_NE(refusal(sum, "sum = { training = 1 }").find("name the keys in it"), std::string::npos);
  EXPECT_NE(refusal(sum, "sum = { remove = [\"training.patience\"] }").find("does not have"),
            std::string::npos);
  EXPECT_NE(refusal(sum, "sum = 3").find("must be a table of changes"), std::string::npos);
  EXPECT_NE(refusal(sum, "\"a/b\" = {}").find("folder's name"), std::string::npos);
  EXPECT_NE(refusal("seeds = [7, 3]", "seeds = [7, 7]").find("twice"), std::string::npos);
  EXPECT_NE(refusal("seeds = [7, 3]", "seeds = [7, -3]").find("sweep.seeds must be"), std::string::npos);
  EXPECT_NE(refusal("seeds = [7, 3]", "sedes = [7, 3]").find("unknown key sweep.sedes"), std::string::npos);
  EXPECT_NE(refusal("seeds = [7, 3]", "skip = [\"cube-*\"]").find("names no run"), std::string::npos);
  EXPECT_NE(refusal("seeds = [7, 3]", "keep = \"some\"").find("\"all\" \"models\" \"scores\""),
            std::string::npos);

  constexpr ExitCode kMismatch = ExitCode::mismatch;
  EXPECT_NE(refusal(sum, "sum = { \"training.seed\" = 9 }", kMismatch).find("sweep.seeds"),
            std::string::npos);
  EXPECT_NE(refusal(sum, "sum = { \"output.directory\" = \"x\" }", kMismatch).find("its own name"),
            std::string::npos);
  const std::string both = refusal("L1 = { \"model.encoder.layers\" = 1 }",
                                   "L1 = { \"model.encoder.fusion\" = \"sum\" }", kMismatch);
  EXPECT_NE(both.find("sweep.axes.depth.L1 and sweep.axes.variant.sum"), std::string::npos) << both;
  EXPECT_NE(both.find("both change model.encoder.fusion"), std::string::npos) << both;
  // What contradicts itself only together with the rest of the file: the run is named.
  const std::string heads = message_of(
      [&] { parse_sweep(replaced(kSound, sum, "sum = { \"model.encoder.heads\" = 3 }"), "c.toml"); },
      kMismatch);
  EXPECT_NE(heads.find(line_of(sum)), std::string::npos) << heads;
  EXPECT_NE(heads.find("In the run sum-L1-s7"), std::string::npos) << heads;
}

TEST(Sweep, NothingToChangeAndTwoRunsOfOneNameAreRefused) {
  EXPECT_NE(message_of([] { parse_sweep(test::fake_config_text("epochs = 1\n") + "[sweep]\n", "c.toml"); },
                       ExitCode::format)
                .find("nothing changes"),
            std::string::npos);
  const std::string twice = "[sweep.axes.a]\nx = {}\n\"x-y\" = {}\n[sweep.axes.b]\n\"y-z\" = {}\nz = {}\n";
  EXPECT_NE(message_of([&] { parse_sweep(test::fake_config_text("epochs = 1\n") + twice, "c.toml"); },
                       ExitCode::mismatch)
                .find("x-y-z-s5"),
            std::string::npos);
}

TEST(ConfigDifference, NamesTheFirstKeyInTheOrderOfTheNewText) {
  const std::string before = "b = 1\n[t]\nx = 0.1\ny = [1, 2]\n[[s]]\nn = \"a\"\n";
  EXPECT_EQ(config_difference(before, before + "# comment\n"), "");
  EXPECT_EQ(config_difference(before, "b = 1\n[t]\ny = [1, 3]\nx = 0.2\n[[s]]\nn = \"a\"\n"),
            "t.y (line 3) is [ 1, 3 ] and was [ 1, 2 ]");
  EXPECT_EQ(config_difference(before, "b = 1\nc = true\n[t]\nx = 0.1\ny = [1, 2]\n[[s]]\nn = \"a\"\n"),
            "c (line 2) is true and was not there");
  EXPECT_EQ(config_difference(before, "b = 1\n[t]\nx = 0.1\n[[s]]\nn = \"a\"\n"),
            "t.y was [ 1, 2 ] and is not there now");
  EXPECT_EQ(config_difference(before, replaced(before, "\"a\"", "\"b\""), /*lines=*/false),
            "s[1].n is 'b' and was 'a'");
}

TEST(SweepTable, SpreadsAreOverSeeds) {
  const Spread spread = spread_of({1.0, 4.0, 4.0});
  EXPECT_DOUBLE_EQ(spread.mean, 3.0);
  EXPECT_DOUBLE_EQ(spread.low, 1.0);
  EXPECT_DOUBLE_EQ(spread.high, 4.0);
  EXPECT_DOUBLE_EQ(*spread.sd, std::sqrt(3.0));  // (4 + 1 + 1) / 2
  EXPECT_FALSE(spread_of({2.0}).sd.has_value());
}

class SweepJobTest : public ::testing::Test {
 protected:
  SweepJobTest() {
    folder_.write("train.conllu", test::fake_corpus(30).conllu);
    folder_.write("dev.conllu", test::fake_corpus(12, 100).conllu);
  }
  SweepJobOptions options(const std::string& output) const {
    SweepJobOptions options;
    options.train.data_root = folder_.path();
    options.train.output = folder_.file(output);
    return options;
  }
  static Sweep small(const std::string& more = "") {
    return *parse_sweep(test::fake_config_text("epochs = 2\ncheckpoint_interval = 2\n") +
                            "[sweep]\nseeds = [1, 2]\n" + more +
                            "[sweep.axes.a]\nsum = { \"model.encoder.fusion\" = \"sum\" }\n"
                            "gate = { \"model.encoder.fusion\" = \"weight_gate\" }\n",
                        "sweep.toml");
  }
  // Trainers whose steps call `on_step` with their options and number.
  using OnStep = std::function<void(const model::TrainerOptions&, const model::ModelConfig&, std::int64_t)>;
  static TrainerFactory factory(OnStep on_step = {}) {
    return [on_step](const model::ModelConfig& model, const model::TrainerOptions& trainer,
                     const model::DeviceOptions&, const std::map<std::string, HostTensor>*) {
      std::function<void(std::int64_t)> call;
      if (on_step) {
        call = [on_step, trainer, model](std::int64_t step) { on_step(trainer, model, step); };
      }
      return std::make_unique<test::FakeTrainer>(model, call);
    };
  }
  // sweep.jsonl without what depends on the clock.
  std::string lines(const std::string& output) const {
    std::istringstream in(read(folder_.file(output) / "sweep.jsonl"));
    std::string text;
    for (std::string line; std::getline(in, line);) {
      nlohmann::json parsed = nlohmann::json::parse(line);
      parsed.erase("elapsed_s");
      parsed.erase("tokens_per_second");
      text += parsed.dump() + "\n";
    }
    return text;
  }
  test::TemporaryFolder folder_;
};

TEST_F(SweepJobTest, TrainsEveryRunAndWritesTheTables) {
  std::vector<std::string> begun;
  SweepJobOptions job = options("a");
  job.begin = [&](const SweepRun& run, std::int64_t number, std::int64_t count) {
    begun.push_back(run.name + " " + std::to_string(number) + "/" + std::to_string(count));
  };
  SweepJob sweep(small(), job, factory());
  const SweepTable table = sweep.run();
  EXPECT_EQ(begun, (std::vector<std::string>{"sum-s1 1/4", "sum-s2 2/4", "gate-s1 3/4", "gate-s2 4/4"}));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.missing(), 0);
  EXPECT_EQ(table.rows[0].values, (std::vector<std::string>{"sum"}));
  EXPECT_EQ(table.rows[0].finished, 2);
  EXPECT_GT(table.rows[1].parameters, table.rows[0].parameters);  // the gate's maps
  const Spread& accuracy = table.rows[0].numbers.at("dev.pos.accuracy");
  EXPECT_EQ(accuracy.count, 2);
  EXPECT_NEAR(accuracy.mean, 0.5 * (accuracy.low + accuracy.high), 1e-12);
  for (const char* run : {"sum-s1", "sum-s2", "gate-s1", "gate-s2"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_.file("a") / run / "model.safetensors")) << run;
    EXPECT_TRUE(
        std::filesystem::exists(folder_.file("a") / (std::string(run) + ".training") / "result.json"));
  }
  const std::string csv = read(folder_.file("a") / "sweep.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_EQ(csv.substr(0, csv.find(',', 30)), "a,runs,finished,failed,parameters");
  const std::string markdown = read(folder_.file("a") / "sweep.md");
  EXPECT_NE(markdown.find("| gate | 2 "), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("test.pos.accuracy"), std::string::npos);
}

TEST_F(SweepJobTest, BrokenAnywhereAndResumedItIsTheUnbrokenOne) {
  SweepJob(small(), options("whole"), factory()).run();
  const std::string whole = lines("whole");
  EXPECT_NE(whole.find("\"status\":\"finished\""), std::string::npos);
  struct Killed {};
  std::int64_t steps = 0;
  SweepJob(small(), options("count"), factory([&](auto&&, auto&&, std::int64_t) { ++steps; })).run();
  for (std::int64_t kill_at = 1; kill_at <= steps; kill_at += 13) {
    const std::string name = "killed" + std::to_string(kill_at);
    std::int64_t step = 0;
    EXPECT_THROW(SweepJob(small(), options(name), factory([&](auto&&, auto&&, std::int64_t) {
                            if (++step == kill_at) {
                              throw Killed();
                            }
                          }))
                     .run(),
                 Killed);
    SweepJobOptions again = options(name);
    again.train.resume = true;
    SweepJob(small(), again, factory()).run();
    EXPECT_EQ(lines(name), whole) << kill_at;
    EXPECT_EQ(read(folder_.file(name) / "gate-s2" / "model.safetensors"),
              read(folder_.file("whole") / "gate-s2" / "model.safetensors"));
  }
}

TEST_F(SweepJobTest, AStopKeepsWhatIsDone) {
  std::stop_source source;
  SweepJobOptions job = options("a");
  job.train.stop = source.get_token();
  std::int64_t finished = 0;
  job.begin = [&](const SweepRun&, std::int64_t number, std::int64_t) { finished = number - 1; };
  EXPECT_THROW(SweepJob(small(), job, factory([&](auto&&, auto&&, std::int64_t step) {
                          if (finished == 1 && step == 3) {
                            source.request_stop();
                          }
                        }))
                   .run(),
               Interrupted);
  SweepJobOptions table = options("a");
  table.table_only = true;
  SweepJob sweep(small(), table, factory());
  EXPECT_EQ(sweep.run().missing(), 3);
  EXPECT_NE(read(folder_.file("a") / "sweep.md").find("3 of 4 runs"), std::string::npos);
}

TEST_F(SweepJobTest, ARunThatDivergesIsNotedAndTheOthersGoOn) {
  const TrainerFactory diverging =
      factory([](const model::TrainerOptions& trainer, const model::ModelConfig& model, std::int64_t step) {
        if (trainer.seed == 2 && model.encoder.fusion == model::Fusion::sum && step == 3) {
          throw ModelError("Training step 3: the loss is nan");
        }
      });
  SweepJob sweep(small(), options("a"), diverging);
  const SweepTable table = sweep.run();
  EXPECT_EQ(table.missing(), 0);
  EXPECT_EQ(table.rows[0].finished, 1);
  EXPECT_EQ(table.rows[0].failed, 1);
  EXPECT_EQ(table.rows[0].messages, (std::vector<std::string>{"Training step 3: the loss is nan"}));
  EXPECT_EQ(table.rows[1].finished, 2);
  EXPECT_NE(to_markdown(table).find("1 of 2, 1 failed"), std::string::npos);
  EXPECT_NE(to_markdown(table).find("the loss is nan"), std::string::npos);
  EXPECT_EQ(table.results[1]->updates, 2);
  // It stays failed: the same configuration would fail again.
  SweepJobOptions again = options("a");
  again.train.resume = true;
  SweepJob resumed(small(), again, factory());
  EXPECT_EQ(resumed.run().rows[0].failed, 1);
}

TEST_F(SweepJobTest, PartsMakeTheWhole) {
  SweepJob(small(), options("whole"), factory()).run();
  SweepJobOptions first = options("parts");
  first.runs = {"1/2"};
  SweepJob(small(), first, factory()).run();
  EXPECT_FALSE(std::filesystem::exists(folder_.file("parts") / "sum-s2"));
  SweepJobOptions second = options("parts");
  second.runs = {"*-s2"};
  SweepJob(small(), second, factory()).run();
  EXPECT_EQ(lines("parts"), lines("whole"));
}

// Each run is one task's; where there are more tasks than runs one has nothing to do.
TEST_F(SweepJobTest, TasksShareTheChosenRuns) {
  SweepJob(small(), options("whole"), factory()).run();
  const Sweep sweep = small();
  std::vector<std::size_t> all;
  for (std::int64_t task = 1; task <= 3; ++task) {
    SweepJobOptions own = options("tasks");
    own.shard = {.part = task, .parts = 3};
    const std::vector<std::size_t> chosen = chosen_runs(sweep, own);
    all.insert(all.end(), chosen.begin(), chosen.end());
    SweepJob(small(), own, factory()).run();
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, select_runs(sweep, {}));
  EXPECT_EQ(lines("tasks"), lines("whole"));
  SweepJobOptions none = options("none");
  none.runs = {"*-s2"};
  none.shard = {.part = 9, .parts = 9};
  EXPECT_TRUE(chosen_runs(sweep, none).empty());
}

TEST_F(SweepJobTest, NothingIsLostUnasked) {
  SweepJob(small(), options("a"), factory()).run();
  EXPECT_THROW(SweepJob(small(), options("a"), factory()).run(), UsageError);
  // Another configuration of the same runs: the first key that differs is named.
  Sweep other = small();
  for (SweepRun& run : other.runs) {
    run.config = parse_train_config(replaced(run.config.text, "warmup = 3", "warmup = 4"), "sweep.toml");
  }
  SweepJobOptions again = options("a");
  again.train.resume = true;
  EXPECT_NE(message_of([&] { SweepJob(other, again, factory()).run(); }, ExitCode::mismatch)
                .find("training.warmup is 4 and was 3"),
            std::string::npos);
  SweepJobOptions overwrite = options("a");
  overwrite.train.overwrite = true;
  std::int64_t steps = 0;
  SweepJob(other, overwrite, factory([&](auto&&, auto&&, std::int64_t) { ++steps; })).run();
  EXPECT_GT(steps, 0);
}

TEST_F(SweepJobTest, AResultOfOtherDataIsRefused) {
  SweepJob(small(), options("a"), factory()).run();
  SweepJobOptions again = options("a");
  again.train.resume = true;
  EXPECT_EQ(SweepJob(small(), again, factory()).run().missing(), 0);
  folder_.write("dev.conllu", test::fake_corpus(12, 200).conllu);
  EXPECT_NE(
      message_of([&] { SweepJob(small(), again, factory()).run(); }, ExitCode::mismatch).find("other data"),
      std::string::npos);
  // Data that are not there say nothing: the tables can be made without them.
  again.train.data_root = folder_.file("nowhere");
  EXPECT_EQ(SweepJob(small(), again, factory()).run().missing(), 0);
}

TEST_F(SweepJobTest, KeepsWhatItIsToldToKeep) {
  const auto weights = [&](const std::string& output) {
    std::int64_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.file(output))) {
      count += entry.path().extension() == ".safetensors" ? 1 : 0;
    }
    return count;
  };
  SweepJob(small(), options("all"), factory()).run();
  EXPECT_EQ(weights("all"), 8);  // float32 and float16 of each run
  SweepJob(small("keep = \"models\"\n"), options("models"), factory()).run();
  EXPECT_EQ(weights("models"), 4);
  SweepJob(small("keep = \"scores\"\n"), options("scores"), factory()).run();
  EXPECT_EQ(weights("scores"), 0);
  SweepJobOptions again = options("scores");
  again.train.resume = true;
  SweepJob kept(small("keep = \"scores\"\n"), again, factory([](auto&&, auto&&, std::int64_t) { FAIL(); }));
  EXPECT_EQ(kept.run().missing(), 0);
}

}  // namespace
}  // namespace mog::app
