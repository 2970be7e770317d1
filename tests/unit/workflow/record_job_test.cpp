#include "app/workflow/record/record_job.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

#include "app/workflow/record/record_report.h"
#include "io/text/corpus_index.h"
#include "io/text/sha256.h"
#include "tests/unit/workflow/recorded_corpus.h"

namespace mog {
namespace {

using app::CaptureName;
using app::RecordJob;
using app::RecordOptions;
using test::corpus_text;
using test::dump;
using test::fake_loaded;
using test::FakeModel;
using test::TemporaryFolder;

RecordOptions options_for(const std::filesystem::path& input, const std::filesystem::path& output) {
  RecordOptions options;
  options.input = input;
  options.output = output;
  options.capture.names = {CaptureName::summary, CaptureName::attention, CaptureName::gates,
                           CaptureName::orders};
  options.batch_tokens = 60;
  options.streams = 1;
  return options;
}

std::string recorded_dump(const std::filesystem::path& path) {
  const io::RecordingReader reader(path);
  return dump(reader);
}

TEST(RecordJob, WritesEverySentenceOnceAndInPlace) {
  const TemporaryFolder folder;
  const auto options = options_for(folder.write("c.txt", corpus_text(40)), folder / "r");
  const app::RecordSummary summary = RecordJob(fake_loaded(), options).run();
  EXPECT_EQ(summary.sentences, 40);
  EXPECT_EQ(summary.recorded, 40);
  const io::RecordingReader reader(options.output);
  ASSERT_EQ(reader.size(), 40);
  EXPECT_TRUE(reader.facts().complete);
  for (std::int64_t index = 0; index < 40; ++index) {
    EXPECT_EQ(reader.sentence(index).number, index + 1);
  }
  EXPECT_EQ(reader.sentence(2).words.size(), 5U);  // 1 + 3 * 7 % 17
}

TEST(RecordJob, NumberOfStreamsDoesNotShowInTheRecording) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", corpus_text(150));
  auto one = options_for(corpus, folder / "one");
  auto four = options_for(corpus, folder / "four");
  four.streams = 4;
  RecordJob(fake_loaded(), one).run();
  RecordJob(fake_loaded(), four).run();
  EXPECT_EQ(recorded_dump(one.output), recorded_dump(four.output));
}

TEST(RecordJob, ResumesAfterAFailureWithoutLossOrDoubling) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", corpus_text(120));
  const auto whole = options_for(corpus, folder / "whole");
  RecordJob(fake_loaded(), whole).run();

  auto broken = options_for(corpus, folder / "broken");
  broken.commit_every = 10;
  broken.streams = 3;
  auto model = std::make_shared<FakeModel>();
  model->on_run([](std::int64_t run) {
    if (run == 9) {
      throw DeviceError("the device is gone");
    }
  });
  EXPECT_THROW(RecordJob(fake_loaded(model), broken).run(), DeviceError);

  broken.resume = true;
  auto again = std::make_shared<FakeModel>();
  const app::RecordSummary summary = RecordJob(fake_loaded(again), broken).run();
  EXPECT_EQ(summary.sentences, 120);
  EXPECT_GT(summary.estimate.already_recorded, 0);  // batches before the failing one are kept, however slow
  EXPECT_EQ(summary.recorded + summary.estimate.already_recorded, 120);
  EXPECT_EQ(recorded_dump(broken.output), recorded_dump(whole.output));
}

TEST(RecordJob, StopKeepsWhatRanAndResumes) {
  const TemporaryFolder folder;
  auto options = options_for(folder.write("c.txt", corpus_text(120)), folder / "r");
  options.streams = 2;
  std::stop_source stop;
  auto model = std::make_shared<FakeModel>();
  model->on_run([&](std::int64_t run) {
    if (run == 5) {
      stop.request_stop();
    }
  });
  EXPECT_THROW(RecordJob(fake_loaded(model), options).run(stop.get_token()), Interrupted);
  std::int64_t kept = 0;
  {
    const io::RecordingReader reader(options.output);
    EXPECT_FALSE(reader.facts().complete);
    kept = reader.size();
  }
  EXPECT_GT(kept, 0);
  EXPECT_LT(kept, 120);
  options.resume = true;
  const app::RecordSummary summary = RecordJob(fake_loaded(), options).run();
  EXPECT_EQ(summary.estimate.already_recorded, kept);
  EXPECT_EQ(summary.sentences, 120);
}

