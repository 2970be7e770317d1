// What the engine refuses, in words that name sentence, token and limit.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "tests/unit/engine/golden_case.h"

namespace mog::test {
namespace {

template <class ErrorType, class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const ErrorType& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

model::PackedBatch batch_of(const std::vector<std::vector<std::int64_t>>& sentences) {
  model::PackedBatch batch;
  for (const auto& ids : sentences) {
    batch.append(ids);
  }
  return batch;
}

// Where LibTorch has MKL, it must have asked the engine which kernels this processor can run.
TEST(EngineKernels, MklAsksTheEngine) {
  const std::string blas = model::engine_report().blas;
  EXPECT_EQ(blas.find("its own choice"), std::string::npos) << blas;
}

TEST(EngineErrors, IdOutsideTheVocabulary) {
  const GoldenCase golden = open_golden("tagger_half_weight_gate");
  const auto vocabulary = std::to_string(golden.model->config().vocab_size);
  const std::string message = message_of<ModelError>([&] {
    golden.model->run(batch_of({{4, 2}, {5, golden.model->config().vocab_size, 2}}), {}, {});
  });
  EXPECT_NE(message.find("token 2 of source sentence 2"), std::string::npos) << message;
  EXPECT_NE(message.find("id " + vocabulary), std::string::npos) << message;
  EXPECT_THROW(golden.model->run(batch_of({{-1, 2}}), {}, {}), ModelError);
}

TEST(EngineErrors, SentenceLongerThanThePositionTable) {
  const GoldenCase golden = open_golden("position_learned");
  const std::vector<std::int64_t> too_long(1000, 4);
  const std::string message = message_of<ModelError>([&] {
    golden.model->run(batch_of({{4, 2}, too_long}), {}, {});
  });
  EXPECT_NE(message.find("source sentence 2"), std::string::npos) << message;
  EXPECT_NE(message.find("1000 tokens"), std::string::npos) << message;
  // Sinusoids have no end.
  const GoldenCase endless = open_golden("sum");
  EXPECT_NO_THROW(endless.model->run(batch_of({too_long}), {}, {}));
}

TEST(EngineErrors, EmptySentenceAndBadOffsets) {
  const GoldenCase golden = open_golden("sum");
  EXPECT_THROW(golden.model->run(batch_of({{4, 2}, {}}), {}, {}), ModelError);
  model::PackedBatch torn = batch_of({{4, 2}});
  torn.offsets.back() = 3;
  EXPECT_THROW(golden.model->run(torn, {}, {}), ShapeError);
  model::PackedBatch unpaired = golden.batch({1, 2});
  unpaired.offsets.pop_back();
  unpaired.ids.resize(static_cast<std::size_t>(unpaired.offsets.back()));
  EXPECT_THROW(golden.model->run(unpaired, {}, {}), ShapeError);
}

TEST(EngineErrors, EmptyBatchIsNothingToDo) {
  const GoldenCase golden = open_golden("sum");
  Collector collector;
  const std::vector<model::Observer*> observers = {&collector};
  golden.model->run({}, {}, observers);
  EXPECT_EQ(collector.size(), 0U);
  EXPECT_TRUE(golden.model->translate({}, {}).empty());
}

class Canceller final : public model::Observer {
 public:
  std::optional<DType> wants(const QuantityName&) const override { return DType::float32; }
  bool observe(const QuantityName&, const model::PackedValues&) override { return ++seen < 3; }
  int seen = 0;
};

TEST(EngineErrors, AnObserverCancels) {
  const GoldenCase golden = open_golden("sum");
  Canceller canceller;
  const std::vector<model::Observer*> observers = {&canceller};
  EXPECT_THROW(golden.model->run(golden.batch({2}), {}, observers), Interrupted);
  EXPECT_EQ(canceller.seen, 3);
}

TEST(EngineErrors, TranslationStopsAndRefuses) {
  const GoldenCase golden = open_golden("sum");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(golden.model->translate(golden.batch({1}), {}, stop.get_token()), Interrupted);
  EXPECT_THROW(golden.model->translate(golden.batch({1}), {.beam = 0}), UsageError);
  EXPECT_THROW(golden.model->translate(golden.batch({1}), {.max_tokens = 0}), UsageError);
  const GoldenCase tagger = open_golden("tagger_half_weight_gate");
  EXPECT_THROW(tagger.model->translate(tagger.batch({1}), {}), UsageError);
}

TEST(EngineErrors, Devices) {
  for (const char* const device : {"tpu", "cuda:", "cuda:x", "cuda:-1", ""}) {
    EXPECT_THROW(open_golden("sum", {.device = device}), UsageError) << device;
  }
  EXPECT_THROW(open_golden("sum", {.device = "cpu", .threads = 0}), UsageError);
  EXPECT_THROW(open_golden("sum", {.device = "cuda:99"}), DeviceError);
  EXPECT_EQ(open_golden("sum", {.device = "cpu"}).model->device(), "cpu");
}

// The maps of 100,000 tokens need 160 GB; the limit makes sure that they are refused everywhere.
// Wants all maps.
class MapWatcher final : public model::Observer {
 public:
  std::optional<DType> wants(const QuantityName& name) const override {
    const bool map = name.quantity() == Quantity::attention && name.reduction() == Reduction::full;
    return map ? std::optional(DType::float32) : std::nullopt;
  }
  bool observe(const QuantityName& /*name*/, const model::PackedValues& /*values*/) override { return true; }
};

TEST(EngineErrors, OutOfMemorySaysWhatToTry) {
  const GoldenCase golden = open_golden("sum");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit limited = before;
  limited.rlim_cur = std::min<rlim_t>(before.rlim_max, rlim_t{64} << 30);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  const std::vector<std::int64_t> very_long(200000, 4);
  MapWatcher watcher;
  const std::vector<model::Observer*> observers = {&watcher};
  const std::string message =
      message_of<DeviceError>([&] { golden.model->run(batch_of({very_long}), {}, observers); });
  EXPECT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_NE(message.find("out of memory; make the batches smaller"), std::string::npos) << message;
  EXPECT_NO_THROW(golden.model->run(golden.batch({1}), {}, {}));
}

TEST(EngineErrors, MissingTensorIsNamed) {
  model::ModelDirectory directory;
  directory.config = open_golden("sum").model->config();
  const std::string message =
      message_of<ModelError>([&] { static_cast<void>(model::load_model(directory, {.device = "cpu"})); });
  EXPECT_NE(message.find("encoder.embed_tokens.weight"), std::string::npos) << message;
}

TEST(EngineReport, SaysWhatThereIs) {
  const model::EngineReport report = model::engine_report();
  EXPECT_TRUE(report.available) << report.error;
  EXPECT_TRUE(report.torch_version.starts_with("2."));
  ASSERT_GE(report.devices.size(), 1U);
  EXPECT_TRUE(report.devices[0].starts_with("cpu ("));
  EXPECT_FALSE(report.cuda.empty());
}

}  // namespace
}  // namespace mog::test
