// How near the states of an encoder are to those of its teacher.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "model/model.h"

namespace mog::app {

// aligned: token i of both stands for the same piece, so that states can be compared token by token.
struct PairedSentence {
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> teacher_ids;
  bool aligned = true;
};

// sentence_cosine: [sentence], between the means over all tokens of the encoders' outputs (sentence
// embeddings as sentence-transformers makes them). state_cosine, state_mse: [layer of the student], means
// over the tokens of aligned sentences (mse: over d_model too); the teacher's layer is the one at the same
// share of its depth. NaN where nothing could be compared.
struct TeacherAgreement {
  std::vector<double> sentence_cosine;
  std::vector<double> state_cosine;
  std::vector<double> state_mse;
  std::int64_t aligned_tokens = 0;
  std::int64_t aligned_sentences = 0;
  double sentence_mean() const;
};

// Throws ModelError when d_model differs, Interrupted when stopped.
TeacherAgreement compare_with_teacher(const model::Model& student, const model::Model& teacher,
                                      std::span<const PairedSentence> sentences, std::int64_t batch_tokens,
                                      std::stop_token stop = {});

}  // namespace mog::app
