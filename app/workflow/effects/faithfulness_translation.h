// How faithful an attribution is to a translator: words of the source, or of the translation before the
// token, are erased in its order, and the log-probability of every token of a translation is read again, with
// teacher forcing. The same measures and tables as of an encoder (faithfulness_job.h).
//
// A value is of one token of the translation first: it has an order of its own, the row of its step. Measures
// are means over the tokens of a sentence, then over sentences.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/workflow/common/progress.h"
#include "app/workflow/effects/faithfulness_job.h"
#include "app/workflow/record/live_run.h"

namespace mog::app {

// What is erased: tokens of the source, decoder inputs up to the step (those the token's own prefix has), or
// both in one order.
enum class ErasedSide : std::uint8_t { source, prefix, both };
// "source", "prefix", "both"; throws UsageError.
ErasedSide parse_erased_side(std::string_view text);
std::string_view name(ErasedSide side) noexcept;

// What says how much a step owes to each source token and each decoder input.
struct DecoderAttribution {
  enum class Kind : std::uint8_t {
    random,
    cross_attention,  // mean over heads, of a layer or of all; of the source alone
    norm,             // contribution of each token to the decoder's state: its length,
    projection,       // its part along the state,
    logit,            // and what it adds to the score of the token that is predicted
    alti,             // ALTI+, rolled out through both stacks
    leave_one_out,
  };
  Kind kind = Kind::random;
  std::int64_t layer = 0;  // of cross-attention, from 1; 0: the mean over layers
  friend bool operator==(const DecoderAttribution&, const DecoderAttribution&) = default;
};
// "random", "cross-attention", "cross-attention:2", "contribution-norm", "contribution-projection",
// "contribution-logit", "alti", "leave-one-out".
std::string text(const DecoderAttribution& attribution);
// Commas between; throws UsageError naming the piece and what is allowed.
std::vector<DecoderAttribution> parse_decoder_attributions(std::string_view text);

struct TranslationTarget {
  std::filesystem::path reference;  // translations of the input, line by line; empty: the model's own
  std::int64_t beam = 6;            // of its own
  std::string begins = {};          // words that every translation begins with (begin_with())
  ErasedSide side = ErasedSide::source;
  std::vector<DecoderAttribution> attributions;  // empty: all that the model has, one mean of cross-attention
};

// `options` without its target and attributions. The effect of an erasure is the log-probability of the token
// before it less that after it, in nats; erased decoder inputs are replaced (Erasure::unknown, pad).
// Row::units are those of the last token that is measured. Tokens with fewer than two units are left out.
// Throws as run_faithfulness, and UsageError without a decoder and for an erasure that a prefix cannot have.
FaithfulnessResult run_translation_faithfulness(const LoadedModel& loaded, const FaithfulnessOptions& options,
                                                const TranslationTarget& target, std::stop_token stop = {},
                                                const ProgressCallback& progress = {});

}  // namespace mog::app