TEST(RecordJob, ResumingWithAnotherModelOrCaptureIsRefused) {
  const TemporaryFolder folder;
  auto options = options_for(folder.write("c.txt", corpus_text(30)), folder / "r");
  RecordJob(fake_loaded(), options).run();
  options.resume = true;
  EXPECT_THROW(
      RecordJob(fake_loaded(std::make_shared<FakeModel>(test::FakeModelOptions{.seed = 2})), options).run(),
      Error);
  options.capture.names = {CaptureName::summary};
  EXPECT_THROW(RecordJob(fake_loaded(), options).run(), Error);
}

TEST(RecordJob, ExistingOutputIsRefusedWithoutResume) {
  const TemporaryFolder folder;
  const auto options = options_for(folder.write("c.txt", corpus_text(5)), folder / "r");
  RecordJob(fake_loaded(), options).run();
  EXPECT_THROW(RecordJob(fake_loaded(), options).run(), UsageError);
}

TEST(RecordJob, ASampleIsTheSameWhateverTheParts) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", corpus_text(90));
  const auto numbers = [&](const std::string& name, const app::Shard& shard, std::int64_t seed) {
    auto options = options_for(corpus, folder / name);
    options.sample = 30;
    options.shard = shard;
    options.seed = seed;
    RecordJob(fake_loaded(), options).run();
    const io::RecordingReader reader(options.output);
    EXPECT_NE(reader.header().provenance.corpus_name.find(": 30 drawn (seed "), std::string::npos);
    return std::set<std::int64_t>(reader.numbers().begin(), reader.numbers().end());
  };
  const std::set<std::int64_t> whole = numbers("whole", {}, 1);
  EXPECT_EQ(whole.size(), 30U);
  std::set<std::int64_t> parts;
  for (std::int64_t part = 1; part <= 3; ++part) {
    parts.merge(numbers("part" + std::to_string(part), {.part = part, .parts = 3}, 1));
  }
  EXPECT_EQ(parts, whole);
  EXPECT_NE(numbers("other", {}, 2), whole);
}

TEST(RecordJob, ShardsTogetherAreTheWhole) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", corpus_text(50));
  std::set<std::int64_t> numbers;
  std::size_t sentences = 0;
  for (std::int64_t shard = 1; shard <= 3; ++shard) {
    auto options = options_for(corpus, folder / ("r" + std::to_string(shard)));
    options.shard.part = shard;
    options.shard.parts = 3;
    RecordJob(fake_loaded(), options).run();
    const io::RecordingReader reader(options.output);
    EXPECT_EQ(reader.facts().part, shard);
    EXPECT_EQ(reader.facts().parts, 3);
    EXPECT_EQ(reader.header().provenance.corpus_sha256, io::file_sha256(corpus));
    EXPECT_EQ(reader.numbers().back() - reader.numbers().front() + 1, reader.size());  // a stretch
    sentences += reader.numbers().size();
    numbers.insert(reader.numbers().begin(), reader.numbers().end());
  }
  EXPECT_EQ(sentences, 50U);
  EXPECT_EQ(numbers.size(), 50U);
  EXPECT_EQ(*numbers.begin(), 1);
  EXPECT_EQ(*numbers.rbegin(), 50);
}

TEST(RecordJob, APartIsResumedAndOneThatWasCutOtherwiseIsNot) {
  const TemporaryFolder folder;
  auto options = options_for(folder.write("c.txt", corpus_text(50)), folder / "r");
  options.shard.part = 2;
  options.shard.parts = 2;
  RecordJob(fake_loaded(), options).run();
  options.resume = true;
  EXPECT_EQ(RecordJob(fake_loaded(), options).run().estimate.already_recorded, 25);
  options.shard.part = 1;
  try {
    RecordJob(fake_loaded(), options).run();
    FAIL() << "was resumed";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("it holds sentence 26, and part 1/2"), std::string::npos)
        << error.what();
  }
}

// A treebank's part keeps the numbers of its sentences; the index may be elsewhere.
TEST(RecordJob, PartsOfATreebankAreItsSentences) {
  const TemporaryFolder folder;
  const std::string tree = "1\tw1\t_\t_\t_\t_\t0\troot\t_\t_\n\n";
  auto options = options_for(folder.write("c.conllu", tree + tree + tree), folder / "r");
  std::filesystem::create_directory(folder / "index");
  options.shard = {.part = 2, .parts = 2, .index = folder / "index"};
  RecordJob(fake_loaded(), options).run();
  const io::RecordingReader reader(options.output);
  EXPECT_EQ(std::vector<std::int64_t>(reader.numbers().begin(), reader.numbers().end()),
            (std::vector<std::int64_t>{2, 3}));
  EXPECT_TRUE(std::filesystem::exists(io::index_path(folder / "c.conllu", folder / "index")));
  EXPECT_FALSE(std::filesystem::exists(folder / "c.conllu.mogindex"));
}

