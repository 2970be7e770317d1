// What a target reads from the encoder's output of one sentence, what an erasure does to it, and the slopes
// of that.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/effects/units.h"
#include "io/recording/sentence.h"

namespace mog::analysis {

// pooled: the mean of the encoder's output over tokens; word: the mean over the tokens of one word; tag: the
// probabilities of the tags that the word's first token gets; head: the probabilities of the tokens as its
// head, of a parser. Those are the first token of every other word and, as the root, the first that belongs
// to no word.
enum class TargetKind : std::uint8_t { pooled, word, tag, head };

struct ReadoutOptions {
  TargetKind target = TargetKind::pooled;
  std::int64_t word = 0;  // of word, tag and head: from 1; negative: from the end of the sentence
  ErasedUnit unit = ErasedUnit::token;
  SpecialTokens special = SpecialTokens::keep;
  bool takes_away = false;  // an erased token is gone: its output has no place in a pooled mean
};

// One sentence's target. Vectors are [width]: d_model, the tags, or the tokens (heads). Immutable; safe to
// read from several threads.
class Readout {
 public:
  // nullopt for a sentence that does not have the target's word, or no token of it.
  static std::optional<Readout> of(const Sentence& sentence, const ReadoutOptions& options);

  // Words or tokens that may be erased: none of the target's.
  const Units& units() const { return units_; }
  // Weight of each token's output in the target, [token]; sums to 1.
  const std::vector<double>& weights() const { return weights_; }
  // Whether the weights of erased tokens are 0, and the others' grow to sum to 1.
  bool shrinks() const { return shrinks_; }
  // Of tags and heads.
  bool reads_probabilities() const { return target_ == TargetKind::tag || target_ == TargetKind::head; }

  // The vector that is compared; for tags and heads the probabilities, softmax of the scores (of heads those
  // of other tokens are 0). values: [row, width], row r the output (or the scores) of token tokens[r];
  // erased: [token]. NaN where no row has a weight. Throws ShapeError for values that are not whole rows, or
  // a token beyond the sentence.
  std::vector<double> read(std::span<const double> values, std::span<const std::int64_t> tokens,
                           const ErasedTokens& erased) const;
  // The same of all tokens, none left out: values [token, width].
  std::vector<double> read(std::span<const double> values, const ErasedTokens& erased) const;

  // 1 - cosine, in [0, 2] (1 where a vector is 0), or how much less probable the tag (the head) is that was
  // the most probable before, in [-1, 1].
  double effect(const std::vector<double>& before, const std::vector<double>& after) const;
  // The derivative of 1 - effect(before, at) by `at` (for tags and heads by its scores).
  std::vector<double> slope(const std::vector<double>& before, const std::vector<double>& at) const;
  // The scalar behind gradients at the sentence itself, where the cosine has its maximum and no slope: the
  // length of the output along itself, or the tag's (the head's) probability; its derivative by the vector
  // (the scores).
  std::vector<double> own_slope(const std::vector<double>& before) const;
  // The same by the output of every token, [token, width].
  std::vector<double> own_cotangent(const std::vector<double>& before) const;

 private:
  TargetKind target_ = TargetKind::pooled;
  bool shrinks_ = false;
  Units units_;
  std::vector<double> weights_;
  std::vector<bool> heads_;  // [token] that can be the word's head; empty for other targets
};

}  // namespace mog::analysis
