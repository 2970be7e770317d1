// Training by several processes against training by one. Here they are threads with a connection each, so
// that a step of float64 can be compared to its last digits; cli_train_processes.py starts real ones.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cmath>
#include <cstdlib>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

#include "io/recording/errors.h"
#include "tests/integration/training_case.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/engine/test_device.h"

namespace mog::model {
namespace {

using Group = std::shared_ptr<Processes>;
using Work = std::function<void(Group)>;

// A socket that listens on a free port of this machine.
std::pair<int, std::uint16_t> free_port() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const place = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener, place, size) != 0 || ::listen(listener, 16) != 0 ||
      ::getsockname(listener, place, &size) != 0) {
    throw std::runtime_error("no port is free");
  }
  return {listener, ntohs(address.sin_port)};
}

// `work` in each of `count`; the first exception of the lowest rank comes out.
void together(int count, const Work& work) {
  // c10d's recorder of flights writes to a map of its groups without a lock, since a process has one group;
  // of groups in threads it makes a crash. Read when the first group sends its first message.
  ::setenv("TORCH_FR_BUFFER_SIZE", "0", 0);
  const auto [listener, port] = free_port();
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank, listener = listener, port = port] {
      try {
        work(join_processes({.rank = rank,
                             .count = count,
                             .address = "127.0.0.1",
                             .port = port,
                             .listener = rank == 0 ? listener : -1}));
      } catch (...) {
        thrown[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::exception_ptr& error : thrown) {
    if (error) {
      std::rethrow_exception(error);
    }
  }
}

std::unique_ptr<Trainer> exact(const ModelConfig& config, const TrainerOptions& options) {
  return create_trainer(config, options, {.device = test::test_device(), .precision = Precision::float64});
}

// Every part has other lengths and labels; the fourth update has only two.
std::vector<TrainingBatch> parts_of(const ModelConfig& config, int update) {
  const std::vector<std::vector<std::int64_t>> lengths = {{5, 5}, {7}, {3, 2}, {4}, {6, 4}};
  std::vector<TrainingBatch> parts;
  for (std::size_t part = 0; part < (update % 5 == 3 ? 2 : lengths.size()); ++part) {
    parts.push_back(batch_for(
        config, static_cast<std::uint32_t>(update) * 8 + static_cast<std::uint32_t>(part), lengths[part]));
  }
  return parts;
}

// Those of one process; the rest have one batch without a sentence, so that it is seen to change nothing.
std::vector<TrainingBatch> own(std::vector<TrainingBatch> parts, int rank, int count) {
  std::vector<TrainingBatch> mine;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (static_cast<int>(part) % count == rank) {
      mine.push_back(std::move(parts[part]));
    }
  }
  if (mine.empty()) {
    mine.emplace_back();
  }
  return mine;
}

constexpr double kRate = 5e-3;

std::vector<double> losses_of(Trainer& trainer, const ModelConfig& config, int first, int last, int rank = 0,
                              int count = 1, const LossWeights& losses = {}) {
  std::vector<double> result;
  for (int update = first; update < last; ++update) {
    const StepResult step = trainer.step(own(parts_of(config, update), rank, count), kRate, losses);
    result.push_back(step.total);
    result.push_back(step.gradient_norm);
    result.push_back(static_cast<double>(step.labels + step.tokens));
  }
  return result;
}

void expect_same(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t at = 0; at < found.size(); ++at) {
    ASSERT_NEAR(found[at], expected[at], tolerance * (1.0 + std::abs(expected[at]))) << "value " << at;
  }
}

TrainerOptions clipped() {
  TrainerOptions options = quiet();
  options.clip_norm = 0.5;
  options.weight_decay = 0.01;
  options.average_decay = 0.9;
  options.task_weights = {{"ner", 2.0}};
  return options;
}

void check_same_losses(const ModelConfig& config, int updates) {
  const auto alone = exact(config, clipped());
  const std::vector<double> expected = losses_of(*alone, config, 0, updates);
  ASSERT_NE(expected.front(), expected[expected.size() - 3]);  // it learns
  for (const int count : {2, 3}) {
    SCOPED_TRACE(count);
    together(count, [&](const Group& group) {
      const auto trainer = exact(config, clipped());
      trainer->join(group);
      expect_same(losses_of(*trainer, config, 0, updates, group->rank(), count), expected, 1e-5);
      trainer->check_alike();
      for (const auto& [name, tensor] : trainer->weights()) {
        const auto other = alone->weights().at(name);
        for (std::size_t at = 0; at < tensor.values<float>().size(); ++at) {
          ASSERT_NEAR(tensor.values<float>()[at], other.values<float>()[at], 1e-5) << name;
        }
      }
    });
  }
}

TEST(TrainingProcesses, HaveTheLossesOfOneOver200Updates) {
  check_same_losses(small_config(EncoderKind::graph_transformer), 200);
}
TEST(TrainingProcesses, HaveThemInATranslator) {
  check_same_losses(translator(true), 40);
}
TEST(TrainingProcesses, HaveThemInParsers) {
  for (const GraphKind kind : {GraphKind::dependencies, GraphKind::coreference, GraphKind::transitions}) {
    ModelConfig config = small_config(EncoderKind::transformer);
    GraphConfig& graph = config.graph.emplace();
    graph.kind = kind;
    graph.width = 6;
    graph.label_width = 4;
    graph.link_pieces = graph.is_tree();
    if (graph.is_tree()) {
      graph.labels = {"a", "b", "root"};
    }
    SCOPED_TRACE(static_cast<int>(kind));
    check_same_losses(config, 20);
  }
}

