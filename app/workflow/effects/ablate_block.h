// One run of a model over a block of sentences.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/workflow/evaluate/tag_job.h"
#include "io/recording/sentence.h"
#include "model/intervention.h"
#include "model/model.h"

namespace mog::app {

// What one run gives for the sentences of a block.
struct BlockStates {
  // [sentence]: [token, d_model], the encoder's output; of sentences with targets [target_token, d_model],
  // the decoder's.
  std::vector<std::vector<float>> states;
  std::vector<SentenceTags> tags;                                 // [sentence]
  std::vector<std::map<std::string, std::vector<float>>> scores;  // [sentence][task]: [token, tag]; and trees
  std::vector<std::map<std::int64_t, double>> gates;              // [sentence][layer], mean over words
  std::vector<std::map<std::pair<std::int64_t, Part>, double>> shares;
  // [sentence], nats a token, of a reader from left to right; NaN where no token has one. Else empty.
  std::vector<double> surprisals;
};

// Some of the sentences, by their places, as a batch. graphs: [sentence], what the model reads beside it.
model::PackedBatch batch_of(std::span<const Sentence> sentences,
                            std::span<const std::vector<model::GraphArc>> graphs,
                            std::span<const std::int64_t> places);
// before: gates and shares are wanted too. Throws
// Interrupted.
BlockStates run_block(const model::Model& model, std::span<const Sentence> sentences,
                      std::span<const std::vector<model::GraphArc>> graphs,
                      std::span<const model::Intervention> interventions, bool before,
                      std::int64_t batch_tokens, const std::stop_token& stop);

}  // namespace mog::app
