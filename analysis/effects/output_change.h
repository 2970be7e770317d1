// What a cut changes in one sentence: the encoder's output, and the tags. Everything is compared with what
// was there before the cut.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/recording/sentence.h"

namespace mog::analysis {

// values: [token]. The mean over the words' tokens, special ones left out; NaN where there are none. Throws
// ShapeError for another number of values.
double mean_over_words(const Sentence& sentence, std::span<const float> values);

// x is the output before, y after. A cosine with a vector of zeros counts as 0, of two of them as 1.
struct StateDifference {
  double change = 0;  // ‖y - x‖ / ‖x‖, mean over the words' tokens; a token with x = 0 adds 0
  double cosine = 0;  // 1 - cosine of y and x, in [0, 2], mean over the words' tokens
  double pooled = 0;  // 1 - cosine of the means of y and x over all tokens, special ones too
};
// before, after: [token, d_model]. change and cosine are NaN where no token is of a word. O(token · d_model).
// Throws ShapeError where the two are not equally long or not whole rows.
StateDifference state_difference(const Sentence& sentence, std::span<const float> before,
                                 std::span<const float> after);

// KL(before || after) of the tags' distributions (softmax of the scores), nats, mean over the words' first
// tokens; NaN where there are none. before, after: [token, tag] scores. Throws ShapeError as above.
double tag_divergence(const Sentence& sentence, std::span<const float> before, std::span<const float> after);

// before, after: [word], "" where a word has no tag. Share of the words with a tag before that have another
// one after, in [0, 1]; 0 where no word has one. Throws ShapeError when the two are not equally long.
double share_of_changed_tags(std::span<const std::string> before, std::span<const std::string> after);

}  // namespace mog::analysis
