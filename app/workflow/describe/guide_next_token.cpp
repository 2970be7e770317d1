// What a model that reads from left to right foresees, by its last states and by those of its layers.
#include "app/workflow/describe/guide_parts.h"

namespace mog::app {

std::span<const GuideEntry> guide_of_next_token() {
  static constexpr GuideEntry kRows[] = {
      {"encoder.next_token", MOG_TEXT("Guide", "scores of the next token"),
       MOG_TEXT("Guide", "before the softmax"), MOG_TEXT("Guide", "any number"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "One score for each token of the vocabulary, of what follows each token.")},
      {"encoder.next_token.surprisal", MOG_TEXT("Guide", "surprisal"),
       MOG_TEXT("Guide", "−ln p(token | those before it)"), MOG_TEXT("Guide", "0 and more, nats"),
       ClaimLevel::algebra,
       MOG_TEXT(
           "Guide",
           "How little the model foresaw the token from those before it: 0 for certain, more for rarer. The "
           "first token of a text has none.")},
      {"encoder.next_token.rank", MOG_TEXT("Guide", "rank of a token among all"),
       MOG_TEXT("Guide", "1 + number of tokens with a higher score"),
       MOG_TEXT("Guide", "1 to the size of the vocabulary"), ClaimLevel::algebra,
       MOG_TEXT(
           "Guide",
           "How many tokens the model found more probable, and one. The first token of a text has none.")},
      {"encoder.next_token.entropy", MOG_TEXT("Guide", "entropy of the prediction"),
       MOG_TEXT("Guide", "− Σ p · ln p over the vocabulary"),
       MOG_TEXT("Guide", "0 to ln of the size of the vocabulary"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "How open it is, for the model, what follows the token.")},
      {"encoder.next_token.best", MOG_TEXT("Guide", "most probable next tokens"),
       MOG_TEXT("Guide", "ids by falling probability"), MOG_TEXT("Guide", "ids of the vocabulary"),
       ClaimLevel::algebra,
       MOG_TEXT("Guide", "What the model expects most behind each token, the ten best.")},
      {"encoder.next_token.best_probability", MOG_TEXT("Guide", "their probabilities"),
       MOG_TEXT("Guide", "p of the ten best"), MOG_TEXT("Guide", "0 to 1, falling"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "How probable the model finds each of them.")},
      {"encoder.L.next_token", MOG_TEXT("Guide", "scores of the next token, by a layer"),
       MOG_TEXT("Guide", "map(norm(x′)): the last norm and the output map on the layer's states"),
       MOG_TEXT("Guide", "any number"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "What the model would say if the layer were its last one (logit lens). Layers are trained to "
                "be read "
                "by those above them, not by the output map: what is not read off may be there all the same. "
                "The last "
                "layer's are the model's own.")},
      {"encoder.L.next_token.surprisal", MOG_TEXT("Guide", "surprisal, by a layer"),
       MOG_TEXT("Guide", "−ln p(token | those before it) by the lens"), MOG_TEXT("Guide", "0 and more, nats"),
       ClaimLevel::summary,
       MOG_TEXT("Guide", "Where it falls from layer to layer, the token becomes foreseeable there.")},
      {"encoder.L.next_token.rank", MOG_TEXT("Guide", "rank of a token, by a layer"),
       MOG_TEXT("Guide", "1 + number of tokens with a higher score by the lens"),
       MOG_TEXT("Guide", "1 to the size of the vocabulary"), ClaimLevel::summary,
       MOG_TEXT("Guide", "The place of the token among all if the layer were the last one.")},
      {"encoder.L.next_token.entropy", MOG_TEXT("Guide", "entropy of the prediction, by a layer"),
       MOG_TEXT("Guide", "− Σ p · ln p by the lens"),
       MOG_TEXT("Guide", "0 to ln of the size of the vocabulary"), ClaimLevel::summary,
       MOG_TEXT("Guide", "How decided the layer's states are about what follows.")},
      {"encoder.L.next_token.best", MOG_TEXT("Guide", "most probable next tokens, by a layer"),
       MOG_TEXT("Guide", "ids by falling probability by the lens"),
       MOG_TEXT("Guide", "ids of the vocabulary"), ClaimLevel::summary,
       MOG_TEXT("Guide", "What the figure logit-lens writes into its cells.")},
      {"encoder.L.next_token.best_probability", MOG_TEXT("Guide", "their probabilities, by a layer"),
       MOG_TEXT("Guide", "p of the ten best by the lens"), MOG_TEXT("Guide", "0 to 1, falling"),
       ClaimLevel::summary, MOG_TEXT("Guide", "How probable they are if the layer were the last one.")},
  };
  return kRows;
}

}  // namespace mog::app
