// BLEU of a translator in training, as `mog translate` and `mog evaluate` give it (13a, one reference;
// lower-cased where the tokenizer lowers, since such a model cannot say capitals).

#include <algorithm>

#include "analysis/metrics/bleu.h"
#include "app/workflow/record/translation.h"
#include "app/workflow/train/train_run.h"
#include "io/recording/errors.h"
#include "model/tokenizer/text/lowercase.h"

namespace mog::app {

double TrainRun::bleu_of(model::Trainer& trainer, const PreparedData& data, std::int64_t sentences) const {
  LoadedModel loaded;
  loaded.model = trainer.model();
  loaded.tokenizer = tokenizer_.source;
  loaded.target_vocabulary = {tokenizer_.target, &tokenizer_.target->vocabulary()};
  const std::size_t count = std::min(static_cast<std::size_t>(sentences), data.references.size());
  const std::span<const Sentence> chosen(data.sentences.data(), count);
  std::vector<std::int64_t> lengths;
  for (const Sentence& sentence : chosen) {
    lengths.push_back(static_cast<std::int64_t>(sentence.tokens.size()));
  }
  std::vector<std::string> hypotheses(count);
  model::BeamOptions options;
  options.beam = config_.training.validation_beam;
  for (const std::vector<std::int64_t>& indices :
       model::pack_by_length(lengths, config_.training.batch_tokens)) {
    if (options_.stop.stop_requested()) {
      throw Interrupted("Validation was stopped.");
    }
    std::vector<Sentence> batch;
    for (const std::int64_t index : indices) {
      batch.push_back(chosen[static_cast<std::size_t>(index)]);
    }
    const Hypotheses found = translate_sentences(*loaded.model, batch, options, options_.stop);
    for (std::size_t at = 0; at < batch.size(); ++at) {
      hypotheses[static_cast<std::size_t>(indices[at])] = translation_text(loaded, found[at].front().ids);
    }
  }
  std::vector<std::string> references(data.references.begin(),
                                      data.references.begin() + static_cast<std::ptrdiff_t>(count));
  if (config_.model.tokenizer.lowercase) {
    for (std::vector<std::string>* lines : {&hypotheses, &references}) {
      for (std::string& line : *lines) {
        line = model::lower_case(line).text;
      }
    }
  }
  return analysis::corpus_bleu(hypotheses, std::span<const std::string>(references)).score;
}

}  // namespace mog::app
