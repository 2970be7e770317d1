// How a batch is dealt out to the processes of a training run, and what becomes of errors.
#include "app/workflow/train/train_processes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cstring>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

// Processes that are threads, and speak through memory.
class Meeting {
 public:
  explicit Meeting(int count) : barrier_(count), count_(count) {}

  class Member final : public model::Processes {
   public:
    Member(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
    int rank() const noexcept override { return rank_; }
    int count() const noexcept override { return meeting_.count_; }
    void sum(std::span<float>) override { FAIL(); }
    void sum(std::span<double> values) override {
      {
        const std::lock_guard lock(meeting_.mutex_);
        meeting_.sums_.resize(values.size(), 0.0);
        for (std::size_t at = 0; at < values.size(); ++at) {
          meeting_.sums_[at] += values[at];
        }
      }
      meeting_.barrier_.arrive_and_wait();
      std::ranges::copy(meeting_.sums_, values.begin());
      meeting_.barrier_.arrive_and_wait();
      meeting_.sums_.clear();
      meeting_.barrier_.arrive_and_wait();
    }
    void share(std::span<std::byte> bytes, int root) override {
      if (rank_ == root) {
        meeting_.shared_ = bytes;
      }
      meeting_.barrier_.arrive_and_wait();
      if (rank_ != root) {
        ASSERT_EQ(meeting_.shared_.size(), bytes.size());
        std::ranges::copy(meeting_.shared_, bytes.begin());
      }
      meeting_.barrier_.arrive_and_wait();
    }

   private:
    Meeting& meeting_;
    int rank_;
  };

  void run(const std::function<void(const TrainProcesses&)>& work) {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < count_; ++rank) {
      threads.emplace_back([&, rank] { work(TrainProcesses(std::make_shared<Member>(*this, rank))); });
    }
  }

 private:
  std::barrier<> barrier_;
  int count_;
  std::mutex mutex_;
  std::vector<double> sums_;
  std::span<std::byte> shared_;
};

TEST(TrainProcesses, DealOutABatchWholeAndEvenly) {
  std::mt19937 random(5);
  std::vector<Example> examples(40);
  for (Example& example : examples) {
    example.ids.assign(3 + random() % 30, 7);
  }
  std::ranges::sort(examples, std::greater(), [](const Example& example) { return example.ids.size(); });
  std::vector<std::int64_t> batch(examples.size());
  std::iota(batch.begin(), batch.end(), 0);
  EXPECT_EQ(TrainProcesses(nullptr).share_of(examples, batch), batch);
  for (const int count : {2, 3, 7, 50}) {
    Meeting meeting(count);
    std::mutex mutex;
    std::vector<std::int64_t> dealt;
    std::vector<std::int64_t> tokens;
    meeting.run([&](const TrainProcesses& processes) {
      const std::vector<std::int64_t> own = processes.share_of(examples, batch);
      EXPECT_TRUE(std::ranges::is_sorted(own));
      std::int64_t sum = 0;
      for (const std::int64_t index : own) {
        sum += examples[static_cast<std::size_t>(index)].batch_cost();
      }
      const std::lock_guard lock(mutex);
      dealt.insert(dealt.end(), own.begin(), own.end());
      tokens.push_back(sum);
    });
    std::ranges::sort(dealt);
    EXPECT_EQ(dealt, batch) << count;
    const auto [least, most] = std::ranges::minmax(tokens);
    EXPECT_LE(most - least, examples.front().batch_cost()) << count;
    EXPECT_EQ(least == 0, count == 50);  // more processes than sentences
  }
}

TEST(TrainProcesses, FailAllWhereOneDoes) {
  Meeting meeting(3);
  meeting.run([](const TrainProcesses& processes) {
    const auto fail = [&] {
      if (processes.rank() > 0) {
        throw FormatError("line " + std::to_string(processes.rank()));
      }
    };
    try {
      processes.all(fail);
      ADD_FAILURE();
    } catch (const EndedTogether& ended) {
      EXPECT_NE(processes.rank(), 1);
      EXPECT_EQ(ended.exit_code(), ExitCode::format);
    } catch (const FormatError& error) {
      EXPECT_EQ(processes.rank(), 1);
      EXPECT_STREQ(error.what(), "line 1");
    }
  });
}

TEST(TrainProcesses, TakeOverWhatTheFirstDidAlone) {
  Meeting meeting(3);
  meeting.run([](const TrainProcesses& processes) {
    TrainState state;
    state.step = 12;
    processes.first_alone(
        [&] {
          EXPECT_TRUE(processes.first());
          state.best_step = 12;
          state.best_score = 0.1;
          state.best_dev = {{"upos.accuracy", 1.0 / 3.0}};
          state.stopped_early = true;
        },
        state);
    EXPECT_EQ(state.best_dev.at("upos.accuracy"), 1.0 / 3.0);
    EXPECT_TRUE(state.stopped_early && state.best_step == 12 && state.step == 12);
    try {
      processes.first_alone([] { throw Interrupted("stopped"); }, state);
      ADD_FAILURE();
    } catch (const EndedTogether& ended) {
      EXPECT_FALSE(processes.first());
      EXPECT_EQ(ended.exit_code(), ExitCode::interrupted);
    } catch (const Interrupted&) {
      EXPECT_TRUE(processes.first());
    }
  });
}

}  // namespace
}  // namespace mog::app
