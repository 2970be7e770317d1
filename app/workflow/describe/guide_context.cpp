// What a decoder's states owe to the source and to the decoder's own inputs.
#include "app/workflow/describe/guide_parts.h"

namespace mog::app {

std::span<const GuideEntry> guide_of_context() {
  static constexpr GuideEntry kRows[] = {
      {"decoder.L.contribution", MOG_TEXT("Guide", "decoder states by source and prefix"),
       MOG_TEXT("Guide", "yₜ′ = Σ over source tokens, decoder inputs and the bias"),
       MOG_TEXT("Guide", "any number"), ClaimLevel::frozen,
       MOG_TEXT(
           "Guide",
           "The state of each target token as a sum of vectors, one a source token, one a decoder input (the "
           "prefix that was read), and one for all constants. Source tokens enter by what they give to the "
           "encoder's output; attention, norm scales and activation slopes of both stacks are frozen.")},
      {"decoder.L.contribution.norm", MOG_TEXT("Guide", "lengths of what source and prefix give"),
       MOG_TEXT("Guide", "norm of each vector"), MOG_TEXT("Guide", "0 and more"), ClaimLevel::frozen,
       MOG_TEXT("Guide", "How long the vector of each source token, decoder input and of the bias is.")},
      {"decoder.contribution", MOG_TEXT("Guide", "the decoder's last state by source and prefix"),
       MOG_TEXT("Guide", "after the last layer norm, where there is one"), MOG_TEXT("Guide", "any number"),
       ClaimLevel::frozen,
       MOG_TEXT("Guide",
                "The same of the state from which the next token is scored; the vectors sum to it.")},
      {"decoder.contribution.norm", MOG_TEXT("Guide", "lengths of what the last state is made of"),
       MOG_TEXT("Guide", "norm of each vector"), MOG_TEXT("Guide", "0 and more"), ClaimLevel::frozen,
       MOG_TEXT("Guide", "How long the vector of each source token, decoder input and of the bias is.")},
      {"decoder.contribution.projection", MOG_TEXT("Guide", "shares of source and prefix in the last state"),
       MOG_TEXT("Guide", "⟨vector, y⟩ / ‖y‖²"),
       MOG_TEXT("Guide", "sums to 1; single entries may be negative"), ClaimLevel::summary,
       MOG_TEXT(
           "Guide",
           "How far each vector goes in the direction of the whole state. Vectors against it are negative.")},
      {"decoder.contribution.logit",
       MOG_TEXT("Guide", "what source and prefix add to the next token's score"),
       MOG_TEXT("Guide", "⟨vector, row of the output map⟩; its bias is the bias's"),
       MOG_TEXT("Guide", "any number"), ClaimLevel::frozen,
       MOG_TEXT("Guide",
                "What each source token, decoder input and the bias adds to the logit of the token that "
                "follows in the "
                "translation (behind the last one: the end of the sentence). A row sums to that logit.")},
      {"decoder.contribution.share", MOG_TEXT("Guide", "share of the source and of the prefix"),
       MOG_TEXT("Guide", "Σ of the projection shares of each side"),
       MOG_TEXT("Guide", "sums to 1; single entries may be negative"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much of the last state all source tokens together make, how much the decoder's own "
                "inputs, how "
                "much the constants.")},
      {"decoder.L.memory_contribution",
       MOG_TEXT("Guide", "decoder states by position of the encoder's output"),
       MOG_TEXT("Guide", "yₜ′ = Σ over positions, decoder inputs and the bias"),
       MOG_TEXT("Guide", "any number"), ClaimLevel::frozen,
       MOG_TEXT(
           "Guide",
           "As decoder states by source and prefix, but a source is a position of the encoder's output, "
           "which "
           "already mixes source tokens. The one form there is behind a Graph-Transformer, GRU or LSTM.")},
      {"decoder.L.memory_contribution.norm", MOG_TEXT("Guide", "lengths of what positions and prefix give"),
       MOG_TEXT("Guide", "norm of each vector"), MOG_TEXT("Guide", "0 and more"), ClaimLevel::frozen,
       MOG_TEXT("Guide", "How long the vector of each position, decoder input and of the bias is.")},
      {"decoder.memory_contribution", MOG_TEXT("Guide", "the decoder's last state by position"),
       MOG_TEXT("Guide", "after the last layer norm, where there is one"), MOG_TEXT("Guide", "any number"),
       ClaimLevel::frozen,
       MOG_TEXT("Guide", "The last state by position of the encoder's output, decoder input and bias.")},
      {"decoder.memory_contribution.norm",
       MOG_TEXT("Guide", "lengths of what the last state has by position"),
       MOG_TEXT("Guide", "norm of each vector"), MOG_TEXT("Guide", "0 and more"), ClaimLevel::frozen,
       MOG_TEXT("Guide", "How long the vector of each position, decoder input and of the bias is.")},
      {"decoder.memory_contribution.projection",
       MOG_TEXT("Guide", "shares of positions and prefix in the last state"),
       MOG_TEXT("Guide", "⟨vector, y⟩ / ‖y‖²"),
       MOG_TEXT("Guide", "sums to 1; single entries may be negative"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How far the vector of each position, decoder input and of the bias goes along the state.")},
      {"decoder.memory_contribution.logit",
       MOG_TEXT("Guide", "what positions and prefix add to the next token's score"),
       MOG_TEXT("Guide", "⟨vector, row of the output map⟩; its bias is the bias's"),
       MOG_TEXT("Guide", "any number"), ClaimLevel::frozen,
       MOG_TEXT("Guide",
                "What each position of the encoder's output, decoder input and the bias adds to the logit of "
                "the token "
                "that follows.")},
      {"decoder.memory_contribution.share",
       MOG_TEXT("Guide", "share of the encoder's output and of the prefix"),
       MOG_TEXT("Guide", "Σ of the projection shares of each side"),
       MOG_TEXT("Guide", "sums to 1; single entries may be negative"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much of the last state the encoder's output makes, how much the decoder's own inputs, "
                "how much "
                "the constants (the encoder's own constants count as its output).")},
      {"decoder.L.memory_alti", MOG_TEXT("Guide", "ALTI+ of a decoder layer"),
       MOG_TEXT("Guide", "cₜᵢ = max(0, ‖y‖₁ − ‖y − Fₜᵢ‖₁), rows divided by their sums"),
       MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::summary,
       MOG_TEXT(
           "Guide",
           "How near what a layer takes from each position of the encoder's output, and from each target "
           "token, "
           "comes to what it makes of them (Ferrando et al. 2022). The feed-forward block is left out.")},
      {"decoder.L.memory_alti.product", MOG_TEXT("Guide", "ALTI+ through the decoder"),
       MOG_TEXT("Guide", "Rᴸ = [Cₑ, 0] + C_y · Rᴸ⁻¹"), MOG_TEXT("Guide", "0 to 1; each row sums to 1"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "ALTI+ of the layers rolled out: positions of the encoder's output, then decoder inputs.")},
      {"decoder.L.alti.product", MOG_TEXT("Guide", "ALTI+ through both sides"),
       MOG_TEXT("Guide", "Rᴸ = [Cₑ · encoder ALTI, 0] + C_y · Rᴸ⁻¹"),
       MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much of each target token's state comes from each source token and each decoder input, "
                "by ALTI "
                "rolled out through encoder and decoder (Ferrando et al. 2022).")},
      {"decoder.alti.share", MOG_TEXT("Guide", "share of source and prefix by ALTI+"),
       MOG_TEXT("Guide", "Σ over each side of ALTI+ of the last layer"),
       MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How much each step of the decoder takes from the source and how much from what it has said "
                "before.")},
      {"decoder.memory_alti.share", MOG_TEXT("Guide", "share of the encoder's output and prefix by ALTI+"),
       MOG_TEXT("Guide", "Σ over each side of ALTI+ of the last layer"),
       MOG_TEXT("Guide", "0 to 1; each row sums to 1"), ClaimLevel::summary,
       MOG_TEXT(
           "Guide",
           "The same without the encoder's part; the two shares are equal, as the encoder's rows sum to 1.")},
  };
  return kRows;
}

}  // namespace mog::app