TEST(RecordJob, LongSentencesAreRefusedLeftOutOrCut) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", "a b c\na b c d e f\na\n");
  auto options = options_for(corpus, folder / "error");
  options.max_length = 5;
  try {
    RecordJob(fake_loaded(), options).run();
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("7 tokens"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(options.output));

  options.output = folder / "skip";
  options.long_sentences = app::LongPolicy::skip;
  EXPECT_EQ(RecordJob(fake_loaded(), options).run().estimate.skipped_long, 1);
  EXPECT_EQ(io::RecordingReader(options.output).numbers(), (std::vector<std::int64_t>{1, 3}));

  options.output = folder / "cut";
  options.long_sentences = app::LongPolicy::truncate;
  EXPECT_EQ(RecordJob(fake_loaded(), options).run().estimate.truncated, 1);
  const Sentence cut = io::RecordingReader(options.output).sentence(1);
  EXPECT_TRUE(cut.truncated);
  ASSERT_EQ(cut.tokens.size(), 5U);
  EXPECT_EQ(cut.tokens.back().text, "</s>");
  EXPECT_EQ(cut.tokens[3].text, "d");
}

TEST(RecordJob, PositionsOfTheModelLimitTheLength) {
  const TemporaryFolder folder;
  const auto options = options_for(folder.write("c.txt", "a b c d e\n"), folder / "r");
  app::LoadedModel loaded = fake_loaded();
  loaded.longest = 4;
  EXPECT_THROW(RecordJob(loaded, options).run(), ModelError);
  auto wider = options;
  wider.max_length = 10;
  EXPECT_THROW(RecordJob(loaded, wider), UsageError);
}

TEST(RecordJob, InvalidUtf8IsRefusedReplacedOrLeftOut) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", "a b\nc \xff d\ne\n");
  auto options = options_for(corpus, folder / "error");
  try {
    RecordJob(fake_loaded(), options).run();
    FAIL() << "no error";
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find('2'), std::string::npos) << error.what();
  }
  options.output = folder / "replace";
  options.invalid_utf8 = io::InvalidUtf8::replace;
  EXPECT_EQ(RecordJob(fake_loaded(), options).run().estimate.replaced_invalid, 1);
  EXPECT_EQ(io::RecordingReader(options.output).sentence(1).text, "c \xef\xbf\xbd d");
  options.output = folder / "skip";
  options.invalid_utf8 = io::InvalidUtf8::skip;
  EXPECT_EQ(RecordJob(fake_loaded(), options).run().estimate.skipped_invalid, 1);
  EXPECT_EQ(io::RecordingReader(options.output).numbers(), (std::vector<std::int64_t>{1, 3}));
}

TEST(RecordJob, EmptyLinesKeepTheirPlaceAndAnEmptyCorpusIsRefused) {
  const TemporaryFolder folder;
  const auto options = options_for(folder.write("c.txt", "a b\n\nc\n"), folder / "r");
  const app::RecordSummary summary = RecordJob(fake_loaded(), options).run();
  EXPECT_EQ(summary.estimate.empty, 1);
  const io::RecordingReader reader(options.output);
  ASSERT_EQ(reader.size(), 3);
  EXPECT_TRUE(reader.sentence(1).words.empty());
  EXPECT_EQ(reader.sentence(1).tokens.size(), 1U);
  for (const std::string empty : {"", "\n\n \n"}) {
    const auto none = options_for(folder.write("empty.txt", empty), folder / "none");
    EXPECT_THROW(RecordJob(fake_loaded(), none).run(), FormatError);
    EXPECT_FALSE(std::filesystem::exists(none.output));
  }
}

TEST(RecordJob, EstimateComesFirstAndIsNearTheTruth) {
  const TemporaryFolder folder;
  const auto options = options_for(folder.write("c.txt", corpus_text(300)), folder / "r");
  RecordJob job(fake_loaded(), options);
  std::int64_t estimated = 0;
  job.on_estimate([&](const app::RecordEstimate& estimate) {
    estimated = estimate.size_bytes;
    EXPECT_FALSE(std::filesystem::exists(options.output));
    EXPECT_GT(estimate.free_bytes, 0);
  });
  const app::RecordSummary summary = job.run();
  EXPECT_GT(estimated, 0);
  EXPECT_NEAR(static_cast<double>(estimated), static_cast<double>(summary.size_bytes),
              0.25 * static_cast<double>(summary.size_bytes));
}

