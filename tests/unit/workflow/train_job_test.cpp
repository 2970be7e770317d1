#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/workflow/train/train_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/workflow/train_fake.h"

namespace mog::app {
namespace {

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Lines of metrics.jsonl without what depends on the clock.
std::vector<std::string> metrics(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::istringstream in(read(file));
  for (std::string line; std::getline(in, line);) {
    nlohmann::json parsed = nlohmann::json::parse(line);
    parsed.erase("elapsed_s");
    parsed.erase("tokens_per_second");
    lines.push_back(parsed.dump());
  }
  return lines;
}

class TrainJobTest : public ::testing::Test {
 protected:
  TrainJobTest() {
    folder_.write("train.conllu", test::fake_corpus(40).conllu);
    folder_.write("dev.conllu", test::fake_corpus(12, 100).conllu);
  }

  TrainJobOptions options(const std::string& output) const {
    TrainJobOptions options;
    options.data_root = folder_.path();
    options.output = folder_.file(output);
    return options;
  }
  TrainConfig config(const std::string& training) const {
    return parse_train_config(test::fake_config_text(training), "fake.toml");
  }
  // A factory whose trainers call `on_step` with their step number.
  static TrainerFactory factory(std::function<void(std::int64_t)> on_step = {},
                                std::optional<std::uint64_t> seed = {}) {
    return [on_step, seed](const model::ModelConfig& model, const model::TrainerOptions&,
                           const model::DeviceOptions&, const std::map<std::string, HostTensor>*) {
      auto trainer = std::make_unique<test::FakeTrainer>(model, on_step);
      trainer->fixed_seed = seed;
      return trainer;
    };
  }
  std::filesystem::path metrics_file(const std::string& output) const {
    return folder_.file(output + ".training") / "metrics.jsonl";
  }