TEST(TrainingProcesses, LearnFromATeacherAsOneDoes) {
  const ModelConfig config = small_config(EncoderKind::transformer);
  TrainerOptions other = quiet();
  other.seed = 99;
  const auto teaching = exact(config, other);
  LossWeights losses;
  losses.hidden = losses.attention = losses.sentence = 1.0;
  const auto alone = exact(config, clipped());
  alone->set_teacher(teaching->model());
  const std::vector<double> expected = losses_of(*alone, config, 0, 20, 0, 1, losses);
  together(2, [&](const Group& group) {
    const auto trainer = exact(config, clipped());
    trainer->set_teacher(teaching->model());
    trainer->join(group);
    expect_same(losses_of(*trainer, config, 0, 20, group->rank(), 2, losses), expected, 1e-5);
  });
}

TEST(TrainingProcesses, ResumeInAnotherNumberAsIfNothingHadBeen) {
  const test::TemporaryFolder folder;
  const ModelConfig config = small_config(EncoderKind::graph_transformer);
  const std::vector<double> expected = losses_of(*exact(config, clipped()), config, 0, 30);
  const std::vector<double> rest(expected.begin() + 30, expected.end());
  together(2, [&](const Group& group) {
    const auto trainer = exact(config, clipped());
    trainer->join(group);
    losses_of(*trainer, config, 0, 10, group->rank(), 2);
    if (group->rank() == 0) {
      trainer->save_state(folder.file("state"));
    }
  });
  for (const int count : {1, 3}) {
    together(count, [&](const Group& group) {
      TrainerOptions options = clipped();
      options.seed = 1 + group->rank();  // weights come from the first
      const auto trainer = exact(config, options);
      if (group->rank() == 0) {
        trainer->load_state(folder.file("state"));
      }
      trainer->join(group);
      expect_same(losses_of(*trainer, config, 10, 30, group->rank(), count), rest, 1e-9);
    });
  }
}

// With dropout as many processes give the same again, from the state of the first.
TEST(TrainingProcesses, ResumeWithTheSameMasks) {
  const test::TemporaryFolder folder;
  const ModelConfig config = small_config(EncoderKind::graph_transformer);
  TrainerOptions options = quiet();
  options.dropout = options.word_dropout = 0.2;
  std::vector<double> rest;
  together(2, [&](const Group& group) {
    const auto trainer = exact(config, options);
    trainer->join(group);
    losses_of(*trainer, config, 0, 5, group->rank(), 2);
    if (group->rank() == 0) {
      trainer->save_state(folder.file("state"));
    }
    const std::vector<double> losses = losses_of(*trainer, config, 5, 10, group->rank(), 2);
    if (group->rank() == 0) {
      rest = losses;
    }
  });
  together(2, [&](const Group& group) {
    const auto trainer = exact(config, options);
    if (group->rank() == 0) {
      trainer->load_state(folder.file("state"));
    }
    trainer->join(group);
    // Elsewhere sums come in another order each time.
    const double allowed = test::test_device() == "cpu" ? 0.0 : 1e-6;
    expect_same(losses_of(*trainer, config, 5, 10, group->rank(), 2), rest, allowed);
  });
}

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::other);
    return error.what();
  }
  return "nothing was thrown";
}

TEST(TrainingProcesses, SayWhichWeightsAreNoLongerTheSame) {
  const test::TemporaryFolder folder;
  const ModelConfig config = small_config(EncoderKind::transformer);
  together(3, [&](const Group& group) {
    const auto trainer = exact(config, quiet());
    trainer->join(group);
    const std::string file = folder.file("state-" + std::to_string(group->rank()));
    trainer->save_state(file);
    losses_of(*trainer, config, 0, 2, group->rank(), 3);
    trainer->check_alike();
    if (group->rank() == 1) {
      trainer->load_state(file);
    }
    const std::string message = message_of([&] { trainer->check_alike(); });
    EXPECT_NE(message.find("in process 2 of 3 "), std::string::npos) << message;
    EXPECT_NE(message.find(" is no longer that of the first process"), std::string::npos) << message;
  });
}

TEST(TrainingProcesses, EndWhenOneIsLost) {
  const ModelConfig config = small_config(EncoderKind::transformer);
  together(3, [&](Group group) {
    const int rank = group->rank();
    const auto trainer = exact(config, quiet());
    trainer->join(std::exchange(group, nullptr));
    losses_of(*trainer, config, 0, 2, rank, 3);
    if (rank != 1) {
      const std::string message = message_of([&] { losses_of(*trainer, config, 2, 10, rank, 3); });
      EXPECT_NE(message.find("another process of the run was lost"), std::string::npos) << message;
    }
  });
}

}  // namespace
}  // namespace mog::model
