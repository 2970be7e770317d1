// Runs of a sentence and its translation with tokens erased on either side, many in one packed batch: what
// the decoder's steps say of the tokens that follow.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <stop_token>
#include <vector>

#include "app/workflow/effects/faithfulness_job.h"
#include "io/recording/sentence.h"
#include "model/model.h"

namespace mog::app {

class StepEraser {
 public:
  // Columns of the maps of a decoder's steps: tokens of the source, then the decoder's inputs.
  using Columns = std::vector<bool>;

  // Everything is borrowed; the sentence has a translation. id: replacement_id(), where the erasure has one.
  StepEraser(const model::Model& model, const FaithfulnessOptions& options, const Sentence& sentence,
             std::int64_t id, std::stop_token stop)
      : model_(model), options_(options), sentence_(sentence), id_(id), stop_(std::move(stop)) {}

  std::size_t columns() const { return sentence_.tokens.size() + sentence_.target_tokens.size(); }
  // Steps that predict a token of the translation: all but the last, which predicts its end.
  std::size_t steps() const { return sentence_.target_tokens.size() - 1; }

  // Runs what was not run before. Throws as Model::run, Interrupted.
  void run(std::span<const Columns> erased);
  // How much less probable the token after the step is with these erased: log p before less log p after, in
  // nats. They were run, as was the set without any.
  double effect(const Columns& erased, std::size_t step) const;

 private:
  void run_batch(std::span<const Columns> erased);

  const model::Model& model_;
  const FaithfulnessOptions& options_;
  const Sentence& sentence_;
  std::int64_t id_;
  std::stop_token stop_;
  std::map<Columns, std::vector<double>> read_;  // [step], log p of the token that follows
};

}  // namespace mog::app