  test::TemporaryFolder folder_;
};

TEST_F(TrainJobTest, WritesTheModelItsCardAndTheMetrics) {
  std::int64_t reports = 0;
  TrainJobOptions job = options("a");
  job.progress = [&](const TrainReport&) { ++reports; };
  const TrainResult result = TrainJob(config("epochs = 2\n"), job, factory()).run();
  EXPECT_EQ(result.epochs, 2);
  EXPECT_GT(result.steps, 4);
  EXPECT_TRUE(result.dev.contains("pos.accuracy"));
  EXPECT_TRUE(result.test.contains("pos.accuracy"));
  EXPECT_TRUE(std::filesystem::exists(folder_.file("a") / "model.safetensors"));
  EXPECT_TRUE(std::filesystem::exists(folder_.file("a") / "config.json"));
  EXPECT_TRUE(std::filesystem::exists(folder_.file("a") / "vocab.txt"));
  const std::string card = read(folder_.file("a") / "README.md");
  for (const char* part : {"# fake", "made up: none needed", "sha256", "Seed 5", "| pos | accuracy |",
                           "## Training log", "mog train fake.toml", "batch_tokens = 24"}) {
    EXPECT_NE(card.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(metrics(metrics_file("a")).size(), static_cast<std::size_t>(reports));
  EXPECT_NE(read(metrics_file("a")).find("token_cosine"), std::string::npos);
}

// Sentence s of the treebank (fake_corpus) has 2 + 7 s mod 6 words and </s>: the fifth of the training data
// and the first of the development data, s = 100, have six words.
TEST_F(TrainJobTest, SentencesLongerThanThePositionsAreNamedBeforeTheFirstUpdate) {
  const auto message = [&](const std::string& training) {
    TrainConfig plan = config("epochs = 1\n" + training);
    plan.model.encoder.position = model::Position::learned;
    plan.training.trainer.positions = 8;  // those of tokens count from 2
    TrainJobOptions job = options("long");
    job.overwrite = true;
    try {
      TrainJob(plan, job, factory([](std::int64_t) { ADD_FAILURE() << "an update"; })).run();
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string found = "the sentence has 7 tokens, the model's positions end at 6; ";
  const std::string train = message("");
  EXPECT_NE(train.find("train.conllu, line 24: " + found + "set training.max_tokens to 6 or less"),
            std::string::npos)
      << train;
  const std::string dev = message("max_tokens = 6\n");
  EXPECT_NE(dev.find("dev.conllu, line 2: " + found + "shorten it or leave it out"), std::string::npos)
      << dev;
}

TEST_F(TrainJobTest, AResumedRunIsTheUnbrokenOne) {
  const TrainConfig plan = config("epochs = 3\naccumulate = 2\ncheckpoint_interval = 5\n");
  TrainJob(plan, options("whole"), factory()).run();
  const std::vector<std::string> whole = metrics(metrics_file("whole"));
  for (const std::int64_t stop_at : {1, 4, 6, 7, 11}) {
    const std::string name = "broken" + std::to_string(stop_at);
    std::stop_source source;
    TrainJobOptions job = options(name);
    job.stop = source.get_token();
    const TrainerFactory stopping = factory([&](std::int64_t step) {
      if (step == stop_at) {
        source.request_stop();
      }
    });
    EXPECT_THROW(TrainJob(plan, job, stopping).run(), Interrupted) << stop_at;
    TrainJobOptions again = options(name);
    again.resume = true;
    TrainJob(plan, again, factory()).run();
    EXPECT_EQ(metrics(metrics_file(name)), whole) << stop_at;
    EXPECT_EQ(read(folder_.file(name) / "model.safetensors"),
              read(folder_.file("whole") / "model.safetensors"));
  }
}

// A kill leaves the last checkpoint and later lines of metrics: both are as if the run had gone on.
TEST_F(TrainJobTest, AKilledRunGoesOnFromItsLastCheckpoint) {
  const TrainConfig plan = config("epochs = 2\ncheckpoint_interval = 3\n");
  TrainJob(plan, options("whole"), factory()).run();
  struct Killed {};
  EXPECT_THROW(TrainJob(plan, options("killed"), factory([](std::int64_t step) {
                          if (step == 9) {
                            throw Killed();
                          }
                        }))
                   .run(),
               Killed);
  TrainJobOptions again = options("killed");
  again.resume = true;
  TrainJob(plan, again, factory()).run();
  EXPECT_EQ(metrics(metrics_file("killed")), metrics(metrics_file("whole")));
}

TEST_F(TrainJobTest, AnInterruptedRunSaysHowToGoOn) {
  std::stop_source source;
  source.request_stop();
  TrainJobOptions job = options("a");
  job.stop = source.get_token();
  try {
    TrainJob(config("epochs = 2\n"), job, factory()).run();
    FAIL();
  } catch (const Interrupted& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::interrupted);
    EXPECT_NE(std::string(error.what()).find("--resume"), std::string::npos);
  }
  EXPECT_TRUE(std::filesystem::exists(folder_.file("a.training") / "checkpoint.json"));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("a")));
}

TEST_F(TrainJobTest, StopsEarlyAndKeepsTheBestWeights) {
  // One seed for all models: every validation scores the same, so the first stays the best.
  const TrainResult result =
      TrainJob(config("epochs = 50\npatience = 2\n"), options("a"), factory({}, 3)).run();
  EXPECT_TRUE(result.stopped_early);
  EXPECT_EQ(result.epochs, 3);
  const auto lines = metrics(metrics_file("a"));
  std::int64_t best_step = 0;
  for (const std::string& line : lines) {
    const auto parsed = nlohmann::json::parse(line);
    if (parsed.value("best", false)) {
      best_step = parsed["step"];
    }
  }
  EXPECT_EQ(best_step, result.steps / 3);  // the end of the first epoch
  EXPECT_NE(read(folder_.file("a") / "README.md").find("those of step " + std::to_string(best_step)),
            std::string::npos);
}

TEST_F(TrainJobTest, AnEarlierRunIsNotLostUnasked) {
  const TrainConfig plan = config("updates = 3\n");
  TrainJob(plan, options("a"), factory()).run();
  EXPECT_THROW(TrainJob(plan, options("a"), factory()).run(), UsageError);
  TrainJobOptions overwrite = options("a");
  overwrite.overwrite = true;
  EXPECT_EQ(TrainJob(plan, overwrite, factory()).run().steps, 3);
  TrainJobOptions resume = options("b");
  resume.resume = true;
  EXPECT_THROW(TrainJob(plan, resume, factory()).run(), UsageError);
}

TEST_F(TrainJobTest, ResumingAFinishedRunWritesTheSameModelAgain) {
  const TrainConfig plan = config("updates = 4\n");
  TrainJob(plan, options("a"), factory()).run();
  const std::string weights = read(folder_.file("a") / "model.safetensors");
  std::filesystem::remove_all(folder_.file("a"));
  TrainJobOptions again = options("a");
  again.resume = true;
  TrainJob(plan, again, factory()).run();
  EXPECT_EQ(read(folder_.file("a") / "model.safetensors"), weights);
}

TEST_F(TrainJobTest, ADamagedOrForeignCheckpointIsRefused) {
  std::stop_source source;
  source.request_stop();
  TrainJobOptions job = options("a");
  job.stop = source.get_token();
  EXPECT_THROW(TrainJob(config("epochs = 2\n"), job, factory()).run(), Interrupted);
  TrainJobOptions again = options("a");
  again.resume = true;
  EXPECT_THROW(TrainJob(config("epochs = 4\n"), again, factory()).run(), ModelError);
  const std::filesystem::path checkpoint = folder_.file("a.training") / "checkpoint.json";
  const std::string sound = read(checkpoint);
  for (const std::string& bad :
       {std::string("{"), std::string("{}"), sound.substr(0, sound.size() / 2), std::string("[1]")}) {
    std::ofstream(checkpoint, std::ios::trunc) << bad;
    EXPECT_THROW(TrainJob(config("epochs = 2\n"), again, factory()).run(), FormatError) << bad;
  }
  std::ofstream(checkpoint, std::ios::trunc) << sound;
  std::ofstream(folder_.file("a.training") / "state-00000000.safetensors", std::ios::trunc) << "no";
  EXPECT_THROW(TrainJob(config("epochs = 2\n"), again, factory()).run(), FormatError);
}

TEST_F(TrainJobTest, ALossThatIsNotFiniteLeavesTheLastCheckpoint) {
  const auto diverging = factory([](std::int64_t step) {
    if (step == 5) {
      throw ModelError("Training step 5: the loss is nan");
    }
  });
  EXPECT_THROW(TrainJob(config("epochs = 3\ncheckpoint_interval = 2\n"), options("a"), diverging).run(),
               ModelError);
  EXPECT_NE(read(folder_.file("a.training") / "checkpoint.json").find("\"step\": 4"), std::string::npos);
}

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

// A FakeModel whose layers give every token the same state.
class CollapsedModel final : public model::Model {
 public:
  const model::ModelConfig& config() const override { return inner_.config(); }
  const ModelCard& card() const override { return inner_.card(); }
  std::string device() const override { return "cpu"; }
  std::vector<QuantitySchema> quantities() const override { return inner_.quantities(); }
  void run(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
           std::span<model::Observer* const> observers) const override {
    std::vector<Flat> flats;
    flats.reserve(observers.size());
    std::vector<model::Observer*> pointers;
    for (model::Observer* const observer : observers) {
      flats.emplace_back(*observer);
      pointers.push_back(&flats.back());
    }
    inner_.run(batch, interventions, pointers);
  }
  std::vector<std::vector<model::Hypothesis>> translate(const model::PackedBatch& batch,
                                                        const model::BeamOptions& options,
                                                        std::stop_token stop) const override {
    return inner_.translate(batch, options, stop);
  }

 private:
  class Flat final : public model::Observer {
   public:
    explicit Flat(model::Observer& observer) : observer_(observer) {}
    std::optional<DType> wants(const QuantityName& name) const override { return observer_.wants(name); }
    bool observe(const QuantityName& name, const model::PackedValues& values) override {
      model::PackedValues flat = values;
      if (name.quantity() == Quantity::output && name.part() == Part::none) {
        flat.values = HostTensor(DType::float32, values.values.shape());
        for (float& value : flat.values.mutable_values<float>()) {
          value = 0.5F;
        }
      }
      return observer_.observe(name, flat);
    }

   private:
    model::Observer& observer_;
  };
  test::FakeModel inner_;
};

TrainerFactory collapsing() {
  return [](const model::ModelConfig& model, const model::TrainerOptions&, const model::DeviceOptions&,
            const std::map<std::string, HostTensor>*) {
    auto trainer = std::make_unique<test::FakeTrainer>(model);
    trainer->fixed_model = std::make_shared<CollapsedModel>();
    return trainer;
  };
}

TEST_F(TrainJobTest, ACollapseStopsTheRunWhereItIsAskedTo) {
  const std::string plan = "epochs = 3\ncheckpoint_interval = 2\non_collapse = \"stop\"\n";
  try {
    TrainJob(config(plan), options("a"), collapsing()).run();
    FAIL();
  } catch (const TrainingFailed& failure) {
    EXPECT_EQ(failure.exit_code(), ExitCode::mismatch);
    EXPECT_GT(failure.step(), 2);  // at the end of the first epoch
    EXPECT_NE(std::string(failure.what()).find("is 1.000000 after the last layer (limit 0.95"),
              std::string::npos)
        << failure.what();
    EXPECT_NE(std::string(failure.what()).find("branch_scale = 0.3"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.file("a")));
  // Healthy states do not stop it.
  EXPECT_EQ(TrainJob(config(plan), options("b"), factory()).run().epochs, 3);
}

TEST_F(TrainJobTest, ACollapseIsElseANoteAtEveryValidation) {
  std::int64_t notes = 0;
  TrainJobOptions job = options("a");
  job.note = [&](const std::string& text) {
    notes += text.find("has collapsed") != std::string::npos ? 1 : 0;
  };
  EXPECT_EQ(TrainJob(config("epochs = 3\n"), job, collapsing()).run().epochs, 3);
  EXPECT_EQ(notes, 3);
  notes = 0;
  job.output = folder_.file("b");
  TrainJob(config("epochs = 3\ncollapse_limit = 1.0\n"), job, collapsing()).run();
  EXPECT_EQ(notes, 0);  // 1 is not above the limit
}

TEST_F(TrainJobTest, BFloat16IsRefusedWhereItGainsNothing) {
  TrainJobOptions job = options("a");
  job.product_speed = [](const model::ModelConfig& model, const model::DeviceOptions&) {
    EXPECT_EQ(model.encoder.d_model, 8);
    return model::ProductSpeed{.float32 = 100.0, .bfloat16 = 109.0};
  };
  const TrainConfig plan = config("epochs = 1\nprecision = \"bfloat16\"\n");
  const std::string message = message_of([&] { TrainJob(plan, job, factory()).run(); }, ExitCode::usage);
  EXPECT_NE(message.find("109 billion"), std::string::npos) << message;
  EXPECT_NE(message.find("in float32 at 100"), std::string::npos) << message;
  job.product_speed = [](const model::ModelConfig&, const model::DeviceOptions&) {
    return model::ProductSpeed{.float32 = 100.0, .bfloat16 = 111.0};
  };
  std::string notes;
  job.note = [&](const std::string& text) { notes += text; };
  EXPECT_EQ(TrainJob(plan, job, factory()).run().epochs, 1);
  EXPECT_NE(notes.find("Products take bfloat16 factors: 111"), std::string::npos) << notes;
  // float32 is never probed.
  TrainJobOptions other = options("b");
  other.product_speed = [](const model::ModelConfig&, const model::DeviceOptions&) -> model::ProductSpeed {
    ADD_FAILURE();
    return {};
  };
  TrainJob(config("epochs = 1\n"), other, factory()).run();
}

TEST_F(TrainJobTest, ACheckpointOfAnotherConfigurationNamesWhatDiffers) {
  std::stop_source source;
  source.request_stop();
  TrainJobOptions job = options("a");
  job.stop = source.get_token();
  EXPECT_THROW(TrainJob(config("epochs = 2\n"), job, factory()).run(), Interrupted);
  TrainJobOptions again = options("a");
  again.resume = true;
  const auto refusal = [&](const TrainConfig& plan) {
    return message_of([&] { TrainJob(plan, again, factory()).run(); }, ExitCode::mismatch);
  };
  EXPECT_NE(refusal(config("epochs = 4\n")).find("training.epochs (line 32) is 4 and was 2"),
            std::string::npos);
  EXPECT_NE(refusal(config("epochs = 2\ndropout = 0.5\n"))
                .find("training.dropout (line 33) is 0.5 and was not there"),
            std::string::npos);
  TrainConfig seeded = config("epochs = 2\n");
  seeded.training.trainer.seed = 9;  // as --seed does
  EXPECT_NE(refusal(seeded).find("the seed is 9 and was 5"), std::string::npos);
  folder_.write("train.conllu", test::fake_corpus(41).conllu);
  EXPECT_NE(refusal(config("epochs = 2\n")).find("the text of the data"), std::string::npos);
}

TEST_F(TrainJobTest, AFreshStartDoesNotTakeTheVocabularyOfAKilledRun) {
  folder_.write("a.training/vocab.txt", "left over\n");
  TrainJob(config("epochs = 1\n"), options("a"), factory()).run();
  TrainJob(config("epochs = 1\n"), options("b"), factory()).run();
  EXPECT_EQ(read(folder_.file("a") / "vocab.txt"), read(folder_.file("b") / "vocab.txt"));
}

TEST_F(TrainJobTest, TagsThatNoHeadCanSayAreNamed) {
  // 12 sentences; one tag of theirs is of no training sentence.
  std::string dev = test::fake_corpus(12, 100).conllu;
  const std::size_t at = dev.find("\tX\t");
  const auto line = 1 + std::count(dev.begin(), dev.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  dev.replace(at, 3, "\tODD\t");
  folder_.write("dev.conllu", dev);
  const std::string message =
      message_of([&] { TrainJob(config("epochs = 1\n"), options("a"), factory()).run(); }, ExitCode::format);
  for (const std::string& part :
       {"dev.conllu, line " + std::to_string(line) + ": the word", std::string("has the tag \"ODD\""),
        std::string("none of X Y Z"), std::string("words of data.dev")}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  // One word in several hundred is a note, and counts as an error.
  folder_.write("dev.conllu", dev + test::fake_corpus(100, 200).conllu);
  std::string notes;
  TrainJobOptions job = options("b");
  job.note = [&](const std::string& text) { notes += text + "\n"; };
  const TrainResult result = TrainJob(config("epochs = 1\n"), job, factory()).run();
  EXPECT_NE(notes.find("1 of "), std::string::npos) << notes;
  EXPECT_NE(notes.find("count as errors"), std::string::npos) << notes;
  EXPECT_LT(result.dev.at("pos.accuracy"), 1.0);
  // A closed set allows none, in the training data neither.
  const auto closed = [&](const std::string& tags) {
    const std::string text = test::fake_config_text("epochs = 1\n");
    const std::string column = "column = \"upos\"";
    return parse_train_config(
        std::string(text).replace(text.find(column), column.size(), column + "\ntags = " + tags),
        "fake.toml");
  };
  EXPECT_NE(message_of([&] { TrainJob(closed("[\"X\", \"Y\", \"Z\"]"), options("c"), factory()).run(); },
                       ExitCode::format)
                .find("tasks.pos.tags"),
            std::string::npos);
  EXPECT_NE(
      message_of([&] { TrainJob(closed("[\"X\", \"Y\"]"), options("d"), factory()).run(); }, ExitCode::format)
          .find("of data.train"),
      std::string::npos);
}

TEST_F(TrainJobTest, DataWithoutATagOrASentenceAreRefused) {
  folder_.write("train.conllu", "1\tcat\t_\t_\t_\t_\t0\troot\t_\t_\n\n");
  EXPECT_THROW(TrainJob(config("epochs = 1\n"), options("a"), factory()).run(), UsageError);
  folder_.write("train.conllu", test::fake_corpus(5).conllu);
  folder_.write("dev.conllu", "");
  EXPECT_THROW(TrainJob(config("epochs = 1\n"), options("b"), factory()).run(), Error);
}

}  // namespace
}  // namespace mog::app
