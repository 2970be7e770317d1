// `mog evaluate --teacher`: how near an encoder is to its teacher on a text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/random/bootstrap.h"
#include "app/workflow/common/progress.h"
#include "model/model.h"

namespace mog::app {

struct TeacherJobOptions {
  std::filesystem::path model;
  std::filesystem::path teacher;
  std::filesystem::path data;  // one sentence a line, or .conllu (comment "text", else the words)
  // true: the teacher reads the model's pieces (those that it has); false: its own pieces.
  bool shared_pieces = true;
  std::int64_t max_sentences = 0;  // 0: all
  model::DeviceOptions device;
  analysis::BootstrapOptions bootstrap;
  std::stop_token stop;
  ProgressCallback progress;
};

// Sentence embeddings are means over all tokens of the encoder's output. layers: means over the tokens of
// sentences that both cut alike; empty when there is none.
struct TeacherResult {
  std::int64_t sentences = 0;
  std::int64_t aligned_sentences = 0;
  double sentence_cosine = 0.0;
  analysis::Interval interval;  // over sentences; NaN: none
  std::vector<double> state_cosine;
  std::vector<double> state_mse;
};

// Throws ModelError when d_model differs or a sentence is longer than a position table, UsageError when the
// text has no sentence.
TeacherResult run_teacher_job(const TeacherJobOptions& options);

// {"sentences": …, "sentence_cosine": {"value": …, "low": …, "high": …}, "layers": [{"layer": 1, …}]}
std::string to_json(const TeacherResult& result);

}  // namespace mog::app
