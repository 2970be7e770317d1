// Runs of a sentence with tokens erased, many in one packed batch.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <stop_token>
#include <vector>

#include "app/workflow/effects/faithfulness_readout.h"
#include "app/workflow/record/live_run.h"
#include "model/packed_batch.h"

namespace mog::app {

// The id that the erasure puts in the place of a token. Throws UsageError when the model has no such token.
std::int64_t replacement_id(const LoadedModel& loaded, Erasure erasure);

using GraphArcs = std::vector<model::GraphArc>;  // of one sentence

class Eraser {
 public:
  // Everything is borrowed. graph: what the model reads beside the sentence. id: replacement_id(), where the
  // erasure has one.
  Eraser(const model::Model& model, const FaithfulnessOptions& options, const Sentence& sentence,
         const Readout& readout, const GraphArcs& graph, std::int64_t id, std::stop_token stop)
      : model_(model),
        options_(options),
        sentence_(sentence),
        readout_(readout),
        graph_(graph),
        id_(id),
        stop_(std::move(stop)) {}

  // The target's vector of the whole sentence.
  const std::vector<double>& before();
  const GraphArcs& graph() const { return graph_; }
  // Effects of erasing units: one set of them after another, each as long as the units. Sets that were run
  // before are not run again. Throws as Model::run, Interrupted.
  std::vector<double> effects(std::span<const std::vector<bool>> sets);

 private:
  // One batch of sets, longest sentence first.
  void run(std::span<const ErasedTokens> sets);

  const model::Model& model_;
  const FaithfulnessOptions& options_;
  const Sentence& sentence_;
  const Readout& readout_;
  const GraphArcs& graph_;
  std::int64_t id_;
  std::stop_token stop_;
  std::map<ErasedTokens, std::vector<double>> read_;  // what was run
};

}  // namespace mog::app
