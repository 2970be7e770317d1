// What a target reads from the encoder's output, and what of a sentence can be erased.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/workflow/effects/faithfulness_job.h"
#include "io/recording/quantity_name.h"
#include "io/recording/sentence.h"
#include "model/config/config.h"
#include "model/model.h"

namespace mog::app {

// [unit] -> tokens that are erased together, ascending.
using Units = std::vector<std::vector<std::int64_t>>;
// Tokens of the sentence that are erased, [token].
using ErasedTokens = std::vector<bool>;

// One sentence's target. Holds what the tokens' outputs have to do with it.
class Readout {
 public:
  // nullopt for a sentence that does not have the target's word.
  static std::optional<Readout> of(const FaithfulnessOptions& options, const Sentence& sentence);

  // What is read: the output of the model's stack (encoder.output), or heads.TASK.logits.
  QuantityName quantity(const model::Model& model) const;
  // Words or tokens that may be erased.
  const Units& units() const { return units_; }
  // Weight of each token's output in the target, [token]; sums to 1.
  const std::vector<double>& weights() const { return weights_; }
  // Whether erased tokens leave the mean: a pooled target whose erasure takes them away.
  bool shrinks() const { return shrinks_; }

  // The vector that is compared. values: [row, width], row r the output of token tokens[r]; outputs of erased
  // tokens do not count where the target shrinks. For tags the probabilities of all tags.
  std::vector<double> read(std::span<const double> values, std::span<const std::int64_t> tokens,
                           const ErasedTokens& erased) const;
  // 1 - cosine, or how much less probable the tag is that was the best before.
  double effect(const std::vector<double>& before, const std::vector<double>& after) const;
  // The derivative of 1 - effect(before, at) by `at` (for tags by its scores).
  std::vector<double> slope(const std::vector<double>& before, const std::vector<double>& at) const;
  // The scalar behind gradients at the sentence itself, where the cosine has its maximum and no slope: the
  // length of the output along itself, or the tag's probability; its derivative.
  std::vector<double> own_slope(const std::vector<double>& before) const;
  bool tag() const { return target_.kind == FaithTarget::Kind::tag; }

 private:
  FaithTarget target_;
  bool shrinks_ = false;
  Units units_;
  std::vector<double> weights_;
};

}  // namespace mog::app
