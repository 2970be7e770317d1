// The model card (README.md) of a trained model, written from what was measured.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/metrics/tagging.h"
#include "app/workflow/evaluate/evaluate_job.h"
#include "app/workflow/experiment/train_config.h"
#include "app/workflow/train/train_job.h"

namespace mog::app {

// The same scores of another model, and the paired comparison with it.
struct TwinScore {
  std::string task;
  analysis::Score score;
  analysis::Comparison comparison;  // second = this model
};

// An encoder that the run started from or learnt from. words: what its own card says of where it comes from
// and of its data, line by line.
struct Origin {
  std::string role;  // "Started from", "Learnt from"
  std::string name;
  std::string weights_sha256;
  std::vector<std::string> words;
};
Origin origin_of(std::string role, const std::filesystem::path& directory, std::string weights_sha256);

struct CardData {
  std::vector<Origin> origins;
  std::int64_t parameters = 0;
  std::string weights_sha256;
  std::int64_t weights_bytes = 0;
  std::string device;
  std::int64_t steps = 0;
  std::int64_t best_step = 0;
  std::int64_t epochs = 0;
  bool stopped_early = false;
  bool averaged = false;
  double elapsed_s = 0.0;
  std::int64_t train_sentences = 0;
  std::int64_t train_tokens = 0;
  std::int64_t left_out = 0;  // longer than max_tokens
  std::map<std::string, double> dev;
  std::vector<TaskScore> test;
  std::optional<double> test_nll;             // translation
  std::map<std::string, double> test_output;  // as output_scores(), and attachment_scores()
  std::int64_t test_sentences = 0;
  std::string twin;  // its name
  std::vector<TwinScore> twin_scores;
  std::vector<TrainReport> log;  // reports with dev scores
};

std::string model_card(const TrainConfig& config, const CardData& data);

}  // namespace mog::app