TEST(RecordJob, ProgressIsMonotoneAndOneCallAtATime) {
  const TemporaryFolder folder;
  auto options = options_for(folder.write("c.txt", corpus_text(100)), folder / "r");
  options.streams = 4;
  std::atomic<int> inside = 0;
  std::int64_t last = 0;
  RecordJob(fake_loaded(), options).run({}, [&](const app::Progress& progress) {
    EXPECT_EQ(++inside, 1);
    EXPECT_GE(progress.done, last);
    EXPECT_EQ(progress.total, 100);
    last = progress.done;
    --inside;
  });
  EXPECT_EQ(last, 100);
}

TEST(RecordJob, OptionsThatContradictEachOtherAreRefused) {
  RecordOptions options;
  options.shard.part = 3;
  options.shard.parts = 2;
  EXPECT_THROW(RecordJob(fake_loaded(), options), UsageError);
  options = {};
  options.target = "t.txt";
  EXPECT_THROW(RecordJob(fake_loaded(), options), UsageError);  // no decoder
  options = {};
  options.max_length = 1;
  EXPECT_THROW(RecordJob(fake_loaded(), options), UsageError);
}

std::vector<std::string> recorded_texts(const std::filesystem::path& path) {
  const io::RecordingReader reader(path);
  std::vector<std::string> texts;
  for (std::int64_t index = 0; index < reader.size(); ++index) {
    texts.push_back(std::to_string(reader.sentence(index).number) + " " + reader.sentence(index).text);
  }
  return texts;
}

TEST(RecordJob, ControlsChangeTheTextBeforeItIsRun) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", "a b c d\n\ne f\ng\nh i j\nk\n");
  auto first = options_for(corpus, folder / "first");
  first.first_words = 2;
  RecordJob(fake_loaded(), first).run();
  EXPECT_EQ(recorded_texts(first.output),
            (std::vector<std::string>{"1 a b", "2 ", "3 e f", "4 g", "5 h i", "6 k"}));
  auto joined = options_for(corpus, folder / "joined");
  joined.concatenate = 2;
  RecordJob(fake_loaded(), joined).run();  // the empty line and the rest (k) are left out
  EXPECT_EQ(recorded_texts(joined.output), (std::vector<std::string>{"1 a b c d e f", "4 g h i j"}));
  EXPECT_NE(io::RecordingReader(joined.output).header().provenance.corpus_sha256,
            io::RecordingReader(first.output).header().provenance.corpus_sha256);
  EXPECT_EQ(io::RecordingReader(joined.output).header().provenance.corpus_name, "c.txt: 2 lines joined");
  joined.concatenate = 3;
  joined.resume = true;
  EXPECT_THROW(RecordJob(fake_loaded(), joined).run(), UsageError);  // another corpus
}

TEST(RecordJob, ShuffledWordsAreTheSameWordsInAnotherOrder) {
  const TemporaryFolder folder;
  const auto corpus = folder.write("c.txt", "a b c d e f g h\na b c d e f g h\n");
  std::vector<std::vector<std::string>> texts;
  for (const auto& [name, seed] : {std::pair("one", 1), std::pair("again", 1), std::pair("two", 2)}) {
    auto options = options_for(corpus, folder / name);
    options.shuffle_words = seed;
    RecordJob(fake_loaded(), options).run();
    texts.push_back(recorded_texts(options.output));
    const io::RecordingReader reader(options.output);
    std::multiset<std::string> words;
    for (const Word& word : reader.sentence(0).words) {
      words.insert(word.text);
    }
    EXPECT_EQ(words, (std::multiset<std::string>{"a", "b", "c", "d", "e", "f", "g", "h"}));
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_NE(texts[0], texts[2]);
  EXPECT_NE(texts[0][0].substr(2), texts[0][1].substr(2));  // each sentence its own order
}

TEST(RecordJob, CaptureNoneKeepsTheSentencesAlone) {
  const TemporaryFolder folder;
  auto options = options_for(folder.write("c.txt", corpus_text(10)), folder / "r");
  options.capture.names = app::parse_captures("none");
  RecordJob(fake_loaded(), options).run();
  const io::RecordingReader reader(options.output);
  EXPECT_EQ(reader.size(), 10);
  EXPECT_TRUE(reader.header().quantities.empty());
}

}  // namespace
}  // namespace mog
