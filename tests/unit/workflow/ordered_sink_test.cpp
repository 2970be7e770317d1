// Batches of several streams into one writer: in order, and what is kept after a failure.
#include "app/workflow/record/ordered_sink.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace mog::app {
namespace {

RecordingBatch batch(std::int64_t number) {
  RecordingBatch result;
  result.sentences.emplace_back().number = number;
  return result;
}

struct Written {
  std::vector<std::int64_t> numbers;
  OrderedSink sink;
  explicit Written(std::int64_t ahead = 100)
      : sink([this](const RecordingBatch& one) { numbers.push_back(one.sentences.front().number); }, ahead) {}
  void put(std::int64_t number) { sink.put(number, batch(number)); }
  void fail(std::int64_t number, const std::string& why) {
    sink.fail(number, std::make_exception_ptr(std::runtime_error(why)));
  }
  std::string failure() const {
    try {
      if (sink.failure() != nullptr) {
        std::rethrow_exception(sink.failure());
      }
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  }
};

using Numbers = std::vector<std::int64_t>;

TEST(OrderedSink, WritesInOrder) {
  Written written;
  for (const std::int64_t number : {2, 0, 3, 1}) {
    written.put(number);
  }
  EXPECT_EQ(written.numbers, (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(written.failure(), "none");
}

TEST(OrderedSink, KeepsWhatComesBeforeAFailedBatch) {
  Written written;
  written.put(3);
  written.fail(2, "two");
  written.put(1);
  EXPECT_TRUE(written.numbers.empty());
  written.put(0);
  EXPECT_EQ(written.numbers, (Numbers{0, 1}));
  EXPECT_THROW(written.put(4), std::runtime_error);
  EXPECT_EQ(written.numbers, (Numbers{0, 1}));
}

TEST(OrderedSink, TellsTheEarliestFailure) {
  Written written;
  written.fail(5, "five");
  written.fail(2, "two");
  written.fail(7, "seven");
  EXPECT_EQ(written.failure(), "two");
}

TEST(OrderedSink, WakesAStreamThatIsAhead) {
  Written written(2);
  std::string heard;
  std::jthread waiting([&] {
    try {
      written.put(4);
    } catch (const std::runtime_error& error) {
      heard = error.what();
    }
  });
  written.fail(1, "one");
  waiting.join();
  EXPECT_EQ(heard, "one");
  written.put(0);
  EXPECT_EQ(written.numbers, (Numbers{0}));
}

TEST(OrderedSink, AFailedWriteIsThatOfItsBatch) {
  std::vector<std::int64_t> numbers;
  OrderedSink sink(
      [&](const RecordingBatch& one) {
        if (one.sentences.front().number == 1) {
          throw std::runtime_error("full");
        }
        numbers.push_back(one.sentences.front().number);
      },
      10);
  sink.put(2, batch(2));
  sink.put(0, batch(0));
  EXPECT_THROW(sink.put(1, batch(1)), std::runtime_error);
  EXPECT_THROW(sink.put(3, batch(3)), std::runtime_error);
  EXPECT_EQ(numbers, (Numbers{0}));
}

}  // namespace
}  // namespace mog::app
